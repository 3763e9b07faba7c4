"""How the cost of one document on a Neo4j server grows with its children, all below one parent.

Printed for each size: children written a second, in the one transaction that a document is; p50 in
milliseconds of the public read of ten hits in it; the time to relabel it and to delete it. Linear
means that the rates stay. Then the largest document that fits: sizes grow by a quarter until the
server refuses one; a server's memory decides (`--heap`). Texts: see `benchmarks.corpus`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.corpus import questions
from benchmarks.neo4j_cost import in_turn, read_public
from benchmarks.neo4j_server import long_document, running_server
from ragspine_store.errors import StoreError
from ragspine_store.neo4j_store import Neo4jStore
from ragspine_store.neo4j_store.writing import WriteTransaction
from ragspine_store.query import parse_query
from ragspine_store.sensitivity import Sensitivity

GROWTH = 1.25


def change(store: Neo4jStore, make: Callable[[WriteTransaction], object]) -> float:
    """Seconds that a transaction of one change takes."""
    start = time.perf_counter()
    with store.writing() as transaction:
        make(transaction)
    return time.perf_counter() - start


def put(store: Neo4jStore, data: Path, children: int) -> float:
    """Seconds to write one document of so many children, named by how many they are."""
    document = long_document(data, f"{children}.md", children)
    return change(store, lambda transaction: transaction.put(document))


def relabel(store: Neo4jStore, children: int) -> float:
    """Seconds to relabel it."""
    level = Sensitivity.CONFIDENTIAL
    return change(store, lambda transaction: transaction.relabel(f"{children}.md", level))


def delete(store: Neo4jStore, children: int) -> float:
    """Seconds to delete it."""
    return change(store, lambda transaction: transaction.delete(f"{children}.md"))


def largest(store: Neo4jStore, data: Path, start: int) -> int:
    """Children of the largest document that fits."""
    fitting = start
    for power in count(1):
        children = int(start * GROWTH**power)
        try:
            put(store, data, children)
        except StoreError:
            return fitting
        delete(store, children)
        fitting = children
    raise AssertionError("a server's memory ends")


def main() -> None:
    """Print one table and one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--version", default="5.26.30", help="of the server started here")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[3_125, 6_250, 12_500, 25_000, 50_000]
    )
    parser.add_argument("--heap", default="2g", help="of the server started here")
    arguments = parser.parse_args()
    asked = [parse_query(question) for question in questions(arguments.data, 40)]
    table = Table("children", "written /s", "search ms", "relabelled /s", "deleted /s")
    with (
        running_server(arguments.version, heap=arguments.heap) as server,
        server.empty_store() as store,
    ):
        put(store, arguments.data, 1_000)  # so that the server has compiled what it runs
        delete(store, 1_000)
        for size in arguments.sizes:
            written = put(store, arguments.data, size)
            (taken,) = in_turn([lambda query: read_public(store, query)], asked * 5)
            relabelled = relabel(store, size)
            deleted = delete(store, size)
            table.add_row(
                f"{size:,}",
                f"{size / written:,.0f}",
                f"{1000 * statistics.median(taken):.1f}",
                f"{size / relabelled:,.0f}",
                f"{size / deleted:,.0f}",
            )
        Console().print(table)
        fits = largest(store, arguments.data, max(arguments.sizes))
    Console().print(f"largest document written: {fits:,} children (heap {arguments.heap})")


if __name__ == "__main__":
    main()
