import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.egress import literal, literal_block, render_json

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("bell\x07 return\r break\n", r"bell\x07 return\x0d break\x0a"),
        ("a\u202eb\u2066c\u200bd\u2028e", r"a\u202eb\u2066c\u200bd\u2028e"),
        ("\x9b31m", r"\x9b31m"),
        ("\U000e0041", r"\U000e0041"),
        ("\udcff", r"\udcff"),
        ("[red]<script>=1+1 手当\u3000が", "[red]<script>=1+1 手当\u3000が"),
    ],
    ids=["ansi", "controls", "bidi and zero width", "C1", "tag", "surrogate", "visible"],
)
def test_what_acts_is_shown_as_the_escape_that_names_it(text: str, shown: str) -> None:
    assert literal(text) == shown


def test_a_block_keeps_its_line_breaks_and_tabs_alone() -> None:
    assert literal_block("a\tb\nc\r\x1b") == "a\tb\nc\\x0d\\x1b"


@given(ANY_TEXT)
def test_nothing_invisible_leaves_for_a_terminal(text: str) -> None:
    assert {unicodedata.category(c) for c in literal(text)}.isdisjoint(
        {"Cc", "Cf", "Cs", "Zl", "Zp"}
    )


@given(ANY_TEXT, st.booleans())
def test_json_keeps_its_content_and_shows_no_invisible_character(
    text: str, ascii_only: bool
) -> None:
    rendered = render_json({"text": text, text: [text]}, ascii_only=ascii_only)
    assert json.loads(rendered) == {"text": text, text: [text]}
    shown = rendered.replace("\n", "")
    assert {unicodedata.category(c) for c in shown}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    assert shown.isascii() or not ascii_only


def test_json_shows_japanese_as_it_is() -> None:
    assert "第4条" in render_json(["第4条"])
