"""This project beside `rag-spine`, in one run on the same texts.

Both sides cut the same documents with the same default chunker into the same chunks, and answer the
same questions with ten hits. Printed for each size: ingest in chunks a second, p50 and p95 of a
query in milliseconds, bytes of the closed store's files over bytes of text, and how many times
better we are. Texts: see `benchmarks.corpus`.

The peer waits for the disk at each commit, we at each checkpoint (ADR 0011): a run on another disk
gives another ratio of ingest.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from ragspine.retrieval.chunking.chunk_store import ChunkStore as PeerStore
from ragspine.retrieval.chunking.chunking import DocumentMeta as PeerMeta
from ragspine.retrieval.lexical.retrieval import NarrativeIndex as PeerIndex
from rich.console import Console
from rich.table import Table

from benchmarks.corpus import documents, questions
from ragspine_graph import NarrativeIndex
from ragspine_store import ChunkStore, DocumentMeta, chunk_document

Documents = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one side needed."""

    ingest_chunks_per_s: float
    query_p50_ms: float
    query_p95_ms: float
    file_bytes_per_text_byte: float

    def times_better(self, other: Figures) -> tuple[float, ...]:
        """How many times better than the other side, figure by figure."""
        return (
            self.ingest_chunks_per_s / other.ingest_chunks_per_s,
            other.query_p50_ms / self.query_p50_ms,
            other.query_p95_ms / self.query_p95_ms,
            other.file_bytes_per_text_byte / self.file_bytes_per_text_byte,
        )


def enough_documents(data: Path, chunks: int) -> Documents:
    """As many documents as give that many default chunks."""
    found: list[tuple[str, str]] = []
    made = 0
    for doc_id, text in documents(data):
        if made >= chunks:
            break
        found.append((doc_id, text))
        made += len(chunk_document(text, DocumentMeta(doc_id)))
    return found


def measure_ours(folder: Path, texts: Documents, asked: Sequence[str]) -> Figures:
    """This project's figures."""
    store = ChunkStore(folder / "ours.db")
    store.init_schema()
    index = NarrativeIndex(store)
    return _measure(
        folder / "ours.db",
        texts,
        asked,
        ingest=lambda doc_id, text: index.ingest(text, DocumentMeta(doc_id)),
        query=lambda question: index.search(question, k=10),
        close=store.close,
    )


def measure_peer(folder: Path, texts: Documents, asked: Sequence[str]) -> Figures:
    """The peer's figures."""
    store = PeerStore(folder / "peer.db")
    store.init_schema()
    index = PeerIndex(store, top_k=10)
    return _measure(
        folder / "peer.db",
        texts,
        asked,
        ingest=lambda doc_id, text: index.ingest(text, PeerMeta(doc_id=doc_id)),
        query=lambda question: index.retrieve(question, top_k=10),
        close=store.close,
    )


def _measure(
    file: Path,
    texts: Documents,
    asked: Sequence[str],
    *,
    ingest: Callable[[str, str], int],
    query: Callable[[str], object],
    close: Callable[[], None],
) -> Figures:
    start = time.perf_counter()
    chunks = sum(ingest(doc_id, text) for doc_id, text in texts)
    ingest_s = time.perf_counter() - start
    times_ms: list[float] = []
    for question in asked:
        start = time.perf_counter()
        query(question)
        times_ms.append(1000 * (time.perf_counter() - start))
    close()
    kept = sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))
    return Figures(
        ingest_chunks_per_s=chunks / ingest_s,
        query_p50_ms=statistics.median(times_ms),
        query_p95_ms=statistics.quantiles(times_ms, n=20)[-1],
        file_bytes_per_text_byte=kept / sum(len(text.encode()) for _, text in texts),
    )


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--questions", type=int, default=60, help="asked of each side")
    arguments = parser.parse_args()
    asked = questions(arguments.data, arguments.questions)
    table = Table("chunks", "side", "ingest chunks/s", "query p50 ms", "p95 ms", "file / text")
    for size in arguments.sizes:
        texts = enough_documents(arguments.data, size)
        with tempfile.TemporaryDirectory() as scratch:
            ours = measure_ours(Path(scratch), texts, asked)
            peer = measure_peer(Path(scratch), texts, asked)
        for side, figures in (
            ("ragspine-graph", astuple(ours)),
            ("rag-spine", astuple(peer)),
            ("times better", ours.times_better(peer)),
        ):
            table.add_row(f"{size:,}", side, *(f"{figure:,.2f}" for figure in figures))
    Console().print(table)


if __name__ == "__main__":
    main()
