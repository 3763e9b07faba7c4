"""What search by words costs in a large store, and what looking for candidates first loses.

The passages of `ja_lawqa`, several times over, each time as a collection of its own, cut by
`hierarchical`; the questions without their choices. Each is asked twice of the embedded store: for
all that its terms find, and with candidates found by its rarest terms. Printed: CPU milliseconds of
a search for 50 hits (p50, p95), the share of the first 10 and of the first 50 that both have
(copies of a passage count as one), how often the first hit is the same, and R@5 of passages. The
last column is a search of one collection alone.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.question_sets import passages
from ragspine_graph.evaluation import Question
from ragspine_graph.evaluation.measures import percentile
from ragspine_graph.evaluation.questions import NodeGold
from ragspine_store import ChunkStore, DocumentMeta, make_chunker
from ragspine_store.ingest import ingest_text
from ragspine_store.ingest_draft import IngestSettings
from ragspine_store.protocols import Scope
from ragspine_store.query import parse_query
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import pruning
from ragspine_store.words import find_words_of

DEPTH = 50
NEVER = 10**12

Found = list[str]
"""Ids of the passages of the hits without the number of the copy, best first."""


def fill(store: ChunkStore, folder: Path, copies: int) -> None:
    """Ingest every file of a folder so many times."""
    settings = IngestSettings(chunker=make_chunker("hierarchical"))
    for copy in range(copies):
        for file in sorted(folder.glob("*.md")):
            meta = DocumentMeta(f"{copy}/{folder.name}/{file.name}", collection=f"c{copy}")
            ingest_text(file.read_text(encoding="utf-8"), meta, store, settings)


def ask(store: ChunkStore, text: str, reader: Reader) -> tuple[float, Found]:
    """How long a search takes, and what it finds."""
    find_words = find_words_of(store.words)
    start = time.process_time()
    with store.reading() as transaction:
        hits = transaction.search(parse_query(text, find_words), Scope(reader), DEPTH)
        took_ms = 1000 * (time.process_time() - start)
        rows = transaction.candidates(hits)
    return took_ms, [row.chunk.chunk_id.partition("/")[2] for row in rows]


def shared(one: Found, other: Found, first: int) -> float:
    """The share of the first of one ranking that the first of the other hold too."""
    wanted = set(one[:first])
    return len(wanted & set(other[:first])) / len(wanted)


def recall(question: Question, found: Found) -> float:
    """R@5 of passages, each once."""
    best = list(dict.fromkeys(chunk.partition("#")[0] for chunk in found))[:5]
    gold = [g.node_id for g in question.gold if isinstance(g, NodeGold)]
    return sum(node_id in best for node_id in gold) / len(gold)


def measure(store: ChunkStore, questions: Sequence[Question]) -> list[list[str]]:
    """One row for all that is found, one for candidates first."""
    usual = pruning.MAX_POSTINGS
    whole, one = Reader(), Reader(collections=frozenset({"c0"}))

    def all_of(limit: int, reader: Reader) -> list[tuple[float, Found]]:
        pruning.MAX_POSTINGS = limit
        try:
            return [ask(store, question.text, reader) for question in questions]
        finally:
            pruning.MAX_POSTINGS = usual

    exact = all_of(NEVER, whole)
    rows: list[list[str]] = []
    for name, limit in (("all that is found", NEVER), ("candidates first", usual)):
        asked = exact if limit is NEVER else all_of(limit, whole)
        narrow = all_of(limit, one)
        pairs = [(e, f) for (_, e), (_, f) in zip(exact, asked, strict=True)]

        def mean(
            figure: Callable[[Found, Found], float], pairs: Iterable[tuple[Found, Found]] = pairs
        ) -> str:
            return f"{statistics.mean(figure(e, f) for e, f in pairs):.3f}"

        times = [took for took, _ in asked]
        recalls = [recall(q, f) for q, (_, f) in zip(questions, asked, strict=True)]
        rows.append(
            [
                name,
                f"{percentile(times, 0.5):.0f}",
                f"{percentile(times, 0.95):.0f}",
                mean(lambda e, f: shared(e, f, 10)),
                mean(lambda e, f: shared(e, f, 50)),
                mean(lambda e, f: e[:1] == f[:1]),
                f"{statistics.mean(recalls):.3f}",
                f"{percentile([took for took, _ in narrow], 0.5):.0f}",
            ]
        )
    return rows


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--words", choices=("none", "sudachi"), default="none")
    arguments = parser.parse_args()
    head = ["", "p50 ms", "p95 ms", "same of 10", "same of 50", "same first", "R@5", "one of all"]
    for copies in arguments.copies:
        with tempfile.TemporaryDirectory() as scratch:
            asked = passages(arguments.data, "ja_lawqa", Path(scratch))
            with ChunkStore(Path(scratch, "pruning.db"), words=arguments.words) as store:
                store.init_schema()
                fill(store, asked.folders[0], copies)
                table = Table(*head, title=f"{store.count():,} children")
                for row in measure(store, asked.questions):
                    table.add_row(*row)
        Console().print(table)


if __name__ == "__main__":
    main()
