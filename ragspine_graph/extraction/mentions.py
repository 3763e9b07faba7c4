"""`mentions` relations from a document to what its text names."""

from __future__ import annotations

from collections.abc import Sequence

from ragspine_graph.extraction.entities import EntitySource, Mention, find_mentions
from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.extraction.reading import read_source
from ragspine_graph.relation_source import RelationSource
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
        document = unseal(source)
        reading = read_source(document)
        locators = {chunk.seq: chunk.locator for chunk in document.chunks}
        named: dict[tuple[int, str], list[Mention]] = {}
        for mention in find_mentions(self._sources, source):
            part = reading.find_part(mention.span)
            if part is not None and not mention.is_about:
                key = (reading.parts[part].seq, mention.node.id)
                named.setdefault(key, []).append(mention)
        document_node = Node(NodeType.DOCUMENT, document.doc_id, document.title)
        relations: list[Relation] = []
        for (seq, _), mentions in named.items():
            first = mentions[0]
            evidence = Evidence(
                document.doc_id,
                locators[seq],
                ChunkRange(seq, seq),
                span=first.span if reading.is_canonical else None,
                quote=reading.text[slice(*first.span)] if reading.is_canonical else "",
                target_name="" if first.node.label else first.name,
                count=len(mentions),
            )
            relations.append(
                Relation(document_node, MENTIONS, first.node, Provenance.RULE, evidence)
            )
        return Extraction(tuple(relations))
