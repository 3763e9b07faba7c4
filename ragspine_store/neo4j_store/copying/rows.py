"""Rows of a document that is copied, as they are sent to the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ragspine_store.chunking.paragraphs import ParagraphIndex
from ragspine_store.kept import KeptChild, KeptDocument, KeptSection
from ragspine_store.neo4j_store.rows import (
    Row,
    branch_node,
    branch_row,
    locator_of,
    section_node,
    token_properties,
)
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins
from ragspine_store.storage_rules.offsets import pack_offsets
from ragspine_store.storage_rules.rows import heading_paths
from ragspine_store.storage_rules.texts import fold_heading
from ragspine_store.words import FindWords


def document_row(document: KeptDocument, first_key: int, change: int) -> Row:
    """Properties of a document's own node.

    Args:
        document: what is written.
        first_key: of its children.
        change: number of the change that writes it.
    """
    root = document.sections[0] if document.sections else None
    return {
        "doc_id": document.doc_id,
        "no": 0,
        "title": document.title,
        "folded_title": fold_heading(document.title),
        "topic": document.topic,
        "entity": document.entity,
        "geography": document.geography,
        "period": document.period,
        "language": document.language,
        "collection": document.collection,
        "sensitivity": document.label,
        "clearance": int(stored_label(document.label)),
        "valid_as_of": document.valid_as_of,
        "version": document.version,
        "ingested_at": document.ingested_at,
        "changed": change,
        "chunker": document.chunker,
        "fingerprint": document.fingerprint,
        "source_path": document.source_path,
        "content_hash": document.content_hash,
        "inputs_hash": document.inputs_hash,
        "is_stated": document.is_stated,
        "offsets": pack_offsets(document.offsets) if document.offsets else None,
        "pages": list(document.pages),
        "first_key": first_key,
        "children": keys_of(document),
        "heading": root.heading if root else document.title,
        "span_end": root.span.end if root else 0,
        "own_end": root.own_end if root else None,
        "own_label": root.own_label if root else "",
        "root_label": (root and root.label) or document.label,
        "is_erased": root.is_erased if root else False,
    }


def keys_of(document: KeptDocument) -> int:
    """How many keys in a row its children have; each has the first one plus its place."""
    return document.children[-1].seq + 1 if document.children else 0


def section_rows(document: KeptDocument) -> Iterator[Row]:
    """The sections below the document itself, and where they hang."""
    order = Counter[int]()
    paragraphs = ParagraphIndex(document.text)
    for section in document.sections[1:]:
        parent = section.parent or 0
        yield {
            "id": section_node(document.doc_id, section.no),
            "parent": section_node(document.doc_id, parent),
            "order": order[parent],
            "level": section.level,
            "properties": {
                **_section(document, section),
                "locator": locator_of(document.doc_id, paragraphs, section.span),
            },
        }
        order[parent] += 1


def _section(document: KeptDocument, section: KeptSection) -> Row:
    label = section.label or document.label
    return {
        "doc_id": document.doc_id,
        "no": section.no,
        "parent": section.parent or 0,
        "level": section.level,
        "heading": section.heading,
        "folded": fold_heading(section.heading),
        "span_start": section.span.start,
        "span_end": section.span.end,
        "own_end": section.own_end,
        "own_label": section.own_label,
        "sensitivity": label,
        "clearance": int(stored_label(label)),
        "collection": document.collection,
        "is_erased": section.is_erased,
    }


def branch_rows(document: KeptDocument) -> Iterator[Row]:
    """The nodes of the tree that children are merged in."""
    for branch in document.branches:
        yield branch_row(document.doc_id, branch)


def child_rows(
    document: KeptDocument, first_key: int, find_words: FindWords | None
) -> Iterator[Row]:
    """The children, where they hang, and what they are found by."""
    doc_id = document.doc_id
    levels = {section.no: section.level for section in document.sections}
    order = Counter(section.parent for section in document.sections)
    paths = heading_paths((s.no, s.parent, s.heading) for s in document.sections)
    lead_ins = open_lead_ins(Indexed(c.seq, c.level, c.span, c.lead_in) for c in document.children)
    for child in document.children:
        lead_in = document.text[slice(*lead_ins[child.seq])] if child.seq in lead_ins else ""
        path = paths.get(child.section, ()) if document.chunker else ()
        is_open = child.level < Sensitivity.RESTRICTED
        yield {
            "id": f"child:{child.chunk_id}",
            "parent": section_node(doc_id, child.section),
            "order": order[child.section],
            "level": levels.get(child.section, 0) + 1,
            "branch": None if child.node is None else branch_node(doc_id, child.node),
            "tokens": [token_properties(child.text, path, lead_in, find_words)] if is_open else [],
            "properties": _child(child, first_key),
        }
        order[child.section] += 1


def _child(child: KeptChild, first_key: int) -> Row:
    span_start, span_end = child.span or (None, None)
    window_start, window_end = child.window or (None, None)
    lead_in_start, lead_in_end = child.lead_in or (None, None)
    return {
        "hit_key": first_key + child.seq,
        "seq": child.seq,
        "text": child.text,
        "source_locator": child.source_locator,
        "para_start": child.paragraphs.first,
        "para_end": child.paragraphs.last,
        "span_start": span_start,
        "span_end": span_end,
        "section": child.section,
        "node": child.node,
        "parent_id": child.parent_id,
        "heading": child.heading,
        "window_text": child.window_text or None,
        "parent_locator": child.parent_locator,
        "window_start": window_start,
        "window_end": window_end,
        "lead_in_start": lead_in_start,
        "lead_in_end": lead_in_end,
        "own_label": child.own_label or None,
        "sensitivity": child.label,
        "clearance": child.level,
        "is_erased": child.is_erased or None,
    }
