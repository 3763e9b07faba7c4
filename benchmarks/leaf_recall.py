"""Leaf recall on two Japanese company handbooks, for each chunker.

Reads `ja_work_rules/{handbook}/*.md` and `ja_work_rules/queries.jsonl` (qid, handbook, kind,
question, gold leaves with file, start and end in code points of the raw file).

A gold leaf is found when its raw span lies within the raw span of one of the top k children. A
child of more than 250 tokens, or one that holds more than one numbered item, finds nothing; the
default chunker, whose chunks are such, is printed apart without that rule. R@k is the share of a
question's gold leaves found, averaged over questions; MRR takes the first child that finds any.
Questions without an answer are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.retrieval import Snippet
from ragspine_store.records import Span
from ragspine_store.tokens import EstimatedTokenCounter

KS = (1, 5, 10)
MAX_TOKENS = 250
_NUMBERED = re.compile(r"^\s*(?:\d+[.)．]|[（(]\d+[)）]|[０-９]+[\s．])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its gold leaves, by document id and raw span."""

    text: str
    handbook: str
    gold: tuple[tuple[str, Span], ...]


def read_questions(folder: Path) -> list[Question]:
    """The answerable questions."""
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Question(
            text=record["question"],
            handbook=record["handbook"],
            gold=tuple(
                (f"{record['handbook']}/{leaf['file']}", Span(leaf["start"], leaf["end"]))
                for leaf in record["gold"]
            ),
        )
        for record in map(json.loads, lines)
        if record["kind"] != "none"
    ]


def found(snippet: Snippet, question: Question, *, leaves_only: bool) -> set[int]:
    """Which gold leaves of the question a snippet finds."""
    raw_span = snippet.locator.raw_span
    if raw_span is None or (leaves_only and not is_leaf(snippet.text)):
        return set()
    return {
        number
        for number, (doc_id, span) in enumerate(question.gold)
        if doc_id == snippet.doc_id and raw_span.contains(span)
    }


def is_leaf(text: str) -> bool:
    """Whether a child is fine enough to count: at most 250 tokens and one numbered item."""
    return EstimatedTokenCounter().count(text) <= MAX_TOKENS and len(_NUMBERED.findall(text)) <= 1


def measure(folder: Path, chunker: str, *, leaves_only: bool) -> Iterator[tuple[str, list[float]]]:
    """R@k for each k and MRR, with the handbook as filter and over both handbooks."""
    questions = read_questions(folder)
    with (
        tempfile.TemporaryDirectory() as scratch,
        KnowledgeBase.open(
            Path(scratch, "recall.db"), ServiceConfig.load(chunker=chunker)
        ) as knowledge,
    ):
        for handbook in sorted({question.handbook for question in questions}):
            report = knowledge.ingest(folder / handbook, collection=handbook)
            failed = [file.message for file in report.files if file.message]
            if failed:
                raise SystemExit(f"{handbook}: {failed}")
        for scope in ("own handbook", "both handbooks"):
            sums = [0.0] * (len(KS) + 1)
            for question in questions:
                filters = {"collection": [question.handbook]} if scope == "own handbook" else None
                snippets = knowledge.search(
                    question.text, k=max(KS), filters=filters, expand="none"
                ).snippets
                finds = [found(s, question, leaves_only=leaves_only) for s in snippets]
                for position, k in enumerate(KS):
                    sums[position] += len(set[int]().union(*finds[:k])) / len(question.gold)
                first = next((rank for rank, find in enumerate(finds, 1) if find), None)
                sums[-1] += 1 / first if first else 0
            yield scope, [total / len(questions) for total in sums]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds ja_work_rules")
    folder = parser.parse_args().data / "ja_work_rules"
    for title, chunkers, leaves_only in (
        ("leaves", ("parent_child", "sentence_window"), True),
        ("default chunks, no leaf rule", ("none",), False),
    ):
        table = Table("chunker", "searched", *(f"R@{k}" for k in KS), "MRR", title=title)
        for chunker in chunkers:
            for scope, figures in measure(folder, chunker, leaves_only=leaves_only):
                table.add_row(chunker, scope, *(f"{figure:.3f}" for figure in figures))
        Console().print(table)


if __name__ == "__main__":
    main()
