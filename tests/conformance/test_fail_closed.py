"""When in doubt, nothing leaves: unknown labels, and labels raised while something is under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_graph.retrieval import Passage
from ragspine_store.chunking import chunk_document
from ragspine_store.errors import LabelError, NotFoundError
from ragspine_store.ingest import ingest_narrative
from ragspine_store.ingest_report import IngestReport, Outcome
from ragspine_store.records import Chunk, DocumentMeta, Outline
from ragspine_store.sqlite_store import ChunkStore
from tests.backends import SQLiteBackend
from tests.conftest import AtRest

pytestmark = pytest.mark.guarantee("G3")

UNKNOWN = ["TOP SECRET", "restrictd", "", " ", "3", "INTERNAL RESTRICTED", "内部"]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Pay\n\nThe salary is paid.\n")
    (docs / "b.md").write_text("# Leave\n\nThe vacation is long.\n")
    return docs


@pytest.fixture
def knowledge(tmp_path: Path, at_rest: AtRest) -> Iterator[KnowledgeBase]:
    config = ServiceConfig.load(restricted_at_rest=at_rest)
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        yield knowledge


def outcomes(report: IngestReport) -> dict[str, Outcome]:
    return {Path(file.source).name: file.outcome for file in report.files}


def label_of(knowledge: KnowledgeBase, doc_id: str) -> Sensitivity | None:
    with knowledge._store.writing() as transaction:
        state = transaction.find(doc_id)
    return state.sensitivity if state else None


@pytest.mark.parametrize("label", UNKNOWN)
def test_an_unknown_label_of_one_file_refuses_that_file_alone(
    knowledge: KnowledgeBase, docs: Path, label: str
) -> None:
    (docs / "b.md").write_text(f'---\nsensitivity: "{label}"\n---\nThe vacation is long.\n')
    report = knowledge.ingest(docs)
    assert outcomes(report) == {"a.md": Outcome.ADDED, "b.md": Outcome.REFUSED}
    assert knowledge.search("vacation").snippets == ()
    assert label_of(knowledge, "docs/b.md") is None


@pytest.mark.parametrize("label", UNKNOWN)
def test_an_unknown_label_of_a_sidecar_refuses_every_file_it_may_mean(
    knowledge: KnowledgeBase, docs: Path, label: str
) -> None:
    (docs / "labels.toml").write_text(f'["b.md"]\nsensitivity = "{label}"\n')
    assert set(outcomes(knowledge.ingest(docs)).values()) == {Outcome.REFUSED}
    assert knowledge.status().documents == 0


@pytest.mark.parametrize("label", UNKNOWN)
def test_an_unknown_label_given_is_an_error(
    knowledge: KnowledgeBase, docs: Path, label: str
) -> None:
    with pytest.raises(LabelError, match="PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED"):
        knowledge.ingest(docs, sensitivity=label)
    knowledge.ingest(docs)
    with pytest.raises(LabelError, match="PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED"):
        knowledge.relabel("docs/a.md", label)
    report = knowledge.ingest(docs, meta_by_doc={"docs/a.md": {"sensitivity": label}})
    assert outcomes(report) == {"a.md": Outcome.REFUSED, "b.md": Outcome.UNCHANGED}
    assert label_of(knowledge, "docs/a.md") is Sensitivity.INTERNAL


@pytest.mark.parametrize("label", ["ＲＥＳＴＲＩＣＴＥＤ", " restricted ", "Re\u200bstricted"])
def test_a_known_label_is_read_however_it_is_spelt(
    knowledge: KnowledgeBase, docs: Path, label: str
) -> None:
    (docs / "a.md").write_text(f"---\nsensitivity: '{label}'\n---\nThe salary is paid.\n")
    knowledge.ingest(docs)
    assert label_of(knowledge, "docs/a.md") is Sensitivity.RESTRICTED
    assert knowledge.search("salary").snippets == ()


@pytest.mark.parametrize("label", [*UNKNOWN, "RESTRICTED", "\ufeffRestricted"])
def test_an_unknown_label_met_in_a_store_counts_as_restricted(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path, label: str
) -> None:
    knowledge.ingest(docs)
    with SQLiteBackend(tmp_path / "kb.db", "text").raw() as db:
        db.execute("UPDATE document SET sensitivity = ? WHERE doc_id = 'docs/a.md'", (label,))
    assert [s.doc_id for s in knowledge.search("salary vacation").snippets] == ["docs/b.md"]
    with pytest.raises(NotFoundError):
        knowledge.show("docs/a.md")
    assert (knowledge.status().documents, knowledge.status().chunks) == (1, 1)


def test_a_label_is_in_force_at_once_everywhere(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    knowledge.ingest(docs)
    with KnowledgeBase.open(tmp_path / "kb.db", ServiceConfig()) as other:
        assert len(other.search("salary").snippets) == 1
        knowledge.relabel("docs/a.md", "CONFIDENTIAL")
        assert other.search("salary", reader=Reader(Sensitivity.INTERNAL)).snippets == ()
        assert len(other.search("salary").snippets) == 1
        knowledge.relabel("docs/a.md", "RESTRICTED")
        assert other.search("salary").snippets == ()
        with pytest.raises(NotFoundError):
            other.show("docs/a.md")


def test_a_default_never_lowers_a_stored_label(knowledge: KnowledgeBase, docs: Path) -> None:
    knowledge.ingest(docs)
    for level in (Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED):
        knowledge.relabel("docs/a.md", level)
        (docs / "a.md").write_text(f"# Pay\n\nThe salary is paid late, {level.name}.\n")
        knowledge.ingest(docs)
        assert label_of(knowledge, "docs/a.md") is level
    assert knowledge.search("salary").snippets == ()


def test_a_stated_label_lowers_a_stored_one_only_when_it_may(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    knowledge.ingest(docs, sensitivity="RESTRICTED")
    assert set(outcomes(knowledge.ingest(docs, sensitivity="PUBLIC")).values()) == {Outcome.REFUSED}
    assert knowledge.status().documents == 0
    with pytest.raises(LabelError, match="--allow-lower"):
        knowledge.relabel("docs/a.md", "PUBLIC")
    knowledge.ingest(docs, sensitivity="PUBLIC", allow_lower=True)
    assert [s.sensitivity for s in knowledge.search("salary").snippets] == ["PUBLIC"]


def test_a_lowered_label_is_on_record_without_a_name(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    knowledge.ingest(docs)
    knowledge.relabel("docs/a.md", "PUBLIC", allow_lower=True)
    with SQLiteBackend(tmp_path / "kb.db", "text").raw() as db:
        ((name, before, after, at),) = db.execute("SELECT * FROM lowered_label").fetchall()
    assert (before, after) == ("INTERNAL", "PUBLIC")
    assert "a.md" not in name
    assert at


class Meddler:
    """Does something in the midst of a chunker's, judge's or compressor's work."""

    spec = "meddler"

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        self._act()
        return chunk_document(text, meta, outline=outline)

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        self._act()
        return [passage.chunk_id for passage in passages]

    def compress(self, query: str, text: str) -> str:
        self._act()
        return text


