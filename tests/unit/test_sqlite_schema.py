"""The schema, and the migration of a file from before decision record 0018."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.errors import ConfigError
from ragspine_graph.results import Status
from ragspine_store.errors import NotFoundError, StoreFormatError
from ragspine_store.ingest_report import Outcome
from ragspine_store.links import Seed
from ragspine_store.protocols import Census, Scope
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.sqlite_store.connection import Connection
from ragspine_store.sqlite_store.schema import ADDED_COLUMNS, init_schema

# As the predecessor created it.
BEFORE_THE_RECORD = """
CREATE TABLE narrative_chunk (
    chunk_id       TEXT NOT NULL,
    doc_id         TEXT NOT NULL,
    seq            INTEGER NOT NULL,
    text           TEXT NOT NULL,
    source_locator TEXT NOT NULL,
    para_start     INTEGER NOT NULL,
    para_end       INTEGER NOT NULL,
    title          TEXT NOT NULL DEFAULT '',
    topic          TEXT NOT NULL DEFAULT '',
    entity         TEXT NOT NULL DEFAULT '',
    geography      TEXT NOT NULL DEFAULT '',
    period         TEXT NOT NULL DEFAULT '',
    language       TEXT NOT NULL DEFAULT '',
    sensitivity    TEXT NOT NULL DEFAULT 'INTERNAL',
    valid_as_of    TEXT NOT NULL DEFAULT '',
    ingested_at    TEXT NOT NULL,
    version        INTEGER NOT NULL,
    active         INTEGER NOT NULL
);
CREATE UNIQUE INDEX ux_narrative_chunk ON narrative_chunk (doc_id, version, seq);
CREATE INDEX ix_narrative_chunk_active ON narrative_chunk (active, doc_id, seq);
"""
OLD_COLUMNS = (
    "chunk_id, doc_id, seq, text, source_locator, para_start, para_end, title, topic,"
    " sensitivity, ingested_at, version, active"
)
# doc_id, seq, text, title, topic, label, version, active
ROWS = [
    ("pay.md", 0, "給料は毎月末に払う。", "給料規程", "pay", "INTERNAL", 1, 0),
    ("pay.md", 0, "給与は毎月25日に払う。", "給与規程", "pay", "INTERNAL", 2, 1),
    ("pay.md", 1, "賞与は年2回とする。", "給与規程", "pay", "INTERNAL", 2, 1),
    ("trip.md", 0, "日当は3,000円とする。", "旅費規程", "travel", "PUBLIC", 1, 1),
    ("mixed.md", 0, "毎月の裏は朱い狐。", "狐の題", "", "RESTRICTED", 1, 1),
    ("mixed.md", 1, "毎月の表", "表の題", "", "INTERNAL", 1, 1),
    ("secret.md", 0, "毎月の密議は白い烏。", "密議", "", "RESTRICTED", 1, 1),
    ("odd.md", 0, "毎月の符号は青い鯨。", "符号", "", " restricted\u200b", 1, 1),
    ("unknown.md", 0, "毎月の合言葉は緑の梟。", "不明", "", "TOP SECRET", 1, 1),
    ("confidential.md", 0, "毎月の査定は灰の猫。", "査定", "", "confidential", 1, 1),
]
HIDDEN = ("secret.md", "odd.md", "unknown.md")


def write_old_rows(db: sqlite3.Connection) -> None:
    """What the predecessor wrote."""
    db.executescript(BEFORE_THE_RECORD)
    db.executemany(
        f"INSERT INTO narrative_chunk ({OLD_COLUMNS})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '2026-07-01T00:00:00+00:00', ?, ?)",
        [
            (
                *(f"{doc_id}#c{seq}", doc_id, seq, text, f"{doc_id}#para{seq + 1}"),
                *(seq + 1, seq + 1, title, topic, *rest),
            )
            for doc_id, seq, text, title, topic, *rest in ROWS
        ],
    )


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as db, db:
        write_old_rows(db)
    return path


@pytest.fixture
def knowledge(old_file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(old_file, ServiceConfig()) as knowledge:
        yield knowledge


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def columns(path: Path) -> dict[str, tuple[str, int, str]]:
    """Type, NOT NULL and default of each column."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("PRAGMA table_info(narrative_chunk)").fetchall()
    return {name: (kind, notnull, default) for _, name, kind, notnull, default, _ in rows}


def rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(
            f"SELECT {OLD_COLUMNS} FROM narrative_chunk ORDER BY doc_id, version, seq"
        ).fetchall()


def open_once(path: Path) -> None:
    with ChunkStore(path) as store:
        store.init_schema()


