"""The backends that the conformance tests run over."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Literal, LiteralString
from unittest.mock import patch

from hypothesis import settings
from neo4j import Record, Result, Session, Transaction

from ragspine_store._seal import mint_screened
from ragspine_store.neo4j_store import Neo4jStore
from ragspine_store.protocols import Store
from ragspine_store.relations import Relation
from ragspine_store.sealed import Screened
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Backend
from ragspine_store.tokenizer import tokens
from tests.neo4j_server import Server

STUB_KEY = "a key for tests"

TABLES = (
    "narrative_chunk",
    "document",
    "document_text",
    "section",
    "tree_node",
    "chunk_span",
    "stub",
    "lowered_label",
    "chunk_fts_docsize",
    "relation_document",
    "relation_node",
    "relation_edge",
    "relation_evidence",
    "relation_title",
    "relation_address",
    "relation_reference",
    "relation_rejection",
    "model_answer",
    "part_vector",
    "vector_document",
)


def statements_of(store: ChunkStore, call: Callable[[], object]) -> list[str]:
    """The statements that a call runs, those inside of the engine left out."""
    traced: list[str] = []
    db = store._connection._db
    db.set_trace_callback(traced.append)
    try:
        call()
    finally:
        db.set_trace_callback(None)
    return [statement for statement in traced if not statement.startswith("--")]


def tables_scanned(store: ChunkStore, statements: Iterable[str]) -> set[str]:
    """The tables that these statements read from end to end."""
    plans = [
        detail.split()
        for statement in statements
        if statement.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE")
        for _, _, _, detail in store._connection._db.execute(f"EXPLAIN QUERY PLAN {statement}")
    ]
    return {table for what, table, *_ in plans if what == "SCAN"}


def all_kept(store: Store) -> list[object]:
    """All that a store keeps, as values that no backend shapes."""
    with store.reading() as transaction:
        kept = transaction.kept
        doc_ids = kept.document_ids()
        return [
            *map(kept.document, doc_ids),
            *map(kept.relations, doc_ids),
            list(kept.stubs()),
            kept.profile(),
            kept.logs(),
        ]


class Place(Backend):
    """A backend that is looked through as well, and emptied.

    Attributes:
        url: opens a store over it, as `--store` does.
        is_server: whether each call takes a way over a wire, so that fewer are made.
    """

    url: str
    is_server: bool

    @abstractmethod
    def new_store(self) -> Store:
        """Take away all that is kept here, statistics too, and open a store over nothing."""

    def scratch_store(self) -> Store:
        """The same for one that is read through itself alone: quicker where it can be."""
        return self.new_store()

    @abstractmethod
    def traces(self, texts: Iterable[str]) -> set[str]:
        """Which of these texts stand anywhere that can be looked at without a store."""

    @abstractmethod
    def set_document_label(self, doc_id: str, label: str) -> None:
        """Write a label into a document's row."""

    @abstractmethod
    def locked(self) -> AbstractContextManager[object]:
        """Hold the write lock, as another process does."""

    @abstractmethod
    def break_writes(self, chunk_ids: Iterable[str]) -> None:
        """Let the store fail when these children are written, half of their document done."""

    @abstractmethod
    def close(self) -> None:
        """Close all stores that were opened here."""

    def examples(self, number: int, on_server: int) -> settings:
        """How many examples a test is tried with; some derandomized ones on a server."""
        if self.is_server:
            return settings(max_examples=on_server, derandomize=True, database=None)
        return settings(max_examples=number)


