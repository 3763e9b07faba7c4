"""The exits: every text a reader gets has passed one of them.

In this order, and nothing else makes a `Cleared` value:

1. Link exit. A child leaves only if its document, its own row and every section above it carry
   labels within the reader's clearance, and its collection is one of the reader's. A label that
   is none of the four counts as RESTRICTED. Otherwise the whole snippet is withheld, its window
   included.
2. Rerank exit. What comes back from a judge is what went to it: children that passed the link
   exit, each once. A judge can reorder them and do nothing else.
3. Window exit. A window leaves only through a child that passed, and only if every node whose
   text it holds would pass too.
4. Relation exit. An edge, a reference or a rejection leaves only with evidence whose document and
   every child in its range pass, and only if both ends do; other evidence is taken off.
5. Source exit. What an extractor or an embedder reads of a document is without its withheld parts.

Pure decisions: no store is read here, no model asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from ragspine_graph.security.relation_source import RelationSource, SourceChunk, SourceSection
from ragspine_store._seal import mint
from ragspine_store.protocols import Candidate, DocumentRow, DocumentView, SectionView, Window
from ragspine_store.records import PreparedDocument, Span, StoredChunk
from ragspine_store.relation_protocols import (
    StoredEdge,
    StoredEnd,
    StoredEvidence,
    StoredReference,
    StoredRejection,
)
from ragspine_store.relations import PROFILE_DOC_ID, NodeType
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader, stored_label
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins


def clear_child(candidate: Candidate, reader: Reader) -> Cleared[Candidate] | None:
    """The link exit: the child when this reader may see it, else None."""
    labels = [
        candidate.document_label,
        candidate.chunk.sensitivity,
        *(section.sensitivity for section in candidate.ancestors if section.sensitivity),
    ]
    return mint(candidate) if _all_visible(labels, candidate.collection, reader) else None


def clear_children(candidates: Iterable[Candidate], reader: Reader) -> list[Cleared[Candidate]]:
    """The link exit over many: those this reader may see, in their order."""
    cleared = (clear_child(candidate, reader) for candidate in candidates)
    return [child for child in cleared if child is not None]


def clear_reranked(
    order: Sequence[str], children: Sequence[Cleared[Candidate]]
) -> list[Cleared[Candidate]]:
    """The rerank exit: the children in a judge's order.

    Args:
        order: chunk ids, best first, as a judge returned them; ids it was not given and
            repetitions are ignored.
        children: what the judge was given; those it left out follow in their old order.
    """
    given = {child.value.chunk.chunk_id: child for child in children}
    ranked = dict.fromkeys([*(key for key in order if key in given), *given])
    return [given[key] for key in ranked]


def clear_window(
    child: Cleared[Candidate], window: Window | None, reader: Reader
) -> Cleared[str] | None:
    """The window exit: the parent text of a cleared child, else None."""
    if window is None or not _all_visible(window.labels, child.value.collection, reader):
        return None
    return mint(window.text)


def clear_document(view: DocumentView, reader: Reader) -> Cleared[DocumentView] | None:
    """The document when this reader may see it; its hidden parts are for `clear_part` to find."""
    return mint(view) if _all_visible([view.sensitivity], view.collection, reader) else None


def clear_row(row: DocumentRow, reader: Reader) -> Cleared[DocumentRow] | None:
    """A document's line in a list when this reader may see the document."""
    return mint(row) if _all_visible([row.sensitivity], row.collection, reader) else None


def clear_part(
    document: Cleared[DocumentView], labels: Iterable[str], text: str, reader: Reader
) -> Cleared[str] | None:
    """A part of a cleared document's text, when all the labels over it are visible."""
    labels = [label for label in labels if label]
    return mint(text) if _all_visible(labels, document.value.collection, reader) else None


def clear_source(
    view: DocumentView, reader: Reader, lead_ins: Mapping[int, Span] | None = None
) -> Cleared[RelationSource] | None:
    """What an extractor or embedder may read of a document, or an audit quote of it.

    Withheld children and sections are left out, and their text is blanked.

    Args:
        view: the document.
        reader: for whom.
        lead_ins: of children, by position; those that hold anything withheld are left out.
    """
    if not _all_visible([view.sensitivity], view.collection, reader):
        return None
    seen = _seen_parts(view, reader)
    chunks = [
        SourceChunk(
            child.chunk.seq,
            child.chunk.text,
            child.chunk.source_locator,
            child.span,
            int(child.ancestors[-1].section_id.rpartition("#s")[2]) if child.ancestors else 0,
            child.chunk.entity,
            child.window,
            _unless_hidden((lead_ins or {}).get(child.chunk.seq), seen.hidden),
        )
        for child in seen.children
    ]
    text = _blanked(view.text or "", seen.hidden)
    source = RelationSource(
        doc_id=view.doc_id,
        title=view.title,
        collection=view.collection,
        version=view.version,
        text=text,
        sections=tuple(
            SourceSection(s.no, s.parent, s.level, s.heading, s.span) for s in seen.sections
        ),
        chunks=tuple(chunks),
        withheld=tuple(sorted(seen.hidden)),
    )
    return mint(source)