def test_a_new_file_and_a_migrated_one_have_the_same_columns(
    tmp_path: Path, old_file: Path
) -> None:
    open_once(tmp_path / "new.db")
    open_once(old_file)
    assert columns(old_file) == columns(tmp_path / "new.db")
    assert {columns(old_file)[name] for name in ADDED_COLUMNS} == {("TEXT", 1, "''")}


@pytest.mark.parametrize("present", range(5), ids="{} columns present".format)
def test_each_missing_column_is_added_by_one_statement(old_file: Path, present: int) -> None:
    with closing(sqlite3.connect(old_file)) as db, db:
        for column in ADDED_COLUMNS[:present]:
            db.execute(f"ALTER TABLE narrative_chunk ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    statements: list[str] = []
    connection = Connection(old_file)
    with connection.writing() as db:
        db.set_trace_callback(statements.append)
        init_schema(db)
        db.set_trace_callback(None)
    connection.close()
    altered = [s for s in statements if s.upper().startswith("ALTER")]
    assert [s.split()[5] for s in altered] == list(ADDED_COLUMNS[present:])
    assert not [s for s in statements if s.upper().startswith(("DROP", "DELETE"))]
    assert set(ADDED_COLUMNS) < set(columns(old_file))


@pytest.mark.parametrize("kind", ["new", "old"])
def test_init_schema_twice_changes_nothing(tmp_path: Path, old_file: Path, kind: str) -> None:
    path = old_file if kind == "old" else tmp_path / "new.db"
    open_once(path)
    once = dump(path)
    with ChunkStore(path) as store:
        store.init_schema()
        store.init_schema()
    assert dump(path) == once


def test_opening_deletes_nothing_and_writes_into_no_old_column(old_file: Path) -> None:
    before = rows(old_file)
    open_once(old_file)
    assert rows(old_file) == before
    with closing(sqlite3.connect(old_file)) as db:
        added = db.execute(f"SELECT DISTINCT {', '.join(ADDED_COLUMNS)} FROM narrative_chunk")
        assert added.fetchall() == [("", "", "", "")]


def test_a_migrated_file_is_searched(knowledge: KnowledgeBase) -> None:
    found = knowledge.search("毎月", k=50).snippets
    assert {s.chunk_id for s in found} == {"pay.md#c0", "mixed.md#c1", "confidential.md#c0"}
    (snippet,) = knowledge.search("日当").snippets
    assert snippet.to_dict() == {
        "text": "日当は3,000円とする。",
        "doc_id": "trip.md",
        "title": "旅費規程",
        "source_locator": "trip.md#para1",
        "chunk_id": "trip.md#c0",
        "topic": "travel",
        "entity": "",
        "geography": "",
        "period": "",
        "language": "",
        "sensitivity": "PUBLIC",
        "scores": snippet.scores.to_dict(),
    }
    assert (snippet.locator.span, snippet.locator.raw_span) == (None, None)
    assert knowledge.search("払う", filters={"topic": ["travel"]}).snippets == ()
    assert [s.chunk_id for s in knowledge.search("払う", filters={"topic": "pay"}).snippets] == [
        "pay.md#c0"
    ]


def test_inactive_rows_are_never_read(knowledge: KnowledgeBase) -> None:
    assert knowledge.search("給料").snippets == ()
    shown = knowledge.show("pay.md#c0")
    assert (shown.text, shown.title) == ("給与は毎月25日に払う。", "給与規程")
    assert knowledge.show("pay.md").text is None
    assert knowledge.show("pay.md").chunks == ("pay.md#c0", "pay.md#c1")


@pytest.mark.guarantee("G3")
@pytest.mark.parametrize("doc_id", HIDDEN)
def test_restricted_and_unknown_labels_are_invisible(knowledge: KnowledgeBase, doc_id: str) -> None:
    for node_id in (doc_id, f"{doc_id}#c0", f"{doc_id}#para1"):
        with pytest.raises(NotFoundError):
            knowledge.show(node_id)
    assert knowledge.search("毎月", filters={"doc_id": [doc_id]}).snippets == ()


@pytest.mark.guarantee("G1")
def test_a_restricted_row_of_an_old_document_hides_itself_alone(knowledge: KnowledgeBase) -> None:
    shown = knowledge.show("mixed.md")
    assert (shown.title, shown.chunks, shown.sensitivity) == (
        "表の題",
        ("mixed.md#c1",),
        "INTERNAL",
    )
    with pytest.raises(NotFoundError):
        knowledge.show("mixed.md#c0")
    assert knowledge.search("裏").snippets == ()
    knowledge.relabel("mixed.md", "CONFIDENTIAL")
    assert knowledge.show("mixed.md").chunks == ("mixed.md#c1",)
    assert knowledge.search("裏").snippets == ()


def test_what_is_withheld_is_counted_for_operators(knowledge: KnowledgeBase) -> None:
    assert knowledge.status() == Status(4, 5)
    status = knowledge.status(operator=True)
    assert status.census == Census(
        documents=4,
        chunks=5,
        restricted_documents=3,
        stubs=0,
        restricted_parts=1,
        unknown_labels=1,
        missing_windows=0,
        missing_branches=0,
        erasure_pending=False,
    )
    assert status.withheld == [(doc_id, Sensitivity.RESTRICTED) for doc_id in sorted(HIDDEN)]
    assert any("unknown label" in warning for warning in status.warnings())


@pytest.mark.guarantee("G4")
def test_withheld_rows_keep_their_text_until_they_are_purged(
    old_file: Path, knowledge: KnowledgeBase
) -> None:
    sentences = ("朱い狐", "白い烏", "青い鯨", "緑の梟")
    kept = old_file.read_bytes() + old_file.with_name("old.db-wal").read_bytes()
    assert all(sentence.encode() in kept for sentence in sentences)
    assert knowledge.purge().documents == 4
    assert knowledge.status(operator=True).withheld == []
    for path in old_file.parent.iterdir():
        assert not [s for s in sentences if s.encode() in path.read_bytes()], path
    assert {s.chunk_id for s in knowledge.search("毎月", k=50).snippets} == {
        "pay.md#c0",
        "mixed.md#c1",
        "confidential.md#c0",
    }


def test_a_relabelled_old_document_loses_its_inactive_rows(
    old_file: Path, knowledge: KnowledgeBase
) -> None:
    assert knowledge.relabel("pay.md", "CONFIDENTIAL").before is Sensitivity.INTERNAL
    assert [s.sensitivity for s in knowledge.search("毎月 払う").snippets][:1] == ["CONFIDENTIAL"]
    assert [row for row in rows(old_file) if row[1] == "pay.md" and row[-1] == 0] == []
    knowledge.relabel("pay.md", "RESTRICTED")
    assert knowledge.search("払う").snippets == ()
    assert "給与は毎月25日".encode() not in old_file.read_bytes()


def test_a_deleted_old_document_loses_all_its_rows(
    old_file: Path, knowledge: KnowledgeBase
) -> None:
    knowledge.delete("pay.md")
    assert [row for row in rows(old_file) if row[1] == "pay.md"] == []
    assert knowledge.search("払う").snippets == ()


def test_an_old_document_that_is_ingested_again_counts_on(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    (tmp_path / "pay.md").write_text("# 給与\n\n給与は毎月20日に払う。\n", encoding="utf-8")
    (report,) = knowledge.ingest(tmp_path / "pay.md", root=tmp_path).files
    assert (report.doc_id, report.outcome) == ("pay.md", Outcome.UPDATED)
    (snippet,) = knowledge.search("払う").snippets
    assert "20日" in snippet.text
    assert snippet.locator.heading_path == ("給与",)


def test_only_the_newest_of_two_active_versions_is_current(old_file: Path) -> None:
    with closing(sqlite3.connect(old_file)) as db, db:
        db.execute("UPDATE narrative_chunk SET active = 1")
    with KnowledgeBase.open(old_file, ServiceConfig()) as knowledge:
        assert knowledge.search("給料").snippets == ()
        assert knowledge.show("pay.md").chunks == ("pay.md#c0", "pay.md#c1")


def test_a_migrated_file_can_still_be_read_and_written_by_its_old_owner(old_file: Path) -> None:
    open_once(old_file)
    with closing(sqlite3.connect(old_file)) as db, db:
        db.execute(
            f"INSERT INTO narrative_chunk ({OLD_COLUMNS}) VALUES"
            " ('n.md#c0', 'n.md', 0, 't', 'n.md#para1', 1, 1, '', '', 'INTERNAL', '', 1, 1)"
        )
        assert db.execute("SELECT COUNT(*) FROM narrative_chunk WHERE active = 1").fetchone() == (
            len(ROWS),
        )


def go_back_to_schema_1(path: Path) -> None:
    """Make a store what the first version of this project wrote."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP VIEW current_chunk")
        db.execute("CREATE VIEW current_chunk AS SELECT doc_id FROM narrative_chunk")
        for table, columns in {
            "document": ("pages", "content_hash", "inputs_hash", "is_stated"),
            "chunk_span": ("node", "lead_in_start", "lead_in_end"),
            "stub": ("content_hash", "inputs_hash", "is_stated", "folder_hashes"),
        }.items():
            for column in columns:
                db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("ALTER TABLE document ADD COLUMN text TEXT")
        db.execute(
            "UPDATE document SET text = (SELECT group_concat(text, '') FROM document_text"
            " WHERE doc_no = no)"
        )
        db.execute("DROP TABLE document_text")
        db.execute("DROP TABLE tree_node")
        db.execute("UPDATE store_meta SET value = '1' WHERE key = 'schema'")


def test_a_store_of_schema_1_opens_as_it_was(tmp_path: Path) -> None:
    path, docs = tmp_path / "store.db", tmp_path / "docs"
    docs.mkdir()
    (docs / "long.md").write_text("# Long\n\n" + "tea and milk\n\n" * 900)
    (docs / "secret.md").write_text("---\nsensitivity: RESTRICTED\n---\nhush\n")
    config = ServiceConfig.load(chunker="parent_child")
    with KnowledgeBase.open(path, config) as knowledge:
        knowledge.ingest(docs)
        shown = knowledge.show("docs/long.md#s1").to_dict()
        hits = knowledge.search("milk").to_dict()
    go_back_to_schema_1(path)
    with KnowledgeBase.open(path, config) as knowledge:
        assert knowledge.show("docs/long.md#s1").to_dict() == shown
        assert knowledge.search("milk").to_dict() == hits
        report = knowledge.ingest(docs, sync=True)
        assert [file.outcome for file in report.files] == [Outcome.UNCHANGED] * 2
        assert report.unlabelled() == ["docs/long.md"]


def go_back_to_schema_3(path: Path) -> None:
    """Take from a store what schema 4 added, its index included."""
    with closing(sqlite3.connect(path)) as db, db:
        for column in ("lead_in_start", "lead_in_end"):
            db.execute(f"ALTER TABLE chunk_span DROP COLUMN {column}")
        db.execute("DROP TABLE chunk_fts")
        db.execute(
            "CREATE VIRTUAL TABLE chunk_fts USING fts5"
            " (tok, content = '', tokenize = \"ascii tokenchars '.+#'\")"
        )
        db.execute("UPDATE store_meta SET value = '3' WHERE key IN ('schema', 'tokenizer')")
        db.execute("UPDATE document SET fingerprint = 'of before', inputs_hash = 'of before'")


def test_a_store_of_schema_3_is_indexed_anew_and_gets_its_lead_ins_by_an_ingest(
    tmp_path: Path,
) -> None:
    path, docs = tmp_path / "store.db", tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nGiven in these cases:\n\n- illness\n- moving\n")
    config = ServiceConfig.load(chunker="parent_child")

    def found(knowledge: KnowledgeBase) -> set[str]:
        return {snippet.chunk_id for snippet in knowledge.search("cases").snippets}

    with KnowledgeBase.open(path, config) as knowledge:
        knowledge.ingest(docs)
        with_lead_ins = found(knowledge)
    go_back_to_schema_3(path)
    with KnowledgeBase.open(path, config) as knowledge:
        assert found(knowledge) == {"docs/leave.md#c0"}
        report = knowledge.ingest(docs)
        assert [file.outcome for file in report.files] == [Outcome.UPDATED]
        assert found(knowledge) == with_lead_ins
        knowledge.delete("docs/leave.md")
        assert found(knowledge) == set()
    assert len(with_lead_ins) == 3


def test_a_store_of_schema_3_finds_references_by_their_child(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    open_once(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP INDEX ix_relation_evidence_child")
        db.execute("UPDATE store_meta SET value = '3' WHERE key = 'schema'")
    with ChunkStore(path) as store:
        store.init_schema()
        with store.reading() as transaction:
            assert not transaction.links((), [Seed("a.md", 0)], Scope(Reader())).referred


def test_a_database_of_another_program_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "contacts.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE person (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match="another program"):
        KnowledgeBase.open(path, ServiceConfig())
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["contacts.db"]


@pytest.mark.parametrize("version", ["5", "99", "", "1.0"])
def test_a_store_of_a_newer_version_is_refused_and_left_as_it_was(
    tmp_path: Path, version: str
) -> None:
    path = tmp_path / "store.db"
    open_once(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE store_meta SET value = ? WHERE key = 'schema'", (version,))
    before = dump(path)
    with pytest.raises(StoreFormatError, match="use the version that wrote it"):
        KnowledgeBase.open(path, ServiceConfig())
    assert dump(path) == before


@pytest.mark.parametrize(
    "content", [b"# Rules\n\nnot a database " * 60, b"SQLite format 3\0" + b"\xff" * 2_000]
)
def test_what_is_no_database_is_refused_and_left_as_it_was(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rules.md"
    path.write_bytes(content)
    with pytest.raises(StoreFormatError, match="expected a SQLite file"):
        KnowledgeBase.open(path, ServiceConfig())
    assert path.read_bytes() == content


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "store.db"):
        with pytest.raises(StoreFormatError, match="writable folder"):
            KnowledgeBase.open(path, ServiceConfig())


def test_a_store_that_must_exist_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="run ingest first"):
        KnowledgeBase.open(tmp_path / "store.db", ServiceConfig(), create=False)
    assert list(tmp_path.iterdir()) == []
