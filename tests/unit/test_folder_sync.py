"""Folder sync: added, changed, moved, gone; labels never lower, and nothing is deleted in doubt."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragspine_store.chunking import ParentChildChunker
from ragspine_store.errors import SyncError
from ragspine_store.ingest import ingest_narrative, ingest_text
from ragspine_store.ingest_draft import IngestSettings
from ragspine_store.ingest_report import IngestReport, Outcome
from ragspine_store.labelling import SensitivityPolicy
from ragspine_store.loading.markdown import MarkdownLoader
from ragspine_store.records import DocumentMeta, DocumentState, LoadedDocument
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.base import children_of, found
from tests.conftest import AtRest

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def store(at_rest: AtRest) -> Iterator[ChunkStore]:
    with ChunkStore(":memory:", restricted_at_rest=at_rest) as store:
        store.init_schema()
        yield store


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with two documents."""
    docs = tmp_path / "docs"
    write(docs, {"hr/pay.md": "# Pay\n\nsalary\n", "hr/leave.md": "# Leave\n\nvacation\n"})
    return docs


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def sync(store: ChunkStore, docs: Path, *, dry_run: bool = False) -> IngestReport:
    return ingest_narrative(docs, store, sync=True, dry_run=dry_run, chunker=ParentChildChunker())


def outcomes(report: IngestReport) -> dict[str, Outcome]:
    return {file.doc_id: file.outcome for file in report.files}


def relabel(store: ChunkStore, node_id: str, level: Sensitivity) -> None:
    with store.writing() as transaction:
        change = transaction.relabel_part if "#" in node_id else transaction.relabel
        change(node_id, level)


def find(store: ChunkStore, doc_id: str) -> DocumentState | None:
    with store.writing() as transaction:
        return transaction.find(doc_id)


def label(store: ChunkStore, doc_id: str) -> Sensitivity | None:
    state = find(store, doc_id)
    return state and state.sensitivity


def move(docs: Path, old: str, new: str) -> None:
    (docs / new).parent.mkdir(parents=True, exist_ok=True)
    (docs / old).rename(docs / new)


# --- added, changed, moved, gone ------------------------------------------------------------------


def test_a_sync_adds_changes_moves_and_deletes(store: ChunkStore, docs: Path) -> None:
    write(docs, {"old.md": "gone\n", "same.md": "same\n"})
    assert set(outcomes(sync(store, docs)).values()) == {Outcome.ADDED}
    (docs / "old.md").unlink()
    move(docs, "hr/leave.md", "policies/leave.md")
    write(docs, {"hr/pay.md": "# Pay\n\nwages\n", "new.md": "new\n"})
    expected = {
        "docs/hr/pay.md": Outcome.UPDATED,
        "docs/new.md": Outcome.ADDED,
        "docs/same.md": Outcome.UNCHANGED,
        "docs/policies/leave.md": Outcome.MOVED,
        "docs/old.md": Outcome.DELETED,
    }
    before = [chunk.chunk_id for chunk in store.iter_chunks()]
    assert outcomes(sync(store, docs, dry_run=True)) == expected
    assert [chunk.chunk_id for chunk in store.iter_chunks()] == before
    report = sync(store, docs)
    assert outcomes(report) == expected
    (moved,) = [file for file in report.files if file.outcome is Outcome.MOVED]
    assert moved.moved_from == "docs/hr/leave.md"
    assert found(store, "vacation gone wages new") == [
        "docs/new.md#c0",
        "docs/hr/pay.md#c0",
        "docs/policies/leave.md#c0",
    ]
    assert set(outcomes(sync(store, docs)).values()) == {Outcome.UNCHANGED}


def test_without_sync_nothing_is_deleted(store: ChunkStore, docs: Path) -> None:
    sync(store, docs)
    (docs / "hr" / "pay.md").unlink()
    assert Outcome.DELETED not in outcomes(ingest_narrative(docs, store)).values()
    assert label(store, "docs/hr/pay.md") is INTERNAL


def test_a_moved_document_is_cited_by_its_new_place_alone(store: ChunkStore, docs: Path) -> None:
    sync(store, docs)
    move(docs, "hr/leave.md", "hr/absence.md")
    sync(store, docs)
    (child,) = children_of(store, "docs/hr/absence.md")
    named = repr(child) + repr(store.iter_chunks())
    assert "hr/leave" not in named
    assert child.chunk.chunk_id == "docs/hr/absence.md#c0"
    assert child.chunk.parent_id == "docs/hr/absence.md#s1"
    assert child.chunk.parent_locator == "docs/hr/absence.md#para1-2"
    assert child.chunk.version == 1


