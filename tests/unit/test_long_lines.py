"""No line is too long to read: what takes n² steps does not come back from 200,000 characters.

Nothing is timed; a rule that looks back over the whole line at each of its characters would run
into the `faulthandler_timeout` of the test run, which names it.
"""

from __future__ import annotations

import pytest

from ragspine_store.chunking import chunk_document
from ragspine_store.chunking.pieces import PieceSizes, cut_block
from ragspine_store.loading import load_text
from ragspine_store.records import DocumentMeta, Span
from ragspine_store.sentences import sentence_spans
from ragspine_store.tokenizer import tokens
from ragspine_store.tokens import EstimatedTokenCounter

LENGTH = 200_000
MARKS = [".", "!", "。", "、", "(", "「", '"', "1", "一", "第", " ", "a", "a.", ".)", "。」", "a@"]
UNITS = [
    *MARKS,
    *["・", "（", "[", "#", "-", "*", "|", "<", "<!--", "`", "&", "\\", "\u3000", "甲", "\u3099"],
    *["1.", "、。", "- ", "> ", "| ", "**", "[a](", "第1条", "第一条及び", "の1", "条の二"],
    *["（第1条", "第1条・"],
]


@pytest.mark.parametrize("suffix", [".md", ".txt"])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("opening", ["第1条 x", "# x"])
def test_a_long_line_is_loaded_and_kept_whole(unit: str, opening: str, suffix: str) -> None:
    line = unit * (LENGTH // len(unit))
    text = f"{opening}{line}y\n\nz"
    assert tokens(text)[-1] == "z"
    loaded = load_text(text, name=f"long{suffix}")
    assert loaded.outline.blocks[-1].span.end == len(loaded.text.rstrip())


@pytest.mark.parametrize("unit", MARKS)
def test_a_long_line_is_cut(unit: str) -> None:
    line = unit * (LENGTH // len(unit))
    text = f"x{line}y"
    whole = Span(0, len(text))
    for spans in (
        sentence_spans(text),
        cut_block(text, whole, PieceSizes(250, 25, EstimatedTokenCounter()), by_lines=False),
        [chunk.span for chunk in chunk_document(text, DocumentMeta("long.md"))],
    ):
        assert (spans[0].start, spans[-1].end) == whole
