"""Building the graph of a store: only what is needed, and kept in step once it is built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragspine_graph import KnowledgeBase, NarrativeIndex, run_job
from ragspine_graph.building import BuildProgress, GraphBuilder, RuleBuildReport
from ragspine_graph.config import ServiceConfig
from ragspine_graph.facts import Fact
from ragspine_graph.model_build import ModelProgress
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.chunking import make_chunker
from ragspine_store.records import DocumentMeta
from ragspine_store.relation_protocols import EdgeFilter, RelationState
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from tests.backends import statements_of
from tests.graphs import DOCUMENTS, OWNS, ScriptedModel, open_knowledge, write_documents

RULES = "# 規程\n\n## 第1条\n\n第2条による。\n\n## 第2条\n\n二\n"
NO_WRITES = ("INSERT", "UPDATE", "DELETE")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChunkStore]:
    with ChunkStore(tmp_path / "store.db") as store:
        store.init_schema()
        yield store


def put(store: ChunkStore, doc_id: str, text: str, label: Sensitivity | None = None) -> None:
    meta = DocumentMeta(doc_id, sensitivity=label or Sensitivity.INTERNAL)
    NarrativeIndex(store, chunker=make_chunker("hierarchical")).ingest(text, meta)


def builder(store: ChunkStore, profile: Profile | None = None, **settings: Any) -> GraphBuilder:
    profile = profile or Profile()
    gate = SecurityGate(profile)
    return GraphBuilder(store, ServiceConfig(**settings), ProfileNodes(profile), gate)


def states(store: ChunkStore) -> list[RelationState]:
    with store.reading() as transaction:
        return transaction.relation_states()


def edges(store: ChunkStore) -> list[str]:
    with store.reading() as transaction:
        found = transaction.edges(EdgeFilter(Reader()))
    return [" ".join(edge.key[:3]) for edge in found]


def test_a_build_reads_each_document_once_and_a_second_one_none(store: ChunkStore) -> None:
    for n in range(3):
        put(store, f"{n}.md", RULES)
    seen: list[BuildProgress | ModelProgress] = []
    report = builder(store).build(progress=seen.append)
    assert report.rules == RuleBuildReport(documents=3, references=3)
    assert seen == [BuildProgress(n, 3, f"{n - 1}.md") for n in (1, 2, 3)]
    before = edges(store)
    report = builder(store).build(progress=seen.append)
    assert report.rules == RuleBuildReport(unchanged=3)
    assert len(seen) == 3
    assert edges(store) == before


def test_what_a_second_build_costs_does_not_depend_on_the_documents(store: ChunkStore) -> None:
    costs: list[int] = []
    for first, last in ((0, 2), (2, 20)):
        for n in range(first, last):
            put(store, f"{n}.md", RULES)
        builder(store).build()
        costs.append(len(statements_of(store, lambda: builder(store).build())))
    assert costs[0] == costs[1]


def test_only_changed_documents_are_built_anew(store: ChunkStore) -> None:
    for n in range(3):
        put(store, f"{n}.md", RULES)
    builder(store).build()
    put(store, "1.md", RULES.replace("二", "三"))
    report = builder(store).build()
    assert report.rules == RuleBuildReport(documents=1, unchanged=2, references=1)


@pytest.mark.parametrize(
    ("profile", "settings"),
    [
        (Profile.model_validate({"home": {"entity_code": "EX"}}), {}),
        (None, {"entity_sources": "terms"}),
        (None, {"relation_extractor": "deterministic"}),
    ],
    ids=["profile", "sources", "extractor"],
)
def test_another_profile_or_setting_builds_everything_anew(
    store: ChunkStore, profile: Profile | None, settings: dict[str, str]
) -> None:
    put(store, "a.md", RULES)
    builder(store).build()
    fingerprints = {state.rules for state in states(store)}
    assert builder(store, profile, **settings).build().rules.documents == 1
    assert fingerprints.isdisjoint(state.rules for state in states(store))


def test_asking_a_model_builds_nothing_anew_that_rules_made(store: ChunkStore) -> None:
    put(store, "a.md", RULES)
    builder(store, entity_sources="profile, terms").build()
    asking = builder(store, entity_sources="profile,terms", relation_extractor="llm")
    report = asking.build(provider=ScriptedModel())
    assert (report.rules.documents, report.rules.unchanged) == (0, 1)
    put(store, "b.md", RULES)
    assert builder(store, entity_sources="profile,terms").refresh() is not None


def test_what_the_gate_stops_of_metadata_is_kept_for_the_audit(store: ChunkStore) -> None:
    NarrativeIndex(store).ingest("A letter.\n", DocumentMeta("letter.md", entity="Rival"))
    profile = Profile(external_entities={"Rival": "Rival Inc."})
    assert builder(store, profile).build().rules == RuleBuildReport(documents=1, rejected=1)
    with store.reading() as transaction:
        (stopped,) = transaction.rejections(Reader())
    assert stopped.rejection.rule == "listed-name"
    assert stopped.evidence.evidence.doc_id == "letter.md"


@pytest.mark.guarantee("G1")
def test_a_restricted_document_is_neither_read_nor_counted(store: ChunkStore) -> None:
    put(store, "a.md", RULES)
    put(store, "secret.md", RULES, Sensitivity.RESTRICTED)
    report = builder(store).build()
    assert report.rules == RuleBuildReport(documents=1, references=1)


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("change", ["raise", "raise part", "edit", "delete"])
def test_what_was_read_before_a_change_is_not_written_after_it(
    store: ChunkStore, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change comes between reading a document and writing what was found in it."""
    put(store, "a.md", RULES)
    builder(store).build()
    put(store, "a.md", f"{RULES}\n## 第3条\n\n第1条による。\n")

    def meanwhile() -> None:
        monkeypatch.undo()
        if change == "edit":
            put(store, "a.md", "# 規程\n\n何もない。\n")
            return
        with store.writing() as transaction:
            if change == "raise":
                transaction.relabel("a.md", Sensitivity.RESTRICTED)
            elif change == "raise part":
                transaction.relabel_part("a.md#s2", Sensitivity.RESTRICTED)
            else:
                transaction.delete("a.md")

    writing = ChunkStore.writing

    def change_first(self: ChunkStore) -> object:
        meanwhile()
        return writing(self)

    build = builder(store)
    monkeypatch.setattr(ChunkStore, "writing", change_first)
    report = build.refresh()
    assert report is not None
    left = edges(store)
    if change == "raise part":
        # Nothing is written that stands in the part or leads to it.
        assert not [edge for edge in left if "a.md#s2" in edge]
    else:
        assert (report.documents, report.outdated, left) == (0, 1, [])


