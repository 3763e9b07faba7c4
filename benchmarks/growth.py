"""How cost grows with the number of children, for `parent_child`.

Every few lines of a document become a section, each line a paragraph in it, so that every child has
a window. Printed for each size: ingest in children a second; p50 in milliseconds of a search for
twenty hits, of expanding those to their windows, and of a search filtered to one collection in ten;
the time to delete one document and erase it; bytes of the closed file over bytes of text. Texts:
see `benchmarks.corpus`.
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

from benchmarks.corpus import documents, questions
from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, ServiceConfig
from ragspine_graph.retrieval.narrative_link import expand, link
from ragspine_store import ChunkStore, DocumentMeta, make_chunker
from ragspine_store.protocols import Scope
from ragspine_store.query import parse_query

COLLECTIONS = 10
LINES_A_SECTION = 4


def as_markdown(doc_id: str, text: str) -> str:
    """The document with a heading over every few lines."""
    lines = text.splitlines()
    sections = (lines[i : i + LINES_A_SECTION] for i in range(0, len(lines), LINES_A_SECTION))
    body = "\n\n".join(
        f"## {doc_id} {number}\n\n" + "\n\n".join(section)
        for number, section in enumerate(sections)
    )
    return f"# {doc_id}\n\n{body}\n"


def p50_ms(call: Callable[[str], object], asked: Iterable[str]) -> float:
    """The median time of a call over the questions."""
    times_ms: list[float] = []
    for question in asked:
        start = time.perf_counter()
        call(question)
        times_ms.append(1000 * (time.perf_counter() - start))
    return statistics.median(times_ms)


def measure(folder: Path, data: Path, size: int, asked: Sequence[str]) -> list[str]:
    """One row of the table."""
    file = folder / "growth.db"
    store = ChunkStore(file)
    store.init_schema()
    index = NarrativeIndex(store, chunker=make_chunker("parent_child"))
    children, text_bytes = 0, 0
    start = time.perf_counter()
    for number, (doc_id, text) in enumerate(documents(data)):
        if children >= size:
            break
        markdown = as_markdown(doc_id, text)
        meta = DocumentMeta(f"{number}.md", collection=f"c{number % COLLECTIONS}")
        children += index.ingest(markdown, meta)
        text_bytes += len(markdown.encode())
    ingest_s = time.perf_counter() - start
    plain = p50_ms(lambda q: index.search(q, k=20, expand="none"), asked)
    with store.reading() as transaction:
        reader = Reader()
        hits = {
            q: link(transaction, transaction.search(parse_query(q), Scope(reader), 20), reader)
            for q in asked
        }
        expanded = p50_ms(lambda q: expand(transaction, hits[q], reader), asked)
    filtered = p50_ms(lambda q: index.search(q, k=20, filters={"collection": ["c3"]}), asked)
    with KnowledgeBase(store, ServiceConfig.load()) as knowledge:
        start = time.perf_counter()
        knowledge.delete("7.md")
        delete_ms = 1000 * (time.perf_counter() - start)
    return [
        f"{children:,}",
        f"{children / ingest_s:,.0f}",
        f"{plain:.1f}",
        f"{expanded:.1f}",
        f"{filtered:.1f}",
        f"{delete_ms:.0f}",
        f"{file.stat().st_size / text_bytes:.2f}",
    ]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=40)
    arguments = parser.parse_args()
    asked = questions(arguments.data, arguments.questions)
    table = Table(
        "children",
        "ingest/s",
        "search ms",
        "20 windows ms",
        "filtered ms",
        "delete ms",
        "file / text",
    )
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as scratch:
            table.add_row(*measure(Path(scratch), arguments.data, size, asked))
    Console().print(table)


if __name__ == "__main__":
    main()
