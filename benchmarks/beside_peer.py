"""This project beside `rag-spine`, in one run on the same texts.

Reads `ja_lawqa` and `en_hotpot` (`corpus.jsonl` text, `queries.jsonl` question). Their sentences are
shuffled and dealt into documents of twenty lines; both sides cut them with the same default chunker
into the same chunks, and answer the same questions. Printed for each size: ingest in chunks a
second, p50 and p95 of a query in milliseconds, bytes of the store over bytes of text, and the
ratios. `--expand` also times the expansion of twenty hits with `parent_child`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragspine.retrieval.chunking.chunk_store import ChunkStore as PeerStore
from ragspine.retrieval.chunking.chunking import DocumentMeta as PeerMeta
from ragspine.retrieval.lexical.retrieval import NarrativeIndex as PeerIndex
from rich.console import Console
from rich.table import Table

from ragspine_graph import NarrativeIndex
from ragspine_store import ChunkStore, DocumentMeta, chunk_document

SETS = ("ja_lawqa", "en_hotpot")
LINES_A_DOCUMENT = 20
_SENTENCE_END = re.compile(r"(?<=[。！？.!?])\s*")


@dataclass(frozen=True, slots=True)
class Figures:
    """What one side needed."""

    chunks_per_s: float
    p50_ms: float
    p95_ms: float
    bytes_per_text_byte: float


def read_documents(data: Path, chunks: int) -> list[tuple[str, str]]:
    """Documents of shuffled sentences, as many as give the wanted number of chunks."""
    sentences = [
        sentence
        for name in SETS
        for text in _column(data / name / "corpus.jsonl", "text")
        for sentence in _SENTENCE_END.split(text)
        if sentence.strip()
    ]
    random.Random(0).shuffle(sentences)
    documents: list[tuple[str, str]] = []
    made = 0
    for number in _count_for_ever():
        if made >= chunks:
            return documents
        lines = [sentences[(number * LINES_A_DOCUMENT + i) % len(sentences)] for i in range(20)]
        doc_id = f"d{number}.txt"
        documents.append((doc_id, "\n".join(lines)))
        made += len(chunk_document(documents[-1][1], DocumentMeta(doc_id)))
    raise AssertionError


def _count_for_ever() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def _column(path: Path, key: str) -> list[str]:
    return [json.loads(line)[key] for line in path.read_text(encoding="utf-8").splitlines()]


def measure(
    file: Path,
    documents: Sequence[tuple[str, str]],
    questions: Sequence[str],
    ingest: Callable[[str, str], int],
    query: Callable[[str], object],
) -> Figures:
    """Ingest all documents, ask all questions."""
    start = time.perf_counter()
    chunks = sum(ingest(doc_id, text) for doc_id, text in documents)
    ingest_s = time.perf_counter() - start
    times: list[float] = []
    for question in questions:
        start = time.perf_counter()
        query(question)
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    text_bytes = sum(len(text.encode()) for _, text in documents)
    kept = sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))
    return Figures(
        chunks / ingest_s,
        statistics.median(times),
        times[int(0.95 * (len(times) - 1))],
        kept / text_bytes,
    )


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--questions", type=int, default=60, help="asked of each side")
    arguments = parser.parse_args()
    questions = [
        q for name in SETS for q in _column(arguments.data / name / "queries.jsonl", "question")
    ]
    random.Random(1).shuffle(questions)
    questions = questions[: arguments.questions]
    table = Table("chunks", "side", "ingest chunks/s", "query p50 ms", "p95 ms", "file / text")
    for size in arguments.sizes:
        documents = read_documents(arguments.data, size)
        with tempfile.TemporaryDirectory() as scratch:
            ours_file, peer_file = Path(scratch, "ours.db"), Path(scratch, "peer.db")
            store = ChunkStore(ours_file)
            store.init_schema()
            index = NarrativeIndex(store)
            peer_store = PeerStore(peer_file)
            peer_store.init_schema()
            peer = PeerIndex(peer_store, top_k=10)
            ours = measure(
                ours_file,
                documents,
                questions,
                lambda doc_id, text, index=index: index.ingest(text, DocumentMeta(doc_id)),
                lambda question, index=index: index.search(question, k=10),
            )
            theirs = measure(
                peer_file,
                documents,
                questions,
                lambda doc_id, text, peer=peer: peer.ingest(text, PeerMeta(doc_id=doc_id)),
                lambda question, peer=peer: peer.retrieve(question, top_k=10),
            )
            peer_store.close()
            store.close()
        for side, figures in (("ragspine-graph", ours), ("rag-spine", theirs)):
            table.add_row(
                f"{size:,}",
                side,
                f"{figures.chunks_per_s:,.0f}",
                f"{figures.p50_ms:.1f}",
                f"{figures.p95_ms:.1f}",
                f"{figures.bytes_per_text_byte:.2f}",
            )
        table.add_row(
            f"{size:,}",
            "times better",
            f"{ours.chunks_per_s / theirs.chunks_per_s:.2f}",
            f"{theirs.p50_ms / ours.p50_ms:.0f}",
            f"{theirs.p95_ms / ours.p95_ms:.0f}",
            f"{theirs.bytes_per_text_byte / ours.bytes_per_text_byte:.2f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