def fact(doc_id: str, entity: str = "EX") -> Fact:
    return Fact(
        metric_code="REVENUE",
        entity=entity,
        period_type="FY",
        period="2024",
        value=1.0,
        unit="JPY_M",
        source_doc_id=doc_id,
        source_locator="row 3",
    )


def test_facts_take_the_place_of_those_before(store: ChunkStore) -> None:
    put(store, "a.md", RULES)
    builder(store).build([fact("a.md"), fact("a.md", "Other")])
    mentions = ["document:a.md mentions metric:REVENUE", "document:a.md mentions unlisted:ex"]
    assert set(mentions) < set(edges(store))
    assert "document:a.md mentions unlisted:other" in edges(store)
    builder(store).build([fact("a.md")])
    assert [edge for edge in edges(store) if "mentions" in edge] == mentions
    builder(store).build()
    assert [edge for edge in edges(store) if "mentions" in edge] == []


@pytest.mark.guarantee("G1")
def test_a_fact_of_a_document_that_nobody_sees_is_shown_to_nobody(store: ChunkStore) -> None:
    put(store, "secret.md", RULES, Sensitivity.RESTRICTED)
    builder(store).build([fact("secret.md"), fact("missing.md")])
    assert edges(store) == []


def test_an_empty_store_counts_as_built(store: ChunkStore) -> None:
    builder(store).build()
    put(store, "a.md", RULES)
    report = builder(store).refresh()
    assert report is not None
    assert report.documents == 1


def test_a_store_whose_only_document_changed_still_counts_as_built(store: ChunkStore) -> None:
    put(store, "a.md", RULES)
    builder(store).build()
    put(store, "a.md", RULES.replace("二", "三"))
    assert [state.rules for state in states(store)] == [""]
    assert edges(store) == []
    assert builder(store).refresh() == RuleBuildReport(documents=1, references=1)
    assert edges(store) == ["section:a.md#s2 refers_to section:a.md#s3"]


def test_a_store_that_was_never_built_is_left_alone(store: ChunkStore) -> None:
    put(store, "a.md", RULES)
    traced = statements_of(store, lambda: builder(store).refresh())
    assert not [statement for statement in traced if statement.lstrip().startswith(NO_WRITES)]
    assert (builder(store).refresh(), edges(store)) == (None, [])


def test_a_store_that_was_built_with_other_settings_waits_for_a_build(store: ChunkStore) -> None:
    put(store, "a.md", RULES)
    builder(store, entity_sources="terms").build()
    put(store, "b.md", RULES)
    assert builder(store).refresh() is None
    assert builder(store, entity_sources="terms").refresh() == RuleBuildReport(
        documents=1, unchanged=1, references=1
    )


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(tmp_path, DOCUMENTS)


