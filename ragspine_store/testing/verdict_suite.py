"""Contract of verdicts on what a model proposes, and of its cached answers."""

from __future__ import annotations

import pytest

from ragspine_store.errors import NotFoundError, RelationError
from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    REFERS_TO,
    Address,
    Answer,
    EdgeKey,
    Provenance,
    Verdict,
)
from ragspine_store.sensitivity import Reader
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.documents import make_document
from ragspine_store.testing.relations import (
    ACME,
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
    refer,
    section,
    shown,
)


class VerdictSuite(BackendSuite):
    """A verdict belongs to the edge's key."""

    def test_an_answer_is_kept_only_for_a_child_as_it_was_read(self, store: Store) -> None:
        put(store, make_document("a.md", PAY), make_document("r.md", PAY, label=RESTRICTED))
        with store.writing() as transaction:
            for place in (("a.md", 0, 2), ("a.md", 9, 1), ("r.md", 0, 1), ("no.md", 0, 1)):
                assert not transaction.put_answer(KEY, *place, Answer("{}"))
            assert not transaction.put_answer(KEY, "a.md", 0, 1, Answer("\ud800"))
            assert transaction.put_answer(KEY, "a.md", 0, 1, Answer("old"))
            assert transaction.put_answer(KEY, "a.md", 0, 1, Answer("new"))
        with store.reading() as transaction:
            assert transaction.find_answer(KEY) == Answer("new")
            assert transaction.find_answer(KEY._replace(prompt="p2")) is None

    def test_what_a_model_gives_again_is_not_new(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        edge_id = model_edge(store).key.edge_id
        assert model_edge(store).verdict is Verdict.UNVERIFIED
        judge(store, edge_id, Verdict.REJECTED)
        put_model(backend, store, "a.md", 1, pays())
        edge = model_edge(store)
        assert (edge.verdict, edge.has_new_evidence) == (Verdict.REJECTED, False)
        put_model(backend, store, "b.md", 1, pays(doc_id="b.md"))
        edge = model_edge(store)
        assert (edge.verdict, edge.has_new_evidence) == (Verdict.REJECTED, True)
        with store.writing() as transaction:
            transaction.relabel("b.md", CONFIDENTIAL)
        (seen,) = read_edges(store, EdgeFilter(LOW))
        assert not seen.has_new_evidence

    def test_a_verdict_outlives_its_edge_and_holds_when_it_comes_back(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        edge_id = model_edge(store).key.edge_id
        trusted = EdgeFilter(Reader(), verdicts=[Verdict.VERIFIED], provenances=tuple(Provenance))
        judge(store, edge_id, Verdict.REJECTED)
        assert shown(store, trusted) == []
        judge(store, edge_id, Verdict.VERIFIED)
        assert shown(store, trusted) == ["entity:acme pays unlisted:gamma"]
        with store.writing() as transaction:
            transaction.delete("a.md")
        with store.reading() as transaction:
            assert transaction.verdict_log(Reader()) == []
            log = transaction.verdict_log(None)
        assert [(e.no, e.verdict, e.reviewer, e.note, e.edge_id) for e in log] == [
            (1, Verdict.REJECTED, "Kim", "seen", ""),
            (2, Verdict.VERIFIED, "Kim", "seen", ""),
        ]
        assert {len(entry.edge) for entry in log} == {len(entry.document) for entry in log} == {64}
        put(store, make_document("a.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        edge = model_edge(store)
        assert edge.verdict is Verdict.VERIFIED
        assert edge.entry is not None
        assert (edge.entry.no, edge.entry.edge_id) == (2, edge_id)

    def test_a_reader_gets_the_log_of_edges_they_see_and_no_gap(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY, label=CONFIDENTIAL))
        hidden = proposed(ACME, "sues", GAMMA, at("b.md"))
        put_model(backend, store, "b.md", 0, hidden)
        judge(store, hidden.key.edge_id, Verdict.REJECTED)
        put_model(backend, store, "a.md", 1, pays())
        judge(store, pays().key.edge_id, Verdict.VERIFIED)
        with store.reading() as transaction:
            (entry,) = transaction.verdict_log(LOW)
            assert (entry.no, entry.edge_id) == (1, pays().key.edge_id)
            assert [e.no for e in transaction.verdict_log(None)] == [1, 2]
        (edge,) = read_edges(store, EdgeFilter(LOW))
        assert edge.entry is not None
        assert edge.entry.no == 1

    def test_verdicts_filter(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        kinds = ["buys", "owns", "pays"]
        found = [proposed(ACME, kind, GAMMA, at("a.md")) for kind in kinds]
        put_model(backend, store, "a.md", 0, *found)
        put_rules(backend, store, "a.md", mention(ACME, at("a.md")))
        judge(store, found[0].key.edge_id, Verdict.VERIFIED)
        judge(store, found[1].key.edge_id, Verdict.REJECTED)

        def of(*verdicts: Verdict, provenances: tuple[Provenance, ...] = ()) -> list[str]:
            wanted = EdgeFilter(Reader(), verdicts=verdicts, provenances=provenances)
            return [edge.key.kind for edge in read_edges(store, wanted)]

        assert of(Verdict.VERIFIED) == ["buys"]
        assert of(Verdict.REJECTED, Verdict.UNVERIFIED) == ["owns", "pays"]
        assert of(Verdict.REJECTED, provenances=tuple(Provenance)) == ["mentions", "owns"]
        with store.reading() as transaction:
            census = transaction.relation_census(Reader())
        assert (census.unverified, census.verified, census.rejected) == (1, 1, 1)

    def test_only_a_models_edge_has_a_verdict(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        fill(backend, store, "a.md")
        by_rule = mention(ACME, at("a.md")).key
        here = section("a.md", 2).id
        put_rules(
            backend,
            store,
            "a.md",
            mention(ACME, at("a.md")),
            addresses=[Address("article 1", section("a.md", 1))],
            references=[refer(section("a.md", 2), "article 1", at("a.md", 2))],
        )
        made = EdgeKey(here, REFERS_TO, section("a.md", 1).id, Provenance.RULE)
        with store.writing() as transaction:
            for key in (by_rule, made):
                with pytest.raises(RelationError, match="not a model's"):
                    transaction.record_verdict(
                        key.edge_id, Verdict.VERIFIED, reviewer="Kim", note=""
                    )
            for edge_id in ("e0", "", "\ud800"):
                with pytest.raises(NotFoundError):
                    transaction.record_verdict(edge_id, Verdict.VERIFIED, reviewer="Kim", note="")
            edge_id = pays().key.edge_id
            for verdict, reviewer in ((Verdict.UNVERIFIED, "Kim"), (Verdict.VERIFIED, " ")):
                with pytest.raises(RelationError):
                    transaction.record_verdict(edge_id, verdict, reviewer=reviewer, note="")
        with store.reading() as transaction:
            assert transaction.verdict_log(None) == []
