"""What building a context adds to a search, over trees of five levels.

The fifth level is the children: four to an article, four articles to a section, four sections to a
chapter. Printed for each size, once with many documents and once with all children in one: the p50
in milliseconds of a search for twenty hits, and of building a context of those hits, by window and
by merging. `apart` are real questions, whose hits lie apart; `together` are the names of a section
and of an article elsewhere, whose twenty children are the hits, and merge into two blocks. Texts:
see `benchmarks.corpus`.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.corpus import documents, questions
from ragspine_graph import NarrativeIndex, Reader
from ragspine_graph.retrieval import ContextSettings, Shape
from ragspine_graph.retrieval.context import build_context
from ragspine_graph.retrieval.narrative_link import link
from ragspine_store import ChunkStore, DocumentMeta, make_chunker
from ragspine_store.protocols import Scope
from ragspine_store.query import parse_query

K = 20
CHILDREN_A_DOCUMENT = 640
SHAPES: tuple[Shape, ...] = ("window", "merge")
LEVELS = ((64, "##", "c"), (16, "###", "s"), (4, "####", "a"))


def name(letter: str, document: int, position: int) -> str:
    """A word that stands in one heading and nowhere else; of letters alone, so one token."""
    digits = f"{document}x{position}".translate(dict(zip(b"0123456789", "abcdefghij", strict=True)))
    return f"zz{letter}{digits}"


def as_tree(document: int, lines: Sequence[str]) -> str:
    """The lines as children of articles, sections and chapters."""
    parts = [f"# {name('d', document, 0)}"]
    for position, line in enumerate(lines):
        parts += [
            f"{marks} {name(letter, document, position // size)}"
            for size, marks, letter in LEVELS
            if position % size == 0
        ]
        parts.append(line)
    return "\n\n".join(parts) + "\n"


def clock_ms() -> float:
    """Now."""
    return 1000 * time.perf_counter()


def times_ms(store: ChunkStore, asked: Sequence[str]) -> list[str]:
    """Median times of a search, windows and merging, and the blocks that a question merges into."""
    reader = Reader()
    window, merge = (ContextSettings(shape, 100_000, max_parents=K) for shape in SHAPES)
    rows: list[tuple[float, float, float]] = []
    blocks = 0
    with store.reading() as transaction:
        for question in asked:
            start = clock_ms()
            hits = transaction.search(parse_query(question), Scope(reader), K)
            children = link(transaction, hits, reader)
            found = clock_ms()
            build_context(transaction, children, reader, window)
            windowed = clock_ms()
            context = build_context(transaction, children, reader, merge)
            rows.append((found - start, windowed - found, clock_ms() - windowed))
            blocks += len(context.blocks)
    medians = [f"{statistics.median(column):.1f}" for column in zip(*rows, strict=True)]
    return [*medians, f"{blocks / len(asked):.0f}"]


def measure(data: Path, file: Path, size: int, asked: Sequence[str], *, is_one: bool) -> list[str]:
    """One row of the table."""
    with ChunkStore(file) as store:
        store.init_schema()
        index = NarrativeIndex(store, chunker=make_chunker("hierarchical"))
        lines = itertools.chain.from_iterable(text.splitlines() for _, text in documents(data))
        wanted = size if is_one else CHILDREN_A_DOCUMENT
        count = 1 if is_one else -(-size // wanted)
        children = 0
        for document in range(count):
            text = as_tree(document, list(itertools.islice(lines, wanted)))
            children += index.ingest(text, DocumentMeta(f"{document}.md"))
        draw = random.Random(2).randrange
        sections, articles = wanted // 16, wanted // 4
        together = [
            f"{name('s', draw(count), draw(sections))} {name('a', draw(count), draw(articles))}"
            for _ in asked
        ]
        return [
            f"{children:,}",
            f"{count:,}",
            *times_ms(store, asked),
            *times_ms(store, together),
        ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 50_000])
    parser.add_argument("--questions", type=int, default=100)
    arguments = parser.parse_args()
    asked = questions(arguments.data, arguments.questions)
    table = Table("children", "documents")
    for kind in ("apart", "together"):
        for column in ("search ms", "window ms", "merge ms", "blocks"):
            table.add_column(f"{kind}:\n{column}")
    for size in arguments.sizes:
        for is_one in (False, True):
            with tempfile.TemporaryDirectory() as scratch:
                file = Path(scratch, "merging.db")
                table.add_row(*measure(arguments.data, file, size, asked, is_one=is_one))
    Console().print(table)


if __name__ == "__main__":
    main()
