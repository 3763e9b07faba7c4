"""Contract of references: resolved at each read among what the reader sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ragspine_store.protocols import Store, StoreWriter
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge
from ragspine_store.relations import (
    REFERS_TO,
    Address,
    ChunkRange,
    Provenance,
    Relation,
)
from ragspine_store.sensitivity import Reader
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.documents import make_document
from ragspine_store.testing.relations import (
    ACME,
    BETA,
    CONFIDENTIAL,
    LEAVE,
    LOW,
    PAY,
    RESTRICTED,
    at,
    beside,
    document,
    put_rules,
    read_edges,
    refer,
    section,
    shown,
)


def cites(backend: Backend, store: Store, doc_id: str, title: str, address: str) -> None:
    """Let the last child of a document refer to something."""
    put_rules(
        backend,
        store,
        doc_id,
        references=[refer(section(doc_id, 2), address, at(doc_id, 2), title)],
    )


def answers(backend: Backend, store: Store, doc_id: str, title: str = "law") -> None:
    """Let a document be a law with two articles."""
    put_rules(
        backend,
        store,
        doc_id,
        titles=[title],
        addresses=[
            Address("article 1", section(doc_id, 1)),
            Address("article 2", section(doc_id, 2)),
        ],
    )


class ReferenceSuite(BackendSuite):
    """Edges that references make, and those that dangle."""

    @pytest.mark.parametrize("order", ["source first", "target first"])
    def test_the_order_of_ingest_does_not_matter(
        self, backend: Backend, store: Store, order: str
    ) -> None:
        def source() -> None:
            put(store, make_document("a.md", PAY, LEAVE))
            cites(backend, store, "a.md", "law", "article 2")

        def target() -> None:
            put(store, make_document("z.md", PAY, LEAVE))
            answers(backend, store, "z.md")

        for step in (source, target) if order == "source first" else (target, source):
            step()
        assert shown(store) == ["section:a.md#s2 refers_to section:z.md#s2"]
        (edge,) = read_edges(store, EdgeFilter(Reader(), kinds=[REFERS_TO]))
        assert edge.key.provenance is Provenance.RULE
        assert [p.evidence.chunks for p in edge.evidence] == [ChunkRange(2, 2)]
        assert (edge.source.node.label, edge.target.node.label) == ("Leave", "Leave")

    @pytest.mark.parametrize("way", ["missing", "deleted", "hidden", "restricted", "part hidden"])
    def test_a_target_that_is_not_seen_is_as_one_that_is_not_there(
        self, backend: Backend, store: Store, way: str
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        cites(backend, store, "a.md", "law", "article 2")
        if way != "missing":
            put(store, make_document("z.md", PAY, LEAVE))
            answers(backend, store, "z.md")
            assert shown(store, EdgeFilter(LOW)) == ["section:a.md#s2 refers_to section:z.md#s2"]
        changes: dict[str, Callable[[StoreWriter], object]] = {
            "missing": lambda _: None,
            "deleted": lambda transaction: transaction.delete("z.md"),
            "hidden": lambda transaction: transaction.relabel("z.md", CONFIDENTIAL),
            "restricted": lambda transaction: transaction.relabel("z.md", RESTRICTED),
            "part hidden": lambda transaction: transaction.relabel_part("z.md#s2", CONFIDENTIAL),
        }
        with store.writing() as transaction:
            changes[way](transaction)
        assert shown(store, EdgeFilter(LOW)) == []
        with store.reading() as transaction:
            (dangling,) = transaction.dangling(LOW)
            assert transaction.dangling(LOW, ["z.md"]) == []
            assert transaction.relation_census(LOW).dangling == 1
        reference = dangling.reference
        assert (reference.source, reference.title, reference.address) == (
            section("a.md", 2),
            "law",
            "article 2",
        )
        assert dangling.evidence.labels == ("INTERNAL",)

    def test_a_document_of_the_same_collection_answers_first_then_by_id(
        self, backend: Backend, store: Store
    ) -> None:
        for doc_id, collection in (("b.md", "x"), ("d.md", "default"), ("e.md", "default")):
            put(store, make_document(doc_id, PAY, LEAVE, described={"collection": collection}))
            answers(backend, store, doc_id)
        for doc_id, collection in (("a.md", "default"), ("f.md", "x"), ("g.md", "y")):
            put(store, make_document(doc_id, PAY, LEAVE, described={"collection": collection}))
            cites(backend, store, doc_id, "law", "article 1")
        assert [(e.key.source, e.key.target) for e in read_edges(store)] == [
            ("section:a.md#s2", "section:d.md#s1"),
            ("section:f.md#s2", "section:b.md#s1"),
            ("section:g.md#s2", "section:b.md#s1"),
        ]
        reader = Reader(collections=frozenset({"default", "x"}))
        with store.writing() as transaction:
            transaction.relabel("d.md", RESTRICTED)
        assert [e.key.target for e in read_edges(store, EdgeFilter(reader))] == [
            "section:e.md#s1",
            "section:b.md#s1",
        ]

    def test_into_its_own_document_a_reference_needs_no_title(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE), make_document("b.md", PAY, LEAVE))
        answers(backend, store, "b.md")
        put_rules(
            backend,
            store,
            "a.md",
            addresses=[
                Address("article 1", section("a.md", 1)),
                Address("article 1", section("a.md", 2)),
            ],
            references=[
                refer(section("a.md", 2), "article 1", at("a.md", 2)),
                refer(section("a.md", 2), "article 1", at("a.md", 1)),
                refer(section("a.md", 2), "article 9", at("a.md", 2)),
                refer(section("a.md", 1), "article 1", at("a.md", 0)),
                refer(section("a.md", 2), "", at("a.md", 2), "law"),
            ],
        )
        assert shown(store) == [
            "section:a.md#s2 refers_to document:b.md",
            "section:a.md#s2 refers_to section:a.md#s1",
        ]
        with store.reading() as transaction:
            dangling = [one.reference.address for one in transaction.dangling(Reader())]
        assert dangling == ["article 9"]
        (_, edge) = read_edges(store)
        assert [p.evidence.chunks for p in edge.evidence] == [ChunkRange(1, 1), ChunkRange(2, 2)]
        with store.writing() as transaction:
            transaction.relabel_part("a.md#s1", CONFIDENTIAL)
        assert shown(store, EdgeFilter(LOW)) == ["section:a.md#s2 refers_to document:b.md"]

    def test_references_of_one_place_dangle_in_an_order_of_their_own(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        wanted = [
            (address, title, section("a.md", no))
            for address in ("article 1", "article 2")
            for title in ("act", "law")
            for no in (1, 2)
        ]
        for references in (wanted, wanted[::-1], wanted[3:] + wanted[:3]):
            put_rules(
                backend,
                store,
                "a.md",
                references=[refer(s, a, at("a.md", 0, 2), t) for a, t, s in references],
            )
            with store.reading() as transaction:
                dangling = [one.reference for one in transaction.dangling(Reader())]
            assert [(one.address, one.title, one.source) for one in dangling] == wanted

    def test_a_reference_in_a_hidden_part_adds_nothing(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE), make_document("b.md", PAY, LEAVE))
        answers(backend, store, "b.md")
        cites(backend, store, "a.md", "law", "article 1")
        with store.writing() as transaction:
            transaction.relabel_part("a.md#s2", CONFIDENTIAL)
        assert shown(store, EdgeFilter(LOW)) == []
        assert len(shown(store)) == 1
        with store.reading() as transaction:
            assert transaction.dangling(LOW) == []

    def test_filters_and_pages_hold_what_references_make(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("z.md", PAY, LEAVE))
        answers(backend, store, "z.md")
        for no in range(9):
            put(store, make_document(f"a{no}.md", PAY, LEAVE))
            put_rules(
                backend,
                store,
                f"a{no}.md",
                Relation(ACME, "sees", document(f"a{no}.md"), Provenance.RULE, at(f"a{no}.md")),
                beside(ACME, BETA, at(f"a{no}.md")),
                references=[
                    refer(section(f"a{no}.md", n), "article 1", at(f"a{no}.md", n), "law")
                    for n in (1, 2)
                ],
            )
        every = EdgeFilter(Reader())
        whole = read_edges(store, every)
        assert [e.key.kind for e in whole] == [
            "co_occurs_with",
            *["refers_to"] * 18,
            *["sees"] * 9,
        ]
        assert whole == sorted(whole, key=lambda e: (e.key.kind, e.key.source, e.key.target))
        paged: list[StoredEdge] = []
        while page := read_edges(
            store, replace(every, limit=4, after=paged[-1].key if paged else None)
        ):
            paged += page
        assert paged == whole
        target = ["section:z.md#s1"]
        assert len(shown(store, replace(every, nodes=target))) == 18
        assert len(shown(store, replace(every, nodes=["section:a3.md#s1"]))) == 1
        assert len(shown(store, replace(every, nodes=target, doc_ids=["a3.md"]))) == 2
        assert shown(store, replace(every, ids=[whole[5].key.edge_id])) == [
            " ".join(whole[5].key[:3])
        ]
        assert shown(store, replace(every, kinds=[REFERS_TO], models=["tiny"])) == []
        assert shown(store, replace(every, provenances=[Provenance.CONTROLLED])) == []
