"""What the store adds to what a Neo4j server does anyway, at growing sizes on one server in a run.

**Search.** p50 in milliseconds of the public read, which is search, rows and windows in one
transaction, with ten hits; beside it the raw full-text query alone, with the same tokens and the
same limit, giving id, text and score, in two forms. `query` runs it as the driver's manual says to,
by `execute_query`, which tries again what fails as our read does; `bare` runs it in an automatic
transaction of a session that is kept open, the least that the driver can do. The target, 1.5 times,
is on `query`.

**Ingest.** Children a second of whole documents, one transaction each: ours, from the prepared
document on (rows and tokens made in Python, the write lock, what was there before, the graph with
its relationships); beside it a bare `UNWIND` of the same rows, made beforehand, in two forms.
`all rows` writes the nodes of document, text, sections and children, one statement for each kind;
`children` writes the children alone. Both enter the same constraints and indexes and have no
relationships. The target, half of the rate, is on `all rows`: they are what we write.

Measured in turn, question by question and document by document, so that the ratios hold on a noisy
machine; absolute times do not. Texts: see `benchmarks.corpus`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, LiteralString, TypeVar

from neo4j import Driver, RoutingControl, Session
from rich.console import Console
from rich.table import Table

from benchmarks.corpus import questions
from benchmarks.neo4j_server import (
    long_document,
    markdown_documents,
    prepare,
    running_server,
)
from ragspine_store.neo4j_store import Neo4jStore, rows
from ragspine_store.neo4j_store.search import lucene_query
from ragspine_store.protocols import Scope
from ragspine_store.query import Query, parse_query
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader
from tests.neo4j_driver import session_of

T = TypeVar("T")

HITS = 10
WARM_UP = 10
"""How often each question is asked before, so that the server has compiled what it runs."""
RAW: LiteralString = (
    "CALL db.index.fulltext.queryNodes('ragspine_tokens', $match, {limit: $k}) YIELD node, score"
    " RETURN node.id AS id, node.text AS text, score"
)
_CREATE: Mapping[str, LiteralString] = {
    "document": "UNWIND $rows AS row CREATE (n:Ragspine:Document) SET n = row",
    "text": "UNWIND $rows AS row CREATE (n:Ragspine:Text) SET n = row",
    "section": "UNWIND $rows AS row CREATE (n:Ragspine:Section) SET n = row",
    "child": "UNWIND $rows AS row CREATE (n:Ragspine:Child:RagspineSearchable) SET n = row",
}
Rows = Mapping[str, Sequence[rows.Row]]


def bare_rows(document: PreparedDocument, first_key: int) -> Rows:
    """All nodes of a document as the store writes them."""
    shared = rows.shared_properties(document)
    return {
        "document": [
            {
                "id": rows.document_node(document.meta.doc_id),
                **rows.document_row(document, 1, first_key, 1),
            }
        ],
        "text": [
            {"doc_id": document.meta.doc_id, **row}
            for row in rows.text_rows(document.meta.doc_id, document.loaded.text)
        ],
        "section": [_flat(row) for row in rows.section_rows(document)],
        "child": [{**shared, **_flat(row)} for row in rows.child_rows(document, first_key, None)],
    }


def _flat(row: rows.Row) -> rows.Row:
    properties: Any = row["properties"]
    found: Any = row.get("tokens")
    return {"id": row["id"], **properties, **(found[0] if found else {})}


def write_bare(session: Session, kinds: Iterable[str], made: Rows) -> None:
    """Write rows of those kinds in one transaction."""
    with session.begin_transaction() as transaction:
        for kind in kinds:
            for batch in rows.batches(iter(made[kind])):
                transaction.run(_CREATE[kind], rows=batch).consume()
        transaction.commit()


def read_public(store: Neo4jStore, query: Query) -> None:
    """Search, rows and windows."""
    with store.reading() as transaction:
        hits = transaction.search(query, Scope(Reader()), HITS)
        transaction.windows(transaction.candidates(hits))


def measure_search(
    store: Neo4jStore, driver: Driver, asked: Sequence[str], rounds: int
) -> list[float]:
    """p50 in milliseconds: ours, query, bare."""
    with session_of(driver) as session:

        def ours(query: Query) -> None:
            read_public(store, query)

        def managed(query: Query) -> None:
            driver.execute_query(
                RAW, {"match": lucene_query(query.terms), "k": HITS}, routing_=RoutingControl.READ
            )

        def bare(query: Query) -> None:
            list(session.run(RAW, match=lucene_query(query.terms), k=HITS))

        calls = [ours, managed, bare]
        parsed = [parse_query(question) for question in asked]
        in_turn(calls, parsed * WARM_UP)
        taken = in_turn(calls, parsed * rounds)
    return [1000 * statistics.median(times) for times in taken]


def measure_ingest(
    store: Neo4jStore, driver: Driver, documents: Sequence[PreparedDocument], name: str
) -> list[float]:
    """Children a second: ours, all rows, children alone; nothing of it is left."""
    ours = [_renamed(document, f"{name}/{no}.md") for no, document in enumerate(documents)]
    raw = [
        [
            bare_rows(_renamed(document, f"{name}/{kind}/{no}.md"), -(no + 1) * 2**20)
            for no, document in enumerate(documents)
        ]
        for kind in ("all rows", "children")
    ]
    with session_of(driver) as session:

        def put(at: int) -> None:
            with store.writing() as transaction:
                transaction.put(ours[at])

        taken = in_turn(
            [
                put,
                lambda at: write_bare(session, _CREATE, raw[0][at]),
                lambda at: write_bare(session, ["child"], raw[1][at]),
            ],
            range(len(documents)),
        )
        children = sum(len(document.chunks) for document in documents)
        session.run(
            "MATCH (n:Ragspine) WHERE n.doc_id STARTS WITH $name"
            " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
            name=f"{name}/",
        ).consume()
    return [children / sum(times) for times in taken]


def _renamed(document: PreparedDocument, doc_id: str) -> PreparedDocument:
    return prepare(doc_id, document.loaded.full_text)


def in_turn(calls: Sequence[Callable[[T], object]], values: Iterable[T]) -> list[list[float]]:
    """The seconds that each call took with each value; which goes first changes each time."""
    taken: list[list[float]] = [[] for _ in calls]
    for number, value in enumerate(values):
        for at in range(number, number + len(calls)):
            call, times = calls[at % len(calls)], taken[at % len(calls)]
            start = time.perf_counter()
            call(value)
            times.append(time.perf_counter() - start)
    return taken


def fill(store: Neo4jStore, texts: Iterator[tuple[str, str]], children: int) -> int:
    """Write documents until they have so many children; how many they have."""
    written = 0
    while written < children:
        document = prepare(*next(texts))
        with store.writing() as transaction:
            transaction.put(document)
        written += len(document.chunks)
    return written


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--version", default="5.26.30", help="of the server started here")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=10, help="how often each question is asked")
    parser.add_argument("--documents", type=int, default=60, help="ingested to measure")
    arguments = parser.parse_args()
    asked = questions(arguments.data, arguments.questions)
    search = Table("children", "ours ms", "query ms", "bare ms", "ours / query", "ours / bare")
    ingest = Table(
        "children",
        "a document",
        "ours /s",
        "all rows /s",
        "children /s",
        "ours / all rows",
        "ours / children",
    )
    texts = markdown_documents(arguments.data)
    children = 0
    with (
        running_server(arguments.version) as server,
        server.driver() as driver,
        server.empty_store() as store,
    ):
        for size in arguments.sizes:
            children += fill(store, texts, size - children)
            ours, managed, bare = measure_search(store, driver, asked, arguments.rounds)
            search.add_row(
                f"{children:,}",
                *(f"{figure:.2f}" for figure in (ours, managed, bare, ours / managed, ours / bare)),
            )
            small = [prepare(*text) for text in islice(texts, arguments.documents)]
            large = [
                long_document(arguments.data, f"{no}.md", 1_000)
                for no in range(max(1, arguments.documents // 20))
            ]
            for documents in (small, large):
                put, whole, alone = measure_ingest(store, driver, documents, "measured")
                ingest.add_row(
                    f"{children:,}",
                    f"{sum(len(d.chunks) for d in documents) / len(documents):,.0f}",
                    *(f"{figure:,.0f}" for figure in (put, whole, alone)),
                    f"{put / whole:.2f}",
                    f"{put / alone:.2f}",
                )
    Console().print(search)
    Console().print(ingest)


if __name__ == "__main__":
    main()
