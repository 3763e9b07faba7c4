"""`build_relation_graph`: profile, facts and chunks become one graph, in memory and in a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import networkx as nx

from ragspine_graph.base_relations import (
    ChunkEntity,
    fact_relations,
    iter_profile_nodes,
    mention_relations,
    profile_relations,
)
from ragspine_graph.extraction.protocol import RelationExtractor
from ragspine_graph.extraction.screening import screen_extraction
from ragspine_graph.facts import Fact
from ragspine_graph.profile import Profile
from ragspine_graph.profile_nodes import ProfileNodes
from ragspine_graph.relation_networkx import PlacedNode, to_networkx
from ragspine_graph.relation_source import RelationSource
from ragspine_graph.security.exits import clear_source
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.protocols import Candidate, DocumentView, Store
from ragspine_store.records import StoredChunk
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    DocumentRelations,
    Evidence,
    ModelRelations,
    Node,
    NodeType,
    Provenance,
    Rejection,
    Relation,
)
from ragspine_store.sealed import Cleared, Screened, unseal, unseal_screened
from ragspine_store.sensitivity import Reader, stored_label


@dataclass(frozen=True, slots=True)
class _Document:
    """A document that may be read, as far as the graph needs it."""

    node: Node
    entities: Sequence[ChunkEntity]
    source: Cleared[RelationSource] | None


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found in a document, screened."""

    document: Node
    version: int = 0
    relations: list[Screened[Relation]] = field(default_factory=list[Screened[Relation]])
    rejections: list[Rejection] = field(default_factory=list[Rejection])


def build_relation_graph(
    profile: Profile,
    *,
    facts: Iterable[Fact] = (),
    chunks: Iterable[StoredChunk] = (),
    store: Store | None = None,
    relation_extractor: RelationExtractor | None = None,
) -> nx.MultiDiGraph[str]:
    """The relation graph of a profile, facts and chunks; see `to_networkx` for its form.

    Nodes are those of the profile, the documents of the chunks, and what is mentioned. Without an
    extractor nothing else enters; an extractor adds edges and changes none. The order of facts and
    chunks does not matter.

    RESTRICTED chunks never enter, nor chunks of an unknown label, nor facts of a document that has
    one, since no fact says in which chunk it stands.

    Args:
        profile: entities, rivals, metrics and what is derived from what.
        facts: approved ones become mentions in their documents.
        chunks: current rows; the entity of each becomes a mention in its document.
        store: takes all of it in place of what it held about the profile and these documents. It
            is then the store that says what the documents hold and what is RESTRICTED, and what
            it does not show enters nowhere. To keep a whole store in step, use
            `KnowledgeBase.build_relations`.
        relation_extractor: adds relations; see `ragspine_graph.extraction`.

    >>> profile = Profile.model_validate(
    ...     {"home": {"entity_code": "EX"}, "external_entities": {"rival": "Rival Inc."}}
    ... )
    >>> build_relation_graph(profile).edges(keys=True)
    OutMultiEdgeView([('entity:EX', 'external:rival', ('competes_with', 'controlled'))])
    """
    nodes = ProfileNodes(profile)
    gate = SecurityGate(profile)
    rows, hidden = _visible_rows(chunks)
    found: list[_Found] = []
    if store is None:
        documents = (_given(doc_id, rows[doc_id], relation_extractor) for doc_id in sorted(rows))
        facts = [fact for fact in facts if fact.source_doc_id not in hidden]
    else:
        documents = _stored(store, sorted(rows))
        facts = _facts_of_visible(store, facts)
    stated = _screened(gate, [*profile_relations(nodes), *fact_relations(nodes, facts)])
    for document in documents:
        found.append(_find(gate, nodes, document, relation_extractor))
    if store is not None:
        found = _write(store, stated, found)
    placed = [PlacedNode(node, PROFILE_DOC_ID, place) for node, place in iter_profile_nodes(nodes)]
    placed += [PlacedNode(each.document, each.document.key, each.document.key) for each in found]
    return to_networkx(chain(stated, *(each.relations for each in found)), placed)


def _visible_rows(
    chunks: Iterable[StoredChunk],
) -> tuple[dict[str, list[StoredChunk]], set[str]]:
    """Rows that may enter, by document and in order, and the documents that have others."""
    reader = Reader()
    may_enter: dict[str, bool] = {}
    rows: dict[str, list[StoredChunk]] = {}
    hidden: set[str] = set()
    for chunk in chunks:
        label = chunk.sensitivity
        if label not in may_enter:
            may_enter[label] = reader.may_see(stored_label(label), "")
        if not may_enter[label]:
            hidden.add(chunk.doc_id)
        elif chunk.active:
            rows.setdefault(chunk.doc_id, []).append(chunk)
    for found in rows.values():
        found.sort(key=lambda chunk: chunk.seq)
    return rows, hidden


