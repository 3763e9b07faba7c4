"""What is read out of a model's reply, whatever shape it comes in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.extraction.reply import MAX_ITEMS, Reply, parse_reply

ITEM = {"source": "A", "target": "B", "kind": "owns", "quote": "A owns B"}
OTHER = {**ITEM, "target": "C", "quote": "A owns C", "polarity": "denied"}
BOTH = json.dumps({"relations": [ITEM, OTHER]})

SHAPES = {
    "as asked": BOTH,
    "fenced": f"```json\n{BOTH}\n```",
    "fenced without a name": f"```\n{BOTH}\n```",
    "text around it": f"Sure, here you are:\n{BOTH}\nAnything else?",
    "brackets in the text around it": f"I read {{the text}} [twice].\n{BOTH}",
    "a list": json.dumps([ITEM, OTHER]),
    "a fenced list": f"```json\n{json.dumps([ITEM, OTHER])}\n```",
    "one object after another": f"{json.dumps(ITEM)}\n{json.dumps(OTHER)}",
    "after thoughts aloud": f'<think>Maybe {{"source": "X"}}?</think>{BOTH}',
    "surrounded by white space": f"\n\n  {BOTH}  \n",
    "with a byte order mark": f"\ufeff{BOTH}",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_well_formed_items_are_read_whatever_is_around_them(text: str) -> None:
    items = parse_reply(text).items
    assert [(item.target, item.polarity) for item in items] == [("B", "affirmed"), ("C", "denied")]


USELESS = {
    "empty": "",
    "null": "null",
    "a sentence": "There are no relations.",
    "a number": "42",
    "a string": '"relations"',
    "relations null": '{"relations": null}',
    "relations a number": '{"relations": 3}',
    "a list of null": "[null]",
    "another object": '{"error": "overloaded"}',
    "thoughts that never end": f"<think>{BOTH}",
    "broken off at once": '{"relations": [{"sou',
    "opened without end": "[" * 100_000,
    "nested without end": '{"relations":' * 5_000,
    "a number too long for Python": '{"relations": [' + "9" * 5_000,
}


@pytest.mark.parametrize("text", USELESS.values(), ids=USELESS.keys())
def test_a_reply_of_no_use_gives_no_item_and_one_fault(text: str) -> None:
    reply = parse_reply(text)
    assert reply.items == ()
    assert len(reply.faults) == 1


def test_no_relations_is_a_good_answer() -> None:
    assert parse_reply('{"relations": []}') == Reply()


def test_what_is_whole_in_a_truncated_reply_is_used() -> None:
    reply = parse_reply(BOTH[:-20])
    assert [item.target for item in reply.items] == ["B"]
    assert reply.faults == ("broken off or no JSON",)


WRONG: dict[str, Any] = {
    "null": None,
    "a string": "A owns B",
    "a list": [ITEM],
    "without a target": {name: ITEM[name] for name in ITEM if name != "target"},
    "a source that is null": {**ITEM, "source": None},
    "a source that is a number": {**ITEM, "source": 7},
    "a source that is a list": {**ITEM, "source": ["A"]},
    "a blank kind": {**ITEM, "kind": "  "},
    "an empty quote": {**ITEM, "quote": ""},
    "an unknown polarity": {**ITEM, "polarity": "maybe"},
    "a polarity that is null": {**ITEM, "polarity": None},
    "a name without end": {**ITEM, "source": "A" * 201},
    "a quote without end": {**ITEM, "quote": "A" * 2_001},
    "half a character": {**ITEM, "source": "\ud800"},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_malformed_item_is_dropped_and_counted_and_the_rest_is_used(wrong: object) -> None:
    reply = parse_reply(json.dumps({"relations": [wrong, ITEM]}))
    assert [item.source for item in reply.items] == ["A"]
    assert len(reply.faults) == 1


def test_a_fault_never_repeats_the_reply() -> None:
    reply = parse_reply(json.dumps([{**ITEM, "polarity": "secret", "source": 1}, "secret"]))
    assert len(reply.faults) == 2
    assert "secret" not in " ".join(reply.faults)


def test_items_without_end_are_cut_off() -> None:
    reply = parse_reply(json.dumps([ITEM] * (MAX_ITEMS + 50)))
    assert len(reply.items) == MAX_ITEMS
    assert reply.faults == (f"more than {MAX_ITEMS} items",)


def test_what_else_an_item_says_is_ignored() -> None:
    told = {**ITEM, "doc_id": "other.md", "locator": "other.md#para1", "verified": True}
    (item,) = parse_reply(json.dumps([told])).items
    assert not hasattr(item, "doc_id")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["relations", *ITEM, "polarity", "x"]), inner, max_size=6)
    ),
    max_leaves=20,
)


@given(JSON, st.text(max_size=10), st.text(max_size=10), st.integers(0, 40))
def test_any_json_cut_anywhere_is_read_without_a_failure(
    value: object, before: str, after: str, cut: int
) -> None:
    text = f"{before}{json.dumps(value)}{after}"
    for reply in (parse_reply(text), parse_reply(text[: len(text) - cut])):
        assert all(item.source and item.target and item.quote for item in reply.items)


@given(st.text())
def test_any_text_is_read_without_a_failure(text: str) -> None:
    assert parse_reply(text).items == ()
