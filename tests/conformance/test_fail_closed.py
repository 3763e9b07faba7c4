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
from ragspine_store.testing.base import children_of
from tests.backends import Place, SQLiteBackend
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
def place(each_backend: Place) -> Place:
    return each_backend


@pytest.fixture
def knowledge(place: Place) -> Iterator[KnowledgeBase]:
    config = ServiceConfig.load(restricted_at_rest=place.restricted_at_rest)
    with KnowledgeBase.open(place.url, config) as knowledge:
        yield knowledge


@pytest.fixture
def in_a_file(backend: SQLiteBackend, at_rest: AtRest) -> Iterator[KnowledgeBase]:
    """Where labels that are given are read, no store has a say."""
    with KnowledgeBase.open(backend.url, ServiceConfig(restricted_at_rest=at_rest)) as knowledge:
        yield knowledge


def outcomes(report: IngestReport) -> dict[str, Outcome]:
    return {Path(file.source).name: file.outcome for file in report.files}


def label_of(knowledge: KnowledgeBase, doc_id: str) -> Sensitivity | None:
    with knowledge._store.writing() as transaction:
        state = transaction.find(doc_id)
    return state.sensitivity if state else None


@pytest.mark.parametrize("label", UNKNOWN)
def test_an_unknown_label_of_one_file_refuses_that_file_alone(
    in_a_file: KnowledgeBase, docs: Path, label: str
) -> None:
    (docs / "b.md").write_text(f'---\nsensitivity: "{label}"\n---\nThe vacation is long.\n')
    report = in_a_file.ingest(docs)
    assert outcomes(report) == {"a.md": Outcome.ADDED, "b.md": Outcome.REFUSED}
    assert in_a_file.search("vacation").snippets == ()
    assert label_of(in_a_file, "docs/b.md") is None


@pytest.mark.parametrize("label", UNKNOWN)
def test_an_unknown_label_of_a_sidecar_refuses_every_file_it_may_mean(
    in_a_file: KnowledgeBase, docs: Path, label: str
) -> None:
    (docs / "labels.toml").write_text(f'["b.md"]\nsensitivity = "{label}"\n')
    assert set(outcomes(in_a_file.ingest(docs)).values()) == {Outcome.REFUSED}
    assert in_a_file.status().documents == 0


@pytest.mark.parametrize("label", UNKNOWN)
def test_an_unknown_label_given_is_an_error(
    in_a_file: KnowledgeBase, docs: Path, label: str
) -> None:
    with pytest.raises(LabelError, match="PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED"):
        in_a_file.ingest(docs, sensitivity=label)
    in_a_file.ingest(docs)
    with pytest.raises(LabelError, match="PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED"):
        in_a_file.relabel("docs/a.md", label)
    report = in_a_file.ingest(docs, meta_by_doc={"docs/a.md": {"sensitivity": label}})
    assert outcomes(report) == {"a.md": Outcome.REFUSED, "b.md": Outcome.UNCHANGED}
    assert label_of(in_a_file, "docs/a.md") is Sensitivity.INTERNAL


@pytest.mark.parametrize("label", ["ＲＥＳＴＲＩＣＴＥＤ", " restricted ", "Re\u200bstricted"])
def test_a_known_label_is_read_however_it_is_spelt(
    in_a_file: KnowledgeBase, docs: Path, label: str
) -> None:
    (docs / "a.md").write_text(f"---\nsensitivity: '{label}'\n---\nThe salary is paid.\n")
    in_a_file.ingest(docs)
    assert label_of(in_a_file, "docs/a.md") is Sensitivity.RESTRICTED
    assert in_a_file.search("salary").snippets == ()


def test_an_unknown_label_met_in_a_store_counts_as_restricted(
    place: Place, knowledge: KnowledgeBase, docs: Path
) -> None:
    knowledge.ingest(docs)
    for label in (*UNKNOWN, "RESTRICTED", "\ufeffRestricted"):
        place.set_document_label("docs/a.md", label)
        assert [s.doc_id for s in knowledge.search("salary vacation").snippets] == ["docs/b.md"]
        with pytest.raises(NotFoundError):
            knowledge.show("docs/a.md")
        assert (knowledge.status().documents, knowledge.status().chunks) == (1, 1)
    place.set_document_label("docs/a.md", "INTERNAL")
    assert len(knowledge.search("salary vacation").snippets) == 2


