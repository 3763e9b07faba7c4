"""Rows of a document as they are sent to the server, made of nothing but the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ragspine_store.chunking.paragraphs import ParagraphIndex
from ragspine_store.errors import ChunkingError
from ragspine_store.kept import KeptBranch
from ragspine_store.records import Chunk, PreparedDocument, Span, format_locator
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins
from ragspine_store.storage_rules.offsets import pack_offsets
from ragspine_store.storage_rules.rows import branch_rows
from ragspine_store.storage_rules.texts import fold_heading, now, pieces_of
from ragspine_store.tokenizer import index_tokens, leads
from ragspine_store.words import FindWords

BATCH_ROWS = 1_000
"""How many rows go to the server in one query."""

Row = Mapping[str, object]


def batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Rows in the portions in which they are sent; none for no rows."""
    while batch := list(islice(rows, BATCH_ROWS)):
        yield batch


def document_node(doc_id: str) -> str:
    """Id of a document's node."""
    return f"document:{doc_id}"


def section_node(doc_id: str, no: int) -> str:
    """Id of a section's node; section 0 is the document itself."""
    return f"section:{doc_id}#s{no}" if no else document_node(doc_id)


def document_row(document: PreparedDocument, version: int, first_key: int, change: int) -> Row:
    """Properties of a document's own node.

    Args:
        document: what is written.
        version: counts up with each change.
        first_key: of its children.
        change: number of the change that writes it.
    """
    meta, loaded = document.meta, document.loaded
    root = loaded.outline.sections[0]
    return {
        "doc_id": meta.doc_id,
        "no": 0,
        "title": meta.title,
        "folded_title": fold_heading(meta.title),
        "topic": meta.topic,
        "entity": meta.entity,
        "geography": meta.geography,
        "period": meta.period,
        "language": meta.language,
        "collection": meta.collection,
        "sensitivity": meta.sensitivity.name,
        "clearance": int(meta.sensitivity),
        "valid_as_of": meta.valid_as_of,
        "version": version,
        "ingested_at": now(),
        "changed": change,
        "chunker": document.chunker,
        "fingerprint": document.fingerprint,
        "source_path": document.source_path,
        "content_hash": document.origin.content,
        "inputs_hash": document.origin.inputs,
        "is_stated": document.origin.is_stated,
        "offsets": pack_offsets(loaded.offsets) if loaded.offsets else None,
        "pages": list(loaded.pages),
        "first_key": first_key,
        "children": len(document.chunks),
        "heading": root.heading,
        "span_end": root.span.end,
        "own_end": root.own_end,
        "own_label": "",
        "root_label": meta.sensitivity.name,
        "is_erased": False,
    }


def text_rows(doc_id: str, text: str) -> Iterator[Row]:
    """The pieces of a canonical text."""
    for start, piece in pieces_of(text):
        yield {
            "id": _text_node(doc_id, start),
            "start": start,
            "end": start + len(piece),
            "text": piece,
        }


def section_rows(document: PreparedDocument) -> Iterator[Row]:
    """The sections below the document itself, and where they hang."""
    meta = document.meta
    order = Counter[int]()
    paragraphs = ParagraphIndex(document.loaded.text)
    for section in document.loaded.outline.sections[1:]:
        parent = section.parent or 0
        yield {
            "id": section_node(meta.doc_id, section.no),
            "parent": section_node(meta.doc_id, parent),
            "order": order[parent],
            "level": section.level,
            "properties": {
                "doc_id": meta.doc_id,
                "no": section.no,
                "parent": parent,
                "level": section.level,
                "heading": section.heading,
                "folded": fold_heading(section.heading),
                "locator": locator_of(meta.doc_id, paragraphs, section.span),
                "span_start": section.span.start,
                "span_end": section.span.end,
                "own_end": section.own_end,
                "own_label": "",
                "sensitivity": meta.sensitivity.name,
                "clearance": int(meta.sensitivity),
                "collection": meta.collection,
                "is_erased": False,
            },
        }
        order[parent] += 1


def tree_rows(document: PreparedDocument) -> Iterator[Row]:
    """The nodes of the tree that children are merged in."""
    for branch in branch_rows(document):
        yield branch_row(document.meta.doc_id, branch)


