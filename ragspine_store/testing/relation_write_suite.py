"""Contract of the relation graph: what is written, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ragspine_store.errors import RelationError
from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    REFERS_TO,
    ChunkRange,
    Provenance,
    Relation,
)
from ragspine_store.sensitivity import Reader, Sensitivity
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
    RESTRICTED,
    at,
    beside,
    entity,
    fact,
    low,
    mention,
    parent,
    proposed,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    rejection,
    section,
    shown,
    version_of,
)


class RelationWriteSuite(BackendSuite):
    """Profile, rules and models replace what they gave before."""

    def test_the_profile_is_visible_to_all_and_replaced_as_a_whole(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        put_rules(backend, store, "a.md", mention(ACME, at("a.md")))
        put_profile(backend, store, parent(ACME, BETA), parent(ACME, entity("old")))
        put_profile(backend, store, parent(ACME, BETA))
        nobody = Reader(Sensitivity.PUBLIC, collections=frozenset())
        (edge,) = read_edges(store, EdgeFilter(nobody))
        assert " ".join(edge.key[:3]) == "entity:acme parent_of entity:beta"
        (piece,) = edge.evidence
        assert (piece.evidence.doc_id, piece.collection, piece.labels) == (PROFILE_DOC_ID, "", ())
        assert len(shown(store)) == 2

    def test_a_fact_is_seen_where_its_document_is_and_a_missing_one_is_as_a_hidden_one(
        self, backend: Backend, store: Store
    ) -> None:
        put(
            store,
            make_document("a.md", PAY),
            make_document("b.md", PAY, label=CONFIDENTIAL),
            make_document("r.md", PAY, label=RESTRICTED),
        )
        put_profile(backend, store, *map(fact, ("a.md", "b.md", "missing.md", "r.md")))
        seen = [e.evidence[0].evidence.doc_id for e in read_edges(store, low())]
        assert seen == ["a.md"]
        assert len(shown(store)) == 2
        put(store, make_document("missing.md", PAY))
        assert len(shown(store)) == 3

    def test_rules_replace_what_they_found_and_leave_what_others_found(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY))
        put_rules(backend, store, "b.md", beside(ACME, BETA, at("b.md")))
        put_model(backend, store, "a.md", 1, proposed(ACME, "pays", GAMMA, at("a.md", 1)))
        put_rules(backend, store, "a.md", beside(ACME, BETA, at("a.md")), mention(ACME, at("a.md")))
        put_rules(backend, store, "a.md", mention(BETA, at("a.md")))
        assert shown(store) == [
            "entity:acme co_occurs_with entity:beta",
            "document:a.md mentions entity:beta",
            "entity:acme pays unlisted:gamma",
        ]

    @pytest.mark.parametrize("kind", ["rules", "model"])
    def test_what_was_derived_from_another_state_is_not_written(
        self, backend: Backend, store: Store, kind: str
    ) -> None:
        put(store, make_document("a.md", PAY))

        def write(version: int) -> bool:
            if kind == "rules":
                found = mention(ACME, at("a.md"))
                return put_rules(backend, store, "a.md", found, version=version)
            found = proposed(ACME, "pays", GAMMA, at("a.md"))
            return put_model(backend, store, "a.md", 0, found, version=version)

        before = backend.totals()
        assert not write(2)
        put(store, make_document("a.md", LEAVE))
        assert not write(1)
        with store.writing() as transaction:
            transaction.relabel("a.md", RESTRICTED)
        assert not write(version_of(store, "a.md"))
        with store.writing() as transaction:
            transaction.delete("a.md")
        assert not write(2)
        relations = [name for name in before if name.startswith("relation")]
        assert {backend.totals()[name] for name in relations} == {0}

    def test_what_rests_on_a_restricted_part_is_left_out(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        with store.writing() as transaction:
            transaction.relabel_part("a.md#s2", RESTRICTED)
        assert put_rules(
            backend,
            store,
            "a.md",
            beside(ACME, BETA, at("a.md", 0, 2)),
            mention(ACME, at("a.md", 1)),
            Relation(section("a.md", 2), "links", ACME, Provenance.RULE, at("a.md", 0)),
            rejections=[rejection(at("a.md", 2))],
        )
        assert not put_model(backend, store, "a.md", 2)
        assert shown(store) == ["document:a.md mentions entity:acme"]
        with store.reading() as transaction:
            assert transaction.rejections(Reader()) == []
        assert (backend.totals()["relation_evidence"], backend.totals()["relation_edge"]) == (1, 1)

    @pytest.mark.parametrize(
        ("writer", "relation"),
        [
            ("profile", mention(ACME, at("a.md"))),
            ("profile", replace(parent(ACME, BETA), provenance=Provenance.RULE)),
            ("rules", proposed(ACME, "pays", GAMMA, at("a.md"))),
            ("rules", replace(beside(ACME, BETA, at("a.md")), kind=REFERS_TO)),
            ("rules", mention(ACME, at("b.md"))),
            ("model", beside(ACME, BETA, at("a.md"))),
            ("model", proposed(ACME, "parent_of", BETA, at("a.md"))),
            ("model", proposed(ACME, "pays\ud800", BETA, at("a.md"))),
            ("model", proposed(ACME, "pays", BETA, replace(at("a.md"), chunks=None))),
            ("model", proposed(ACME, "pays", BETA, at("b.md"))),
        ],
        ids=[
            "profile with children",
            "profile by rule",
            "rules with a model's",
            "rules with a reference",
            "rules of another document",
            "model with a rule's",
            "model of a reserved kind",
            "model with a surrogate",
            "model without children",
            "model of another document",
        ],
    )
    def test_a_writer_refuses_what_is_not_its_own(
        self, backend: Backend, store: Store, writer: str, relation: Relation
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY))
        writers: dict[str, Callable[[], object]] = {
            "profile": lambda: put_profile(backend, store, relation),
            "rules": lambda: put_rules(backend, store, "a.md", relation),
            "model": lambda: put_model(backend, store, "a.md", 0, relation),
        }
        with pytest.raises(RelationError):
            writers[writer]()
        assert shown(store) == []

    def test_rejections_are_kept_for_those_who_see_where_they_stand(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", PAY, label=CONFIDENTIAL))
        put_rules(backend, store, "b.md", rejections=[rejection(at("b.md"))])
        put_rules(backend, store, "a.md", rejections=[rejection(at("a.md", 1), "Acme pays")])
        put_model(
            backend, store, "a.md", 0, rejections=[rejection(at("a.md", quote="\ud800"), "\ud800")]
        )
        with store.reading() as transaction:
            seen = transaction.rejections(LOW)
            assert [(r.no, r.rejection.evidence.chunks) for r in seen] == [
                (1, ChunkRange(0, 0)),
                (2, ChunkRange(1, 1)),
            ]
            assert seen[1].rejection == rejection(at("a.md", 1), "Acme pays")
            assert len(transaction.rejections(Reader())) == 3
            assert len(transaction.rejections(Reader(), ["b.md"])) == 1
        put_rules(backend, store, "a.md")
        put_model(backend, store, "a.md", 0)
        with store.reading() as transaction:
            assert transaction.rejections(LOW) == []

    def test_states_tell_which_documents_have_to_be_read_anew(
        self, backend: Backend, store: Store
    ) -> None:
        put(
            store,
            make_document("a.md", PAY),
            make_document("b.md", PAY, LEAVE),
            make_document("r.md", PAY, label=RESTRICTED),
        )

        def states() -> list[tuple[str, int, str]]:
            with store.reading() as transaction:
                return [(s.doc_id, s.version, s.rules) for s in transaction.relation_states()]

        assert states() == [("a.md", 1, ""), ("b.md", 1, "")]
        put_rules(backend, store, "a.md")
        put_rules(backend, store, "b.md")
        assert states() == [("a.md", 1, "rules"), ("b.md", 1, "rules")]
        with store.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.PUBLIC)
            transaction.relabel_part("b.md#s2", CONFIDENTIAL)
        assert states() == [("a.md", 1, ""), ("b.md", 1, "")]

    def test_a_document_that_is_named_like_the_profile_is_no_profile(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document(PROFILE_DOC_ID, PAY, label=CONFIDENTIAL))
        put_profile(backend, store, parent(ACME, BETA))
        put_rules(backend, store, PROFILE_DOC_ID, mention(ACME, at(PROFILE_DOC_ID)))
        assert shown(store, low()) == ["entity:acme parent_of entity:beta"]
        with store.writing() as transaction:
            transaction.delete(PROFILE_DOC_ID)
        assert shown(store) == ["entity:acme parent_of entity:beta"]
