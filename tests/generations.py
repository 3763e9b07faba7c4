"""A program that keeps changing thirty documents, so that a test can kill it at any instant.

For each line `STORE<tab>FOLDER<tab>GENERATION` on stdin it starts a process, which prints `ready`
and its id, and then each generation that it finished. When that process is gone, it prints `gone`.

Each generation rewrites every file and ingests the folder; every word of a document tells its
number and generation. It also withholds, deletes and brings back some, so that the store's file is
rewritten as well.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

from ragspine_store.chunking import ParentChildChunker
from ragspine_store.ingest import ingest_narrative
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore

DOCUMENTS = 30


def word(number: int, generation: int) -> str:
    """The word that a document of one generation is made of."""
    return f"doc{number}gen{generation}"


def paragraphs(number: int, generation: int) -> int:
    """How many children a document has in one generation."""
    return 1 + (number + generation) % 4


def text(number: int, generation: int) -> str:
    """A document of one generation."""
    name = word(number, generation)
    lines = (f"{name} paragraph {n}" for n in range(paragraphs(number, generation)))
    return "\n\n".join((f"# Heading {name}", *lines)) + "\n"


def write(folder: Path, numbers: range, generation: int) -> None:
    """Write the files of one generation."""
    for number in numbers:
        (folder / f"{number}.md").write_text(text(number, generation), encoding="utf-8")


def ingest(store_file: str, folder: str, first: str) -> None:
    """Ingest one generation after another, without end."""
    store = ChunkStore(store_file)
    store.init_schema()
    print("ready", os.getpid(), flush=True)
    for generation in itertools.count(int(first)):
        write(Path(folder), range(DOCUMENTS), generation)
        ingest_narrative(folder, store, chunker=ParentChildChunker())
        with store.writing() as transaction:
            transaction.delete(f"docs/{generation % DOCUMENTS}.md")
            transaction.relabel(f"docs/{(generation + 1) % DOCUMENTS}.md", Sensitivity.RESTRICTED)
        store.erase()
        with store.writing() as transaction:
            transaction.delete(f"docs/{(generation + 1) % DOCUMENTS}.md")
        store.erase()
        print(generation, flush=True)


def main() -> None:
    """Start one process for each line."""
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            ingest(*line.rstrip("\n").split("\t"))
        os.waitpid(process, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    main()