def test_a_label_is_in_force_at_once_everywhere(
    place: Place, knowledge: KnowledgeBase, docs: Path
) -> None:
    knowledge.ingest(docs)
    with KnowledgeBase.open(place.url, ServiceConfig.load()) as other:
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
    place: Place, knowledge: KnowledgeBase, docs: Path
) -> None:
    knowledge.ingest(docs)
    knowledge.relabel("docs/a.md", "PUBLIC", allow_lower=True)
    with place.open_store().reading() as transaction:
        ((name, before, after, at),) = transaction.kept.logs().lowered
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
    place: Place, knowledge: KnowledgeBase, docs: Path, level: Sensitivity
) -> None:
    knowledge.ingest(docs)
    (docs / "a.md").write_text("# Pay\n\nThe salary is paid anew.\n")
    with closing(place.open_store()) as store:
        meddler = Meddler(lambda: knowledge.relabel("docs/a.md", level))
        report = ingest_narrative(docs / "a.md", store, chunker=meddler)
    assert [file.label for file in report.files] == [level]
    assert label_of(knowledge, "docs/a.md") is level
    assert knowledge.search("salary", reader=Reader(Sensitivity.INTERNAL)).snippets == ()
    labels = {child.chunk.sensitivity for child in children_of(place.open_store(), "docs/a.md")}
    assert labels <= {level.name}


def test_a_label_stated_below_one_raised_meanwhile_is_refused(
    place: Place, knowledge: KnowledgeBase, docs: Path
) -> None:
    knowledge.ingest(docs)
    (docs / "a.md").write_text("---\nsensitivity: INTERNAL\n---\nThe salary is paid anew.\n")
    with closing(place.open_store()) as store:
        meddler = Meddler(lambda: knowledge.relabel("docs/a.md", "RESTRICTED"))
        report = ingest_narrative(docs / "a.md", store, chunker=meddler)
    assert outcomes(report) == {"a.md": Outcome.REFUSED}
    assert label_of(knowledge, "docs/a.md") is Sensitivity.RESTRICTED


def test_a_section_raised_while_its_document_is_read_is_not_lost(
    place: Place, knowledge: KnowledgeBase, docs: Path
) -> None:
    knowledge.ingest(docs)
    (docs / "a.md").write_text("# Pay\n\nThe salary is paid anew.\n")
    with closing(place.open_store()) as store:
        meddler = Meddler(lambda: knowledge.relabel("docs/a.md#s1", "RESTRICTED"))
        report = ingest_narrative(docs / "a.md", store, chunker=meddler)
    assert outcomes(report) == {"a.md": Outcome.REFUSED}
    assert knowledge.search("salary").snippets == ()


@pytest.mark.parametrize("plug", ["reranker", "compressor"])
@pytest.mark.parametrize("change", ["raise", "raise-section", "delete", "replace"])
def test_what_changes_while_it_is_judged_is_not_returned(
    place: Place, knowledge: KnowledgeBase, docs: Path, plug: str, change: str
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

    with closing(place.open_store()) as store:
        meddler = Meddler(act)
        index = (
            NarrativeIndex(store, reranker=meddler)
            if plug == "reranker"
            else NarrativeIndex(store, compressor=meddler)
        )
        found = index.search("salary vacation")
    assert [snippet.value.doc_id for snippet in found] == ["docs/b.md"]


@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_judge_can_ask_the_store_it_judges_for(place: Place, docs: Path) -> None:
    with closing(place.open_store()) as store:
        ingest_narrative(docs, store)
        inner = NarrativeIndex(store)
        meddler = Meddler(lambda: inner.search("vacation"))
        found = NarrativeIndex(store, reranker=meddler, compressor=meddler).search("salary")
    assert [snippet.value.text for snippet in found] == ["# Pay\nThe salary is paid."]
