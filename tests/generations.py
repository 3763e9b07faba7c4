"""A program that keeps changing some documents, so that a test can kill it at any instant.

For each line `STORE<tab>FOLDER<tab>DOCUMENTS<tab>GENERATION` on stdin, with a store's URL, it
starts a process, which prints `ready` and its id, and then each generation that it finished. When
that process is gone, it prints `gone`.

Each generation rewrites every file, ingests the folder and notes a relation of each document; every
word of a document tells its number and generation. It also withholds, deletes and brings back some,
so that the store is rewritten as well.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

from ragspine_graph.backends import open_backend
from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import parse_store_url
from ragspine_store._seal import mint_screened
from ragspine_store.chunking import ParentChildChunker
from ragspine_store.ingest import ingest_narrative
from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import DocumentRelations
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.testing.relations import at, entity, mention


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


def ingest(url: str, folder: str, documents: str, first: str) -> None:
    """Ingest one generation after another, without end."""
    store = open_backend(parse_store_url(url), ServiceConfig.load())
    print("ready", os.getpid(), flush=True)
    for generation in itertools.count(int(first)):
        run(store, Path(folder), int(documents), generation)
        print(generation, flush=True)


def run(store: Store, folder: Path, documents: int, generation: int) -> None:
    """Make one generation."""
    write(folder, range(documents), generation)
    ingest_narrative(folder, store, chunker=ParentChildChunker())
    for number in range(0, documents, 5):
        relate(store, number, generation)
    with store.writing() as transaction:
        transaction.delete(f"docs/{generation % documents}.md")
        transaction.relabel(f"docs/{(generation + 1) % documents}.md", Sensitivity.RESTRICTED)
    store.erase()
    with store.writing() as transaction:
        transaction.delete(f"docs/{(generation + 1) % documents}.md")
    store.erase()


def relate(store: Store, number: int, generation: int) -> None:
    """Note that a document names what its generation is called."""
    doc_id = f"docs/{number}.md"
    relation = mention(entity(word(number, generation)), at(doc_id))
    with store.writing() as transaction:
        state = transaction.find(doc_id)
        if state is not None:
            found = DocumentRelations(doc_id, state.version, "rules", [mint_screened(relation)])
            transaction.put_document_relations(found)


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
