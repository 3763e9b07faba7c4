"""Folder sync: nothing is deleted in doubt."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ragspine_store.errors import SyncError
from ragspine_store.ingest import ingest_narrative
from ragspine_store.ingest_report import IngestReport, Outcome
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from tests.synced import label, move, outcomes, relabel, sync, write

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity


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