def test_a_moved_file_is_read_as_what_its_new_name_says(store: ChunkStore, docs: Path) -> None:
    write(docs, {"a.md": "# Pay\n\nwages\n"})
    sync(store, docs)
    move(docs, "a.md", "a.txt")
    assert outcomes(sync(store, docs))["docs/a.txt"] is Outcome.MOVED
    assert children_of(store, "docs/a.txt")[0].chunk.text == "# Pay"


def test_a_file_swapped_for_a_folder_is_gone(store: ChunkStore, docs: Path) -> None:
    write(docs, {"a.md": "tea\n"})
    sync(store, docs)
    (docs / "a.md").unlink()
    write(docs, {"a.md/b.md": "milk\n"})
    assert outcomes(sync(store, docs))["docs/a.md"] is Outcome.DELETED


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [CONFIDENTIAL, RESTRICTED], ids=lambda level: level.name)
def test_a_label_given_by_hand_moves_with_its_file(
    store: ChunkStore, docs: Path, level: Sensitivity
) -> None:
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", level)
    move(docs, "hr/pay.md", "open/salaries.md")
    for dry_run in (True, False):
        (file,) = [
            file for file in sync(store, docs, dry_run=dry_run).files if "open" in file.doc_id
        ]
        assert (file.outcome, file.label) == (Outcome.MOVED, level)
    assert label(store, "docs/open/salaries.md") is level
    assert find(store, "docs/hr/pay.md") is None
    assert sync(store, docs).count(Outcome.UNCHANGED) == 2


@pytest.mark.parametrize("level", [CONFIDENTIAL, RESTRICTED], ids=lambda level: level.name)
def test_every_new_file_with_the_bytes_of_a_gone_one_is_as_strict(
    store: ChunkStore, docs: Path, level: Sensitivity
) -> None:
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", level)
    shutil.copy(docs / "hr" / "pay.md", docs / "copy.md")
    move(docs, "hr/pay.md", "salaries.md")
    sync(store, docs)
    assert [label(store, f"docs/{name}.md") for name in ("copy", "salaries")] == [level] * 2


def test_of_two_equal_documents_the_names_tell_which_one_was_moved(
    store: ChunkStore, docs: Path
) -> None:
    write(docs, {"a/x.md": "tea\n", "b/y.md": "tea\n"})
    sync(store, docs)
    relabel(store, "docs/b/y.md", CONFIDENTIAL)
    move(docs, "a/x.md", "c/x.md")
    move(docs, "b/y.md", "c/y.md")
    report = sync(store, docs)
    assert {file.doc_id: file.moved_from for file in report.files if file.moved_from} == {
        "docs/c/x.md": "docs/a/x.md",
        "docs/c/y.md": "docs/b/y.md",
    }
    assert (label(store, "docs/c/x.md"), label(store, "docs/c/y.md")) == (INTERNAL, CONFIDENTIAL)


def test_labels_inside_a_document_move_with_it(store: ChunkStore, docs: Path) -> None:
    write(docs, {"two.md": "# One\n\nsecret\n\n# Two\n\nopen\n"})
    sync(store, docs)
    relabel(store, "docs/two.md#s2", CONFIDENTIAL)
    move(docs, "two.md", "hr/two.md")
    assert outcomes(sync(store, docs))["docs/hr/two.md"] is Outcome.MOVED
    labels = [child.chunk.sensitivity for child in children_of(store, "docs/hr/two.md")]
    assert labels == ["INTERNAL", "CONFIDENTIAL"]


def test_a_document_called_by_its_id_is_called_by_its_new_one(
    store: ChunkStore, docs: Path
) -> None:
    write(docs, {"two.md": "# Secret\n\nhush\n\n## Open\n\ntea\n"})
    sync(store, docs)
    relabel(store, "docs/two.md#s1", CONFIDENTIAL)
    move(docs, "two.md", "hr/two.md")
    sync(store, docs)
    assert {child.chunk.title for child in children_of(store, "docs/hr/two.md")} == {
        "docs/hr/two.md"
    }


