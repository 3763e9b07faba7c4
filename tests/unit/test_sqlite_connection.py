from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.errors import StoreError, StoreFormatError, StoreLockedError
from ragspine_store.sqlite_store import ChunkStore, connection
from ragspine_store.sqlite_store.connection import Connection
from ragspine_store.storage_rules.texts import can_be_stored, fold_heading
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import found, put


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Connection]:
    opened = Connection(tmp_path / "store.db")
    opened.keep_log()
    with opened.writing() as db:
        db.execute("CREATE TABLE t (n INTEGER)")
    yield opened
    opened.close()


def test_deleted_rows_are_overwritten_and_nothing_spills_into_a_file(opened: Connection) -> None:
    with opened.reading() as db:
        values = [
            db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("secure_delete", "temp_store", "journal_mode")
        ]
    assert values == [1, 2, "wal"]


def test_a_write_that_fails_is_undone(opened: Connection) -> None:
    def fail() -> None:
        with opened.writing() as db:
            db.execute("INSERT INTO t VALUES (1)")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with opened.reading() as db:
        assert db.execute("SELECT COUNT(*) FROM t").fetchone() == (0,)


def test_a_write_inside_a_transaction_of_the_same_thread_is_refused(opened: Connection) -> None:
    for outer in (opened.reading, opened.writing):
        with outer(), pytest.raises(StoreError, match="inside a transaction of the same thread"):
            opened.writing().__enter__()
    with opened.writing() as db:
        db.execute("INSERT INTO t VALUES (1)")


def test_a_read_inside_a_write_is_part_of_it(opened: Connection) -> None:
    with opened.writing() as db:
        db.execute("INSERT INTO t VALUES (1)")
        with opened.reading() as inner:
            assert inner.execute("SELECT COUNT(*) FROM t").fetchone() == (1,)


def test_threads_take_turns(opened: Connection) -> None:
    def add(_: int) -> None:
        with opened.writing() as db:
            (n,) = db.execute("SELECT COUNT(*) FROM t").fetchone()
            db.execute("INSERT INTO t VALUES (?)", (n,))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(100)))
    with opened.reading() as db:
        numbers = [n for (n,) in db.execute("SELECT n FROM t ORDER BY n")]
    assert numbers == list(range(100))


def test_a_lock_of_another_process_is_waited_for(tmp_path: Path, opened: Connection) -> None:
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.1, other.execute, ["COMMIT"])
    release.start()
    with opened.writing() as db:
        db.execute("INSERT INTO t VALUES (1)")
    release.join()
    other.close()


def test_the_wait_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOCK_TIMEOUT_S", 0.01)
    opened = Connection(tmp_path / "store.db")
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLockedError, match="another process is writing"):
            opened.writing().__enter__()
    opened.close()


def test_a_file_damaged_while_it_is_open_is_an_error_of_the_tree(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with ChunkStore(path) as store:
        store.init_schema()
        put(store, make_document("a.md", Part("h", ("tea",) * 500)))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreFormatError), KnowledgeBase.open(path, ServiceConfig()) as knowledge:
        knowledge.search("tea")


def test_many_threads_search_one_store_while_it_changes(tmp_path: Path) -> None:
    with ChunkStore(tmp_path / "store.db") as store:
        store.init_schema()
        put(store, make_document("a.md", Part("h", ("tea",))))

        def work(no: int) -> list[str]:
            if no % 4 == 0:
                with store.writing() as transaction:
                    transaction.put(make_document(f"{no}.md", Part("h", ("milk",))))
            return found(store, "tea")

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(work, range(80)))
        assert results == [["a.md#c0"]] * 80
        assert len(found(store, "milk", k=100)) == 20


@pytest.mark.parametrize(
    ("one", "other"),
    [("第４条　手当", "第4条 手当"), ("ＡＢＣ  d", " abc D "), ("ｶﾞ", "ガ"), ("a\u200bb", "AB")],
)
def test_headings_are_compared_without_width_case_and_space(one: str, other: str) -> None:
    assert fold_heading(one) == fold_heading(other)


def test_a_text_with_an_unpaired_surrogate_cannot_be_stored() -> None:
    assert can_be_stored("手当 🎉 \0")
    assert not can_be_stored("a\ud800")


def test_a_new_file_that_another_process_is_writing_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE narrative_chunk (x)")
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.3, other.execute, ["ROLLBACK"])
        release.start()
        waiting = Connection(path)
        try:
            waiting.keep_log()
            with waiting.reading() as db:
                assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        finally:
            release.join()
            waiting.close()
