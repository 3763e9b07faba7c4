"""Contract of the relation graph when documents change, and of references and verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ragspine_store.errors import NotFoundError, RelationError
from ragspine_store.protocols import Store, StoreWriter
from ragspine_store.records import Span
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge
from ragspine_store.relations import (
    REFERS_TO,
    Address,
    Answer,
    AnswerKey,
    ChunkRange,
    EdgeKey,
    Node,
    NodeType,
    Provenance,
    Relation,
    Verdict,
)
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.testing.relations import (
    at,
    beside,
    document,
    entity,
    fact,
    mention,
    proposed,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    refer,
    rejection,
    section,
    shown,
    unlisted,
)

PAY = Part("Pay", ("Acme pays Beta monthly.", "Acme pays Gamma."))
LEAVE = Part("Leave", ("Beta grants leave.",))
ACME, BETA, GAMMA = entity("acme", "Acme"), entity("beta"), unlisted("gamma")
LOW = Reader(Sensitivity.INTERNAL)
CONFIDENTIAL, RESTRICTED = Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED
KEY = AnswerKey("tiny", "p1", "hash of a child")


def pays(seq: int = 1, doc_id: str = "a.md") -> Relation:
    """A model's relation with its quote."""
    return proposed(ACME, "pays", GAMMA, at(doc_id, seq, quote="Acme pays Gamma"))


def fill(backend: Backend, store: Store, doc_id: str) -> None:
    """Write something of every kind about a document of `PAY` and `LEAVE`."""
    where = at(doc_id, 1)
    put_profile(backend, store, fact(doc_id))
    put_rules(
        backend,
        store,
        doc_id,
        mention(ACME, where),
        Relation(Node(NodeType.TERM, f"employer@{doc_id}"), "is", ACME, Provenance.RULE, where),
        rejections=[rejection(where)],
        titles=["rules"],
        addresses=[Address("article 1", section(doc_id, 1))],
        references=[refer(section(doc_id, 1), "article 1", where)],
    )
    put_model(backend, store, doc_id, 1, pays(doc_id=doc_id), rejections=[rejection(where)])
    with store.writing() as transaction:
        assert transaction.put_answer(KEY, doc_id, 1, 1, Answer("{}", 3, 2))


def model_edge(store: Store) -> StoredEdge:
    """The one edge of a model that the widest reader sees."""
    (edge,) = read_edges(store, EdgeFilter(Reader(), provenances=[Provenance.MODEL], trusted=False))
    return edge


def judge(store: Store, edge_id: str, verdict: Verdict) -> None:
    """Record a verdict."""
    with store.writing() as transaction:
        transaction.record_verdict(edge_id, verdict, reviewer="Kim", note="seen")


def states(store: Store) -> list[str]:
    """The fingerprints of the rules, by document id."""
    with store.reading() as transaction:
        return [state.rules for state in transaction.relation_states()]


class RelationChangeSuite(BackendSuite):
    """Cascades, references, verdicts and answers."""

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
        every = EdgeFilter(Reader(), trusted=False)
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
        low = EdgeFilter(LOW, trusted=False)
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

    def test_relations_follow_a_document_that_is_moved(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE, source_path="/docs/a.md"))
        fill(backend, store, "a.md")
        term = Node(NodeType.TERM, "employer@a.md")
        put_model(backend, store, "a.md", 1, pays(), proposed(term, "pays", GAMMA, at("a.md", 1)))
        for edge in read_edges(store, EdgeFilter(Reader(), kinds=["pays"], trusted=False)):
            judge(store, edge.key.edge_id, Verdict.REJECTED)
        with store.writing() as transaction:
            (kept,) = transaction.sources_below("/docs", "/docs")
            assert transaction.move(kept, "b.md", "/docs/b.md")
        assert shown(store) == [
            "metric:revenue of a.md derives metric:margin",
            "entity:acme pays unlisted:gamma",
            "term:employer@b.md pays unlisted:gamma",
        ]
        for edge in read_edges(store, EdgeFilter(Reader(), kinds=["pays"], trusted=False)):
            assert edge.verdict is Verdict.REJECTED
            assert not edge.has_new_evidence
            assert [(p.evidence.doc_id, p.evidence.locator) for p in edge.evidence] == [
                ("b.md", "b.md#para2")
            ]
            assert shown(store, EdgeFilter(Reader(), ids=[edge.key.edge_id], trusted=False))
        assert states(store) == [""]
        with store.reading() as transaction:
            assert transaction.find_answer(KEY) is not None
        with store.writing() as transaction:
            transaction.delete("b.md")
        assert backend.totals()["relation_evidence"] == 0

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
        (seen,) = read_edges(store, EdgeFilter(LOW, trusted=False))
        assert not seen.has_new_evidence

    def test_a_verdict_outlives_its_edge_and_holds_when_it_comes_back(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        put_model(backend, store, "a.md", 1, pays())
        edge_id = model_edge(store).key.edge_id
        trusted = EdgeFilter(Reader())
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
            wanted = EdgeFilter(Reader(), verdicts=verdicts, provenances=provenances, trusted=False)
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
    """References are resolved at each read."""

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
        every = EdgeFilter(Reader(), trusted=False)
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