def test_a_place_that_states_a_lower_label_does_not_lower_it(store: ChunkStore, docs: Path) -> None:
    write(docs, {"open/labels.toml": '["*"]\nsensitivity = "PUBLIC"\n'})
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", CONFIDENTIAL)
    move(docs, "hr/pay.md", "open/pay.md")
    (file,) = [file for file in sync(store, docs).files if file.doc_id == "docs/open/pay.md"]
    assert file.outcome is Outcome.REFUSED
    assert "--allow-lower" in file.message
    assert label(store, "docs/open/pay.md") is CONFIDENTIAL


def test_documents_without_a_stated_label_are_named(store: ChunkStore, docs: Path) -> None:
    write(
        docs,
        {
            "stated.md": "---\nsensitivity: INTERNAL\n---\ntea\n",
            "side/a.md": "tea\n",
            "side/labels.toml": '["*"]\nsensitivity = "INTERNAL"\n',
        },
    )
    for unlabelled in (["docs/hr/leave.md", "docs/hr/pay.md"], ["docs/hr/leave.md"]):
        for _ in range(2):  # loaded, and then known to be unchanged
            assert sync(store, docs).unlabelled() == unlabelled
        relabel(store, "docs/hr/pay.md", CONFIDENTIAL)
    write(docs, {"hr/pay.md": "# Pay\n\nwages\n"})
    assert sync(store, docs).unlabelled() == ["docs/hr/leave.md"]


# --- stubs ----------------------------------------------------------------------------------------


def test_the_stub_of_a_gone_file_goes_and_no_other(store: ChunkStore, docs: Path) -> None:
    write(docs.parent / "other", {"a.md": "tea\n", "b.md": "tea\n"})
    write(docs, {"c.md": "milk\n", ".hidden.md": "juice\n"})
    named = [docs / ".hidden.md", docs.parent / "other"]
    ingest_narrative([docs, *named], store, sensitivity="RESTRICTED")
    (docs / "c.md").unlink()
    (docs.parent / "other" / "a.md").unlink()
    report = sync(store, docs)
    assert report.count(Outcome.DELETED) == 1
    assert find(store, "docs/c.md") is None
    for kept in ("docs/.hidden.md", "docs/hr/pay.md", "other/a.md", "other/b.md"):
        assert label(store, kept) is RESTRICTED


def test_the_line_of_a_deleted_stub_names_nothing(docs: Path) -> None:
    with ChunkStore(":memory:") as store:
        store.init_schema()
        ingest_narrative(docs, store, sensitivity="RESTRICTED")
        (docs / "hr" / "pay.md").unlink()
        (line,) = [f for f in sync(store, docs).files if f.outcome is Outcome.DELETED]
    assert (line.source, line.doc_id, line.label) == ("", "", RESTRICTED)


def test_a_folder_deep_inside_is_synced_alone(store: ChunkStore, docs: Path) -> None:
    ingest_narrative(docs, store, root=docs.parent, sensitivity="RESTRICTED")
    write(docs, {"it/a.md": "tea\n", "hr/b.md": "tea\n"})
    ingest_narrative(docs, store, root=docs.parent)
    for name in ("it/a.md", "hr/b.md", "hr/pay.md"):
        (docs / name).unlink()
    report = ingest_narrative(docs / "hr", store, root=docs.parent, sync=True)
    assert report.count(Outcome.DELETED) == 2
    assert label(store, "docs/it/a.md") is INTERNAL


# --- nothing is deleted in doubt ------------------------------------------------------------------


def refuse(store: ChunkStore, docs: Path, message: str) -> None:
    before = [chunk.chunk_id for chunk in store.iter_chunks()]
    with pytest.raises(SyncError, match=message):
        sync(store, docs)
    assert [chunk.chunk_id for chunk in store.iter_chunks()] == before


@pytest.mark.parametrize("left", ["nothing", "hidden files"])
def test_an_empty_folder_is_taken_for_an_unmounted_one(
    store: ChunkStore, docs: Path, left: str
) -> None:
    sync(store, docs)
    shutil.rmtree(docs / "hr")
    if left == "hidden files":
        write(docs, {".DS_Store": ""})
    refuse(store, docs, "is empty, and documents were ingested from there")


def test_so_is_an_empty_folder_inside(store: ChunkStore, docs: Path) -> None:
    write(docs, {"a.md": "tea\n"})
    sync(store, docs)
    for name in ("pay", "leave"):
        (docs / "hr" / f"{name}.md").unlink()
    refuse(store, docs, "remove the empty folder")
    (docs / "hr").rmdir()
    assert sync(store, docs).count(Outcome.DELETED) == 2


