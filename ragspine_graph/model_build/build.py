"""Builds a language model's relations over a store: asks, keeps, grounds, screens, writes.

For each document that the reader may see, in the order of ids:

1. What the exit lets through is read, and the answers kept from runs before.
2. The model is asked about the other children, several at once. Right before each call the child
   passes the exit again, so that a label raised meanwhile holds. No transaction is open during a
   call.
3. Each answer is kept as soon as it comes: a run that stops is paid for once.
4. When no answer of the document is open any more, each child's relations are grounded, screened
   and written in a transaction of their own, which checks label and version again (promise G3).

What a model or its server does never raises: it means fewer edges, and is counted. The run stops
asking when the budget is spent, when an error is final, or after `GIVE_UP_AFTER` failures in a row
that are not about the text; what was answered is written all the same. Running again goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from ragspine_graph.errors import BudgetSpentError, ProviderError
from ragspine_graph.extraction.llm import LLMRelationExtractor
from ragspine_graph.model_build.report import ModelBuildReport, ModelProgress
from ragspine_graph.model_build.writer import ModelWriter
from ragspine_graph.provider.protocol import Usage
from ragspine_graph.security.exits import clear_child, clear_source
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.errors import StoreError
from ragspine_store.protocols import Store
from ragspine_store.records import Hit
from ragspine_store.relations import Answer, AnswerKey
from ragspine_store.retrying import retried
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.sensitivity import Reader

GIVE_UP_AFTER = 20


def build_model_relations(
    store: Store,
    extractor: LLMRelationExtractor,
    gate: SecurityGate,
    *,
    reader: Reader | None = None,
    doc_ids: Sequence[str] | None = None,
    progress: Callable[[ModelProgress], None] = lambda _: None,
) -> ModelBuildReport:
    """Write what a language model proposes about the documents of a store.

    Args:
        store: read and written.
        extractor: asks the model; its budget is what is left of its provider's.
        gate: screens every relation.
        reader: what this reader may not see is not sent to the model; None sends all but
            RESTRICTED text.
        doc_ids: of the documents; None for all.
        progress: called after each child, from this thread.

    Raises:
        StoreLockedError: another process kept the store's write lock; answers got so far are
            kept.
    """
    run = _Run(store, extractor, gate, reader or Reader(), progress)
    return run.build(doc_ids)


@dataclass(slots=True)
class _Document:
    """A document whose answers are being collected."""

    source: Cleared[RelationSource]
    keys: Mapping[int, int]
    answers: dict[int, Answer]
    open: int = 0

    @property
    def doc_id(self) -> str:
        return self.source.value.doc_id


class _Question(NamedTuple):
    document: _Document
    chunk: SourceChunk


class _Run:
    """One run; the store is touched from one thread only."""

    def __init__(
        self,
        store: Store,
        extractor: LLMRelationExtractor,
        gate: SecurityGate,
        reader: Reader,
        progress: Callable[[ModelProgress], None],
    ) -> None:
        self._store = store
        self._extractor = extractor
        self._reader = reader
        self._writer = ModelWriter(store, extractor, gate)
        self._progress = progress
        self._under_way: dict[Future[Answer], list[_Question]] = {}
        self._calls: dict[AnswerKey, Future[Answer]] = {}
        self._counts: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._stopped: ProviderError | None = None
        self._failed_in_a_row = 0
        self._total = 0

    def build(self, doc_ids: Sequence[str] | None) -> ModelBuildReport:
        before = self._extractor.provider.usage
        with self._store.reading() as transaction:
            known = [state.doc_id for state in transaction.relation_states()]
            self._total = transaction.visible_counts(self._reader)[1]
        chosen = set(known if doc_ids is None else doc_ids)
        pool = ThreadPoolExecutor(self._extractor.provider.concurrency)
        try:
            questions = self._iter_questions([each for each in known if each in chosen])
            while self._ask_more(pool, questions):
                done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    self._settle(future)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self._keep_what_is_paid()
        return self._report(before)

    def _iter_questions(self, doc_ids: Sequence[str]) -> Iterator[_Question]:
        """Children to ask about; documents without any are written on the way."""
        for doc_id in doc_ids:
            document = self._load(doc_id)
            if document is None:
                continue
            chunks = document.source.value.chunks
            asked = [chunk for chunk in chunks if chunk.seq not in document.answers]
            document.open = len(asked)
            self._counts["documents"] += 1
            self._counts["children"] += len(chunks)
            if document.answers:
                self._count("cached", len(document.answers))
            self._write_when_settled(document)
            yield from (_Question(document, chunk) for chunk in asked)

    def _load(self, doc_id: str) -> _Document | None:
        with self._store.reading() as transaction:
            view = transaction.find_document(doc_id)
            source = clear_source(view, self._reader) if view else None
            if view is None or source is None:
                return None
            answers = {
                chunk.seq: answer
                for chunk in unseal(source).chunks
                if (answer := transaction.find_answer(self._extractor.key_of(chunk)))
            }
        keys = {candidate.chunk.seq: candidate.key for candidate in view.chunks}
        return _Document(source, keys, answers)

    def _ask_more(self, pool: ThreadPoolExecutor, questions: Iterator[_Question]) -> bool:
        """Ask until all slots are taken; whether any call is under way."""
        while sum(map(len, self._under_way.values())) < self._extractor.provider.concurrency:
            question = next(questions, None)
            if question is None:
                break
            self._ask(pool, question)
        return bool(self._under_way)

    def _ask(self, pool: ThreadPoolExecutor, question: _Question) -> None:
        if self._stopped is not None:
            self._close(question, "unasked")
            return
        key = self._extractor.key_of(question.chunk)
        is_cleared, answer = self._look_again(question, key)
        if not is_cleared:
            self._close(question, "outdated")
        elif answer is not None:
            question.document.answers[question.chunk.seq] = answer
            self._close(question, "cached")
        elif key in self._calls:
            self._under_way[self._calls[key]].append(question)
        else:
            future = pool.submit(self._extractor.ask, question.chunk)
            self._under_way[future] = [question]
            self._calls[key] = future

    def _look_again(self, question: _Question, key: AnswerKey) -> tuple[bool, Answer | None]:
        """Whether the child stands as it was read and passes the exit, and its answer by now."""
        document, chunk = question
        with self._store.reading() as transaction:
            now = transaction.candidates([Hit(document.keys[chunk.seq], 0.0)])
            answer = transaction.find_answer(key)
        cleared = clear_child(now[0], self._reader) if now else None
        if cleared is None:
            return False, None
        row = unseal(cleared).chunk
        is_same = (row.doc_id, row.seq, row.text) == (document.doc_id, chunk.seq, chunk.text)
        return is_same, answer

    def _settle(self, future: Future[Answer]) -> None:
        questions = self._under_way[future]
        try:
            answer = future.result()
        except ProviderError as error:
            outcomes = [self._note(error)] * len(questions)
        else:
            self._failed_in_a_row = 0
            kept = [self._keep(question, answer) for question in questions]
            names = ["answered", *["cached"] * (len(questions) - 1)]
            outcomes = [name if ok else "outdated" for name, ok in zip(names, kept, strict=True)]
        # Until here an exception would leave the answer to _keep_what_is_paid.
        del self._under_way[future]
        del self._calls[self._extractor.key_of(questions[0].chunk)]
        for question, outcome in zip(questions, outcomes, strict=True):
            self._close(question, outcome)

    def _note(self, error: ProviderError) -> str:
        """What became of a child without an answer; stops asking when that has no use."""
        is_spent = isinstance(error, BudgetSpentError)
        if not is_spent:
            # A text that is always refused must not end every run at the same place.
            self._failed_in_a_row += not error.is_about_text
            self._failures[str(error)] += 1
        if error.is_final or self._failed_in_a_row >= GIVE_UP_AFTER:
            self._stopped = self._stopped or error
        return "unasked" if is_spent else "failed"

    @retried
    def _keep(self, question: _Question, answer: Answer) -> bool:
        """Write an answer; False when its child is not what was read any more."""
        source = question.document.source.value
        key = self._extractor.key_of(question.chunk)
        with self._store.writing() as transaction:
            is_kept = transaction.put_answer(
                key, source.doc_id, question.chunk.seq, source.version, answer
            )
        if is_kept:
            question.document.answers[question.chunk.seq] = answer
        return is_kept

    def _keep_what_is_paid(self) -> None:
        """After an exception: the answers that have come are kept for the next run."""
        for future, questions in self._under_way.items():
            if not future.cancelled():
                with suppress(StoreError, ProviderError):
                    self._keep(questions[0], future.result())

    def _close(self, question: _Question, outcome: str) -> None:
        self._count(outcome, 1)
        question.document.open -= 1
        self._write_when_settled(question.document)

    def _count(self, outcome: str, children: int) -> None:
        self._counts[outcome] += children
        self._counts["done"] += children
        done = self._counts["done"]
        self._progress(ModelProgress(done, max(self._total, done), self._counts["failed"]))

    def _write_when_settled(self, document: _Document) -> None:
        if not document.open:
            self._writer.write(document.source, document.answers)
            document.answers.clear()

    def _report(self, before: Usage) -> ModelBuildReport:
        counts = self._counts
        after = self._extractor.provider.usage
        return ModelBuildReport(
            model=self._extractor.model,
            prompt=self._extractor.prompt,
            documents=counts["documents"],
            children=counts["children"],
            answered=counts["answered"],
            cached=counts["cached"],
            failed=counts["failed"],
            unasked=counts["unasked"],
            outdated=counts["outdated"] + self._writer.outdated,
            relations=self._writer.relations,
            edges=len(self._writer.edges),
            rejected=dict(self._writer.rejected),
            left_out=self._writer.left_out,
            usage=Usage(*(now - then for now, then in zip(after, before, strict=True))),
            stopped=str(self._stopped or ""),
            is_over_budget=isinstance(self._stopped, BudgetSpentError),
            failures=dict(self._failures),
        )
