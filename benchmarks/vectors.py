"""What finding the nearest children costs beside the bare product of a matrix and a vector.

Documents of twenty short children in four parents; fifty documents are about one topic, and the
vectors of their parts are drawn around its own. Printed for each size: p50 in milliseconds of the
product and of the nearest children, elapsed; then CPU milliseconds, which hold on a noisy machine:
p50 of the product, of the nearest children, of those of a filter for one collection in ten, of the
nearest parents, of a search after a small write of the same process, and after another's; and of
the first search after opening, which reads the vectors into memory. Last the memory that both kinds
then take, beside that of their numbers alone, and the bytes of the file for vectors, over those of
their numbers.

With `OPENBLAS_NUM_THREADS=1` the product runs on one core, as where several search at once.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import resource
import sqlite3
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ragspine_store import ChunkStore
from ragspine_store.protocols import Scope, Store
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.vectors import PartVector, VectorKind

MODEL = "drawn at random"
PARENTS, CHILDREN = 4, 5
DOCUMENTS_A_TOPIC = 50
COLLECTIONS = 10
HITS = 50
READER = Reader()
Vectors = NDArray[np.float32]


def drawn(chance: np.random.Generator, number: int, dimensions: int) -> Vectors:
    """Vectors of unit length in any direction."""
    rows = chance.standard_normal((number, dimensions), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def around(chance: np.random.Generator, centre: Vectors, number: int) -> Vectors:
    """Vectors of unit length that have a cosine of about 0.7 with one."""
    rows = centre + drawn(chance, number, len(centre))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def documents(chance: np.random.Generator, dimensions: int) -> Iterator[PreparedDocument]:
    """Documents with vectors, without end."""
    topic = drawn(chance, 1, dimensions)[0]
    for no in count():
        if no % DOCUMENTS_A_TOPIC == 0:
            topic = drawn(chance, 1, dimensions)[0]
        parts = [
            Part(f"Heading {n}", tuple(f"Child {m} of {n} in {no}." for m in range(CHILDREN)))
            for n in range(PARENTS)
        ]
        document = make_document(
            f"{no:06}.md", *parts, described={"collection": f"c{no % COLLECTIONS}"}
        )
        rows = around(chance, topic, PARENTS * CHILDREN + PARENTS)
        places = [(VectorKind.CHILD, chunk.seq) for chunk in document.chunks]
        places += [(VectorKind.PARENT, n * CHILDREN) for n in range(PARENTS)]
        vectors = [
            PartVector(MODEL, kind, seq, hashlib.sha256(row.tobytes()).digest(), row.tobytes())
            for (kind, seq), row in zip(places, rows, strict=True)
        ]
        yield dataclasses.replace(document, vectors=vectors)


def nearest(
    store: Store, vector: Sequence[float], kind: VectorKind = VectorKind.CHILD, **filters: list[str]
) -> int:
    """How many children are near."""
    with store.reading() as transaction:
        return len(transaction.nearest(MODEL, vector, kind, Scope(READER, filters), HITS))


def elapsed_ms(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def cpu_ms(call: Callable[[], object]) -> float:
    """What a call takes of all cores together."""
    start = time.process_time()
    call()
    return 1000 * (time.process_time() - start)


def resident_mb() -> float:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def bytes_of_vectors(file: Path) -> int:
    """How much of the file the tables of vectors and their indexes take."""
    with closing(sqlite3.connect(file)) as db:
        return db.execute(
            "SELECT SUM(pgsize) FROM dbstat WHERE name IN"
            " (SELECT name FROM sqlite_master WHERE tbl_name = 'part_vector')"
        ).fetchone()[0]


def measure(file: Path, size: int, dimensions: int, questions: int) -> list[str]:
    """One row of the table."""
    chance = np.random.default_rng(7)
    made = documents(chance, dimensions)
    store = ChunkStore(file)
    store.init_schema()
    for _ in range(size // (PARENTS * CHILDREN)):
        with store.writing() as transaction:
            transaction.put(next(made))
    numbers = size * (PARENTS + PARENTS * CHILDREN) // (PARENTS * CHILDREN) * dimensions * 4
    with store.reading() as transaction:
        assert transaction.vector_counts()[0].children == size
    bytes_kept = bytes_of_vectors(file)
    asked = drawn(chance, questions, dimensions)
    before = resident_mb()
    first = cpu_ms(lambda: nearest(store, asked[0].tolist()))
    nearest(store, asked[0].tolist(), VectorKind.PARENT)
    held = resident_mb() - before
    matrix = drawn(chance, size, dimensions)
    cost: defaultdict[str, list[float]] = defaultdict(list)
    for row in asked:
        vector = row.tolist()
        calls: Mapping[str, Callable[[], object]] = {
            "product": lambda row=row: matrix @ row,
            "children": lambda vector=vector: nearest(store, vector),
            "filtered": lambda vector=vector: nearest(store, vector, collection=["c3"]),
            "parents": lambda vector=vector: nearest(store, vector, VectorKind.PARENT),
        }
        for name, call in calls.items():
            cost[f"elapsed {name}"].append(elapsed_ms(call))
            cost[name].append(cpu_ms(call))
    other = ChunkStore(file)
    for writer, name in ((store, "own write"), (other, "other's write")):
        for _ in range(5):
            with writer.writing() as transaction:
                transaction.put(next(made))
            cost[name].append(cpu_ms(lambda: nearest(store, asked[0].tolist())))
    other.close()
    store.close()
    return [
        f"{size:,}",
        *(f"{statistics.median(cost[name]):.1f}" for name in TIMES),
        f"{first:,.0f}",
        f"{held:.0f}",
        f"{numbers / 1e6:.0f}",
        f"{bytes_kept / numbers:.2f}",
    ]


TIMES = (
    *("elapsed product", "elapsed children", "product", "children", "filtered", "parents"),
    *("own write", "other's write"),
)
COLUMNS = ("size", *TIMES, "first", "held MB", "numbers MB", "file/numbers")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--questions", type=int, default=50)
    arguments = parser.parse_args()
    table = Table(*COLUMNS, title=f"{arguments.dimensions} dimensions, {HITS} hits, times in ms")
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "vectors.db"
            table.add_row(*measure(file, size, arguments.dimensions, arguments.questions))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
