"""What a context holds: windows, merged branches and fixed chunks within one budget of tokens.

Reads `ja_work_rules` and `en_chunking_eval` (see `benchmarks.question_sets`). No limit to the
number of windows but that of hits, and the budget.

Handbooks, searched one by one: `items` is the share of a question's gold items that stand whole in
the context, `all` the share of questions that have all of theirs, `tokens` what a context takes,
`left out` its blocks beyond the budget, `saved` how much less all its blocks take than the windows
of all hits, each repeated for each of its hits, `ms` the median time to build it after the search.

English documents, searched together: per question, recall is the share of gold characters in the
context, precision the share of its characters that are gold, IoU the two sets' intersection over
their union; characters that stand in two blocks count twice in precision and IoU.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.question_sets import chunking_eval, work_rules
from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.evaluation import Question
from ragspine_graph.evaluation.questions import SpanGold
from ragspine_graph.retrieval import ContextBlock, Shape
from ragspine_store.loading import load_document
from ragspine_store.records import LoadedDocument, Span
from ragspine_store.tokens import EstimatedTokenCounter

UNBOUNDED = 10**9
WAYS: tuple[tuple[str, Shape], ...] = (
    ("none", "window"),
    ("sentence_window", "window"),
    ("parent_child", "window"),
    ("parent_child(max_parent_tokens=400, parent_cap_tokens=400)", "window"),
    ("hierarchical", "merge"),
    ("hierarchical(child=sentence)", "merge"),
    ("hierarchical(parent=sliding, window_tokens=300, window_overlap_tokens=0)", "window"),
    ("hierarchical(parent=sliding, window_tokens=300, window_overlap_tokens=0)", "merge"),
)
count = EstimatedTokenCounter().count


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, where it is asked, and its gold spans in the raw files by document id."""

    text: str
    filters: Mapping[str, Sequence[str]]
    gold: tuple[tuple[str, Span], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One context: its blocks' raw spans by document id, and what it took."""

    spans: tuple[tuple[str, Span], ...]
    tokens: int
    left_out: int
    saved: float
    added_ms: float


class Place:
    """The documents of one benchmark, in a store cut and expanded in one way."""

    def __init__(
        self, knowledge: KnowledgeBase, folders: Iterable[Path], shape: Shape, hits: int
    ) -> None:
        self._knowledge = knowledge
        self._shape: Shape = shape
        self._hits = hits
        self._loaded: dict[str, LoadedDocument] = {}
        for folder in folders:
            report = knowledge.ingest(folder, collection=folder.name)
            for file in report.files:
                path = Path(file.source)
                if file.chunks:
                    self._loaded[file.doc_id] = load_document(path.read_bytes(), name=path.name)

    def ask(self, question: Asked, budget: int) -> Answer:
        """Build the context of a question, within the budget and without one."""
        start = time.perf_counter()
        self._knowledge.search(question.text, k=self._hits, filters=question.filters, expand="none")
        searched = time.perf_counter()
        within = self._knowledge.context(
            question.text, budget=budget, expand=self._shape, filters=question.filters
        )
        added_s = time.perf_counter() - searched - (searched - start)
        hits = self._knowledge.search(
            question.text, k=self._hits, filters=question.filters
        ).snippets
        everything = self._knowledge.context(
            question.text, budget=UNBOUNDED, expand=self._shape, filters=question.filters
        )
        at = {hit.chunk_id: hit.locator.span for hit in hits}
        repeated = sum(count(hit.prompt_text or hit.text) for hit in hits)
        whole = sum(count(block.text) for block in everything.blocks)
        return Answer(
            spans=tuple((b.doc_id, self._raw_span(b, at[b.evidence[0]])) for b in within.blocks),
            tokens=sum(count(block.text) for block in within.blocks),
            left_out=within.left_out,
            saved=1 - whole / repeated if repeated else 0.0,
            added_ms=1000 * added_s,
        )

    def _raw_span(self, block: ContextBlock, child: Span | None) -> Span:
        """Where a block stands in its file: the place of its text that holds its evidence."""
        loaded = self._loaded[block.doc_id]
        assert child is not None
        assert loaded.offsets is not None
        start = loaded.text.find(block.text, max(child.end - len(block.text), 0))
        if not 0 <= start <= child.start:  # a default chunk joins lines that stand apart
            return loaded.offsets.raw_span(child)
        return loaded.offsets.raw_span(Span(start, start + len(block.text)))


def read(questions: Iterable[Question]) -> list[Asked]:
    """The answerable questions with their gold spans."""
    return [
        Asked(
            question.text,
            question.filters,
            tuple((gold.doc_id, gold.span) for gold in question.gold if isinstance(gold, SpanGold)),
        )
        for question in questions
        if question.gold
    ]


def characters(spans: Iterable[tuple[str, Span]]) -> set[tuple[str, int]]:
    """All characters at the spans."""
    return {(doc_id, at) for doc_id, span in spans for at in range(*span)}


def is_whole(gold: tuple[str, Span], answer: Answer) -> bool:
    """Whether one block holds all of a gold item."""
    return any(doc_id == gold[0] and span.contains(gold[1]) for doc_id, span in answer.spans)


def handbook_row(questions: Sequence[Asked], answers: Sequence[Answer]) -> list[str]:
    """Completeness, size and cost."""
    shares = [
        statistics.mean(is_whole(gold, answer) for gold in question.gold)
        for question, answer in zip(questions, answers, strict=True)
    ]
    return [
        f"{statistics.mean(shares):.3f}",
        f"{statistics.mean(share == 1 for share in shares):.3f}",
        f"{statistics.mean(answer.tokens for answer in answers):,.0f}",
        f"{statistics.mean(answer.left_out for answer in answers):.1f}",
        f"{statistics.mean(answer.saved for answer in answers):.0%}",
        f"{statistics.median(answer.added_ms for answer in answers):.1f}",
    ]


def english_row(questions: Sequence[Asked], answers: Sequence[Answer]) -> list[str]:
    """Recall, precision and IoU, in percent."""
    figures: list[tuple[float, float, float]] = []
    for question, answer in zip(questions, answers, strict=True):
        gold = characters(question.gold)
        shared = len(gold & characters(answer.spans))
        length = sum(span.end - span.start for _, span in answer.spans)
        figures.append(
            (
                shared / len(gold),
                shared / length if length else 0.0,
                shared / (len(gold) + length - shared),
            )
        )
    means = [f"{100 * statistics.mean(column):.1f}" for column in zip(*figures, strict=True)]
    return [*means, f"{statistics.mean(answer.tokens for answer in answers):,.0f}"]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--budget", type=int, default=1_000)
    parser.add_argument("--hits", type=int, default=20)
    arguments = parser.parse_args()
    handbooks, english = (arguments.data / name for name in ("ja_work_rules", "en_chunking_eval"))
    columns = ("chunker", "expand")
    runs = (
        (
            Table(*columns, "items", "all", "tokens", "left out", "saved", "ms", title="handbooks"),
            sorted(path for path in handbooks.iterdir() if path.is_dir()),
            read(work_rules(arguments.data).questions),
            handbook_row,
        ),
        (
            Table(*columns, "recall", "precision", "IoU", "tokens", title="English documents"),
            [english],
            read(chunking_eval(arguments.data).questions),
            english_row,
        ),
    )
    for table, folders, questions, row in runs:
        for chunker, shape in WAYS:
            config = ServiceConfig.load(
                chunker=chunker, top_k_children=arguments.hits, max_parents=arguments.hits
            )
            with (
                tempfile.TemporaryDirectory() as scratch,
                KnowledgeBase.open(Path(scratch, "context.db"), config) as knowledge,
            ):
                place = Place(knowledge, folders, shape, arguments.hits)
                answers = [place.ask(question, arguments.budget) for question in questions]
            table.add_row(chunker, shape, *row(questions, answers))
        Console().print(table)


if __name__ == "__main__":
    main()