def _given(
    doc_id: str, rows: Sequence[StoredChunk], extractor: RelationExtractor | None
) -> _Document:
    """A document as its rows show it."""
    entities = [
        ChunkEntity(row.seq, row.source_locator or row.chunk_id, row.entity)
        for row in rows
        if row.entity
    ]
    node = Node(NodeType.DOCUMENT, doc_id, rows[0].title)
    return _Document(node, entities, clear_source(_view(rows), Reader()) if extractor else None)


def _view(rows: Sequence[StoredChunk]) -> DocumentView:
    first = rows[0]
    children = tuple(
        Candidate(
            key=row.seq,
            chunk=row,
            score=0.0,
            collection="",
            document_label=row.sensitivity,
            ancestors=(),
            node=None,
            span=None,
            window=None,
            raw_span=None,
            pages=None,
        )
        for row in rows
    )
    return DocumentView(
        doc_id=first.doc_id,
        title=first.title,
        collection="",
        sensitivity=first.sensitivity,
        version=first.version,
        chunker="",
        text=None,
        offsets=None,
        pages=(),
        sections=(),
        nodes=(),
        chunks=children,
    )


def _stored(store: Store, doc_ids: Iterable[str]) -> Iterator[_Document]:
    """Those of the documents that the store shows, as it shows them."""
    for doc_id in doc_ids:
        with store.reading() as transaction:
            view = transaction.find_document(doc_id)
        source = clear_source(view, Reader()) if view else None
        if source is None:
            continue
        document = unseal(source)
        entities = [
            ChunkEntity(chunk.seq, chunk.locator, chunk.entity)
            for chunk in document.chunks
            if chunk.entity
        ]
        yield _Document(Node(NodeType.DOCUMENT, doc_id, document.title), entities, source)


def _facts_of_visible(store: Store, facts: Iterable[Fact]) -> list[Fact]:
    with store.reading() as transaction:
        visible = {state.doc_id for state in transaction.relation_states()}
    return [fact for fact in facts if fact.source_doc_id in visible]


def _screened(gate: SecurityGate, relations: Iterable[Relation]) -> list[Screened[Relation]]:
    screened = (gate.screen_controlled(relation) for relation in relations)
    return [relation for relation in screened if not isinstance(relation, Rejection)]


def _find(
    gate: SecurityGate,
    nodes: ProfileNodes,
    document: _Document,
    extractor: RelationExtractor | None,
) -> _Found:
    version = unseal(document.source).version if document.source else 0
    found = _Found(document.node, version)
    for relation in mention_relations(nodes, document.node, document.entities):
        screened = gate.screen_controlled(relation)
        if isinstance(screened, Rejection):
            found.rejections.append(screened)
        else:
            found.relations.append(screened)
    if extractor and document.source:
        source = unseal(document.source)
        extracted = screen_extraction(gate, source, extractor.extract(document.source))
        found.relations.extend(extracted.relations)
        found.rejections.extend(extracted.rejections)
    return found


def _write(
    store: Store, stated: Sequence[Screened[Relation]], found: Iterable[_Found]
) -> list[_Found]:
    """Keep everything in one transaction; returns what the store took."""
    taken: list[_Found] = []
    with store.writing() as transaction:
        transaction.put_profile_relations(stated)
        for each in found:
            by_rules = DocumentRelations(
                each.document.key,
                each.version,
                rules="",
                relations=[r for r in each.relations if not _is_of_model(r)],
                rejections=[r for r in each.rejections if not r.evidence.model],
            )
            if transaction.put_document_relations(by_rules):
                taken.append(each)
                for by_model in _by_model(each):
                    transaction.put_model_relations(by_model)
    store.erase()
    return taken


def _by_model(found: _Found) -> list[ModelRelations]:
    """What models found, by child, model and prompt."""
    relations: dict[tuple[int, str, str], list[Screened[Relation]]] = {}
    rejections: dict[tuple[int, str, str], list[Rejection]] = {}
    for screened in found.relations:
        if _is_of_model(screened):
            key = _answer(unseal_screened(screened).evidence)
            relations.setdefault(key, []).append(screened)
    for rejection in found.rejections:
        if rejection.evidence.model:
            rejections.setdefault(_answer(rejection.evidence), []).append(rejection)
    return [
        ModelRelations(
            found.document.key,
            seq,
            found.version,
            model,
            prompt,
            relations.get((seq, model, prompt), ()),
            rejections.get((seq, model, prompt), ()),
        )
        for seq, model, prompt in sorted({*relations, *rejections})
    ]


def _answer(evidence: Evidence) -> tuple[int, str, str]:
    seq = evidence.chunks.first if evidence.chunks else 0
    return seq, evidence.model, evidence.prompt


def _is_of_model(screened: Screened[Relation]) -> bool:
    return unseal_screened(screened).provenance is Provenance.MODEL
