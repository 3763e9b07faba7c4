"""What loading in a process of its own costs, over two hundred files of all kinds.

Makes the folder of `tests/conformance/test_mixed_files.py`, loads every file in this process and
then through the sandbox, and ingests the folder twice: new, and unchanged.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.errors import LoadError
from ragspine_store.loading import load_document
from ragspine_store.sandbox import Sandbox
from tests.mixed_files import write_files

COUNT = 200


def load_all(files: Sequence[tuple[str, bytes]], load: Callable[[bytes, str], object]) -> int:
    """Load every file; how many are documents."""
    loaded = 0
    for name, data in files:
        try:
            load(data, name)
            loaded += 1
        except LoadError:
            continue
    return loaded


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=COUNT)
    count = arguments.parse_args().count
    with tempfile.TemporaryDirectory() as name:
        docs = Path(name, "docs")
        write_files(docs, count)
        files = [(p.name, p.read_bytes()) for p in sorted(docs.rglob("*")) if p.is_file()]

        def in_sandbox() -> None:
            with Sandbox() as sandbox:
                load_all(files, lambda data, name: sandbox.load(data, name=name))

        def ingest() -> None:
            with KnowledgeBase.open(Path(name, "kb.db"), ServiceConfig()) as knowledge:
                knowledge.ingest(docs, sync=True)

        load_all(files, lambda data, name: load_document(data, name=name))  # imports what it needs
        measured = {
            "load in this process": seconds(
                lambda: load_all(files, lambda data, name: load_document(data, name=name))
            ),
            "load through the sandbox": seconds(in_sandbox),
            "ingest, new": seconds(ingest),
            "ingest, unchanged": seconds(ingest),
        }
    table = Table("what", "seconds", "files a second")
    for what, taken in measured.items():
        table.add_row(what, f"{taken:.2f}", f"{count / taken:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
