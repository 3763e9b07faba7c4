"""The base graph: what controlled dimensions say, and nothing else.

Profile, facts and the entity of a chunk's metadata; no text is read and no model asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ragspine_graph.facts import Fact
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_store.relations import (
    COMPETES_WITH,
    DERIVES,
    MENTIONS,
    PARENT_OF,
    PROFILE_DOC_ID,
    ChunkRange,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Relation,
)


class ChunkEntity(NamedTuple):
    """What the metadata of a child say it is about.

    Attributes:
        seq, locator: of the child.
        entity: code, alias or name; not empty.
    """

    seq: int
    locator: str
    entity: str


def iter_profile_nodes(nodes: ProfileNodes) -> Iterator[tuple[Node, str]]:
    """Every node of the profile, each once, with where the profile first names it."""
    found: dict[str, tuple[Node, str]] = {}
    for _, node, place in nodes.names:
        found.setdefault(node.id, (node, place))
    for base, derived, place in nodes.derivations():
        for node in (base, derived):
            found.setdefault(node.id, (node, place))
    return iter(found.values())


def profile_relations(nodes: ProfileNodes) -> list[Relation]:
    """What the profile says: the home company's entities and rivals, and what follows from what.

    `parent_of` leads from the home company to each other entity, `competes_with` to each external
    party, `derives` from a value to the one that is derived from it.
    """
    relations: list[Relation] = []
    home = nodes.home
    if home is not None:
        kinds = {NodeType.ENTITY: PARENT_OF, NodeType.EXTERNAL: COMPETES_WITH}
        relations += [
            _stated(home, kinds[node.type], node, place)
            for node, place in iter_profile_nodes(nodes)
            if node.type in kinds and node.id != home.id
        ]
    relations += [
        _stated(base, DERIVES, derived, place) for base, derived, place in nodes.derivations()
    ]
    return relations


def fact_relations(nodes: ProfileNodes, facts: Iterable[Fact]) -> list[Relation]:
    """Mentions of the entity and the metric of each approved fact, in its document.

    By document and place; facts that stand in one place with the same entity give one mention.
    """
    found: dict[tuple[str, str, str], Relation] = {}
    for fact in sorted(filter(lambda fact: fact.is_approved, facts), key=_place):
        document = Node(NodeType.DOCUMENT, fact.source_doc_id)
        for node, name in (
            (nodes.entity(fact.entity), fact.entity),
            (nodes.metric(fact.metric_code), fact.metric_code),
        ):
            written = "" if node.label else name
            evidence = Evidence(fact.source_doc_id, fact.source_locator, target_name=written)
            relation = Relation(document, MENTIONS, node, Provenance.CONTROLLED, evidence)
            found.setdefault((fact.source_doc_id, fact.source_locator, node.id), relation)
    return list(found.values())


def mention_relations(
    nodes: ProfileNodes, document: Node, chunks: Iterable[ChunkEntity]
) -> list[Relation]:
    """Mentions of the entities that a document's children are about, in their order."""
    relations: list[Relation] = []
    for seq, place, name in chunks:
        node = nodes.entity(name)
        evidence = Evidence(
            document.key,
            place,
            ChunkRange(seq, seq),
            target_name="" if node.label else name,
        )
        relations.append(Relation(document, MENTIONS, node, Provenance.CONTROLLED, evidence))
    return relations


def _place(fact: Fact) -> tuple[str, str, str, str]:
    return fact.source_doc_id, fact.source_locator, fact.entity, fact.metric_code


def _stated(source: Node, kind: str, target: Node, place: str) -> Relation:
    return Relation(source, kind, target, Provenance.CONTROLLED, Evidence(PROFILE_DOC_ID, place))
