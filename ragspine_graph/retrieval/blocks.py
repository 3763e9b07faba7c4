"""Blocks of a context, each character of a document in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ragspine_graph.retrieval.via import Step
from ragspine_store.records import Span
from ragspine_store.sealed import Cleared


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A text to generate from.

    Attributes:
        node_id: id of the window, section, item or child.
        doc_id, title: of its document.
        heading_path: headings of the sections that hold all of it, outermost first.
        locator: where it stands.
        text: its text.
        evidence: ids of the hit children in it; a window's in the order of the hits, a merged
            block's in document order.
        citations: where each of them stands, parallel to `evidence`.
        score: of its best evidence; 0 without any.
        span: where the text stands, half-open, in code points of the canonical text; None for text
            from before the record.
        via: for an article without a hit, the way to it from a block before.
    """

    node_id: str
    doc_id: str
    title: str = field(repr=False)
    heading_path: tuple[str, ...] = field(repr=False)
    locator: str
    text: str = field(repr=False)
    evidence: tuple[str, ...]
    citations: tuple[str, ...]
    score: float
    span: Span | None = None
    via: tuple[Step, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As a JSON object; `via` only with steps."""
        block: dict[str, object] = {
            "node_id": self.node_id,
            "doc_id": self.doc_id,
            "title": self.title,
            "heading_path": list(self.heading_path),
            "locator": self.locator,
            "text": self.text,
            "evidence": list(self.evidence),
            "citations": list(self.citations),
            "score": self.score,
            "span": list(self.span) if self.span else None,
        }
        if self.via:
            block["via"] = [step.to_dict() for step in self.via]
        return block


def without_repeats(blocks: Sequence[Cleared[ContextBlock]]) -> list[Cleared[ContextBlock]]:
    """The blocks, where no text of a document is given twice.

    A block inside another one gives it its evidence, and its place where that is the better one.
    One that shares text with a block before it keeps the longest part that is new; its locator
    stays. Blocks whose text does not stand in the document as it is are left alone.
    """
    kept: list[Cleared[ContextBlock]] = []
    for block in blocks:
        inner = [at for at, other in enumerate(kept) if _holds(block.value, other.value)]
        around = next((at for at, o in enumerate(kept) if _holds(o.value, block.value)), None)
        if around is not None:
            kept[around] = _with_evidence(kept[around], [block.value])
        elif inner:
            whole = _with_evidence(block, [kept[at].value for at in inner])
            first, *others = inner
            kept[first] = _new_part(whole, [each.value for each in kept[:first]])
            for at in reversed(others):
                del kept[at]
        else:
            kept.append(_new_part(block, [each.value for each in kept]))
    return kept


def _is_verbatim(block: ContextBlock) -> bool:
    return block.span is not None and block.span.end - block.span.start == len(block.text)


def _holds(outer: ContextBlock, inner: ContextBlock) -> bool:
    return (
        outer.doc_id == inner.doc_id
        and outer.span is not None
        and inner.span is not None
        and _is_verbatim(outer)
        and outer.span.contains(inner.span)
    )


def _with_evidence(
    block: Cleared[ContextBlock], others: Sequence[ContextBlock]
) -> Cleared[ContextBlock]:
    """The block with what others are evidence of; each child once."""

    def gain(value: ContextBlock) -> ContextBlock:
        cited = dict(zip(value.evidence, value.citations, strict=True))
        for other in others:
            cited |= dict(zip(other.evidence, other.citations, strict=True))
        return replace(
            value,
            evidence=tuple(cited),
            citations=tuple(cited.values()),
            score=max(value.score, *(other.score for other in others)),
        )

    return block.map(gain)


def _new_part(
    block: Cleared[ContextBlock], before: Sequence[ContextBlock]
) -> Cleared[ContextBlock]:
    """The block without what earlier ones share with it: the longest part that is left."""
    value = block.value
    if value.span is None or not _is_verbatim(value):
        return block
    parts = [value.span]
    for other in before:
        if other.doc_id == value.doc_id and other.span is not None:
            parts = [piece for part in parts for piece in _less(part, other.span)]
    if parts == [value.span] or not parts:
        return block
    start, end = max(parts, key=lambda part: part.end - part.start)
    text = value.text[start - value.span.start : end - value.span.start]
    if not text.strip():
        return block
    span = stripped(text, Span(start, end))
    return block.map(lambda whole: replace(whole, text=text.strip(), span=span))


def _less(part: Span, taken: Span) -> list[Span]:
    """What is left of a part without what is taken."""
    pieces = (
        Span(part.start, min(part.end, taken.start)),
        Span(max(part.start, taken.end), part.end),
    )
    return [piece for piece in pieces if piece.start < piece.end]


def stripped(text: str, span: Span) -> Span:
    """Where a text stands without the white space around it.

    >>> stripped(" a. ", Span(4, 8))
    Span(start=5, end=7)
    """
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, start + len(text.strip()))
