"""`build_relation_graph`: profile, facts and chunks become one graph, in memory and in a store."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import attrgetter

import networkx as nx

from ragspine_graph.building.base_relations import (
    ChunkEntity,
    fact_relations,
    iter_profile_nodes,
    mention_relations,
    profile_relations,
)
from ragspine_graph.building.drawing import RelationDrawing
from ragspine_graph.building.writing import visible_facts, write_relations
from ragspine_graph.extraction.protocol import RelationExtractor
from ragspine_graph.extraction.screening import ExtractionScreen, screen_stated
from ragspine_graph.facts import Fact
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.exits import clear_rows
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.protocols import Store
from ragspine_store.records import StoredChunk
from ragspine_store.relations import PROFILE_DOC_ID, Node, NodeType, Rejection
from ragspine_store.sealed import unseal
from ragspine_store.sensitivity import Reader, stored_label


@contextmanager
def _without_collecting() -> Generator[None]:
    """Build without garbage collection: a graph grows and leaves no cycles behind.

    Looking through it again and again for some would take a quarter of the time.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()


@_without_collecting()
def build_relation_graph(
    profile: Profile,
    *,
    facts: Iterable[Fact] = (),
    chunks: Iterable[StoredChunk] = (),
    store: Store | None = None,
    relation_extractor: RelationExtractor | None = None,
) -> nx.MultiDiGraph[str]:
    """The relation graph of a profile, facts and chunks; see `RelationDrawing` for its form.

    Nodes are those of the profile, the documents of the chunks, and what is mentioned. Without an
    extractor nothing else enters; an extractor adds edges and changes none. The order of facts and
    chunks does not matter.

    RESTRICTED chunks never enter, nor chunks of an unknown label, nor facts of a document that has
    one, since no fact says in which chunk it stands.

    Args:
        profile: entities, rivals, metrics and what is derived from what.
        facts: approved ones become mentions in their documents.
        chunks: current rows; the entity of each becomes a mention in its document.
        store: takes all of it, in place of what it held about the profile and these documents. The
            store then says what the documents hold and what is RESTRICTED; what it does not show
            enters nowhere.
        relation_extractor: adds relations; see `ragspine_graph.extraction`.

    >>> graph = build_relation_graph(
    ...     Profile.model_validate({"home": {"labels": {"EX": "Example", "EX_JP": "Japan"}}}),
    ...     facts=[], chunks=[],
    ... )
    >>> sorted(graph)
    ['entity:EX', 'entity:EX_JP']
    """
    nodes, gate = ProfileNodes(profile), SecurityGate(profile)
    rows, hidden = _visible_rows(chunks)
    if store is not None:
        facts = visible_facts(store, facts)
    facts = [fact for fact in facts if fact.source_doc_id not in hidden]
    base = [*profile_relations(nodes), *fact_relations(nodes, facts)]
    stated = screen_stated(gate, base).relations
    drawing = RelationDrawing()
    for node, place in iter_profile_nodes(nodes):
        drawing.add_node(node, PROFILE_DOC_ID, place)
    if store is not None:
        kept = write_relations(store, nodes, gate, stated, sorted(rows), relation_extractor)
        for document, _ in kept:
            drawing.add_node(document, document.key, document.key)
        for relation in chain(stated, *(relations for _, relations in kept)):
            drawing.add(relation)
        return drawing.graph
    documents = [Node(NodeType.DOCUMENT, doc_id, rows[doc_id][0].title) for doc_id in sorted(rows)]
    for document in documents:
        drawing.add_node(document, document.key, document.key)
    for relation in stated:
        drawing.add(relation)
    for document in documents:
        _draw_mentions(drawing, nodes, gate, document, rows[document.key])
        source = clear_rows(rows[document.key], Reader()) if relation_extractor else None
        if relation_extractor and source:
            extraction = relation_extractor.extract(source)
            for relation in ExtractionScreen(gate, unseal(source)).screen(extraction).relations:
                drawing.add(relation)
    return drawing.graph


def _visible_rows(
    chunks: Iterable[StoredChunk],
) -> tuple[dict[str, list[StoredChunk]], set[str]]:
    """Rows that may enter, by document and in order, and the documents that have others."""
    reader = Reader()
    may_enter: dict[str, bool] = {}
    rows: defaultdict[str, list[StoredChunk]] = defaultdict(list)
    hidden: set[str] = set()
    for chunk in chunks:
        label = chunk.sensitivity
        if label not in may_enter:
            may_enter[label] = reader.may_see(stored_label(label), "")
        if not may_enter[label]:
            hidden.add(chunk.doc_id)
        elif chunk.active:
            rows[chunk.doc_id].append(chunk)
    for found in rows.values():
        found.sort(key=attrgetter("seq"))
    return rows, hidden


def _draw_mentions(
    drawing: RelationDrawing,
    nodes: ProfileNodes,
    gate: SecurityGate,
    document: Node,
    rows: Sequence[StoredChunk],
) -> None:
    """Draw what a document's rows are about; what several are about is screened once."""
    about: dict[str, list[StoredChunk]] = {}
    for row in rows:
        if row.entity:
            about.setdefault(row.entity, []).append(row)
    firsts = [ChunkEntity(found[0].seq, _locator(found[0]), name) for name, found in about.items()]
    mentions = mention_relations(nodes, document, firsts)
    for mention, found in zip(mentions, about.values(), strict=True):
        screened = gate.screen_controlled(mention)
        if not isinstance(screened, Rejection):
            drawing.add(screened, [_locator(row) for row in found[1:]] if len(found) > 1 else ())


def _locator(row: StoredChunk) -> str:
    return row.source_locator or row.chunk_id
