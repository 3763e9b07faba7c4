"""What the benchmarks of the store on a Neo4j server share: the server, and documents for it.

The server is the one at `NEO4J_TEST_URI` (with `NEO4J_USERNAME`, `NEO4J_PASSWORD`), whose nodes
labelled Ragspine are deleted; else one is started on this machine, from jars that Maven gets and a
JDK, with a heap of 1 GB unless said otherwise.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString

from neo4j import Driver, Session

from benchmarks.apoc import fetch_apoc
from benchmarks.corpus import documents
from benchmarks.growth import as_markdown
from ragspine_store import DocumentMeta
from ragspine_store.chunking import ParentChildChunker
from ragspine_store.loading import load_text
from ragspine_store.neo4j_store import Neo4jStore
from ragspine_store.records import PreparedDocument
from tests.neo4j_driver import open_driver, session_of
from tests.neo4j_local import LocalServer

HEAP = "1g"
_UNRESTRICTED = {"dbms.security.procedures.unrestricted": "apoc.meta.*"}  # by its default not
_CLEAR: tuple[LiteralString, ...] = (
    "DROP INDEX ragspine_tokens IF EXISTS",
    "DROP INDEX ragspine_other_tokens IF EXISTS",
    "MATCH (n:Ragspine) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS",
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    Attributes:
        uri, username, password: how to reach it.
    """

    uri: str
    username: str
    password: str = field(repr=False)

    @contextmanager
    def driver(self) -> Generator[Driver]:
        """A driver of one's own, for what no store does."""
        with open_driver(self.uri, self.username, self.password) as driver:
            yield driver

    @contextmanager
    def empty_store(self) -> Generator[Neo4jStore]:
        """A store without documents."""
        with self.driver() as driver, session_of(driver) as session:
            clear(session)
        with Neo4jStore(self.uri, username=self.username, password=self.password) as store:
            store.init_schema()
            yield store


@contextmanager
def running_server(version: str, *, heap: str = HEAP, with_apoc: bool = False) -> Generator[Server]:
    """The server to measure.

    Args:
        version: of one that is started here.
        heap: its memory.
        with_apoc: whether it has the procedures of APOC Core.
    """
    if uri := os.environ.get("NEO4J_TEST_URI"):
        username = os.environ.get("NEO4J_USERNAME") or "neo4j"
        yield Server(uri, username, os.environ.get("NEO4J_PASSWORD") or "")
        return
    plugins, settings = (fetch_apoc(), _UNRESTRICTED) if with_apoc else (None, {})
    with closing(LocalServer(version, settings, heap=heap, plugins=plugins)) as local:
        local.start()
        yield Server(local.uri, "neo4j", local.password)


def clear(session: Session) -> None:
    """Remove all that stores keep, with the full-text indexes, which remember deleted nodes."""
    for query in _CLEAR:
        session.run(query).consume()


def markdown_documents(data: Path) -> Iterator[tuple[str, str]]:
    """Ids and texts of documents without end: twenty lines, and a heading over every four."""
    for number, (doc_id, text) in enumerate(documents(data)):
        yield f"{number}.md", as_markdown(doc_id, text)


def long_document(data: Path, doc_id: str, lines: int) -> PreparedDocument:
    """One document of so many children below one parent."""
    texts = (line for _, text in documents(data) for line in text.splitlines())
    return prepare(doc_id, "# Lines\n\n" + "\n\n".join(itertools.islice(texts, lines)))


def prepare(doc_id: str, markdown: str) -> PreparedDocument:
    """A document as `ingest` gives it to a store, cut by `parent_child`."""
    meta, loaded = DocumentMeta(doc_id), load_text(markdown, name=doc_id)
    chunker = ParentChildChunker()
    chunks = chunker.chunk(loaded.text, meta, outline=loaded.outline)
    return PreparedDocument(meta, loaded, chunks, chunker.spec, source_path="", fingerprint=doc_id)
