"""Leaf recall on two Japanese company handbooks, for each chunker.

Reads `ja_work_rules` (see `benchmarks.question_sets`); figures are those of `ragspine-graph eval`.

A gold leaf is found when its raw span lies within the raw span of one of the top k children. A
child of more than 250 tokens, or one that holds more than one numbered item, finds nothing; the
default chunker, whose chunks are such, is printed apart without that rule. R@k is the share of a
question's gold leaves found, averaged over questions; MRR takes the first of ten children that
finds any. Questions without an answer are left out.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.leaf_rule import is_leaf
from benchmarks.question_sets import work_rules
from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.evaluation import EvaluationSettings, evaluate, summarise
from ragspine_graph.retrieval import Snippet

SETTINGS = EvaluationSettings((1, 5, 10))
FIGURES = ("recall@1", "recall@5", "recall@10", "mrr@10")


def any_hit(hit: Snippet) -> bool:
    return True


def measure(
    data: Path, chunker: str, may_find: Callable[[Snippet], bool]
) -> Iterator[tuple[str, list[float]]]:
    """R@k for each k and MRR, with the handbook as filter and over both handbooks."""
    asked = work_rules(data)
    with (
        tempfile.TemporaryDirectory() as scratch,
        KnowledgeBase.open(
            Path(scratch, "recall.db"), ServiceConfig.load(chunker=chunker)
        ) as knowledge,
    ):
        for handbook in asked.folders:
            report = knowledge.ingest(handbook, collection=handbook.name)
            failed = [file.message for file in report.files if file.message]
            if failed:
                raise SystemExit(f"{handbook.name}: {failed}")
        everywhere = [replace(question, filters={}) for question in asked.questions]
        for scope, questions in (
            ("own handbook", asked.questions),
            ("both handbooks", everywhere),
        ):
            outcomes = evaluate(knowledge, questions, SETTINGS, may_find=may_find)
            figures = summarise(outcomes, SETTINGS, seed=0).groups[0].figures
            yield scope, [figures[name].mean for name in FIGURES]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds ja_work_rules")
    data = parser.parse_args().data
    for title, chunkers, may_find in (
        ("leaves", ("parent_child", "sentence_window", "hierarchical"), is_leaf),
        ("default chunks, no leaf rule", ("none",), any_hit),
    ):
        table = Table("chunker", "searched", "R@1", "R@5", "R@10", "MRR", title=title)
        for chunker in chunkers:
            for scope, figures in measure(data, chunker, may_find):
                table.add_row(chunker, scope, *(f"{figure:.3f}" for figure in figures))
        Console().print(table)


if __name__ == "__main__":
    main()