def clear_prepared(document: PreparedDocument, reader: Reader) -> Cleared[RelationSource] | None:
    """What an embedder may read of a document that is about to be written; its version is 0.

    No part of it has a label of its own yet. None when this reader may not see it.
    """
    meta, outline = document.meta, document.loaded.outline
    lead_ins = open_lead_ins(Indexed(c.seq, 0, c.span, c.lead_in) for c in document.chunks)
    if not _all_visible([meta.sensitivity.name], meta.collection, reader):
        return None
    source = RelationSource(
        doc_id=meta.doc_id,
        title=meta.title,
        collection=meta.collection,
        version=0,
        text=document.loaded.text,
        sections=tuple(
            SourceSection(s.no, s.parent, s.level, s.heading, s.span) for s in outline.sections
        ),
        chunks=tuple(
            SourceChunk(
                chunk.seq,
                chunk.text,
                chunk.source_locator,
                chunk.span,
                chunk.section,
                meta.entity,
                chunk.window,
                lead_ins.get(chunk.seq),
            )
            for chunk in document.chunks
        ),
    )
    return mint(source)


def clear_tree(view: DocumentView, reader: Reader) -> Cleared[DocumentView] | None:
    """The document with those sections and children alone that this reader may see.

    Its canonical text, merge tree and offsets are left out. None when the document is withheld.
    """
    if not _all_visible([view.sensitivity], view.collection, reader):
        return None
    seen = _seen_parts(view, reader)
    return mint(
        replace(
            view,
            text=None,
            offsets=None,
            pages=(),
            nodes=(),
            sections=seen.sections,
            chunks=seen.children,
        )
    )


def clear_rows(rows: Sequence[StoredChunk], reader: Reader) -> Cleared[RelationSource] | None:
    """What an extractor may read of a document of which only the rows of children are at hand.

    Args:
        rows: of one document, in order.
        reader: for whom.

    Returns:
        None when this reader may see no row. The collection is not known: the reader needs all.
    """
    visible = [row for row in rows if _all_visible([row.sensitivity], "", reader)]
    if not visible:
        return None
    first = visible[0]
    source = RelationSource(
        doc_id=first.doc_id,
        title=first.title,
        collection="",
        version=first.version,
        text="",
        sections=(),
        chunks=tuple(
            SourceChunk(row.seq, row.text, row.source_locator, None, 0, row.entity)
            for row in visible
        ),
    )
    return mint(source)


def clear_edge(edge: StoredEdge, reader: Reader) -> Cleared[StoredEdge] | None:
    """The edge with the evidence this reader may see; None without any, or with a hidden end."""
    evidence = tuple(piece for piece in edge.evidence if _is_visible_evidence(piece, reader))
    if not evidence or not all(_is_visible_end(end, reader) for end in (edge.source, edge.target)):
        return None
    return mint(replace(edge, evidence=evidence))


def clear_end(end: StoredEnd, reader: Reader) -> Cleared[StoredEnd] | None:
    """A node of the graph, when this reader may see what it stands for."""
    return mint(end) if _is_visible_end(end, reader) else None


def clear_reference(stored: StoredReference, reader: Reader) -> Cleared[StoredReference] | None:
    """A reference without an answer, when this reader may see where it stands."""
    return mint(stored) if _is_visible_evidence(stored.evidence, reader) else None


def clear_rejection(stored: StoredRejection, reader: Reader) -> Cleared[StoredRejection] | None:
    """A relation that was not written, when this reader may see what it came from."""
    return mint(stored) if _is_visible_evidence(stored.evidence, reader) else None


# A term is its document's; it is as visible as that.
_OF_DOCUMENTS = frozenset({NodeType.DOCUMENT, NodeType.SECTION, NodeType.CHILD, NodeType.TERM})


def _is_visible_end(end: StoredEnd, reader: Reader) -> bool:
    if end.node.type not in _OF_DOCUMENTS:
        return True
    return bool(end.labels) and _all_visible(end.labels, end.collection, reader)


def _is_visible_evidence(stored: StoredEvidence, reader: Reader) -> bool:
    if stored.evidence.doc_id == PROFILE_DOC_ID:
        return True
    return bool(stored.labels) and _all_visible(stored.labels, stored.collection, reader)


def _unless_hidden(span: Span | None, hidden: Iterable[Span]) -> Span | None:
    return None if span is None or any(span.overlaps(other) for other in hidden) else span


class _SeenParts(NamedTuple):
    """What a reader may see of a document that passed, in document order.

    Attributes:
        sections: their headings '' where they stand in a withheld child.
        children: those that passed the link exit.
        hidden: spans of all other sections and children.
    """

    sections: tuple[SectionView, ...]
    children: tuple[Candidate, ...]
    hidden: list[Span]


def _seen_parts(view: DocumentView, reader: Reader) -> _SeenParts:
    hidden_sections: set[int] = set()
    for section in view.sections:
        labels = [section.sensitivity] if section.sensitivity else []
        is_visible = _all_visible(labels, view.collection, reader)
        if section.parent in hidden_sections or not is_visible:
            hidden_sections.add(section.no)
    children = tuple(child for child in view.chunks if clear_child(child, reader))
    passed = {child.key for child in children}
    hidden = sorted(c.span for c in view.chunks if c.key not in passed and c.span is not None)
    starts = [span.start for span in hidden]
    ends = list(accumulate((span.end for span in hidden), max))

    def stands_in_hidden(at: int) -> bool:
        before = bisect_right(starts, at)
        return before > 0 and ends[before - 1] > at

    sections = tuple(
        replace(section, heading="")
        if section.parent is not None and stands_in_hidden(section.span.start)
        else section
        for section in view.sections
        if section.no not in hidden_sections
    )
    hidden += [section.span for section in view.sections if section.no in hidden_sections]
    return _SeenParts(sections, children, hidden)


def _blanked(text: str, spans: Iterable[Span]) -> str:
    characters = list(text)
    for start, end in spans:
        characters[start:end] = " " * (end - start)
    return "".join(characters)


def _all_visible(labels: Iterable[str], collection: str, reader: Reader) -> bool:
    return all(reader.may_see(stored_label(label), collection) for label in labels)