@pytest.mark.parametrize("level", [Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED])
def test_a_label_raised_while_a_file_is_read_is_not_lowered_by_its_ingest(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path, at_rest: AtRest, level: Sensitivity
) -> None:
    knowledge.ingest(docs)
    (docs / "a.md").write_text("# Pay\n\nThe salary is paid anew.\n")
    with closing(ChunkStore(tmp_path / "kb.db", restricted_at_rest=at_rest)) as store:
        meddler = Meddler(lambda: knowledge.relabel("docs/a.md", level))
        report = ingest_narrative(docs / "a.md", store, chunker=meddler)
    assert [file.label for file in report.files] == [level]
    assert label_of(knowledge, "docs/a.md") is level
    assert knowledge.search("salary", reader=Reader(Sensitivity.INTERNAL)).snippets == ()
    with SQLiteBackend(tmp_path / "kb.db", at_rest).raw() as db:
        labels = db.execute("SELECT DISTINCT sensitivity FROM narrative_chunk").fetchall()
    assert set(labels) <= {("INTERNAL",), (level.name,)}


def test_a_label_stated_below_one_raised_meanwhile_is_refused(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path, at_rest: AtRest
) -> None:
    knowledge.ingest(docs)
    (docs / "a.md").write_text("---\nsensitivity: INTERNAL\n---\nThe salary is paid anew.\n")
    with closing(ChunkStore(tmp_path / "kb.db", restricted_at_rest=at_rest)) as store:
        meddler = Meddler(lambda: knowledge.relabel("docs/a.md", "RESTRICTED"))
        report = ingest_narrative(docs / "a.md", store, chunker=meddler)
    assert outcomes(report) == {"a.md": Outcome.REFUSED}
    assert label_of(knowledge, "docs/a.md") is Sensitivity.RESTRICTED


def test_a_section_raised_while_its_document_is_read_is_not_lost(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path, at_rest: AtRest
) -> None:
    knowledge.ingest(docs)
    (docs / "a.md").write_text("# Pay\n\nThe salary is paid anew.\n")
    with closing(ChunkStore(tmp_path / "kb.db", restricted_at_rest=at_rest)) as store:
        meddler = Meddler(lambda: knowledge.relabel("docs/a.md#s1", "RESTRICTED"))
        report = ingest_narrative(docs / "a.md", store, chunker=meddler)
    assert outcomes(report) == {"a.md": Outcome.REFUSED}
    assert knowledge.search("salary").snippets == ()


@pytest.mark.parametrize("plug", ["reranker", "compressor"])
@pytest.mark.parametrize("change", ["raise", "raise-section", "delete", "replace"])
def test_what_changes_while_it_is_judged_is_not_returned(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path, at_rest: AtRest, plug: str, change: str
) -> None:
    knowledge.ingest(docs)

    def act() -> None:
        if change == "raise":
            knowledge.relabel("docs/a.md", "RESTRICTED")
        elif change == "raise-section":
            knowledge.relabel("docs/a.md#s1", "RESTRICTED")
        elif change == "delete" and label_of(knowledge, "docs/a.md"):
            knowledge.delete("docs/a.md")
        elif change == "replace":
            (docs / "a.md").write_text("# Pay\n\nThe salary is another.\n")
            knowledge.ingest(docs / "a.md")

    with closing(ChunkStore(tmp_path / "kb.db", restricted_at_rest=at_rest)) as store:
        meddler = Meddler(act)
        index = (
            NarrativeIndex(store, reranker=meddler)
            if plug == "reranker"
            else NarrativeIndex(store, compressor=meddler)
        )
        found = index.search("salary vacation")
    assert [snippet.value.doc_id for snippet in found] == ["docs/b.md"]


def test_a_judge_can_ask_the_store_it_judges_for(tmp_path: Path, docs: Path) -> None:
    with closing(ChunkStore(tmp_path / "kb.db")) as store:
        store.init_schema()
        ingest_narrative(docs, store)
        inner = NarrativeIndex(store)
        meddler = Meddler(lambda: inner.search("vacation"))
        found = NarrativeIndex(store, reranker=meddler, compressor=meddler).search("salary")
    assert [snippet.value.text for snippet in found] == ["# Pay\nThe salary is paid."]
