"""Retrieval on five public question sets, for any configurations: the table of docs/evaluation.md.

The data are told in `benchmarks.question_sets`; figures are those of `ragspine-graph eval`. A
configuration is a TOML file of settings, by default one of the chunker `hierarchical` and nothing
else; each is measured in a process of its own, from ingest on. On `ja_work_rules` a child that is
too large to be a leaf finds nothing (`benchmarks.leaf_rule`).

A configuration that walks builds the relation graph as part of the ingest.

`passage R@k` counts each passage once, however many of its children are hit: what others report of
corpora of passages. `CPU s` is that of the ingest, its loading processes included, `CPU ms` that of
a search for ten hits, `peak MB` the largest resident set of the measuring process. With several
configurations, `R@5 more` is what each has more than the first on the same questions, with its
half-width and p. `R@5 best order` is what R@5 would be if a judge put all gold among the best
fifty hits first: a bound for any reranker.

`en_chunking_eval` is measured at a budget of 1,000 tokens in characters of the context: recall is
the share of gold in it, precision the share of it that is gold, IoU their intersection over their
union; beside it stand chunks of a fixed number of tokens, by the same search.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from benchmarks.fixed_chunks import FixedChunker
from benchmarks.leaf_rule import is_leaf, span_figures
from benchmarks.question_sets import QuestionSet, chunking_eval, passages, work_rules
from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.backends import open_backend
from ragspine_graph.evaluation import EvaluationSettings, Report, compare, evaluate, summarise
from ragspine_graph.evaluation.measures import recall
from ragspine_graph.evaluation.wording import difference
from ragspine_graph.retrieval import Shape, Snippet
from ragspine_store.ingest import ingest_narrative

KS = (1, 2, 5, 10)
CHUNKING_BUDGET = 1_000
FIXED_TOKENS = (200, 400)

Maker = Callable[[Path, Path], QuestionSet]


def lawqa(data: Path, scratch: Path) -> QuestionSet:
    return passages(data, "ja_lawqa", scratch)


def lawqa_with_choices(data: Path, scratch: Path) -> QuestionSet:
    return passages(data, "ja_lawqa", scratch, with_choices=True)


def wiki(data: Path, scratch: Path) -> QuestionSet:
    return passages(data, "en_2wiki", scratch)


def hotpot(data: Path, scratch: Path) -> QuestionSet:
    return passages(data, "en_hotpot", scratch)


def wiki_without_titles(data: Path, scratch: Path) -> QuestionSet:
    return passages(data, "en_2wiki", scratch, with_titles=False)


def hotpot_without_titles(data: Path, scratch: Path) -> QuestionSet:
    return passages(data, "en_hotpot", scratch, with_titles=False)


def handbooks(data: Path, scratch: Path) -> QuestionSet:
    return work_rules(data)


def english(data: Path, scratch: Path) -> QuestionSet:
    return chunking_eval(data)


SETS: dict[str, Maker] = {
    "ja_work_rules": handbooks,
    "ja_lawqa": lawqa,
    "ja_lawqa_choices": lawqa_with_choices,
    "en_2wiki": wiki,
    "en_2wiki_untitled": wiki_without_titles,
    "en_hotpot": hotpot,
    "en_hotpot_untitled": hotpot_without_titles,
    "en_chunking_eval": english,
}


@dataclass(frozen=True, slots=True)
class Task:
    """What one process measures; `fixed` cuts into chunks of so many tokens."""

    data: Path
    name: str
    config: Path | None
    settings: EvaluationSettings
    fixed: int = 0

    @property
    def overridden(self) -> dict[str, str]:
        """Settings that no file states: blocks of fixed chunks are the chunks themselves."""
        return {} if self.config or self.fixed else {"chunker": "hierarchical"}

    @property
    def label(self) -> str:
        if self.fixed:
            return f"fixed, {self.fixed} tokens"
        return self.config.stem if self.config else "hierarchical"


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    label: str
    report: Report
    ingest_s: float
    search_ms: float
    peak_mb: float


def measure(task: Task) -> Measured:
    """Ingest a set and ask its questions."""
    with tempfile.TemporaryDirectory() as folder:
        asked = SETS[task.name](task.data, Path(folder))
        config = ServiceConfig.load(task.config, **task.overridden)
        store = open_backend(Path(folder, "retrieval.db"), config)
        with KnowledgeBase(store, config) as knowledge:
            start = cpu_s()
            for folder_of in asked.folders:
                files = sorted(folder_of.glob("*.md"))
                if task.fixed:
                    report = ingest_narrative(files, store, chunker=FixedChunker(task.fixed))
                else:
                    report = knowledge.ingest(files, collection=folder_of.name)
                if failed := [file.message for file in report.files if file.message]:
                    raise ValueError(f"{task.name}: {failed[:3]}")
            if config.walk != "none":
                knowledge.build_relations()
            ingested = cpu_s()
            may_find = is_leaf if task.name == "ja_work_rules" else any_hit
            outcomes = evaluate(knowledge, asked.questions, task.settings, may_find=may_find)
            asking = cpu_s()
            for question in asked.questions:
                knowledge.search(question.text, filters=question.filters, expand="none")
            asked_s = cpu_s() - asking
    return Measured(
        task.label,
        summarise(outcomes, task.settings, seed=0),
        ingested - start,
        1000 * asked_s / len(outcomes),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def any_hit(hit: Snippet) -> bool:
    return True


def cpu_s() -> float:
    """CPU seconds of this process and of those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def passage_recall(report: Report, k: int) -> str:
    found = [recall(outcome.distinct_article_ranks, k) for outcome in report.answerable]
    return f"{statistics.mean(found):.3f}"


