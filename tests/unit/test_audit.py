"""The audit of what models proposed: lists, verdicts, what becomes of them, and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity
from ragspine_graph.audit import Audit
from ragspine_graph.errors import RequestError
from ragspine_graph.relations.edges import ShownEdge
from ragspine_graph.relations.results import AuditState, EdgeList
from ragspine_store.errors import NotFoundError, RelationError
from ragspine_store.relations import Provenance, Verdict
from tests.graphs import (
    DOCUMENTS,
    MADE_UP,
    OWNS,
    RIVAL,
    SUPPLIES,
    ScriptedModel,
    open_knowledge,
    write_documents,
)

pytestmark = pytest.mark.guarantee("G7")

LOW = Reader(Sensitivity.PUBLIC)


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(OWNS, SUPPLIES, RIVAL, MADE_UP)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(tmp_path, DOCUMENTS)


@pytest.fixture
def knowledge(tmp_path: Path, docs: Path, model: ScriptedModel) -> Iterator[KnowledgeBase]:
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations(provider=model)
        yield knowledge


def shown(edges: tuple[ShownEdge, ...]) -> list[str]:
    return [f"{edge.source.label} {edge.key.kind} {edge.target.label}" for edge in edges]


def states(knowledge: KnowledgeBase) -> dict[str, str]:
    """What is held of each edge of a model, by its kind."""
    return {e.key.kind: e.verdict.value for e in knowledge.audit.list().edges if e.verdict}


def id_of(knowledge: KnowledgeBase, kind: str) -> str:
    (edge,) = knowledge.audit.list(kinds=[kind]).edges
    return edge.id


NARROWED: dict[str, tuple[Callable[[Audit], EdgeList], list[str]]] = {
    "all": (lambda a: a.list(), ["Acme owns Globex", "Globex supplies Initech"]),
    "verified": (lambda a: a.list(state=AuditState.VERIFIED), ["Acme owns Globex"]),
    "unverified": (lambda a: a.list(state=AuditState.UNVERIFIED), ["Globex supplies Initech"]),
    "rejected": (lambda a: a.list(state=AuditState.REJECTED), []),
    "stale": (lambda a: a.list(state=AuditState.STALE), []),
    "document": (lambda a: a.list(doc_ids=["docs/rules.md"]), []),
    "kind": (lambda a: a.list(kinds=["owns"]), ["Acme owns Globex"]),
    "entity": (lambda a: a.list(nodes=["unlisted:initech"]), ["Globex supplies Initech"]),
    "model": (lambda a: a.list(models=["scripted"], kinds=["owns"]), ["Acme owns Globex"]),
    "another model": (lambda a: a.list(models=["other"]), []),
    "rule": (
        lambda a: a.list(rule="refers_to", doc_ids=["docs/pay.md"]),
        ["第1条 範囲 refers_to 第2条 手当"],
    ),
    "limit": (lambda a: a.list(limit=1), ["Acme owns Globex"]),
}


@pytest.mark.parametrize(("call", "expected"), NARROWED.values(), ids=NARROWED)
def test_the_list_is_narrowed(
    knowledge: KnowledgeBase, call: Callable[[Audit], EdgeList], expected: list[str]
) -> None:
    knowledge.audit.verify(id_of(knowledge, "owns"), reviewer="Kim")
    assert shown(call(knowledge.audit).edges) == expected


def test_the_list_of_a_rule_holds_that_rules_edges_alone(knowledge: KnowledgeBase) -> None:
    for rule in ("mentions", "refers_to"):
        edges = knowledge.audit.list(rule=rule).edges
        assert {(e.key.kind, e.key.provenance) for e in edges} == {(rule, Provenance.RULE)}
    assert knowledge.audit.list(rule="co_occurs_with").edges == ()


def test_what_is_a_models_alone_is_not_asked_of_a_rule(knowledge: KnowledgeBase) -> None:
    with pytest.raises(RequestError, match="expected one of mentions, co_occurs_with, refers_to"):
        knowledge.audit.list(rule="owns")
    for call in (
        lambda: knowledge.audit.list(rule="refers_to", state=AuditState.STALE),
        lambda: knowledge.audit.list(rule="refers_to", models=["scripted"]),
        lambda: knowledge.audit.list(rule="refers_to", kinds=["owns"]),
    ):
        with pytest.raises(RequestError, match="leave them out"):
            call()


def test_the_list_goes_on_page_by_page(knowledge: KnowledgeBase) -> None:
    first = knowledge.audit.list(limit=1)
    second = knowledge.audit.list(limit=1, after=first.next)
    assert shown((*first.edges, *second.edges)) == ["Acme owns Globex", "Globex supplies Initech"]
    assert second.next == ""


@pytest.mark.guarantee("G8")
def test_an_edge_is_shown_with_its_quote_in_its_text(knowledge: KnowledgeBase) -> None:
    audited = knowledge.audit.show(id_of(knowledge, "supplies"))
    (context,) = audited.contexts
    assert context.evidence.quote == "Globex supplies Initech"
    assert context.before.endswith("Minato knows Acme.\n\n")
    assert context.after.startswith(". Acme buys Kestrel.")
    told = audited.to_dict()
    assert (told["derived"], told["verified"]) == ("model-derived", "unverified")
    (evidence,) = (piece.to_dict() for piece in audited.contexts)
    assert (evidence["model"], evidence["locator"]) == ("scripted", "docs/deals.md#para3")
    assert evidence["prompt"]


@pytest.mark.guarantee("G1")
def test_text_around_a_quote_that_a_reader_may_not_see_is_not_shown(
    knowledge: KnowledgeBase,
) -> None:
    edge_id = id_of(knowledge, "owns")
    knowledge.relabel("docs/deals.md#c1", "CONFIDENTIAL")
    (whole,) = knowledge.audit.show(edge_id).contexts
    assert "Initech" in whole.after
    (low,) = knowledge.audit.show(edge_id, reader=Reader(Sensitivity.INTERNAL)).contexts
    assert (low.before, low.evidence.quote) == (whole.before, "Acme owns Globex")
    assert low.after == ". Minato knows Acme.\n\n"


def test_a_rule_made_edge_is_shown_too(knowledge: KnowledgeBase) -> None:
    (edge,) = knowledge.audit.list(rule="refers_to", doc_ids=["docs/pay.md"]).edges
    (context,) = knowledge.audit.show(edge.id).contexts
    assert context.evidence.quote == "就業規則第2条"
    assert context.after.startswith("による。")


def test_a_verified_edge_is_trusted_from_then_on(knowledge: KnowledgeBase) -> None:
    assert knowledge.relations.list(kinds=["owns"]).edges == ()
    (edge,) = knowledge.audit.verify(id_of(knowledge, "owns"), reviewer=" Kim ", note="read it")
    assert (edge.verdict, edge.reviewer, edge.note) == (Verdict.VERIFIED, "Kim", "read it")
    assert edge.reviewed_at.endswith("Z")
    assert knowledge.relations.list(kinds=["owns"]).edges == (edge,)
    assert knowledge.relations.path("Acme", "Globex").edges == (edge,)
    told = edge.to_dict()
    assert (told["derived"], told["verified"], told["provenance"]) == (
        "model-derived",
        "verified",
        "model",
    )


def test_a_rejected_edge_is_in_no_read_of_the_graph(knowledge: KnowledgeBase) -> None:
    knowledge.audit.reject(id_of(knowledge, "owns"), reviewer="Kim")
    for unverified in (False, True):
        assert knowledge.relations.list(kinds=["owns"], unverified=unverified).edges == ()
        assert not knowledge.relations.path("Acme", "Globex", unverified=unverified).nodes
    assert states(knowledge) == {"owns": "rejected", "supplies": "unverified"}


def test_many_edges_get_a_verdict_at_once_and_each_once(knowledge: KnowledgeBase) -> None:
    ids = [edge.id for edge in knowledge.audit.list().edges]
    edges = knowledge.audit.reject([*ids, ids[0]], reviewer="Kim")
    assert [edge.id for edge in edges] == ids
    assert states(knowledge) == {"owns": "rejected", "supplies": "rejected"}
    assert len(knowledge.audit.log()) == 2


@pytest.mark.parametrize("other", ["e0000000000000000", "nonsense", "", "\ud800"], ids=ascii)
def test_all_edges_get_the_verdict_or_none(knowledge: KnowledgeBase, other: str) -> None:
    with pytest.raises(NotFoundError, match="no edge"):
        knowledge.audit.verify([id_of(knowledge, "owns"), other], reviewer="Kim")
    assert states(knowledge) == {"owns": "unverified", "supplies": "unverified"}
    assert knowledge.audit.log(operator=True) == ()


@pytest.mark.parametrize("provenance", [Provenance.RULE, Provenance.CONTROLLED])
def test_only_edges_of_models_get_verdicts(
    knowledge: KnowledgeBase, provenance: Provenance
) -> None:
    edge = knowledge.relations.list(provenances=[provenance]).edges[0]
    with pytest.raises(RelationError, match="not a model's"):
        knowledge.audit.reject([id_of(knowledge, "owns"), edge.id], reviewer="Kim")
    assert knowledge.audit.log(operator=True) == ()


@pytest.mark.parametrize("reviewer", ["", "  "], ids=repr)
def test_a_verdict_needs_a_reviewer(knowledge: KnowledgeBase, reviewer: str) -> None:
    with pytest.raises(RequestError, match="expected the name of who decides"):
        knowledge.audit.verify(id_of(knowledge, "owns"), reviewer=reviewer)


@pytest.mark.guarantee("G1")
def test_a_reader_judges_only_what_they_see(knowledge: KnowledgeBase) -> None:
    edge_id = id_of(knowledge, "owns")
    for call in (
        lambda: knowledge.audit.verify(edge_id, reviewer="Kim", reader=LOW),
        lambda: knowledge.audit.show(edge_id, reader=LOW),
    ):
        with pytest.raises(NotFoundError) as caught:
            call()
        assert str(caught.value) == (
            f"no edge {edge_id!r}: expected an id that `relations list` gives"
        )
    assert knowledge.audit.list(reader=LOW).edges == ()
    assert knowledge.audit.export(reader=LOW) == ()
    assert knowledge.audit.rejections(reader=LOW) == ()


def test_a_verdict_can_be_taken_back_and_all_of_them_are_kept(knowledge: KnowledgeBase) -> None:
    edge_id = id_of(knowledge, "owns")
    knowledge.audit.verify(edge_id, reviewer="Kim", note="true")
    knowledge.audit.reject(edge_id, reviewer="Lee", note="false")
    assert states(knowledge)["owns"] == "rejected"
    assert [
        (entry.no, entry.edge_id, entry.verdict.value, entry.reviewer, entry.note)
        for entry in knowledge.audit.log()
    ] == [(1, edge_id, "verified", "Kim", "true"), (2, edge_id, "rejected", "Lee", "false")]


@pytest.mark.guarantee("G1")
def test_readers_get_the_log_of_what_they_see_and_operators_the_rest_as_hashes(
    knowledge: KnowledgeBase,
) -> None:
    owns, supplies = id_of(knowledge, "owns"), id_of(knowledge, "supplies")
    knowledge.audit.verify(owns, reviewer="Kim", note="first")
    knowledge.audit.reject(supplies, reviewer="Kim", note="second")
    knowledge.relabel("docs/deals.md#c0", "CONFIDENTIAL")
    low = Reader(Sensitivity.INTERNAL)
    (entry,) = knowledge.audit.log(reader=low)
    assert (entry.no, entry.edge_id, entry.note) == (1, supplies, "second")
    assert (entry.edge, entry.document) == ("", "")
    hidden, seen = knowledge.audit.log(reader=low, operator=True)
    assert (hidden.no, hidden.edge_id, hidden.note) == (1, "", "")
    assert (hidden.verdict, hidden.reviewer) == (Verdict.VERIFIED, "Kim")
    assert hidden.edge
    assert hidden.document
    assert (seen.no, seen.edge_id, seen.note) == (2, supplies, "second")


def test_the_log_outlives_its_document_without_a_name(knowledge: KnowledgeBase) -> None:
    knowledge.audit.verify(id_of(knowledge, "owns"), reviewer="Kim", note="Acme")
    knowledge.delete("docs/deals.md")
    assert knowledge.audit.log() == ()
    (entry,) = knowledge.audit.log(operator=True)
    assert (entry.edge_id, entry.note, entry.reviewer) == ("", "", "Kim")
    assert not any(name in repr(entry) for name in ("deals", "Acme", "acme", "owns"))


def test_a_verdict_survives_another_extraction(
    knowledge: KnowledgeBase, model: ScriptedModel
) -> None:
    owns, supplies = id_of(knowledge, "owns"), id_of(knowledge, "supplies")
    knowledge.audit.verify(owns, reviewer="Kim")
    knowledge.audit.reject(supplies, reviewer="Kim")
    asked = len(model.asked)
    knowledge.build_relations(provider=model)
    assert len(model.asked) == asked
    other = ScriptedModel(*model.proposals, model="another")
    knowledge.build_relations(provider=other)
    assert other.asked
    assert states(knowledge) == {"owns": "verified", "supplies": "rejected"}
    assert knowledge.audit.list(models=["another"]).edges[1].has_new_evidence


def test_an_edge_whose_quote_is_gone_is_stale_and_keeps_its_verdict(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    owns = id_of(knowledge, "owns")
    knowledge.audit.verify(owns, reviewer="Kim")
    before = DOCUMENTS["deals.md"]
    (docs / "deals.md").write_text(before.replace("owns", "sold"), encoding="utf-8")
    knowledge.ingest(docs)
    (edge,) = knowledge.audit.list(state=AuditState.STALE).edges
    assert (edge.id, edge.is_stale, edge.verdict) == (owns, True, Verdict.VERIFIED)
    (context,) = knowledge.audit.show(owns).contexts
    assert (context.evidence.is_stale, context.before, context.after) == (True, "", "")
    assert edge.to_dict()["stale"] is True
    (docs / "deals.md").write_text(f"# New\n\n{before}", encoding="utf-8")
    knowledge.ingest(docs)
    assert knowledge.audit.list(state=AuditState.STALE).edges == ()
    (context,) = knowledge.audit.show(owns).contexts
    assert context.evidence.span is not None
    assert context.before.endswith("Deals\n\n")


def test_new_evidence_for_a_rejected_edge_is_flagged_and_opens_nothing(
    knowledge: KnowledgeBase, docs: Path, model: ScriptedModel
) -> None:
    owns = id_of(knowledge, "owns")
    knowledge.audit.reject(owns, reviewer="Kim")
    (edge,) = knowledge.audit.list(kinds=["owns"]).edges
    assert not edge.has_new_evidence
    (docs / "more.md").write_text("# More\n\nIt is known: Acme owns Globex.\n", encoding="utf-8")
    knowledge.ingest(docs)
    knowledge.build_relations(provider=model)
    (edge,) = knowledge.audit.list(kinds=["owns"]).edges
    assert (edge.verdict, edge.has_new_evidence, len(edge.evidence)) == (
        Verdict.REJECTED,
        True,
        2,
    )
    assert edge.to_dict()["new_evidence"] is True
    assert knowledge.relations.list(kinds=["owns"], unverified=True).edges == ()


def test_a_verdict_comes_back_with_its_document(
    knowledge: KnowledgeBase, docs: Path, model: ScriptedModel
) -> None:
    knowledge.audit.reject(id_of(knowledge, "owns"), reviewer="Kim", note="no")
    knowledge.delete("docs/deals.md")
    assert knowledge.audit.list().edges == ()
    knowledge.ingest(docs)
    knowledge.build_relations(provider=model)
    assert states(knowledge) == {"owns": "rejected", "supplies": "unverified"}
    (entry,) = knowledge.audit.log()
    assert (entry.note, entry.reviewer) == ("no", "Kim")


@pytest.mark.guarantee("G6")
@pytest.mark.guarantee("G8")
def test_what_was_thrown_out_is_told_with_its_rule(knowledge: KnowledgeBase) -> None:
    told = {r.rule: r for r in knowledge.audit.rejections()}
    assert set(told) == {"listed-name", "endpoint-not-in-quote"}
    listed = told["listed-name"]
    assert "Kestrel Ltd." in listed.reason
    assert listed.evidence.quote == "Acme buys Kestrel"
    assert listed.evidence.locator == "docs/deals.md#para3"
    assert [r.rule for r in knowledge.audit.rejections(rules=["listed-name"])] == ["listed-name"]
    assert knowledge.audit.rejections(rules=["nonsense"]) == ()
    assert knowledge.audit.rejections(doc_ids=["docs/pay.md"]) == ()
    assert len(knowledge.audit.rejections(doc_ids=["docs/deals.md"])) == 2


def test_the_export_holds_what_the_list_holds(knowledge: KnowledgeBase) -> None:
    assert knowledge.audit.export() == knowledge.audit.list().edges
    knowledge.audit.verify(id_of(knowledge, "owns"), reviewer="Kim")
    (edge,) = knowledge.audit.export(state=AuditState.VERIFIED)
    assert edge.reviewer == "Kim"
