"""Showing one node: a document, a section or another branch, a child or a range of paragraphs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ragspine_graph.security.exits import clear_child, clear_document, clear_part, clear_window
from ragspine_store.chunking.paragraphs import ParagraphIndex, iter_paragraphs
from ragspine_store.document_id import split_node_id
from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import Candidate, DocumentView, StoreReader
from ragspine_store.records import Span, format_locator
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader, stored_label

NodeKind = Literal["document", "section", "item", "page", "window", "child", "paragraphs"]

# By the letter of the fragment; parts of a window too long for one are called after it.
_BRANCH_KINDS: dict[str, NodeKind] = {"s": "section", "i": "item", "p": "page", "w": "window"}


@dataclass(frozen=True, slots=True)
class ShownSection:
    """One line of a document's outline."""

    id: str
    level: int
    heading: str = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {"id": self.id, "level": self.level, "heading": self.heading}


@dataclass(frozen=True, slots=True)
class ShownNode:
    """A node of a document, or a range of its paragraphs, as far as a reader may see it.

    Attributes:
        id: as asked for.
        kind: what it is.
        doc_id, title, collection, sensitivity: of its document.
        source_locator: where it stands.
        heading_path: headings above and including it, outermost first.
        text: its text; None when a part of it is withheld or none is kept.
        span, raw_span: half-open, in the canonical text and in the decoded file.
        parent_id, parent_locator: of its window; '' without one.
        prompt_text: its window, for a child that has one.
        sections: outline below it, what is withheld left out.
        chunks: ids of its children, likewise.
    """

    id: str
    kind: NodeKind
    doc_id: str
    title: str = field(repr=False)
    collection: str
    sensitivity: str
    source_locator: str
    heading_path: tuple[str, ...] = field(default=(), repr=False)
    text: str | None = field(default=None, repr=False)
    span: Span | None = None
    raw_span: Span | None = None
    parent_id: str = ""
    parent_locator: str = ""
    prompt_text: str = field(default="", repr=False)
    sections: tuple[ShownSection, ...] = ()
    chunks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "id": self.id,
            "kind": self.kind,
            "doc_id": self.doc_id,
            "title": self.title,
            "collection": self.collection,
            "sensitivity": self.sensitivity,
            "source_locator": self.source_locator,
            "heading_path": list(self.heading_path),
            "text": self.text,
            "span": list(self.span) if self.span else None,
            "raw_span": list(self.raw_span) if self.raw_span else None,
            "parent_id": self.parent_id,
            "parent_locator": self.parent_locator,
            "prompt_text": self.prompt_text,
            "sections": [section.to_dict() for section in self.sections],
            "chunks": list(self.chunks),
        }


def get_node(transaction: StoreReader, node_id: str, reader: Reader) -> Cleared[ShownNode]:
    """What this reader may see of a node.

    Args:
        transaction: where to read.
        node_id: a document id, the id of a section or of a part of one (`{doc}#s2`,
            `{doc}#s2.1`), of an item, page or window (`{doc}#i4`, `{doc}#p5`, `{doc}#w6`), of a
            chunk (`{doc}#c3`) or a locator (`{doc}#para3-7`).
        reader: for whom.

    Raises:
        NotFoundError: there is none, or this reader may not see it; the message is the same.
    """
    doc_id, fragment = split_node_id(node_id)
    view = transaction.find_document(doc_id)
    document = clear_document(view, reader) if view else None
    if document is not None:
        shown = _Document(transaction, document, reader).find(node_id, fragment)
        if shown is not None:
            return document.map(lambda _: shown)
    raise NotFoundError(
        f"nothing of the id {node_id!r}: expected the id of a document, section, child or locator "
        "as search or status give it"
    )


