"""Files of questions: what is read of them, and what a wrong line is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragspine_graph.errors import QuestionsError
from ragspine_graph.evaluation import load_questions, parse_questions
from ragspine_graph.evaluation.questions import NodeGold, SpanGold, TextGold
from ragspine_store.query import MAX_QUERY_CHARS
from ragspine_store.records import Span

SECRET = "who takes over from Kingfisher"


def test_a_line_with_everything_is_read() -> None:
    (asked,) = parse_questions(
        [
            '{"id": 7, "question": "When?", "kind": "pay", "filters": {"topic": "pay"},'
            ' "gold_ids": ["a.md#s2", "a.md#s2"],'
            ' "gold_spans": [{"doc_id": "a.md", "start": 3, "end": 9}],'
            ' "answers": ["Ｐａｉｄ\\n monthly", "paid monthly"],'
            ' "items": ["the 25th", {"doc_id": "a.md", "start": 1, "end": 2}]}'
        ],
        origin="x.jsonl",
    )
    assert (asked.id, asked.text, asked.kind) == ("7", "When?", "pay")
    assert asked.filters == {"topic": ["pay"]}
    assert asked.gold == (
        NodeGold("a.md#s2"),
        SpanGold("a.md", Span(3, 9)),
        TextGold("paid monthly", "Ｐａｉｄ\n monthly"),
    )
    assert asked.items == (TextGold("the 25th", "the 25th"), SpanGold("a.md", Span(1, 2)))


def test_a_question_alone_is_unanswerable_and_known_by_its_line() -> None:
    first, second = parse_questions(
        ['{"question": "a"}', "", '{"question": "b", "answers": ["c"]}'], origin="x"
    )
    assert (first.id, first.gold, first.items) == ("1", (), ())
    assert (second.id, second.items) == ("3", second.gold)


def test_ids_are_compared_in_the_form_in_which_they_are_stored() -> None:
    (asked,) = parse_questions(['{"question": "a", "gold_ids": ["か\\u3099.md"]}'], origin="x")
    assert asked.gold == (NodeGold("が.md"),)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", ": expected one JSON object, such as"),
        (f'"{SECRET}"', ": expected one JSON object, such as"),
        ("{}", ", key 'question': missing; expected a value"),
        ('{"question": " "}', ", key 'question': blank; expected some text"),
        (f'{{"question": "{"x" * (MAX_QUERY_CHARS + 1)}"}}', ", key 'question': expected"),
        (f'{{"question": "{SECRET}", "answer": "x"}}', ", key 'answer': unknown key; expected one"),
        (f'{{"question": "{SECRET}", "gold_ids": "a.md"}}', ", key 'gold_ids': expected a"),
        (f'{{"question": "{SECRET}", "gold_ids": [""]}}', ", key 'gold_ids[0]': expected"),
        (f'{{"question": "{SECRET}", "answers": ["{SECRET}", ""]}}', ", key 'answers[1]': blank"),
        (
            f'{{"question": "{SECRET}", "gold_spans": [{{"doc_id": "a", "start": 3, "end": 3}}]}}',
            ", key 'gold_spans[0]': an empty span given; expected start below end",
        ),
        (
            f'{{"question": "{SECRET}", "gold_spans": [{{"doc_id": "a", "start": "3"}}]}}',
            ", key 'gold_spans[0].start': expected a whole number",
        ),
        (
            f'{{"question": "{SECRET}", "gold_spans": [{{"doc": "a", "start": 3, "end": 4}}]}}',
            ", key 'gold_spans[0].doc_id': missing",
        ),
        (
            f'{{"question": "{SECRET}", "filters": {{"author": "{SECRET}"}}}}',
            ", key 'filters': unknown filter; expected one of topic,",
        ),
        (f'{{"question": "{SECRET}", "items": ["x"]}}', ": items without gold; expected gold_ids"),
        (f'{{"question": "{SECRET}", "id": "1"}}', ": the id of line 1 given again; expected an"),
    ],
    ids=[
        *("no JSON", "a string", "no question", "blank", "too long", "unknown key"),
        *("no list", "empty id", "blank answer", "empty span", "no number", "misspelt"),
        *("unknown filter", "items alone", "repeated id"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_expected_and_never_shown(line: str, told: str) -> None:
    with pytest.raises(QuestionsError) as caught:
        parse_questions(['{"question": "first", "id": 1}', line], origin="set.jsonl")
    message = str(caught.value)
    assert message.startswith(f"questions 'set.jsonl', line 2{told}")
    assert SECRET not in message
    assert "xxxx" not in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "no such file"),
        (b"", "no question in it; expected one JSON object a line"),
        (b"\n \n", "no question in it; expected one JSON object a line"),
        ("{}".encode("utf-16"), "not UTF-8; save it as UTF-8"),
    ],
    ids=["missing", "empty", "blank", "UTF-16"],
)
def test_a_file_without_questions_is_an_error(
    tmp_path: Path, data: bytes | None, told: str
) -> None:
    path = tmp_path / "set.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(QuestionsError) as caught:
        load_questions(path)
    assert str(caught.value).startswith(f"questions {str(path)!r}: {told}")


def test_a_file_may_begin_with_a_mark_of_its_encoding_and_end_lines_as_windows_does(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"question": "a"}\r\n{"question": "b"}\r\n')
    assert [asked.text for asked in load_questions(path)] == ["a", "b"]
