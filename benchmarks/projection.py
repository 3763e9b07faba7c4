"""How long a reader's graph in memory takes to make, and how much memory it takes.

Run from a clone: `python -m benchmarks.projection 10000 100000`, with the extra `cypher`. Each size
is measured in a process of its own, on a store in a temporary file: documents of 1,000 children in
100 sections that refer to one another and mention three terms.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragspine_graph import KnowledgeBase, Reader, ServiceConfig
from ragspine_graph.cypher.engine import EmbeddedEngine
from ragspine_graph.cypher.projection import project
from ragspine_store.cypher_protocols import Bounds
from ragspine_store.queries import get_query
from ragspine_store.sqlite_store import ChunkStore

SECTIONS = 100
CHILDREN = 10


def main() -> None:
    match sys.argv[1:]:
        case ["fill", path, children]:
            fill(Path(path), int(children))
        case ["measure", path]:
            measure(Path(path))
        case sizes:
            for size in sizes:
                with tempfile.TemporaryDirectory() as folder:
                    print(f"{int(size):,} children")
                    for step in (["fill", folder, size], ["measure", folder]):
                        subprocess.run(
                            [sys.executable, "-m", "benchmarks.projection", *step], check=True
                        )


def measure(folder: Path) -> None:
    with ChunkStore(folder / "kb.db") as store:
        before = peak_mb()
        started, cpu = time.perf_counter(), time.process_time()
        with store.reading() as transaction:
            engine = EmbeddedEngine(project(transaction, Reader()))
        made_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu
        print(f"    made in {made_s:.2f} s, {cpu_s:.2f} s of them computing, ", end="")
        print(f"{peak_mb() - before} MB at its peak")
    values = {"clearance": 2, "collections": None}
    for name, own in (
        ("most_connected", {"unverified": False, "limit": 20}),
        ("references_into", {"article": "0.md#s50", "limit": 100}),
        ("sections_without_references", {"document": None, "limit": 100}),
        ("edges_by_provenance", {}),
    ):
        started = time.perf_counter()
        rows = engine.run(get_query(name), {**values, **own}, Bounds()).rows
        print(f"    {name}: {len(rows)} rows in {time.perf_counter() - started:.3f} s")


def fill(folder: Path, children: int) -> None:
    docs = folder / "docs"
    docs.mkdir()
    for number in range(children // (SECTIONS * CHILDREN)):
        (docs / f"{number}.md").write_text(document(number), encoding="utf-8")
    config = ServiceConfig(
        store=f"sqlite:///{folder / 'kb.db'}",
        chunker="hierarchical",
        entity_sources="terms",
        relation_extractor="none",
    )
    with KnowledgeBase.open(config=config) as knowledge:
        knowledge.ingest(docs, root=docs)
        knowledge.build_relations()


def document(number: int) -> str:
    parts = [f"# 規程{number}\n"]
    for section in range(1, SECTIONS + 1):
        parts.append(f"## 第{section}条 手当\n")
        for child in range(1, CHILDREN + 1):
            text = "会社は、従業員に対して、毎月25日に手当を支給する。その詳細は別に定める。"
            if child == 1:
                text = f"第{section % SECTIONS + 1}条による（以下「規定{section % 3}」という。）。"
            parts.append(f"{child}. {text}")
        parts.append("")
    return "\n".join(parts)


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
