"""What a search returns: the hit child, citable, with its window beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragspine_graph.retrieval.via import Step
from ragspine_store.records import Pages, Paragraphs, Span


@dataclass(frozen=True, slots=True)
class Scores:
    """What ranked a child; None for an arm that took no part."""

    bm25: float | None
    vector: float | None
    fused: float

    def to_dict(self) -> dict[str, float | None]:
        """As a JSON object."""
        return {"bm25": self.bm25, "vector": self.vector, "fused": self.fused}


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a child was found.

    Attributes:
        scores: of the arms.
        via: the steps of a walk that led to it; empty when its words alone did.
    """

    scores: Scores
    via: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a snippet's text stands.

    Attributes:
        heading_path: headings from the outermost section inwards.
        paragraphs: non-blank lines it stands in, numbered from 1, inclusive.
        span: half-open, code points of the canonical text; None for text from before the record.
        raw_span: half-open, code points of the decoded file; None likewise, and for a format that
            is rendered to text.
        pages: the pages it stands on, numbered from 1, inclusive; None in a file without pages.
    """

    heading_path: tuple[str, ...] = field(repr=False)
    paragraphs: Paragraphs
    span: Span | None
    raw_span: Span | None
    pages: Pages | None = None

    def to_dict(self) -> dict[str, object]:
        """As a JSON object; `pages` only where there are any."""
        located: dict[str, object] = {
            "heading_path": list(self.heading_path),
            "paragraphs": list(self.paragraphs),
            "span": list(self.span) if self.span else None,
            "raw_span": list(self.raw_span) if self.raw_span else None,
        }
        if self.pages is not None:
            located["pages"] = list(self.pages)
        return located


@dataclass(frozen=True, slots=True)
class Snippet:
    """A hit child.

    `text`, `source_locator` and `chunk_id` are the child's own, whatever was expanded: cite those.

    Attributes:
        prompt_text: the window around it, for generation only; '' without one.
        parent_locator: where the window stands; '' without one.
        locator: where the child stands.
        via: the steps of a walk that led to it; empty when its words alone did.
    """

    text: str = field(repr=False)
    doc_id: str
    title: str = field(repr=False)
    source_locator: str
    chunk_id: str
    topic: str
    entity: str
    geography: str
    period: str
    language: str
    sensitivity: str
    scores: Scores
    locator: Locator
    prompt_text: str = field(default="", repr=False)
    parent_locator: str = ""
    via: tuple[Step, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As the JSON object the predecessor gives: same keys, same order."""
        snippet: dict[str, object] = {
            "text": self.text,
            "doc_id": self.doc_id,
            "title": self.title,
            "source_locator": self.source_locator,
            "chunk_id": self.chunk_id,
            "topic": self.topic,
            "entity": self.entity,
            "geography": self.geography,
            "period": self.period,
            "language": self.language,
            "sensitivity": self.sensitivity,
            "scores": self.scores.to_dict(),
        }
        if self.prompt_text:
            snippet["prompt_text"] = self.prompt_text
        if self.parent_locator:
            snippet["parent_locator"] = self.parent_locator
        if self.via:
            snippet["via"] = [step.to_dict() for step in self.via]
        return snippet
