"""Folder sync: bytes that the store knows keep their label, and cost one hash."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragspine_store.chunking import ParentChildChunker
from ragspine_store.ingest import ingest_narrative, ingest_text
from ragspine_store.ingest_draft import IngestSettings
from ragspine_store.ingest_report import Outcome
from ragspine_store.labelling import SensitivityPolicy
from ragspine_store.loading.markdown import MarkdownLoader
from ragspine_store.records import DocumentMeta, LoadedDocument
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.base import found
from tests.synced import DATA, label, outcomes, relabel, sync, write

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity


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
