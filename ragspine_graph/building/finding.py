"""What is found in one document: what its metadata state and what extractors add, screened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_graph.building.base_relations import ChunkEntity, mention_relations
from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.extraction.screening import ExtractionScreen, screen_stated
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.relations import Node, NodeType, Rejection, Relation
from ragspine_store.sealed import Screened


@dataclass(frozen=True, slots=True)
class FoundRelations:
    """The relations of one document.

    Attributes:
        document: its node.
        version: of the document.
        relations: those that passed the gate: what metadata state, then what extractors found.
        rejections: what did not pass, in the same order.
        left_out: distinct edges beyond a bound.
    """

    document: Node
    version: int
    relations: tuple[Screened[Relation], ...]
    rejections: tuple[Rejection, ...]
    left_out: int


def find_relations(
    nodes: ProfileNodes,
    gate: SecurityGate,
    source: RelationSource,
    extractions: Iterable[Extraction],
) -> FoundRelations:
    """Screen what the metadata of a document's children state and what extractors found in it.

    Args:
        nodes: of the profile.
        gate: of the same profile.
        source: the document.
        extractions: of the document, in the order of their extractors.
    """
    document = Node(NodeType.DOCUMENT, source.doc_id, source.title)
    about = [ChunkEntity(c.seq, c.locator, c.entity) for c in source.chunks if c.entity]
    stated = screen_stated(gate, mention_relations(nodes, document, about))
    screened = [stated, *map(ExtractionScreen(gate, source).screen, extractions)]
    return FoundRelations(
        document,
        source.version,
        tuple(relation for each in screened for relation in each.relations),
        tuple(rejection for each in screened for rejection in each.rejections),
        sum(each.left_out for each in screened),
    )
