"""Documents made for tests, without a loader or a chunker."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from ragspine_store.records import (
    Block,
    BlockKind,
    Chunk,
    DocumentMeta,
    LoadedDocument,
    NodeKind,
    OffsetMap,
    Outline,
    Paragraphs,
    PreparedDocument,
    Section,
    Span,
    TreeNode,
    format_locator,
)
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, Sensitivity


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and the paragraphs directly under it; each paragraph becomes one child."""

    heading: str
    paragraphs: tuple[str, ...]
    level: int = 1


def make_document(
    doc_id: str,
    *parts: Part,
    label: Sensitivity = DEFAULT_SENSITIVITY,
    windows: bool = True,
    fingerprint: str = "",
    source_path: str = "",
    described: Mapping[str, str] | None = None,
) -> PreparedDocument:
    """A document ready to be written.

    Args:
        doc_id: its id.
        *parts: its sections in order.
        label: its label.
        windows: whether each child has its section's own text as window, its headings are
            indexed, and it hangs in the tree of the sections; False makes what the default chunker
            makes.
        fingerprint: as in `PreparedDocument`.
        source_path: likewise.
        described: other metadata, keys as in `DocumentMeta`.

    >>> document = make_document("a.md", Part("Pay", ("Monthly.", "In cash.")))
    >>> [(chunk.text, chunk.source_locator) for chunk in document.chunks]
    [('Monthly.', 'a.md#para2'), ('In cash.', 'a.md#para3')]
    """
    meta = dataclasses.replace(DocumentMeta(doc_id, sensitivity=label), **(described or {}))
    text = ""
    starts: list[int] = []
    blocks: list[Block] = []
    chunks: list[Chunk] = []
    paragraph = 0
    for no, part in enumerate(parts, start=1):
        starts.append(len(text))
        text += f"{'#' * part.level} {part.heading}\n\n"
        paragraph += 1
        first = paragraph
        for line in part.paragraphs:
            paragraph += 1
            span = Span(len(text), len(text) + len(line))
            text += f"{line}\n\n"
            blocks.append(Block(no, BlockKind.PARAGRAPH, span))
            chunks.append(
                Chunk(
                    chunk_id=f"{doc_id}#c{len(chunks)}",
                    doc_id=doc_id,
                    seq=len(chunks),
                    text=line,
                    source_locator=format_locator(doc_id, Paragraphs(paragraph, paragraph)),
                    para_start=paragraph,
                    para_end=paragraph,
                    span=span,
                    section=no,
                )
            )
        if windows:
            window = Span(starts[-1], len(text.rstrip()))
            locator = format_locator(doc_id, Paragraphs(first, paragraph))
            chunks = [
                dataclasses.replace(
                    chunk,
                    parent_id=f"{doc_id}#s{no}",
                    heading=part.heading,
                    parent_locator=locator,
                    window=window,
                    node=no,
                )
                if chunk.section == no
                else chunk
                for chunk in chunks
            ]
    outline = Outline(_sections(parts, starts, len(text), meta.title), tuple(blocks))
    nodes = tuple(
        TreeNode(s.no, s.parent, s.level, s.no, "", s.span, NodeKind.SECTION)
        for s in outline.sections
    )
    return PreparedDocument(
        meta=meta,
        loaded=LoadedDocument(
            text=text,
            offsets=OffsetMap(((0, 0, len(text)),), len(text)),
            outline=outline,
            stated={},
            title=meta.title,
            full_text=text,
        ),
        chunks=chunks,
        chunker="made for tests" if windows else "",
        source_path=source_path,
        fingerprint=fingerprint,
        nodes=nodes if windows else (),
    )


def _sections(
    parts: tuple[Part, ...], starts: list[int], end: int, title: str
) -> tuple[Section, ...]:
    bounds = [*starts, end]
    sections = [Section(0, None, 0, title, Span(0, end), bounds[0])]
    for no, part in enumerate(parts, start=1):
        after = [i for i in range(no, len(parts)) if parts[i].level <= part.level]
        parent = max((i for i in range(1, no) if parts[i - 1].level < part.level), default=0)
        stop = bounds[after[0]] if after else end
        sections.append(
            Section(no, parent, part.level, part.heading, Span(bounds[no - 1], stop), bounds[no])
        )
    return tuple(sections)
