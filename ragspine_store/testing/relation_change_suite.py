"""Contract of the relation graph when documents change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragspine_store.protocols import Store
from ragspine_store.records import Span
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    Answer,
    ChunkRange,
    Node,
    NodeType,
    Verdict,
)
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.testing.relations import (
    ACME,
    BETA,
    CONFIDENTIAL,
    GAMMA,
    KEY,
    LEAVE,
    LOW,
    PAY,
    RESTRICTED,
    at,
    fill,
    judge,
    mention,
    model_edge,
    pays,
    proposed,
    put_model,
    put_rules,
    read_edges,
    shown,
    states,
)


class RelationChangeSuite(BackendSuite):
    """What becomes of relations when their document is changed, relabelled, moved or deleted."""

    @pytest.mark.parametrize("way", ["delete", "relabel", "put"])
    def test_nothing_is_left_of_a_document_that_is_gone(
        self, backend: Backend, store: Store, way: str
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE), make_document("b.md", PAY))
        put_rules(backend, store, "b.md", mention(ACME, at("b.md")))
        before = backend.totals()
        fill(backend, store, "a.md")
        with store.writing() as transaction:
            if way == "delete":
                transaction.delete("a.md")
            elif way == "relabel":
                transaction.relabel("a.md", RESTRICTED)
            else:
                transaction.put(make_document("a.md", PAY, label=RESTRICTED))
        after = backend.totals()
        graph = [name for name in before if name.startswith(("relation", "model"))]
        assert {n: after[n] for n in graph} == {n: before[n] for n in graph}
        assert shown(store) == ["document:b.md mentions entity:acme"]

    @pytest.mark.parametrize("node_id", ["a.md#s1", "a.md#c1"])
    def test_nothing_is_left_of_what_rests_on_a_part_that_is_restricted(
        self, backend: Backend, store: Store, node_id: str
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        fill(backend, store, "a.md")
        put_model(
            backend, store, "a.md", 2, proposed(BETA, "grants", GAMMA, at("a.md", 2, quote="Beta"))
        )
        with store.writing() as transaction:
            transaction.relabel_part(node_id, RESTRICTED)
        assert shown(store) == [
            "metric:revenue of a.md derives metric:margin",
            "entity:beta grants unlisted:gamma",
        ]
        totals = backend.totals()
        assert (totals["relation_reference"], totals["relation_rejection"]) == (0, 0)
        assert (totals["relation_title"], totals["model_answer"]) == (0, 0)
        assert states(store) == [""]

    def test_other_changes_of_a_label_leave_what_is_there(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        fill(backend, store, "a.md")
        before, edges = backend.totals(), shown(store)
        with store.writing() as transaction:
            transaction.relabel("a.md", CONFIDENTIAL)
            transaction.relabel("a.md", Sensitivity.PUBLIC)
            transaction.relabel_part("a.md#s2", CONFIDENTIAL)
        assert shown(store) == edges
        graph = [n for n in before if n.startswith(("relation", "model")) and "title" not in n]
        assert {n: backend.totals()[n] for n in graph} == {n: before[n] for n in graph}
        assert states(store) == [""]

    def test_a_changed_text_takes_what_rules_found_and_moves_what_a_model_found(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        fill(backend, store, "a.md")
        put(store, make_document("a.md", LEAVE, Part("Pay", ("Now Acme pays Gamma. Acme pays",))))
        assert shown(store) == [
            "metric:revenue of a.md derives metric:margin",
            "entity:acme pays unlisted:gamma",
        ]
        (piece,) = model_edge(store).evidence
        assert piece.evidence.chunks == ChunkRange(1, 1)
        assert piece.evidence.span == Span(40, 55)
        assert (piece.evidence.locator, piece.is_stale) == ("a.md#para4", False)
        totals = backend.totals()
        assert (totals["relation_rejection"], totals["relation_title"]) == (0, 0)
        assert totals["model_answer"] == 0
        assert states(store) == [""]
        put_model(backend, store, "a.md", 1)
        assert shown(store) == ["metric:revenue of a.md derives metric:margin"]

    def test_a_quote_that_is_gone_makes_evidence_stale_until_it_is_back(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        put(store, make_document("a.md", LEAVE))
        edge = model_edge(store)
        assert [(p.is_stale, p.evidence.chunks) for p in edge.evidence] == [(True, None)]
        assert edge.evidence[0].evidence.quote == "Acme pays Gamma"
        every = EdgeFilter(Reader())
        assert shown(store, replace(every, stale=True)) == ["entity:acme pays unlisted:gamma"]
        assert shown(store, replace(every, stale=False)) == []
        with store.reading() as transaction:
            assert transaction.relation_census(Reader()).stale == 1
        put(store, make_document("a.md", LEAVE, PAY))
        edge = model_edge(store)
        assert [(p.is_stale, p.evidence.chunks) for p in edge.evidence] == [
            (False, ChunkRange(2, 2))
        ]

    def test_stale_evidence_keeps_the_label_of_the_text_it_came_from(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        with store.writing() as transaction:
            transaction.relabel_part("a.md#c1", CONFIDENTIAL)
        put(store, make_document("a.md", LEAVE))
        low = EdgeFilter(LOW)
        assert shown(store, low) == []
        assert "CONFIDENTIAL" in model_edge(store).evidence[0].labels
        put(store, make_document("a.md", PAY))
        assert shown(store, low) == ["entity:acme pays unlisted:gamma"]

    def test_no_stale_evidence_outlives_a_part_that_becomes_restricted(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        put(store, make_document("a.md", LEAVE))
        with store.writing() as transaction:
            transaction.relabel_part("a.md#c0", RESTRICTED)
        assert shown(store) == []
        assert backend.totals()["relation_evidence"] == 0

    def test_a_quote_cut_in_two_is_found_over_both_children(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", Part("Pay", ("one two",))))
        quote = "one two"
        put_model(
            backend, store, "a.md", 0, proposed(ACME, "is", GAMMA, at("a.md", 0, quote=quote))
        )
        whole = make_document("a.md", Part("Pay", ("one two",)))
        (chunk,) = whole.chunks
        start = chunk.span.start
        halves = [
            replace(chunk, text="one", span=Span(start, start + 3)),
            replace(chunk, chunk_id="a.md#c1", seq=1, text="two", span=Span(start + 4, start + 7)),
        ]
        put(store, replace(whole, chunks=halves))
        (piece,) = model_edge(store).evidence
        assert (piece.evidence.chunks, piece.is_stale) == (ChunkRange(0, 1), False)

    def test_an_answer_stays_while_the_text_of_its_child_does(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        fill(backend, store, "a.md")

        def cached() -> Answer | None:
            with store.reading() as transaction:
                return transaction.find_answer(KEY)

        assert cached() == Answer("{}", 3, 2)
        put(store, make_document("a.md", LEAVE, PAY))
        assert cached() == Answer("{}", 3, 2)
        with store.writing() as transaction:
            transaction.relabel_part("a.md#c2", RESTRICTED)
        assert cached() is None

    def test_relations_follow_a_document_that_is_moved(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE, source_path="/docs/a.md"))
        fill(backend, store, "a.md")
        term = Node(NodeType.TERM, "employer@a.md")
        put_model(backend, store, "a.md", 1, pays(), proposed(term, "pays", GAMMA, at("a.md", 1)))
        for edge in read_edges(store, EdgeFilter(Reader(), kinds=["pays"])):
            judge(store, edge.key.edge_id, Verdict.REJECTED)
        with store.writing() as transaction:
            (kept,) = transaction.sources_below("/docs", "/docs")
            assert transaction.move(kept, "b.md", "/docs/b.md")
        assert shown(store) == [
            "metric:revenue of a.md derives metric:margin",
            "entity:acme pays unlisted:gamma",
            "term:employer@b.md pays unlisted:gamma",
        ]
        for edge in read_edges(store, EdgeFilter(Reader(), kinds=["pays"])):
            assert edge.verdict is Verdict.REJECTED
            assert not edge.has_new_evidence
            assert [(p.evidence.doc_id, p.evidence.locator) for p in edge.evidence] == [
                ("b.md", "b.md#para2")
            ]
            assert shown(store, EdgeFilter(Reader(), ids=[edge.key.edge_id]))
        assert states(store) == [""]
        with store.reading() as transaction:
            assert transaction.find_answer(KEY) is not None
        with store.writing() as transaction:
            transaction.delete("b.md")
        assert backend.totals()["relation_evidence"] == 0