@pytest.fixture
def knowledge(tmp_path: Path, docs: Path) -> Iterator[KnowledgeBase]:
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations(provider=ScriptedModel(OWNS))
        yield knowledge


def references(knowledge: KnowledgeBase) -> list[str]:
    page = knowledge.relations.list(kinds=["refers_to"])
    return [f"{edge.source.id} {edge.target.id}" for edge in page.edges]


OWN = [
    "section:docs/rules.md#s2 section:docs/rules.md#s3",
    "section:docs/rules.md#s3 section:docs/rules.md#s2",
]
FROM_PAY = "section:docs/pay.md#s2 section:docs/rules.md#s3"


def test_an_ingest_keeps_a_built_graph_in_step(knowledge: KnowledgeBase, docs: Path) -> None:
    assert references(knowledge) == [FROM_PAY, *OWN]
    write_documents(docs.parent, {"rules.md": DOCUMENTS["rules.md"].replace("第2条による", "略")})
    knowledge.ingest(docs)
    assert references(knowledge) == [FROM_PAY, *OWN[1:]]
    write_documents(docs.parent, {"new.md": RULES})
    run_job({"path": str(docs / "new.md"), "root": str(docs.parent)}, knowledge._config)
    assert "section:docs/new.md#s2 section:docs/new.md#s3" in references(knowledge)


def test_an_ingest_that_changes_nothing_leaves_the_graph_as_it_is(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    before = knowledge.relations.all(unverified=True)
    knowledge.ingest(docs)
    knowledge.ingest(docs, dry_run=True)
    assert knowledge.relations.all(unverified=True) == before


RELABELS: dict[str, tuple[str, str, list[str]]] = {
    "a document that is referred to": ("docs/rules.md", "RESTRICTED", []),
    "a document that refers": ("docs/pay.md", "RESTRICTED", OWN),
    "a section that is referred to": ("docs/rules.md#s3", "RESTRICTED", []),
    "no one's visibility": ("docs/rules.md", "CONFIDENTIAL", [FROM_PAY, *OWN]),
}


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize(("node_id", "level", "left"), RELABELS.values(), ids=RELABELS)
def test_a_relabelling_keeps_a_built_graph_in_step(
    knowledge: KnowledgeBase, node_id: str, level: str, left: list[str]
) -> None:
    knowledge.relabel(node_id, level)
    assert references(knowledge) == left
    status = knowledge.status(operator=True)
    assert status.graph is not None
    assert status.graph.to_build == 0


def test_a_document_that_comes_back_is_referred_to_again(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    dangling = len(knowledge.relations.dangling())
    knowledge.relabel("docs/rules.md", "RESTRICTED")
    assert {d.title for d in knowledge.relations.dangling()} == {"就業規則", "労働基準法"}
    knowledge.relabel("docs/rules.md", "INTERNAL", allow_lower=True)
    knowledge.ingest(docs)
    assert references(knowledge) == [FROM_PAY, *OWN]
    assert len(knowledge.relations.dangling()) == dangling


def test_a_deleted_document_leaves_nothing_but_what_others_say(knowledge: KnowledgeBase) -> None:
    knowledge.delete("docs/rules.md")
    assert references(knowledge) == []
    left = knowledge.relations.all(unverified=True)
    assert not [e for e in left if "docs/rules.md" in f"{e.source.id} {e.target.id}"]
    assert {"entity:MINATO", "entity:MINATO_LOG"} <= {e.target.id for e in left}


def test_without_a_model_the_report_says_what_is_missing(tmp_path: Path, docs: Path) -> None:
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        report = knowledge.build_relations()
    assert "RAGSPINE_LLM_MODEL" in report.gap
    assert report.model is None
    assert report.to_dict()["gap"] == report.gap


@pytest.mark.parametrize(
    ("settings", "profile", "told"),
    [
        (
            {"relation_extractor": "none", "entity_sources": "profile"},
            "",
            ["profile", "titles", "deterministic"],
        ),
        (
            {"relation_extractor": "none", "entity_sources": "terms"},
            "",
            ["profile", "deterministic"],
        ),
        ({"relation_extractor": "none"}, "[home]\n", ["deterministic"]),
        ({"relation_extractor": "deterministic"}, "[home]\n", []),
        ({"relation_extractor": "llm"}, "[home]\n", []),
    ],
    ids=["nothing", "terms alone", "profile alone", "both", "model"],
)
def test_a_build_says_what_other_settings_would_add(
    tmp_path: Path, settings: dict[str, str], profile: str, told: list[str]
) -> None:
    with open_knowledge(tmp_path, profile=profile, **settings) as knowledge:
        advice = knowledge.build_relations().advice
    options = ("--profile", "--entities titles", "--extractor deterministic")
    said = [option for option in options if option in advice]
    assert [option.removeprefix("--").split()[-1] for option in said] == told
