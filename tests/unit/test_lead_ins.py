"""Lines that lists begin with: which they are, and which children are found by them."""

from __future__ import annotations

import pytest

from ragspine_store.chunking import make_chunker
from ragspine_store.chunking.lead_ins import MAX_CHARS
from ragspine_store.loading import load_text
from ragspine_store.records import DocumentMeta, Span
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins
from ragspine_store.tokenizer import index_tokens


def lead_ins(text: str, chunker: str = "hierarchical") -> dict[str, str]:
    """The lead-in of each child that has one, by the child's text."""
    loaded = load_text(text, name="a.md")
    made = make_chunker(chunker)
    assert made is not None
    chunks = made.chunk(loaded.text, DocumentMeta("a.md"), outline=loaded.outline)
    return {chunk.text: loaded.text[slice(*chunk.lead_in)] for chunk in chunks if chunk.lead_in}


@pytest.mark.parametrize("chunker", ["hierarchical", "parent_child"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# 第5条\n\n1. 次の各号に該当する者\n   - 役員\n   - 顧問\n2. 社員\n",
            {"- 役員": "1. 次の各号に該当する者", "- 顧問": "1. 次の各号に該当する者"},
        ),
        (
            "休暇は次の場合に与える。\n\n1. 結婚\n2. 転居\n",
            {"1. 結婚": "休暇は次の場合に与える。", "2. 転居": "休暇は次の場合に与える。"},
        ),
        (
            "Leave is given:\n\n- illness\n\nMore.\n\n- none\n",
            {"- illness": "Leave is given:"},
        ),
        ("Leave is given.\n\n- illness\n", {}),
        ("The following applies.\n\n## Cases\n\n- illness\n", {}),
    ],
    ids=["nested", "announced", "only by the line before", "not announced", "other section"],
)
def test_what_is_the_line_of_a_list(text: str, expected: dict[str, str], chunker: str) -> None:
    assert lead_ins(text, chunker) == expected


def test_of_a_long_line_only_its_last_sentences_count() -> None:
    text = "あ。" * MAX_CHARS + "次の者を除く。"
    (lead_in,) = lead_ins(f"{text}\n\n- 役員\n").values()
    assert len(lead_in) <= MAX_CHARS
    assert text.endswith(lead_in)
    assert lead_in.startswith("あ。")
    (lead_in,) = lead_ins(f"{'あ' * 2 * MAX_CHARS}:\n\n- 役員\n").values()
    assert len(lead_in) == MAX_CHARS


def test_the_default_chunker_and_others_without_structure_have_none() -> None:
    assert lead_ins("Leave is given:\n\n- illness\n", "sentence_window") == {}


@pytest.mark.parametrize(
    ("levels", "is_open"),
    [
        ((1, 1, 1), True),
        ((0, 1, 1), True),
        ((1, 2, 1), False),
        ((3, 1, 1), False),
        ((2, 2, 2), True),
    ],
    ids=["equal", "less strict", "second piece stricter", "erased", "all as strict"],
)
def test_a_lead_in_counts_when_no_piece_of_it_is_stricter_than_the_item(
    levels: tuple[int, int, int], is_open: bool
) -> None:
    first, second, item = levels
    children = [
        Indexed(1, first, Span(0, 9), None),
        Indexed(2, second, Span(8, 15), None),
        Indexed(3, item, Span(16, 20), Span(2, 15)),
        Indexed(4, 0, None, None),
    ]
    assert open_lead_ins(children) == ({3: Span(2, 15)} if is_open else {})


def test_a_lead_in_that_no_child_holds_does_not_count() -> None:
    assert open_lead_ins([Indexed(1, 1, Span(5, 9), Span(0, 4))]) == {}


def test_a_lead_in_stands_between_headings_and_text() -> None:
    assert index_tokens("tea", ("Rules",), "We offer") == ["rules", "we", "offer", "tea"]
    assert index_tokens("tea", (), "We offer") == ["we", "offer", "tea"]
