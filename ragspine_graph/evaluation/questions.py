"""A set of questions with what answers them, one JSON object a line.

    {"question": "When is the allowance paid?", "gold_ids": ["rules/pay.md#s2"]}

What answers a question, its gold, is told in any of three ways, or in several at once: `gold_ids`,
of documents, sections or children; `gold_spans` of the decoded files; `answers`, strings that the
found text holds. A question without gold is one that the documents do not answer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from ragspine_graph.errors import QuestionsError
from ragspine_graph.evaluation.comparable import comparable
from ragspine_graph.validation import first_fault
from ragspine_store.protocols import FILTER_KEYS
from ragspine_store.query import MAX_QUERY_CHARS
from ragspine_store.records import Span

MAX_FILE_BYTES = 64 * 2**20
MAX_CHARACTERS = 1_000
MAX_ANSWER_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class NodeGold:
    """A document, section, child or other node, by its id."""

    node_id: str


@dataclass(frozen=True, slots=True)
class SpanGold:
    """A passage: a half-open range of code points of a decoded file."""

    doc_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class TextGold:
    """A string, as it is compared; `written` is how the file has it."""

    text: str
    written: str = field(compare=False)


Gold = NodeGold | SpanGold | TextGold


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what a good answer to it stands on.

    Attributes:
        id: as given, else the number of its line.
        text: what is asked.
        kind: the group it is reported with; '' for none.
        filters: allowed values by key, as a search takes them.
        gold: what has to be found, each once; none for an unanswerable question.
        items: what a complete context holds; the gold unless the file says otherwise.
    """

    id: str
    text: str
    kind: str
    filters: Mapping[str, Sequence[str]]
    gold: tuple[Gold, ...]
    items: tuple[Gold, ...]


def _to_id(given: object) -> object:
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def _to_values(given: object) -> object:
    return [given] if isinstance(given, str) else given


def _check_filters(filters: dict[str, list[str]]) -> dict[str, list[str]]:
    if set(filters) - set(FILTER_KEYS):
        raise ValueError(f"unknown filter; expected one of {', '.join(FILTER_KEYS)}")
    return filters


def _check_text(text: str) -> str:
    if not comparable(text):
        raise ValueError("blank; expected some text")
    return text


_Name = Annotated[str, Field(max_length=MAX_CHARACTERS)]
_NodeId = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
_Answer = Annotated[str, Field(max_length=MAX_ANSWER_CHARACTERS), AfterValidator(_check_text)]
_Values = Annotated[list[str], BeforeValidator(_to_values)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Span(_Model):
    doc_id: _NodeId
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _check(self) -> _Span:
        if self.start >= self.end:
            raise ValueError("an empty span given; expected start below end")
        return self


class _Item(_Model):
    text: _Answer = "-"
    span: _Span | None = None

    @model_validator(mode="before")
    @classmethod
    def _take(cls, given: object) -> object:
        return {"text": given} if isinstance(given, str) else {"span": given}


class _Line(_Model):
    question: Annotated[str, Field(max_length=MAX_QUERY_CHARS), AfterValidator(_check_text)]
    id: Annotated[_NodeId | None, BeforeValidator(_to_id)] = None
    kind: _Name = ""
    filters: Annotated[dict[str, _Values], AfterValidator(_check_filters)] = {}
    gold_ids: list[_NodeId] = []
    gold_spans: list[_Span] = []
    answers: list[_Answer] = []
    items: list[_Item] = []

    @model_validator(mode="after")
    def _check(self) -> _Line:
        if self.items and not (self.gold_ids or self.gold_spans or self.answers):
            raise ValueError("items without gold; expected gold_ids, gold_spans or answers as well")
        return self


def load_questions(path: Path) -> tuple[Question, ...]:
    """Read a set of questions, in the order of the file; blank lines are passed over.

    Args:
        path: a file of JSON lines in UTF-8.

    Raises:
        QuestionsError: the file is missing, too large or malformed, holds no question, or a line
            is not as it should be; the message names file, line and key, and shows no value.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise QuestionsError(
                f"questions {str(path)!r}: larger than {MAX_FILE_BYTES:,} bytes; split it"
            )
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise QuestionsError(f"questions {str(path)!r}: no such file") from None
    except OSError as error:
        raise QuestionsError(f"questions {str(path)!r}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise QuestionsError(f"questions {str(path)!r}: not UTF-8; save it as UTF-8") from None
    return parse_questions(text.split("\n"), origin=str(path))


def parse_questions(lines: Iterable[str], *, origin: str) -> tuple[Question, ...]:
    """Questions from lines of JSON; `origin` names them in messages.

    Raises:
        QuestionsError: as in `load_questions`.

    >>> (asked,) = parse_questions(['{"question": "Who?", "answers": ["Kim"]}'], origin="x.jsonl")
    >>> asked.id, asked.text, [gold.text for gold in asked.gold]
    ('1', 'Who?', ['kim'])
    """
    questions: dict[str, Question] = {}
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        question = _parse_line(line, number, origin)
        if question.id in questions:
            raise QuestionsError(
                f"questions {origin!r}, line {number}: the id of line {numbers[question.id]} given "
                "again; expected an id of its own"
            )
        questions[question.id], numbers[question.id] = question, number
    if not questions:
        raise QuestionsError(
            f"questions {origin!r}: no question in it; expected one JSON object a line, such as "
            '{"question": "…", "answers": ["…"]}'
        )
    return tuple(questions.values())


def _parse_line(line: str, number: int, origin: str) -> Question:
    try:
        read = _Line.model_validate_json(line)
    except ValidationError as error:
        problem = f"questions {origin!r}, line {number}{_fault(error)}"
        raise QuestionsError(problem) from None
    gold = _distinct(
        [
            *(NodeGold(unicodedata.normalize("NFC", given)) for given in read.gold_ids),
            *map(_span_gold, read.gold_spans),
            *map(_text_gold, read.answers),
        ]
    )
    return Question(
        id=str(number) if read.id is None else read.id,
        text=read.question,
        kind=read.kind,
        filters=read.filters,
        gold=gold,
        items=_distinct(_item_gold(item) for item in read.items) or gold,
    )


def _fault(error: ValidationError) -> str:
    kind = error.errors(include_url=False)[0]["type"]
    if kind in ("json_invalid", "model_type"):
        return ': expected one JSON object, such as {"question": "…", "answers": ["…"]}'
    key, problem = first_fault(error, _Line, shows_values=False)
    return f", key {key!r}: {problem}" if key else f": {problem}"


def _span_gold(given: _Span) -> SpanGold:
    return SpanGold(unicodedata.normalize("NFC", given.doc_id), Span(given.start, given.end))


def _text_gold(given: str) -> TextGold:
    return TextGold(comparable(given), given)


def _item_gold(given: _Item) -> Gold:
    if given.span is not None:
        return _span_gold(given.span)
    return _text_gold(given.text)


def _distinct(gold: Iterable[Gold]) -> tuple[Gold, ...]:
    return tuple(dict.fromkeys(gold))
