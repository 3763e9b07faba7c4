"""`mentions` relations from a document to what its text names."""

from __future__ import annotations

from collections.abc import Sequence

from ragspine_graph.extraction.entities import EntitySource, Mention, find_mentions
from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.extraction.reading import Reading, read_source
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.relations import (
    MENTIONS,
    ChunkRange,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Relation,
)
from ragspine_store.sealed import Cleared, unseal


class MentionExtractor:
    """Says which nodes a document names, and in which of its children.

    Args:
        sources: where names come from; see `ragspine_graph.extraction.entities`.
    """

    def __init__(self, sources: Sequence[EntitySource]) -> None:
        self._sources = tuple(sources)

    def extract(self, source: Cleared[RelationSource]) -> Extraction:
        """One relation for each child and each node that it names, by place.

        What the metadata of a child say is in the base graph and not repeated.
        """
        return self.extract_from(source.map(read_source))

    def extract_from(self, reading: Cleared[Reading]) -> Extraction:
        """As `extract`, from a reading that other rules share."""
        read = unseal(reading)
        document = read.source
        named: dict[tuple[int, str], list[Mention]] = {}
        for mention in find_mentions(self._sources, reading):
            part = read.find_part(mention.span)
            if part is not None and not mention.is_about:
                key = (part.chunk.seq, mention.node.id)
                named.setdefault(key, []).append(mention)
        chunks = {chunk.seq: chunk for chunk in document.chunks}
        node = Node(NodeType.DOCUMENT, document.doc_id, document.title)
        return Extraction(
            tuple(
                Relation(
                    node,
                    MENTIONS,
                    mentions[0].node,
                    Provenance.RULE,
                    _evidence(read, chunks[seq], mentions),
                )
                for (seq, _), mentions in named.items()
            )
        )


def _evidence(reading: Reading, chunk: SourceChunk, mentions: Sequence[Mention]) -> Evidence:
    node, span, name, _ = mentions[0]
    is_quoted = reading.is_canonical
    return Evidence(
        reading.source.doc_id,
        chunk.locator,
        ChunkRange(chunk.seq, chunk.seq),
        span=span if is_quoted else None,
        quote=reading.text[span.start : span.end] if is_quoted else "",
        target_name="" if node.label else name,
        count=len(mentions),
    )
