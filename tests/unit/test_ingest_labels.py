"""A label holds wherever a file is ingested from, and whatever stands in the way of its text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_store.chunking import make_chunker
from ragspine_store.ingest import ingest_narrative
from ragspine_store.ingest_report import IngestedFile, IngestReport, Outcome
from ragspine_store.records import DocumentState
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.base import found

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity


@pytest.fixture(params=["stub", "text"])
def store(request: pytest.FixtureRequest) -> Iterator[ChunkStore]:
    with ChunkStore(":memory:", restricted_at_rest=request.param) as store:
        store.init_schema()
        yield store


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in ("docs/hr/board/plan.md", "docs/hr/open.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# One\n\ntea\n\n# Two\n\nmilk\n")
    return tmp_path / "docs"


def only(report: IngestReport) -> IngestedFile:
    (file,) = report.files
    return file


def state(store: ChunkStore, doc_id: str) -> DocumentState:
    with store.writing() as transaction:
        found = transaction.find(doc_id)
    assert found is not None
    return found


def label(folder: Path, glob: str, level: Sensitivity) -> None:
    (folder / "labels.toml").write_text(f'["{glob}"]\nsensitivity = "{level.name}"\n')


# --- one file, wherever it is named from ------------------------------------------------------


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("path", ["", "hr", "hr/board", "hr/board/plan.md"])
def test_a_label_of_a_folder_above_holds_for_a_deeper_path(
    store: ChunkStore, docs: Path, path: str
) -> None:
    label(docs, "hr/board/*.md", RESTRICTED)
    report = ingest_narrative(docs / path, store)
    labels = {Path(file.source).name: file.label for file in report.files}
    assert labels["plan.md"] is RESTRICTED
    assert not [hit for hit in found(store, "tea") if "plan.md" in hit]


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("level", [INTERNAL, RESTRICTED])
def test_a_file_that_is_stored_under_another_id_is_refused(
    store: ChunkStore, docs: Path, level: Sensitivity
) -> None:
    ingest_narrative(docs / "hr" / "open.md", store, root=docs.parent)
    with store.writing() as transaction:
        transaction.relabel("docs/hr/open.md", level)
    for _ in range(2):
        file = only(ingest_narrative(docs / "hr" / "open.md", store))
        assert (file.outcome, file.doc_id) == (Outcome.REFUSED, "hr/open.md")
        assert "--root" in file.message
    visible = [] if level is RESTRICTED else ["docs/hr/open.md#c0"]
    assert found(store, "tea") == visible
    again = only(ingest_narrative(docs / "hr" / "open.md", store, root=docs.parent))
    assert (again.outcome, again.label) == (Outcome.UNCHANGED, level)


def test_the_refusal_names_the_id_that_is_kept(store: ChunkStore, docs: Path) -> None:
    ingest_narrative(docs, store)
    file = only(ingest_narrative(docs / "hr" / "open.md", store))
    assert "stored under 'docs/hr/open.md'" in file.message


def test_a_file_whose_document_was_deleted_may_take_another_id(
    store: ChunkStore, docs: Path
) -> None:
    ingest_narrative(docs, store)
    with store.writing() as transaction:
        transaction.delete("docs/hr/open.md")
    assert only(ingest_narrative(docs / "hr" / "open.md", store)).outcome is Outcome.ADDED


# --- globs that match nothing -----------------------------------------------------------------


@pytest.mark.parametrize("glob", ["docs/hr/*.md", "hrr/*", "open.mdd"])
def test_a_label_that_matches_no_file_is_reported(store: ChunkStore, docs: Path, glob: str) -> None:
    label(docs, glob, RESTRICTED)
    report = ingest_narrative(docs, store)
    (warning,) = report.warnings()
    assert glob in warning
    assert str(docs / "labels.toml") in warning
    assert report.count(Outcome.ADDED) == 2


def test_a_label_that_matches_is_not_reported_be_the_file_skipped_or_unchanged(
    store: ChunkStore, docs: Path
) -> None:
    (docs / "table.pdf").write_bytes(b"%PDF")
    (docs / "labels.toml").write_text(
        '["*.pdf"]\nsensitivity = "RESTRICTED"\n["HR/"]\nsensitivity = "PUBLIC"\n'
        '["none"]\ntopic = "no label"\n'
    )
    for _ in range(2):
        assert ingest_narrative(docs, store).warnings() == []


def test_a_label_is_not_reported_when_only_a_part_of_its_folder_was_read(
    store: ChunkStore, docs: Path
) -> None:
    label(docs, "other/*", RESTRICTED)
    for path in (docs / "hr", docs / "hr" / "open.md"):
        assert ingest_narrative(path, store, root=docs.parent).warnings() == []


# --- a raise that the text cannot follow ------------------------------------------------------


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("is_changed", [False, True], ids=["same text", "new text"])
def test_a_document_is_raised_although_a_part_of_it_is_stricter(
    store: ChunkStore, docs: Path, is_changed: bool
) -> None:
    file, doc_id = docs / "hr" / "open.md", "hr/open.md"
    ingest_narrative(file, store)
    with store.writing() as transaction:
        transaction.relabel_part(f"{doc_id}#s2", RESTRICTED)
    label(docs, "hr/*.md", CONFIDENTIAL)
    if is_changed:
        file.write_text("# One\n\ncoffee\n\n# Two\n\nmilk\n")
    line = only(ingest_narrative(file, store))
    assert line.outcome is (Outcome.REFUSED if is_changed else Outcome.UPDATED)
    assert "raised from INTERNAL to CONFIDENTIAL" in line.message
    now = state(store, doc_id)
    assert (now.sensitivity, now.strictest_part) == (CONFIDENTIAL, RESTRICTED)
    assert found(store, "coffee milk") == []
    again = only(ingest_narrative(file, store))
    assert again.outcome is (Outcome.REFUSED if is_changed else Outcome.UNCHANGED)


def test_a_dry_run_raises_nothing(store: ChunkStore, docs: Path) -> None:
    file = docs / "hr" / "open.md"
    ingest_narrative(file, store)
    with store.writing() as transaction:
        transaction.relabel_part("hr/open.md#s2", RESTRICTED)
    line = only(ingest_narrative(file, store, sensitivity="CONFIDENTIAL", dry_run=True))
    assert line.outcome is Outcome.UPDATED
    assert state(store, "hr/open.md").sensitivity is INTERNAL


# --- another chunker --------------------------------------------------------------------------


def test_documents_that_are_cut_otherwise_than_before_are_counted(
    store: ChunkStore, docs: Path
) -> None:
    chunker = make_chunker("parent_child")
    assert chunker is not None
    assert ingest_narrative(docs, store, chunker=chunker).warnings() == []
    (docs / "a.md").write_text("tea\n")
    report = ingest_narrative(docs, store)
    assert [file.chunker_before for file in report.files] == ["", chunker.spec, chunker.spec]
    (warning,) = report.warnings()
    assert warning.startswith("2 of the documents, cut with the chunker parent_child")
    assert "RAGSPINE_CHUNKER" in warning
    assert ingest_narrative(docs, store).warnings() == []
    (back,) = ingest_narrative(docs, store, chunker=chunker).warnings()
    assert "3 of the documents, cut with the chunker none before" in back


@pytest.mark.parametrize("collection", ["", " \u3000"])
def test_a_blank_collection_is_refused(store: ChunkStore, docs: Path, collection: str) -> None:
    for report in (
        ingest_narrative(docs / "hr" / "open.md", store, collection=collection),
        ingest_narrative(
            docs / "hr" / "open.md", store, meta_by_doc={"hr/open.md": {"collection": collection}}
        ),
    ):
        assert only(report).outcome is Outcome.REFUSED
        assert "blank collection" in only(report).message