class _Document:
    """A cleared document, seen by one reader."""

    def __init__(
        self, transaction: StoreReader, document: Cleared[DocumentView], reader: Reader
    ) -> None:
        self._transaction = transaction
        self._document = document
        self._view = document.value
        self._end = len(document.value.text or "")
        self._reader = reader
        self._seen = self._visible_sections()

    def find(self, node_id: str, fragment: str) -> ShownNode | None:
        """The node that a fragment of the document's id names."""
        if not fragment:
            return self._whole()
        if fragment.startswith("c"):
            return self._child(node_id)
        if fragment.startswith("para"):
            return self._paragraphs(node_id, fragment.removeprefix("para"))
        return self._branch(node_id, fragment)

    def _whole(self) -> ShownNode:
        return self._shown(self._view.doc_id, "document", Span(0, self._end) if self._end else None)

    def _branch(self, node_id: str, fragment: str) -> ShownNode | None:
        kind = _BRANCH_KINDS[fragment[0]]
        for section in self._view.sections:
            if fragment == f"s{section.no}":
                return (
                    self._shown(node_id, "section", section.span)
                    if section.no in self._seen
                    else None
                )
        for node in self._view.nodes:
            if node.name == fragment:
                return self._with_text(node_id, kind, node.span)
        for candidate in self._view.chunks:
            if candidate.chunk.parent_id == node_id:
                return self._with_text(node_id, kind, candidate.window)
        return None

    def _paragraphs(self, node_id: str, numbers: str) -> ShownNode | None:
        if self._view.text is None:
            # Before the record no text was kept but the children's.
            located = [c for c in self._view.chunks if c.chunk.source_locator == node_id]
            child = clear_child(located[0], self._reader) if located else None
            return replace(self._shown_child(child), id=node_id) if child else None
        paragraphs = list(iter_paragraphs(self._view.text))
        # The numbers are looked up as text: int() refuses what has thousands of digits.
        by_number = {str(n): paragraph for n, paragraph in enumerate(paragraphs, start=1)}
        first, _, last = numbers.partition("-")
        begin, end = by_number.get(first), by_number.get(last or first)
        if begin is None or end is None or begin.start > end.start:
            return None
        return self._with_text(node_id, "paragraphs", Span(begin.start, end.end))

    def _child(self, node_id: str) -> ShownNode | None:
        for candidate in self._view.chunks:
            if candidate.chunk.chunk_id == node_id:
                child = clear_child(candidate, self._reader)
                return self._shown_child(child) if child else None
        return None

    def _shown_child(self, child: Cleared[Candidate]) -> ShownNode:
        candidate = child.value
        chunk = candidate.chunk
        windows = self._transaction.windows([candidate])
        window = clear_window(child, windows.get(chunk.chunk_id), self._reader)
        return replace(
            self._shown(chunk.chunk_id, "child", None),
            source_locator=chunk.source_locator,
            heading_path=tuple(section.heading for section in candidate.ancestors),
            text=chunk.text,
            span=candidate.span,
            raw_span=candidate.raw_span,
            parent_id=chunk.parent_id if window else "",
            parent_locator=chunk.parent_locator if window else "",
            prompt_text=window.value if window else "",
            chunks=(),
        )

    def _with_text(self, node_id: str, kind: NodeKind, span: Span | None) -> ShownNode | None:
        shown = self._shown(node_id, kind, span)
        return shown if shown.text is not None else None

    def _shown(self, node_id: str, kind: NodeKind, span: Span | None) -> ShownNode:
        view, text = self._view, self._view.text
        part = None if span is None or text is None else self._cleared_text(text, span)
        below = [
            section
            for section in view.sections
            if span and section.no and span.contains(section.span) and section.no in self._seen
        ]
        above = [
            section
            for section in view.sections
            if span and kind != "document"
            if section.no and section.span.contains(span) and section.no in self._seen
        ]
        return ShownNode(
            id=node_id,
            kind=kind,
            doc_id=view.doc_id,
            title=view.title,
            collection=view.collection,
            sensitivity=stored_label(view.sensitivity).name,
            source_locator=(
                format_locator(view.doc_id, ParagraphIndex(text).of(span))
                if span and text
                else view.doc_id
            ),
            heading_path=tuple(section.heading for section in above),
            text=part.value if part else None,
            span=span,
            raw_span=view.offsets.raw_span(span) if span and view.offsets else None,
            sections=tuple(
                ShownSection(f"{view.doc_id}#s{s.no}", s.level, s.heading) for s in below
            ),
            chunks=tuple(
                candidate.chunk.chunk_id
                for candidate in view.chunks
                if (span is None or (candidate.span and span.overlaps(candidate.span)))
                and clear_child(candidate, self._reader)
            ),
        )

    def _cleared_text(self, text: str, span: Span) -> Cleared[str] | None:
        labels = [
            candidate.chunk.sensitivity
            for candidate in self._view.chunks
            if candidate.span and span.overlaps(candidate.span)
        ]
        labels += [
            section.sensitivity
            for section in self._view.sections
            if section.sensitivity and span.overlaps(section.span)
        ]
        return clear_part(self._document, labels, text[span.start : span.end], self._reader)

    def _visible_sections(self) -> set[int]:
        """The sections that neither are withheld nor stand in one that is."""
        seen: set[int] = set()
        for section in self._view.sections:
            labels = [section.sensitivity]
            is_cleared = clear_part(self._document, labels, "", self._reader) is not None
            if is_cleared and (section.parent is None or section.parent in seen):
                seen.add(section.no)
        return seen