class SQLiteBackend(Place):
    """One SQLite file, looked at with a connection of its own."""

    is_server = False

    def __init__(
        self,
        path: Path,
        restricted_at_rest: Literal["stub", "text"],
        stub_key: bytes | None = None,
    ) -> None:
        self.path = path
        self._stub_key = stub_key
        self.url = f"sqlite:///{path}"
        self.restricted_at_rest = restricted_at_rest
        self._opened: list[ChunkStore] = []

    def new_store(self) -> ChunkStore:
        self.close()
        for file in self.path.parent.glob(f"{self.path.name}*"):
            file.unlink()
        return self.open_store()

    def scratch_store(self) -> ChunkStore:
        store = ChunkStore(":memory:", restricted_at_rest=self.restricted_at_rest)
        store.init_schema()
        return store

    def traces(self, texts: Iterable[str]) -> set[str]:
        """In any file beside the store's, in any likely encoding."""
        files = [file.read_bytes() for file in self.path.parent.iterdir()]
        return {
            text
            for text in texts
            for code in ("utf-8", "utf-16-le", "utf-16-be")
            for file in files
            if text.encode(code) in file
        }

    def open_store(self) -> ChunkStore:
        store = ChunkStore(
            self.path, restricted_at_rest=self.restricted_at_rest, stub_key=self._stub_key
        )
        store.init_schema()
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()
        self._opened.clear()

    @contextmanager
    def raw(self) -> Generator[sqlite3.Connection]:
        """A connection that knows nothing of the store."""
        with closing(sqlite3.connect(self.path)) as db, db:
            yield db

    @contextmanager
    def locked(self) -> Generator[None]:
        with self.raw() as db:
            db.execute("BEGIN IMMEDIATE")
            yield

    def break_writes(self, chunk_ids: Iterable[str]) -> None:
        with self.raw() as db:
            db.execute(
                "CREATE TRIGGER fail AFTER INSERT ON chunk_span"
                " BEGIN SELECT RAISE(ABORT, 'full'); END"
            )

    def screened(self, relation: Relation) -> Screened[Relation]:
        return mint_screened(relation)

    def totals(self) -> Mapping[str, int]:
        with self.raw() as db:
            return {t: db.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in TABLES}

    def occurrences(self, token: str) -> int:
        with self.raw() as db:
            db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, chunk_fts, row)")
            row = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (token,)).fetchone()
        return row[0] if row else 0

    def set_document_label(self, doc_id: str, label: str) -> None:
        self._set("UPDATE document SET sensitivity = ? WHERE doc_id = ?", label, doc_id)

    def set_chunk_label(self, chunk_id: str, label: str) -> None:
        self._set("UPDATE narrative_chunk SET sensitivity = ? WHERE chunk_id = ?", label, chunk_id)

    def set_section_label(self, doc_id: str, no: int, label: str) -> None:
        self._set(
            "UPDATE section SET sensitivity = ? WHERE no = ?"
            " AND doc_no = (SELECT no FROM document WHERE doc_id = ?)",
            label,
            no,
            doc_id,
        )

    def set_window_text(self, chunk_id: str, text: str) -> None:
        self._set("UPDATE narrative_chunk SET window_text = ? WHERE chunk_id = ?", text, chunk_id)

    def lose_text(self, doc_id: str) -> None:
        with self.raw() as db:
            (doc_no,) = db.execute("SELECT no FROM document WHERE doc_id = ?", (doc_id,)).fetchone()
            assert db.execute("DELETE FROM document_text WHERE doc_no = ?", (doc_no,)).rowcount
            db.execute("UPDATE document SET offsets = NULL WHERE no = ?", (doc_no,))

    def lose_node(self, doc_id: str, no: int) -> None:
        self._set(
            "DELETE FROM tree_node WHERE no = ?"
            " AND doc_no = (SELECT no FROM document WHERE doc_id = ?)",
            no,
            doc_id,
        )

    def statements(self, store: Store, call: Callable[[], object]) -> int:
        (opened,) = (one for one in self._opened if one is store)
        return len(statements_of(opened, call))

    def _set(self, statement: str, *values: object) -> None:
        with self.raw() as db:
            assert db.execute(statement, values).rowcount == 1


