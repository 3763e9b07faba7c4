"""What holds for every outline, whatever the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragspine_store.loading import load_text, outline_of
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.records import BlockKind, Outline, Span

FRAGMENTS = [
    "# 第1章　総則",
    "## Title ##",
    "### ",
    "とする。\n---",
    "Title\n===",
    "- a",
    "  - b",
    "\t* c",
    "12. d",
    "> q",
    "> - # h",
    "```",
    "    code",
    "| a | b |\n|---|---|\n| c | d |",
    "<table>\n<tr><td>x</td></tr>\n</table>",
    "<div>",
    "<!-- c -->",
    "<!--",
    "-->",
    "* * *",
    "[r]: http://x",
    "[^1]: note",
    "（目的）",
    "第一条　この規則は、定める。",
    "第2条",
    "　第二章　服務（第三条―第四条）",
    "目次",
    "附　則",
    "２　前項",
    "　一　号",
    "（１）い",
    "①ろ",
    "・は",
    "1. Definitions",
    "1.1 Scope",
    "Article 5",
    "**Section 3.2: Fees**",
    "ANNEX III",
    "8.1項：に",
    "(i) x",
    "1. One. 2. Two: (a) x; (b) y. 3. Z",
    "  ",
    "\u3000",
    "word word",
    "\x1b[31m",
    "\f",
    "",
]

DOCUMENTS = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("\n".join)
TEXTS = DOCUMENTS | st.text(st.characters(exclude_categories=["Cs"]))

READERS = pytest.mark.parametrize(
    "read", [outline_of, outline_of_plain_text], ids=["markdown", "plain text"]
)
Reader = Callable[[str], Outline]


@READERS
@given(text=TEXTS)
@example(text="- <!-- c\n# h\n第1条\n")
@example(text="1. a\n（目的）\n\n    第1条　b\n")
def test_sections_partition_the_text(read: Reader, text: str) -> None:
    sections = read(text).sections
    assert [section.no for section in sections] == list(range(len(sections)))
    assert sections[0].span == Span(0, len(text))
    at = 0
    for section in sections:
        assert section.own == Span(at, section.own_end)
        at = section.own_end
        if section.parent is not None:
            parent = sections[section.parent]
            assert parent.no < section.no
            assert section.level == parent.level + 1
            assert parent.span.contains(section.span)
    assert at == len(text)


@READERS
@given(text=TEXTS)
def test_blocks_are_disjoint_and_lie_in_their_sections(read: Reader, text: str) -> None:
    outline = read(text)
    at = 0
    for index, block in enumerate(outline.blocks):
        shown = text[block.span.start : block.span.end]
        assert shown
        assert shown == shown.strip()
        assert at <= block.span.start
        at = block.span.end
        assert outline.sections[block.section].own.contains(block.span)
        assert outline.section_at(block.span) == block.section
        assert shown.startswith(block.label)
        depth = 0
        if block.parent is not None:
            assert block.parent < index
            assert outline.blocks[block.parent].kind is BlockKind.ITEM
            depth = outline.blocks[block.parent].depth
        assert block.depth == depth + (block.kind is BlockKind.ITEM)


@READERS
@given(text=TEXTS)
def test_headings_and_blocks_cover_all_text(read: Reader, text: str) -> None:
    outline = read(text)
    covered = bytearray(len(text))
    for section in outline.sections[1:]:
        first = next((b for b in outline.blocks if b.section == section.no), None)
        heading = text[section.span.start : first.span.start if first else section.own_end]
        assert len([line for line in heading.split("\n") if line.strip()]) <= 2
        covered[section.span.start : section.span.start + len(heading)] = b"\1" * len(heading)
    for block in outline.blocks:
        length = block.span.end - block.span.start
        covered[block.span.start : block.span.end] = b"\1" * length
    assert not [char for char, done in zip(text, covered, strict=True) if not done and char.strip()]


@given(DOCUMENTS.filter(lambda text: "<!--" not in text and text.strip()))
def test_the_outline_of_canonical_text_is_the_loaded_one(text: str) -> None:
    loaded = load_text("x\n\n" + text, name="rules")
    assert outline_of(loaded.text) == loaded.outline


@READERS
def test_a_long_text_without_headings_is_one_section(read: Reader) -> None:
    text = "従業員は、原則として徒歩又は公共交通機関により通勤する。\n\n" * 2000
    outline = read(text)
    assert len(outline.sections) == 1
    assert len(outline.blocks) == 2000


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param(">" * 10_000 + " deep", id="quotes on a line"),
        pytest.param("- " * 10_000 + "deep", id="lists on a line"),
        pytest.param("\n".join("  " * n + "- deep" for n in range(300)), id="lists"),
        pytest.param("\n".join("> " * n + "deep" for n in range(300)), id="quotes"),
        pytest.param("[" * 10_000 + "deep", id="brackets"),
        pytest.param("# " + "[" * 10_000 + "deep", id="brackets in a heading"),
        pytest.param("[^1]: " * 2000 + "deep", id="footnotes"),
    ],
)
def test_deep_nesting_keeps_its_text_and_what_follows(nested: str) -> None:
    text = f"{nested}\n\n# After\n\ntext"
    outline = outline_of(text)
    assert outline.sections[-1].heading == "After"
    held = "".join(text[block.span.start : block.span.end] for block in outline.blocks)
    headings = "".join(section.heading for section in outline.sections)
    assert (held + headings).count("deep") >= nested.count("deep")