def oracle_recall(report: Report, k: int) -> str:
    """Recall@k if a judge put all gold among the hits looked through first."""
    found = [
        min(k, sum(rank is not None for rank in outcome.ranks)) / len(outcome.ranks)
        for outcome in report.answerable
    ]
    return f"{statistics.mean(found):.3f}"


def ranking_row(measured: Measured, first: Measured) -> list[str]:
    """The figures of a ranking and its context."""
    report, of = measured.report, measured.report.groups[0].figures
    half_width = (of["recall@5"].high - of["recall@5"].low) / 2
    return [
        *(f"{of[f'recall@{k}'].mean:.3f}" for k in KS),
        f"±{half_width:.3f}",
        oracle_recall(report, 5),
        f"{of['mrr@10'].mean:.3f}",
        f"{of['ndcg@10'].mean:.3f}",
        f"{of['article_recall@5'].mean:.3f}",
        *(passage_recall(report, k) for k in (2, 5, 10)),
        f"{of['completeness'].mean:.3f}",
        f"{of['context_characters'].mean:,.0f}",
        more(report, first.report),
        *cost(measured),
    ]


def more(report: Report, first: Report) -> str:
    """How much more R@5 than the first configuration has."""
    if report is first:
        return ""
    return " ".join(difference("recall@5", compare(report, first)[0].figures["recall@5"]))


def span_row(measured: Measured, first: Measured) -> list[str]:
    """The figures of the spans in contexts."""
    answers = measured.report.answerable
    columns = zip(*map(span_figures, answers), strict=True)
    return [
        *(f"{100 * statistics.mean(column):.1f}" for column in columns),
        f"{statistics.mean(outcome.characters for outcome in answers):,.0f}",
        f"{measured.report.groups[0].figures['recall@5'].mean:.3f}",
        *cost(measured),
    ]


def cost(measured: Measured) -> list[str]:
    return [
        f"{measured.ingest_s:,.1f}",
        f"{measured.search_ms:,.1f}",
        f"{measured.peak_mb:,.0f}",
    ]


RANKING = [
    *(f"R@{k}" for k in KS),
    *("R@5 ±", "R@5 best order", "MRR@10", "nDCG@10", "article R@5"),
    *(f"passage R@{k}" for k in (2, 5, 10)),
    *("complete", "characters", "R@5 more"),
]
SPANS = ["recall %", "precision %", "IoU %", "characters", "R@5"]
COST = ["CPU s", "CPU ms", "peak MB"]


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--config", type=Path, action="append", help="a TOML file; repeatable")
    parser.add_argument("--sets", nargs="+", choices=[*SETS], default=[*SETS])
    parser.add_argument("--expand", choices=get_args(Shape), default="merge")
    parser.add_argument("--budget", type=int, default=3_000)
    arguments = parser.parse_args()
    console = Console(width=250)
    for name in arguments.sets:
        is_chunking = name == "en_chunking_eval"
        settings = EvaluationSettings(
            KS, CHUNKING_BUDGET if is_chunking else arguments.budget, arguments.expand
        )
        tasks = [
            *(Task(arguments.data, name, file, settings) for file in arguments.config or [None]),
            *(
                Task(arguments.data, name, None, settings, tokens)
                for tokens in (FIXED_TOKENS if is_chunking else ())
            ),
        ]
        # Each in a process of its own, for its memory.
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            rows = pool.map(measure, tasks, chunksize=1)
        head = SPANS if is_chunking else RANKING
        questions = len(rows[0].report.answerable)
        table = Table("configuration", *head, *COST, title=f"{name}, {questions} questions")
        for row in rows:
            table.add_row(row.label, *(span_row if is_chunking else ranking_row)(row, rows[0]))
        console.print(table)


if __name__ == "__main__":
    main()