def test_a_folder_of_stubs_alone_is_no_exception(store: ChunkStore, docs: Path) -> None:
    ingest_narrative(docs, store, sensitivity="RESTRICTED")
    shutil.rmtree(docs / "hr")
    refuse(store, docs, "is empty")
    assert label(store, "docs/hr/pay.md") is RESTRICTED


def test_a_new_folder_may_be_empty(store: ChunkStore, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    assert sync(store, tmp_path / "new").files == ()


@pytest.mark.parametrize("name", ["absent", "docs/hr/pay.md", "a\0b"])
def test_what_is_no_folder_cannot_be_synced(
    store: ChunkStore, docs: Path, tmp_path: Path, name: str
) -> None:
    refuse(store, tmp_path / name, "no such folder")


def test_a_folder_that_cannot_be_read_is_refused(
    store: ChunkStore, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(store, docs)
    shutil.rmtree(docs / "hr")
    write(docs, {"locked/a.md": "tea\n", "b.md": "tea\n"})
    list_folder = os.scandir

    def refuse_one(path: str) -> object:  # root may read every folder
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", path)
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", refuse_one)
    refuse(store, docs, r"locked' cannot be read \(Permission denied\)")


def kept(report: IngestReport) -> dict[str, str]:
    """The documents that stay though their files are not there, and why."""
    return {f.doc_id: f.message for f in report.files if f.outcome is Outcome.KEPT}


def test_a_document_of_another_root_stays_and_is_named(store: ChunkStore, docs: Path) -> None:
    ingest_narrative(docs / "hr", store, root=docs)
    write(docs, {"a.md": "tea\n"})
    (docs / "hr" / "pay.md").unlink()
    report = sync(store, docs)
    assert report.count(Outcome.DELETED) == 0
    assert label(store, "hr/pay.md") is INTERNAL
    (line,) = [file for file in report.files if file.outcome is Outcome.KEPT]
    assert (line.source, line.doc_id) == (str(docs / "hr" / "pay.md"), "hr/pay.md")
    assert "relative to another root" in line.message


def link_to_nothing(docs: Path) -> None:
    (docs / "hr" / "pay.md").unlink()
    (docs / "hr" / "pay.md").symlink_to(docs / "unmounted" / "pay.md")


def link_out_of_the_folder(docs: Path) -> None:
    outside = shutil.move(docs / "hr" / "pay.md", docs.parent / "pay.md")
    (docs / "hr" / "pay.md").symlink_to(outside)


def folder_that_is_a_link_to_nothing(docs: Path) -> None:
    shutil.rmtree(docs / "hr")
    (docs / "hr").symlink_to(docs / "unmounted")


def folder_that_is_a_link_out(docs: Path) -> None:
    shutil.move(docs / "hr", docs.parent / "people")
    (docs / "hr").symlink_to(docs.parent / "people")


@pytest.mark.parametrize("level", [INTERNAL, RESTRICTED], ids=lambda level: level.name)
@pytest.mark.parametrize(
    "change",
    [
        link_to_nothing,
        link_out_of_the_folder,
        folder_that_is_a_link_to_nothing,
        folder_that_is_a_link_out,
    ],
)
def test_where_a_link_stands_now_documents_stay_and_are_named(
    store: ChunkStore, docs: Path, change: Callable[[Path], None], level: Sensitivity
) -> None:
    write(docs, {"a.md": "tea\n"})
    ingest_narrative(docs, store, sensitivity=level.name)
    change(docs)
    for dry_run in (True, False):
        report = sync(store, docs, dry_run=dry_run)
        assert report.count(Outcome.DELETED) == 0
        lines = [file for file in report.files if file.outcome is Outcome.KEPT]
        assert {file.label for file in lines} == {level}
        assert all("a link stands in the place of its file" in file.message for file in lines)
    assert label(store, "docs/hr/pay.md") is level


def test_a_file_that_a_link_inside_the_folder_leads_to_was_moved(
    store: ChunkStore, docs: Path
) -> None:
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", CONFIDENTIAL)
    move(docs, "hr/pay.md", "pay/all.md")
    (docs / "hr" / "pay.md").symlink_to(docs / "pay" / "all.md")
    report = sync(store, docs)
    assert outcomes(report)["docs/pay/all.md"] is Outcome.MOVED
    assert label(store, "docs/pay/all.md") is CONFIDENTIAL
    assert kept(report) == {}


def test_where_something_else_stands_now_the_document_stays(store: ChunkStore, docs: Path) -> None:
    sync(store, docs)
    (docs / "hr" / "pay.md").unlink()
    os.mkfifo(docs / "hr" / "pay.md")
    report = sync(store, docs)
    assert "cannot be ingested" in kept(report)["docs/hr/pay.md"]
    assert label(store, "docs/hr/pay.md") is INTERNAL


# --- bytes that the store knows -------------------------------------------------------------------


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("level", [CONFIDENTIAL, RESTRICTED], ids=lambda level: level.name)
@pytest.mark.parametrize("is_gone", [True, False], ids=["moved", "copied"])
def test_a_file_from_a_folder_that_is_not_given_is_as_strict_as_its_bytes_were_there(
    store: ChunkStore, docs: Path, level: Sensitivity, is_gone: bool
) -> None:
    other = docs.parent / "other"
    write(other, {"plan.md": "merger\n", "rest.md": "tea\n"})
    ingest_narrative(other, store, sensitivity=level.name)
    sync(store, docs)
    (shutil.move if is_gone else shutil.copy)(other / "plan.md", docs / "plan.md")
    for dry_run in (True, False):
        report = sync(store, docs, dry_run=dry_run)
        (line,) = [file for file in report.files if file.doc_id == "docs/plan.md"]
        assert (line.outcome, line.label) == (Outcome.ADDED, level)
        assert line.notes == (
            f"the store knows the same bytes as {level.name}, so it is labelled no lower: "
            "relabel it if that is not meant",
        )
    assert label(store, "docs/plan.md") is level
    assert label(store, "other/plan.md") is level
    assert outcomes(sync(store, docs))["docs/plan.md"] is Outcome.UNCHANGED


def test_a_text_given_directly_counts_as_known_bytes(store: ChunkStore, docs: Path) -> None:
    meta = DocumentMeta("note", sensitivity=CONFIDENTIAL)
    ingest_text("merger\n", meta, store, IngestSettings())
    write(docs, {"plan.md": "merger\n"})
    sync(store, docs)
    assert label(store, "docs/plan.md") is CONFIDENTIAL


def test_a_label_may_be_stated_lower_than_that_of_known_bytes_on_request(
    store: ChunkStore, docs: Path
) -> None:
    other = docs.parent / "other"
    write(other, {"plan.md": "merger\n"})
    ingest_narrative(other, store, sensitivity="CONFIDENTIAL")
    shutil.copy(other / "plan.md", docs / "plan.md")
    ingest_narrative(docs, store, sync=True, sensitivity="PUBLIC", allow_lower=True)
    assert label(store, "docs/plan.md") is PUBLIC


@pytest.mark.parametrize("level", [CONFIDENTIAL, RESTRICTED], ids=lambda level: level.name)
def test_a_copy_with_a_lower_label_than_its_original_is_noted(
    store: ChunkStore, docs: Path, level: Sensitivity
) -> None:
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", level)
    shutil.copy(docs / "hr" / "pay.md", docs / "copy.md")
    (line,) = [file for file in sync(store, docs).files if file.doc_id == "docs/copy.md"]
    assert line.label is INTERNAL
    assert line.notes == (
        f"the same bytes are kept as {level.name} too, and this copy is INTERNAL: relabel it "
        "unless that is meant",
    )


# --- an unchanged file costs one hash -------------------------------------------------------------


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that the Markdown loader was called for."""
    calls: list[str] = []
    load = MarkdownLoader.load

    def count(self: MarkdownLoader, data: bytes, *, name: str) -> LoadedDocument:
        calls.append(name)
        return load(self, data, name=name)

    monkeypatch.setattr(MarkdownLoader, "load", count)
    return calls


def test_an_unchanged_file_is_not_loaded(
    store: ChunkStore, docs: Path, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(docs, {"secret.md": "---\nsensitivity: RESTRICTED\n---\nhush\n"})
    shutil.copy(DATA / "就業規則.docx", docs)
    first = sync(store, docs)
    assert sorted(loads) == ["leave.md", "pay.md", "secret.md"]
    loads.clear()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")  # no process could load the .docx
    second = sync(store, docs)
    assert (loads, second.count(Outcome.UNCHANGED)) == ([], 4)
    assert [f.label for f in second.files] == [f.label for f in first.files]
    write(docs, {"hr/pay.md": "# Pay\n\nwages\n"})
    assert (sync(store, docs).count(Outcome.UPDATED), loads) == (1, ["pay.md"])


def test_an_unchanged_file_is_read_and_hashed_once(
    store: ChunkStore, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(docs, {"secret.md": "---\nsensitivity: RESTRICTED\n---\nhush\n"})
    sync(store, docs)
    contents = {path.read_bytes(): path.name for path in docs.rglob("*.md")}
    read: list[str] = []
    hashed: list[str] = []
    read_bytes, blake2b = Path.read_bytes, hashlib.blake2b

    def count_reading(self: Path) -> bytes:
        read.append(self.name)
        return read_bytes(self)

    def count_hashing(data: bytes = b"", *, digest_size: int = 64) -> object:
        hashed.extend([contents[data]] if data in contents else [])
        return blake2b(data, digest_size=digest_size)

    monkeypatch.setattr(Path, "read_bytes", count_reading)
    monkeypatch.setattr(hashlib, "blake2b", count_hashing)
    for ingest_again in (lambda: sync(store, docs), lambda: ingest_narrative(docs, store)):
        read.clear()
        hashed.clear()
        ingest_again()
        assert sorted(read) == sorted(hashed) == ["leave.md", "pay.md", "secret.md"]


def test_what_decides_about_a_document_makes_it_be_loaded_again(
    store: ChunkStore, docs: Path, loads: list[str]
) -> None:
    def ingest(**settings: Any) -> list[str]:
        loads.clear()
        ingest_narrative(docs / "hr" / "pay.md", store, **settings)
        return list(loads)

    once: list[str] = ["pay.md"]
    assert (ingest(), ingest()) == (once, [])
    for settings in (
        {"collection": "hr"},
        {"sensitivity": "CONFIDENTIAL"},
        {"chunker": ParentChildChunker()},
        {"policy": SensitivityPolicy(restricted_keywords=("salary",))},
        {"meta_by_doc": {"hr/pay.md": {"topic": "pay"}}},
    ):
        assert (ingest(**settings), ingest(**settings)) == (once, []), settings
    (docs / "hr" / "labels.toml").write_text('["*"]\nsensitivity = "RESTRICTED"\n')
    assert (ingest(), ingest()) == (once, [])


@pytest.mark.parametrize("level", [PUBLIC, CONFIDENTIAL, RESTRICTED], ids=lambda level: level.name)
def test_a_label_changed_by_hand_is_weighed_again_once(
    store: ChunkStore, docs: Path, loads: list[str], level: Sensitivity
) -> None:
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", level)
    loads.clear()
    labels = [sync(store, docs).files[1].label for _ in range(2)]
    assert labels == [max(level, INTERNAL)] * 2
    assert loads == ["pay.md"]


def moved_over(docs: Path) -> None:
    (docs / "hr/pay.md").replace(docs / "hr/leave.md")


def rotated(docs: Path) -> None:
    (docs / "hr/pay.md").replace(docs / "hr/pay-old.md")
    (docs / "hr/leave.md").replace(docs / "hr/pay.md")


def swapped(docs: Path) -> None:
    (docs / "hr/pay.md").replace(docs / "hr/kept.md")
    (docs / "hr/leave.md").replace(docs / "hr/pay.md")
    (docs / "hr/kept.md").replace(docs / "hr/leave.md")


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("node", ["docs/hr/pay.md", "docs/hr/pay.md#s1"])
@pytest.mark.parametrize("change", [moved_over, rotated, swapped])
def test_however_files_change_places_their_bytes_keep_their_label(
    store: ChunkStore, docs: Path, change: Callable[[Path], None], node: str
) -> None:
    sync(store, docs)
    relabel(store, node, RESTRICTED)
    assert found(store, "salary") == []

    change(docs)
    sync(store, docs)
    assert found(store, "salary") == []
    sync(store, docs)
    assert found(store, "salary") == []


def test_a_copy_of_a_document_that_stays_has_a_label_of_its_own(
    store: ChunkStore, docs: Path
) -> None:
    sync(store, docs)
    relabel(store, "docs/hr/pay.md", RESTRICTED)
    shutil.copy(docs / "hr/pay.md", docs / "hr/copy.md")

    sync(store, docs)

    assert found(store, "salary") == ["docs/hr/copy.md#c0"]
