"""Folder sync: added, changed, moved, gone; labels never lower."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragspine_store.ingest import ingest_narrative
from ragspine_store.ingest_report import Outcome
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.base import children_of, found
from tests.synced import find, label, move, outcomes, relabel, sync, write

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity


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
