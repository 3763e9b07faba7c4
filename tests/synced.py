"""What the tests of folder sync do with a folder and its store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragspine_store.chunking import ParentChildChunker
from ragspine_store.ingest import ingest_narrative
from ragspine_store.ingest_report import IngestReport, Outcome
from ragspine_store.records import DocumentState
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore

DATA = Path(__file__).parent / "data"


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def sync(store: ChunkStore, docs: Path, *, dry_run: bool = False) -> IngestReport:
    return ingest_narrative(docs, store, sync=True, dry_run=dry_run, chunker=ParentChildChunker())


def outcomes(report: IngestReport) -> dict[str, Outcome]:
    return {file.doc_id: file.outcome for file in report.files}


def relabel(store: ChunkStore, node_id: str, level: Sensitivity) -> None:
    with store.writing() as transaction:
        change = transaction.relabel_part if "#" in node_id else transaction.relabel
        change(node_id, level)


def find(store: ChunkStore, doc_id: str) -> DocumentState | None:
    with store.writing() as transaction:
        return transaction.find(doc_id)


def label(store: ChunkStore, doc_id: str) -> Sensitivity | None:
    state = find(store, doc_id)
    return state and state.sensitivity


def move(docs: Path, old: str, new: str) -> None:
    (docs / new).parent.mkdir(parents=True, exist_ok=True)
    (docs / old).rename(docs / new)