def branch_row(doc_id: str, branch: KeptBranch) -> Row:
    """A node of the tree that children are merged in."""
    return {
        "id": branch_node(doc_id, branch.no),
        "above": None if branch.parent is None else branch_node(doc_id, branch.parent),
        "properties": {
            "doc_id": doc_id,
            "no": branch.no,
            "parent": branch.parent,
            "name": branch.name,
            "span_start": branch.span.start,
            "span_end": branch.span.end,
            "para_start": branch.paragraphs.first,
            "para_end": branch.paragraphs.last,
            "children": branch.children,
        },
    }


def child_rows(
    document: PreparedDocument, first_key: int, find_words: FindWords | None
) -> Iterator[Row]:
    """The children, where they hang, and what they are found by."""
    meta, outline = document.meta, document.loaded.outline
    order = Counter(section.parent for section in outline.sections)
    is_open = meta.sensitivity < Sensitivity.RESTRICTED
    text, chunks = document.loaded.text, list(enumerate(document.chunks, start=first_key))
    lead_ins = open_lead_ins(
        Indexed(key, int(meta.sensitivity), chunk.span, chunk.lead_in) for key, chunk in chunks
    )
    for key, chunk in chunks:
        lead_in = text[slice(*lead_ins[key])] if key in lead_ins else ""
        section = outline.sections[chunk.section]
        yield {
            "id": f"child:{chunk.chunk_id}",
            "parent": section_node(meta.doc_id, chunk.section),
            "order": order[chunk.section],
            "level": section.level + 1,
            "branch": branch_node(meta.doc_id, chunk.node) if document.nodes else None,
            "tokens": (
                [token_properties(chunk.text, _path(document, chunk), lead_in, find_words)]
                if is_open
                else []
            ),
            "properties": _child(document, chunk, key),
        }
        order[chunk.section] += 1


def token_properties(
    text: str, path: Sequence[str], lead_in: str, find_words: FindWords | None
) -> Row:
    """What a child is found by: its tokens, and what prefixes of them are looked up in.

    Args:
        text: the child's.
        path: headings above it that are indexed with it.
        lead_in: the line its list begins with, where that is indexed with it.
        find_words: finds the words that are indexed.
    """
    found = index_tokens(text, path, lead_in, find_words)
    return {"tok": " ".join(found), "lead": " ".join(leads(found))}


def shared_properties(document: PreparedDocument) -> Row:
    """What all children of a document have in common, sent once: a server keeps it once too.

    A transaction holds all it writes in memory, so what is absent by default is not written.
    """
    meta = document.meta
    return {
        "doc_id": meta.doc_id,
        "sensitivity": meta.sensitivity.name,
        "clearance": int(meta.sensitivity),
        "collection": meta.collection,
    }


def _child(document: PreparedDocument, chunk: Chunk, key: int) -> Row:
    window_start, window_end = chunk.window or (None, None)
    lead_in_start, lead_in_end = chunk.lead_in or (None, None)
    return {
        "hit_key": key,
        "seq": chunk.seq,
        "text": chunk.text,
        "source_locator": chunk.source_locator,
        "para_start": chunk.para_start,
        "para_end": chunk.para_end,
        "span_start": chunk.span.start,
        "span_end": chunk.span.end,
        "section": chunk.section,
        "node": chunk.node if document.nodes else None,
        "parent_id": chunk.parent_id,
        "heading": chunk.heading,
        "window_text": chunk.window_text or None,
        "parent_locator": chunk.parent_locator,
        "window_start": window_start,
        "window_end": window_end,
        "lead_in_start": lead_in_start,
        "lead_in_end": lead_in_end,
    }


def _path(document: PreparedDocument, chunk: Chunk) -> Sequence[str]:
    return document.loaded.outline.path(chunk.section) if document.chunker else ()


def _text_node(doc_id: str, start: int) -> str:
    return f"text:{doc_id}#{start}"


def branch_node(doc_id: str, no: int) -> str:
    """Id of a node of the tree that children are merged in."""
    return f"branch:{doc_id}#{no}"


def locator_of(doc_id: str, paragraphs: ParagraphIndex, span: Span) -> str:
    """Where a section stands; '' when nothing visible stands in it."""
    try:
        return format_locator(doc_id, paragraphs.of(span))
    except ChunkingError:
        return ""
