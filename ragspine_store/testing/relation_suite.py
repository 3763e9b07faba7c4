"""Contract of the relation graph: what each reader sees of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragspine_store.protocols import Store
from ragspine_store.records import Span
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    ChunkRange,
    EdgeKey,
    Node,
    NodeType,
    Provenance,
    Relation,
    Verdict,
)
from ragspine_store.sensitivity import Reader
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.documents import make_document
from ragspine_store.testing.relations import (
    ACME,
    BETA,
    CONFIDENTIAL,
    GAMMA,
    LEAVE,
    LOW,
    PAY,
    at,
    beside,
    low,
    mention,
    parent,
    proposed,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    section,
    shown,
    unlisted,
)


class RelationSuite(BackendSuite):
    """Edges, their ends and their evidence."""

    def test_occurrences_that_agree_are_one_edge_with_their_evidence_in_order(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE), make_document("b.md", PAY))
        assert put_rules(backend, store, "b.md", beside(ACME, BETA, at("b.md", 0, 1)))
        assert put_rules(
            backend,
            store,
            "a.md",
            beside(ACME, BETA, at("a.md", 2)),
            beside(ACME, BETA, replace(at("a.md", 0), span=Span(7, 11), quote="Acme", weight=0.5)),
        )
        (edge,) = read_edges(store)
        assert edge.key == EdgeKey("entity:acme", "co_occurs_with", "entity:beta", Provenance.RULE)
        assert [(e.evidence.doc_id, e.evidence.chunks) for e in edge.evidence] == [
            ("a.md", ChunkRange(0, 0)),
            ("a.md", ChunkRange(2, 2)),
            ("b.md", ChunkRange(0, 1)),
        ]
        first = edge.evidence[0]
        assert first.evidence.quote == "Acme"
        assert (first.evidence.span, first.evidence.weight) == (Span(7, 11), 0.5)
        assert (first.collection, first.labels, first.is_stale) == ("default", ("INTERNAL",), False)
        assert (edge.verdict, edge.entry) == (None, None)

    def test_ends_are_labelled_by_profile_title_or_heading(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE, described={"title": "Rules"}))
        where = at("a.md")
        links = Relation(section("a.md", 2), "links", BETA, Provenance.RULE, where)
        put_rules(backend, store, "a.md", mention(ACME, where), links)
        ends = {end.node.id: end for e in read_edges(store) for end in (e.source, e.target)}
        assert {node: end.node.label for node, end in ends.items()} == {
            "document:a.md": "Rules",
            "entity:acme": "Acme",
            "section:a.md#s2": "Leave",
            "entity:beta": "",
        }
        assert (ends["document:a.md"].collection, ends["document:a.md"].labels) == (
            "default",
            ("INTERNAL",),
        )
        assert (ends["entity:acme"].collection, ends["entity:acme"].labels) == ("", ())

    def test_a_name_that_no_profile_knows_has_no_label_however_it_is_given(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        named = Node(NodeType.DOCUMENT, "a.md", "Secret title")
        put_rules(
            backend,
            store,
            "a.md",
            Relation(named, "mentions", BETA, Provenance.CONTROLLED, at("a.md")),
        )
        assert [edge.source.node.label for edge in read_edges(store)] == [""]

    @pytest.mark.parametrize("hidden", ["document", "child", "section", "unknown", "collection"])
    def test_hidden_evidence_adds_nothing(
        self, backend: Backend, store: Store, hidden: str
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY, LEAVE))
        put_rules(backend, store, "a.md", beside(ACME, BETA, at("a.md")))
        put_rules(
            backend,
            store,
            "b.md",
            beside(ACME, BETA, at("b.md", 1, 2)),
            mention(GAMMA, at("b.md", 2)),
        )
        reader = LOW
        if hidden == "collection":
            put(store, make_document("b.md", PAY, LEAVE, described={"collection": "hr"}))
            put_rules(backend, store, "b.md", beside(ACME, BETA, at("b.md", 1, 2)))
            reader = Reader(collections=frozenset({"default"}))
        elif hidden == "unknown":
            backend.set_chunk_label("b.md#c2", "TOP SECRET")
        elif hidden == "section":
            backend.set_section_label("b.md", 2, "CONFIDENTIAL")
        else:
            with store.writing() as transaction:
                if hidden == "document":
                    transaction.relabel("b.md", CONFIDENTIAL)
                else:
                    transaction.relabel_part("b.md#c2", CONFIDENTIAL)
        (edge,) = read_edges(store, EdgeFilter(reader))
        assert [piece.evidence.doc_id for piece in edge.evidence] == ["a.md"]
        if hidden != "unknown":
            pieces = [p for e in read_edges(store) for p in e.evidence if len(e.evidence) > 1]
            assert [piece.evidence.doc_id for piece in pieces] == ["a.md", "b.md"]

    def test_evidence_tells_the_labels_of_all_it_stands_in(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        put_rules(backend, store, "a.md", beside(ACME, BETA, at("a.md", 0, 2)))
        with store.writing() as transaction:
            transaction.relabel_part("a.md#s2", CONFIDENTIAL)
        (edge,) = read_edges(store)
        assert set(edge.evidence[0].labels) == {"INTERNAL", "CONFIDENTIAL"}

    def test_evidence_in_a_child_that_is_not_there_is_never_seen(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        assert put_rules(backend, store, "a.md", beside(ACME, BETA, at("a.md", 1, 2)))
        assert shown(store) == []

    def test_an_edge_goes_with_the_part_it_ends_at(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        links = Relation(section("a.md", 2), "links", ACME, Provenance.RULE, at("a.md", 0))
        put_rules(backend, store, "a.md", links)
        assert shown(store, low()) == ["section:a.md#s2 links entity:acme"]
        with store.writing() as transaction:
            transaction.relabel_part("a.md#s2", CONFIDENTIAL)
        assert shown(store, low()) == []
        (edge,) = read_edges(store)
        assert set(edge.source.labels) == {"INTERNAL", "CONFIDENTIAL"}

    def test_a_term_is_hidden_where_its_document_is(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY, label=CONFIDENTIAL), make_document("b.md", PAY))
        term = Node(NodeType.TERM, "company@a.md")
        put_rules(backend, store, "b.md", Relation(term, "is", ACME, Provenance.RULE, at("b.md")))
        assert shown(store, low()) == []
        assert shown(store) == ["term:company@a.md is entity:acme"]

    def test_filters(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY))
        put_profile(backend, store, parent(ACME, BETA))
        put_rules(backend, store, "a.md", beside(ACME, BETA, at("a.md")))
        put_rules(backend, store, "b.md", mention(BETA, at("b.md")))
        put_model(backend, store, "b.md", 1, proposed(ACME, "pays", GAMMA, at("b.md", 1)))
        every = EdgeFilter(Reader())
        kinds = ["co_occurs_with", "mentions", "parent_of", "pays"]

        def found(**wanted: object) -> list[str]:
            edges = read_edges(store, replace(every, **wanted))
            assert [e.key for e in edges] == [
                e.key for e in read_edges(store, every) if e.key in {e.key for e in edges}
            ]
            return [edge.key.kind for edge in edges]

        assert found() == kinds
        assert found(verdicts=[Verdict.VERIFIED], provenances=tuple(Provenance)) == kinds[:3]
        assert found(kinds=["pays", "mentions"]) == ["mentions", "pays"]
        assert found(nodes=["unlisted:gamma", "document:b.md"]) == ["mentions", "pays"]
        assert found(provenances=[Provenance.RULE]) == ["co_occurs_with"]
        assert found(doc_ids=["a.md", PROFILE_DOC_ID]) == ["co_occurs_with", "parent_of"]
        assert found(models=["tiny"], doc_ids=["b.md"]) == ["pays"]
        assert found(models=["other"]) == []
        assert found(stale=True) == []
        assert found(stale=False) == kinds
        (pays,) = read_edges(store, replace(every, kinds=["pays"]))
        assert found(ids=[pays.key.edge_id]) == ["pays"]
        assert found(ids=[pays.key.edge_id], kinds=["mentions"]) == []
        assert found(ids=["e0", "\ud800"]) == []

    @pytest.mark.parametrize("limit", [1, 2, 7])
    def test_pages_hold_all_edges_once_and_hidden_ones_take_no_slot(
        self, backend: Backend, store: Store, limit: int
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY, label=CONFIDENTIAL))
        names = [unlisted(f"n{no:03}") for no in range(150)]
        put_rules(backend, store, "b.md", *(beside(ACME, name, at("b.md")) for name in names))
        put_rules(backend, store, "a.md", *(beside(ACME, name, at("a.md")) for name in names[::30]))
        whole = read_edges(store, low())
        assert len(whole) == 5
        paged: list[str] = []
        after: EdgeKey | None = None
        while page := read_edges(store, low(limit=limit, after=after)):
            assert len(page) <= limit
            paged += [edge.key.edge_id for edge in page]
            after = page[-1].key
        assert paged == [edge.key.edge_id for edge in whole]

    def test_edges_cost_the_same_number_of_statements_however_many(
        self, backend: Backend, store: Store
    ) -> None:
        counts: list[int] = []
        for size in (1, 60):
            put(store, make_document("a.md", PAY))
            names = [unlisted(f"n{no}") for no in range(size)]
            put_rules(backend, store, "a.md", *(beside(ACME, name, at("a.md")) for name in names))
            with store.reading() as transaction:
                wanted = EdgeFilter(Reader())
                counts.append(backend.statements(store, lambda: transaction.edges(wanted)))  # noqa: B023
        assert counts[0] == counts[1] <= 8

    def test_nodes_are_found_by_id_key_and_label(self, backend: Backend, store: Store) -> None:
        put(
            store,
            make_document("a.md", PAY, described={"title": "Rules of Pay"}),
            make_document("b.md", PAY, label=CONFIDENTIAL),
        )
        term = Node(NodeType.TERM, "employer@a.md")
        put_rules(
            backend, store, "a.md", *(mention(node, at("a.md")) for node in (ACME, BETA, term))
        )
        put_rules(backend, store, "b.md", mention(GAMMA, at("b.md")))
        with store.reading() as transaction:

            def named(name: str, reader: Reader = LOW) -> list[str]:
                return [end.node.id for end in transaction.find_nodes(reader, name)]

            assert named("entity:acme") == named("acme") == named("ACME ") == ["entity:acme"]
            assert named("rules of pay") == named("a.md") == ["document:a.md"]
            assert named("employer") == ["term:employer@a.md"]
            assert named("gamma") == named("nobody") == named("") == []
            assert named(" ") == named("\ud800") == []
            assert named("gamma", Reader()) == ["unlisted:gamma"]

    def test_the_census_counts_what_the_reader_sees(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY, label=CONFIDENTIAL))
        put_rules(backend, store, "a.md", mention(ACME, at("a.md")))
        put_model(backend, store, "b.md", 0, proposed(ACME, "pays", GAMMA, at("b.md")))
        with store.reading() as transaction:
            wide, narrow = (transaction.relation_census(reader) for reader in (Reader(), LOW))
        assert wide.nodes == {NodeType.DOCUMENT: 1, NodeType.ENTITY: 1, NodeType.UNLISTED: 1}
        assert wide.edges == {Provenance.CONTROLLED: 1, Provenance.MODEL: 1}
        assert (wide.unverified, wide.stale, wide.dangling) == (1, 0, 0)
        assert narrow.nodes == {NodeType.DOCUMENT: 1, NodeType.ENTITY: 1}
        assert narrow.edges == {Provenance.CONTROLLED: 1}
        assert narrow.unverified == 0
