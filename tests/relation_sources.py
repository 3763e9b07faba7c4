"""Documents as extractors get them, made of text without a store."""

from __future__ import annotations

from collections.abc import Collection

from ragspine_graph.security.exits import clear_source
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.chunking import chunk_document, make_chunker
from ragspine_store.loading import load_text
from ragspine_store.protocols import Candidate, DocumentView, SectionLabel, SectionView
from ragspine_store.records import DocumentMeta, LoadedDocument, StoredChunk
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader


def read_source(
    text: str,
    *,
    doc_id: str = "rules.md",
    chunker: str = "none",
    title: str | None = None,
    restricted: Collection[str] = (),
) -> Cleared[RelationSource]:
    """A document as the exit clears it.

    Args:
        text: of the file; the ending of its id chooses the loader.
        doc_id: its id.
        chunker: spec of a chunker.
        title: None takes that of the text.
        restricted: headings of sections that are RESTRICTED.
    """
    loaded = load_text(text, name=doc_id)
    meta = DocumentMeta(doc_id, title=loaded.title if title is None else title)
    source = clear_source(_view(loaded, meta, chunker, restricted), Reader())
    assert source is not None
    return source


def _view(
    loaded: LoadedDocument, meta: DocumentMeta, spec: str, restricted: Collection[str]
) -> DocumentView:
    sections = loaded.outline.sections
    labels = ["RESTRICTED" if section.heading in restricted else "" for section in sections]
    chunker = make_chunker(spec)
    cut = chunker.chunk if chunker else chunk_document
    chunks: list[Candidate] = []
    for number, chunk in enumerate(cut(loaded.text, meta, outline=loaded.outline)):
        above: list[SectionLabel] = []
        section = sections[chunk.section]
        while section.parent is not None:
            section_id = f"{meta.doc_id}#s{section.no}"
            label = labels[section.no]
            above.insert(0, SectionLabel(section_id, section.heading, label, section.span))
            section = sections[section.parent]
        row = StoredChunk(
            chunk.chunk_id,
            meta.doc_id,
            chunk.seq,
            chunk.text,
            chunk.source_locator,
            chunk.para_start,
            chunk.para_end,
        )
        candidate = Candidate(
            key=number,
            chunk=row,
            score=0.0,
            collection=meta.collection,
            document_label=meta.sensitivity.name,
            ancestors=tuple(above),
            node=None,
            span=chunk.span,
            window=None,
            raw_span=None,
            pages=None,
        )
        chunks.append(candidate)
    return DocumentView(
        doc_id=meta.doc_id,
        title=meta.title,
        collection=meta.collection,
        sensitivity=meta.sensitivity.name,
        version=1,
        chunker=spec,
        text=loaded.text,
        offsets=loaded.offsets,
        pages=(),
        sections=tuple(
            SectionView(s.no, s.parent, s.level, s.heading, s.span, label)
            for s, label in zip(sections, labels, strict=True)
        ),
        nodes=(),
        chunks=tuple(chunks),
    )