class Neo4jBackend(Place):
    """A store on a server, looked at with sessions of its own."""

    is_server = True

    def __init__(self, server: Server, restricted_at_rest: Literal["stub", "text"]) -> None:
        self.server = server
        self.url = server.uri
        self.restricted_at_rest = restricted_at_rest
        self._opened: list[Neo4jStore] = []

    def open_store(self) -> Neo4jStore:
        store = Neo4jStore(
            self.server.uri,
            username=self.server.username,
            password=self.server.password,
            restricted_at_rest=self.restricted_at_rest,
            stub_key=STUB_KEY.encode(),
        )
        store.init_schema()
        self._opened.append(store)
        return store

    def new_store(self) -> Neo4jStore:
        self.close()
        self.server.clear()
        return self.open_store()

    def close(self) -> None:
        for store in self._opened:
            store.close()
        self._opened.clear()

    @contextmanager
    def locked(self) -> Generator[None]:
        with self.server.session() as session, session.begin_transaction() as transaction:
            transaction.run("MATCH (n:Ragspine {id: 'meta:changes'}) SET n.held = true").consume()
            yield

    def break_writes(self, chunk_ids: Iterable[str]) -> None:
        """Their ids are taken."""
        ids = [f"child:{chunk_id}" for chunk_id in chunk_ids]
        self.raw("UNWIND $ids AS id CREATE (:Ragspine {id: id})", ids=ids)

    def traces(self, texts: Iterable[str]) -> set[str]:
        """In any property, label or type of the store's own graph, or found by its index."""
        rows = self.raw(
            "MATCH (n:Ragspine) RETURN labels(n) AS names, properties(n) AS kept"
            " UNION ALL MATCH (:Ragspine)-[r]-() RETURN [type(r)] AS names, properties(r) AS kept"
        )
        graph = str([[row["names"], row["kept"]] for row in rows])
        return {text for text in texts if text in graph or self._is_indexed(text)}

    def _is_indexed(self, text: str) -> bool:
        phrase = " ".join(tokens(text))
        return any(self._matches(index, f'tok:"{phrase}"') for index in self._indexes())

    def indexed(self) -> int:
        """How many nodes the full-text index in use has."""
        (changes,) = self.raw("MATCH (n:Ragspine {id: 'meta:changes'}) RETURN n.index AS index")
        return self._matches(changes["index"], "*:*")

    def _indexes(self) -> list[str]:
        rows = self.raw(
            "SHOW FULLTEXT INDEXES YIELD name WHERE name STARTS WITH 'ragspine_' RETURN name"
        )
        return [row["name"] for row in rows]

    def _matches(self, index: str, match: str) -> int:
        (row,) = self.raw(
            "CALL db.index.fulltext.queryNodes($index, $match) YIELD node RETURN count(*) AS n",
            index=index,
            match=match,
        )
        return row["n"]

    def raw(self, query: LiteralString, **values: object) -> list[Record]:
        """The rows of a query that knows nothing of the store."""
        with self.server.session() as session:
            return list(session.run(query, values))

    def screened(self, relation: Relation) -> Screened[Relation]:
        return mint_screened(relation)

    def totals(self) -> Mapping[str, int]:
        rows = self.raw(
            "MATCH (n:Ragspine) WHERE NOT n:StoreMeta AND NOT n:VerdictEntry"
            " UNWIND labels(n) AS kind RETURN kind, count(*) AS count"
            " UNION ALL MATCH (:Ragspine)-[r]->() RETURN type(r) AS kind, count(*) AS count"
        )
        return {**{row["kind"]: row["count"] for row in rows}, **self._relation_totals()}

    def _relation_totals(self) -> Mapping[str, int]:
        """Counts of the graph, named as the suite names them."""
        (edges,) = self.raw(
            "MATCH (:Ragspine)-[r]->(:Ragspine) WHERE r.edge_id IS NOT NULL"
            " AND type(r) <> 'REFERS_TO'"
            " RETURN count(DISTINCT r.edge_id) AS edges, count(r) AS places"
        )
        labels = {
            "relation_document": "MissingDocument",
            "relation_title": "Title",
            "relation_address": "Address",
            "relation_reference": "Reference",
            "relation_rejection": "Rejection",
            "model_answer": "Answer",
        }
        rows = self.raw("MATCH (n:Ragspine) UNWIND labels(n) AS kind RETURN kind, count(*) AS n")
        counts = Counter({row["kind"]: row["n"] for row in rows})
        totals = {name: counts[label] for name, label in labels.items()}
        # Nodes that stand for themselves; others are but the ends of their edges.
        (nodes,) = self.raw(
            "MATCH (n:Ragspine:Entity) WHERE n.shown IS NOT NULL OR n.doc_id IS NOT NULL"
            " RETURN count(n) AS n"
        )
        pieces = edges["places"] + totals["relation_reference"] + totals["relation_rejection"]
        return {
            **totals,
            "relation_edge": edges["edges"],
            "relation_evidence": pieces,
            "relation_node": nodes["n"],
        }

    def occurrences(self, token: str) -> int:
        (kept,) = self.raw(
            "MATCH (n:Ragspine) WHERE $token IN split(n.tok, ' ') RETURN count(*) AS n",
            token=token,
        )
        found = [self._matches(index, f'tok:"{token}"') for index in self._indexes()]
        return max(kept["n"], *found)

    def set_document_label(self, doc_id: str, label: str) -> None:
        self._set(
            "MATCH (n:Document {id: $id}) SET n.sensitivity = $value RETURN n",
            f"document:{doc_id}",
            label,
        )

    def set_chunk_label(self, chunk_id: str, label: str) -> None:
        self._set(
            "MATCH (n:Child {id: $id}) SET n.sensitivity = $value RETURN n",
            f"child:{chunk_id}",
            label,
        )

    def set_section_label(self, doc_id: str, no: int, label: str) -> None:
        self._set(
            "MATCH (n:Section {id: $id}) SET n.sensitivity = $value RETURN n",
            f"section:{doc_id}#s{no}",
            label,
        )

    def set_window_text(self, chunk_id: str, text: str) -> None:
        self._set(
            "MATCH (n:Child {id: $id}) SET n.window_text = $value RETURN n",
            f"child:{chunk_id}",
            text,
        )

    def lose_text(self, doc_id: str) -> None:
        self._set(
            "MATCH (n:Document {id: $id}) REMOVE n.offsets"
            " WITH n MATCH (n)-[:HAS_TEXT]->(t) WITH n, collect(t) AS texts"
            " FOREACH (t IN texts | DETACH DELETE t) RETURN n, $value AS value",
            f"document:{doc_id}",
            "",
        )

    def lose_node(self, doc_id: str, no: int) -> None:
        self._set(
            "MATCH (n:Branch {id: $id}) DETACH DELETE n RETURN $value AS value",
            f"branch:{doc_id}#{no}",
            "",
        )

    def statements(self, store: Store, call: Callable[[], object]) -> int:
        assert any(one is store for one in self._opened)
        sent = 0

        def counting(run: Callable[..., Result]) -> Callable[..., Result]:
            def counted(*args: Any, **kwargs: Any) -> Result:
                nonlocal sent
                sent += 1
                return run(*args, **kwargs)

            return counted

        with ExitStack() as patches:
            for runner in (Transaction, Session):
                patches.enter_context(patch.object(runner, "run", counting(runner.run)))
            call()
        return sent

    def _set(self, query: LiteralString, node_id: str, value: str) -> None:
        assert len(self.raw(query, id=node_id, value=value)) == 1


def fresh_backend(
    server: Server, restricted_at_rest: Literal["stub", "text"]
) -> Iterator[Neo4jBackend]:
    """A server as a place for one store; all that the store keeps is removed after it."""
    backend = Neo4jBackend(server, restricted_at_rest)
    yield backend
    backend.close()
    server.empty()
