"""What finding the nearest children on a Neo4j server costs, and how much of it its index misses.

The documents of `benchmarks.vectors`, and questions drawn around vectors of children. Printed for
each size: children written a second, with their vectors; p50 in milliseconds of the nearest
children, of the nearest parents, and of the nearest children in one collection of ten, of which the
index may give too few, so that all of them are compared; and what share of the fifty nearest
children, by a product of all of them in NumPy, was found.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from itertools import islice

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.neo4j_server import Server, running_server
from benchmarks.vectors import (
    CHILDREN,
    HITS,
    MODEL,
    PARENTS,
    READER,
    around,
    documents,
    elapsed_ms,
    nearest,
)
from ragspine_store.protocols import Scope
from ragspine_store.vectors import VectorKind

WARM_UP = 5


def measure(server: Server, size: int, dimensions: int, questions: int) -> list[str]:
    """One row of the table."""
    chance = np.random.default_rng(7)
    made = list(islice(documents(chance, dimensions), size // (PARENTS * CHILDREN)))
    vectors = {
        f"{document.meta.doc_id}#c{v.seq}": np.frombuffer(v.values, dtype="<f4")
        for document in made
        for v in document.vectors
        if v.kind is VectorKind.CHILD
    }
    ids, matrix = list(vectors), np.array(list(vectors.values()))
    asked = [around(chance, matrix[chance.integers(len(matrix))], 1)[0] for _ in range(questions)]
    cost: defaultdict[str, list[float]] = defaultdict(list)
    found = 0
    with server.empty_store() as store:
        start = time.perf_counter()
        for document in made:
            with store.writing() as transaction:
                transaction.put(document)
        rate = size / (time.perf_counter() - start)
        for no, row in enumerate(asked[:WARM_UP] + asked):
            vector = row.tolist()
            children = elapsed_ms(lambda vector=vector: nearest(store, vector))
            parents = elapsed_ms(lambda vector=vector: nearest(store, vector, VectorKind.PARENT))
            narrow = elapsed_ms(lambda vector=vector: nearest(store, vector, collection=["c3"]))
            if no < WARM_UP:
                continue
            cost["children"].append(children)
            cost["parents"].append(parents)
            cost["narrow"].append(narrow)
            with store.reading() as reading:
                hits = reading.nearest(MODEL, vector, VectorKind.CHILD, Scope(READER), HITS)
                ours = {c.chunk.chunk_id for c in reading.candidates(hits)}
            best = np.argsort(-(matrix @ row))[:HITS]
            found += len(ours & {ids[n] for n in best})
    return [
        f"{size:,}",
        f"{rate:,.0f}",
        *(f"{statistics.median(times):.1f}" for times in cost.values()),
        f"{found / (HITS * questions):.4f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--version", default="5.26.30", help="of a server that is started here")
    arguments = parser.parse_args()
    table = Table("size", "written/s", "children", "parents", "one in ten", f"recall@{HITS}")
    with running_server(arguments.version, heap="2g") as server:
        for size in arguments.sizes:
            table.add_row(*measure(server, size, arguments.dimensions, arguments.questions))
    Console().print(table)


if __name__ == "__main__":
    main()
