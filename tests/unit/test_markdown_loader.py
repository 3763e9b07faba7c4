"""Markdown: sections, blocks and what is no content."""

from __future__ import annotations

import pytest

from ragspine_store.errors import LoadError
from ragspine_store.loading import (
    Loader,
    known_suffixes,
    load_document,
    load_text,
    loader_for,
    outline_of,
)
from ragspine_store.records import LoadedDocument, Span

Entry = tuple[str, int, str, str]


def blocks(text: str) -> list[Entry]:
    """Kind, depth, label and text of each block."""
    return [
        (block.kind.value, block.depth, block.label, text[block.span.start : block.span.end])
        for block in outline_of(text).blocks
    ]


def paths(text: str) -> list[tuple[str, ...]]:
    outline = outline_of(text)
    return [outline.path(section.no) for section in outline.sections[1:]]


def load(text: str) -> LoadedDocument:
    return load_document(text.encode(), name="rules.md")


@pytest.mark.parametrize(
    ("markdown", "heading"),
    [
        pytest.param("# **第38条**　`年次` *有給* ##", "第38条　年次 有給", id="markup"),
        pytest.param("## [a](http://x) <b>b</b> &amp; \\# #1", "a b & # #1", id="inline"),
        pytest.param("# ![alt *x*](y.png)", "alt x", id="image"),
        pytest.param("Title\n=====", "Title", id="setext"),
        pytest.param("# a[^1]\n\n[^1]: note", "a", id="footnote reference"),
        pytest.param("# [red] \x1b[31m", "[red] \x1b[31m", id="terminal markup is text"),
        pytest.param("# a<br>b", "a b", id="line break"),
        pytest.param("#", "", id="empty"),
        pytest.param("# " + "*x* " * 500, ("*x* " * 500).strip(), id="too long to render"),
    ],
)
def test_a_heading_is_shown_without_markup(markdown: str, heading: str) -> None:
    assert paths(markdown) == [(heading,)]


@pytest.mark.parametrize(
    "markdown",
    [
        pytest.param("会社は、支給するものとする。\n---", id="a sentence above a rule"),
        pytest.param("会社は「支給する。」\n===", id="a quoted sentence"),
        pytest.param("two\nlines\n---", id="two lines"),
        pytest.param("> # quoted\n> text", id="in a quote"),
        pytest.param("- # in an item", id="in an item"),
        pytest.param("    # code", id="in indented code"),
        pytest.param("```\n# code\n```", id="in a fence"),
        pytest.param("#no space", id="no space"),
        pytest.param("| # a |\n|---|\n| ## b |", id="in a table"),
        pytest.param("<div>\n# html\n</div>", id="in HTML"),
        pytest.param("short line", id="a short line"),
        pytest.param("- 第1条　目的", id="an article in a list"),
    ],
)
def test_what_only_looks_like_a_heading_is_a_block(markdown: str) -> None:
    assert paths(markdown) == []
    held = "".join(text for _, _, _, text in blocks(markdown))
    assert "".join(held.split()) == "".join(markdown.split())


def test_an_article_with_its_items_is_one_parent_and_four_children() -> None:
    text = "# 第4条：諸手当\n\n1. 通勤手当\n2. 昼食手当\n3. 住宅手当\n4. 家族手当\n"
    assert paths(text) == [("第4条：諸手当",)]
    assert [entry[2:] for entry in blocks(text)] == [
        ("1.", "1. 通勤手当"),
        ("2.", "2. 昼食手当"),
        ("3.", "3. 住宅手当"),
        ("4.", "4. 家族手当"),
    ]


def test_wrong_and_repeated_numbers_are_kept() -> None:
    text = "1. a\n2. b\n2. c\n6. d\n8. e\n0. f\n"
    assert [entry[2] for entry in blocks(text)] == ["1.", "2.", "2.", "6.", "8.", "0."]


def test_five_levels_with_tabs_and_spaces() -> None:
    text = "1. a\n\t* b\n\t\t* c\n    * d\n        1. e\n            * f\n\t\t\t\t- g\n"
    assert [entry[1:3] for entry in blocks(text)] == [
        (1, "1."),
        (2, "*"),
        (3, "*"),
        (2, "*"),
        (3, "1."),
        (4, "*"),
        (5, "-"),
    ]


def test_an_item_ends_before_its_nested_list_and_holds_its_continuation_line() -> None:
    text = "1. 責任者\n    　監督する者をいう。\n    * 代理\n\n    後段\n2. 次"
    outline = outline_of(text)
    assert blocks(text) == [
        ("item", 1, "1.", "1. 責任者\n    　監督する者をいう。"),
        ("item", 2, "*", "* 代理"),
        ("paragraph", 1, "", "後段"),
        ("item", 1, "2.", "2. 次"),
    ]
    assert [block.parent for block in outline.blocks] == [None, 0, 0, None]


def test_plain_lines_in_an_item_are_items_as_in_plain_text() -> None:
    text = (
        "1. 次の者に支給する。\n   一　正社員\n      で続くもの\n   二　契約社員\n      イ　甲\n"
        "2. 手当は次とする。\n（１）通勤\n（２）昼食\n\n   ただし、試用期間を除く。\n3. 末\n"
    )
    assert blocks(text) == [
        ("item", 1, "1.", "1. 次の者に支給する。"),
        ("item", 2, "一", "一　正社員\n      で続くもの"),
        ("item", 2, "二", "二　契約社員"),
        ("item", 3, "イ", "イ　甲"),
        ("item", 1, "2.", "2. 手当は次とする。"),
        ("item", 2, "（１）", "（１）通勤"),
        ("item", 2, "（２）", "（２）昼食"),
        ("paragraph", 1, "", "ただし、試用期間を除く。"),
        ("item", 1, "3.", "3. 末"),
    ]
    parents = [block.parent for block in outline_of(text).blocks]
    assert parents == [None, 0, 0, 2, None, 4, 4, 4, None]


@pytest.mark.parametrize(
    ("text", "depths"),
    [
        pytest.param(
            "1. The following:\n\n(a) tea;\n\n(b) milk, which is\n  (i) hot;\n\n2. None else.\n",
            [("1.", 1), ("(a)", 2), ("(b)", 2), ("(i)", 3), ("2.", 1)],
            id="letters below a number",
        ),
        pytest.param(
            "1. 甲\n2. 次に掲げる者\n\n（１）役員\n（２）社員\n\n3. 丙\n",
            [("1.", 1), ("2.", 1), ("（１）", 2), ("（２）", 2), ("3.", 1)],
            id="号 below 項",
        ),
        pytest.param(
            "1. Tea.\n\nWhat follows is another list.\n\n(a) milk\n",
            [("1.", 1), ("", 0), ("(a)", 1)],
            id="prose between",
        ),
        pytest.param(
            "1. Tea.\n\n## More\n\n(a) milk\n", [("1.", 1), ("(a)", 1)], id="heading between"
        ),
        pytest.param("- Tea.\n\n(a) milk\n", [("-", 1), ("(a)", 1)], id="below a bullet"),
    ],
)
def test_plain_items_below_a_numbered_one_are_its_items(
    text: str, depths: list[tuple[str, int]]
) -> None:
    assert [(label, depth) for _, depth, label, _ in blocks(text)] == depths


@pytest.mark.parametrize(
    "text",
    [
        "- （１）甲\n  （２）乙",
        "- as section 4\n  (b) says",
        "- until\n  2. May",
        "- 甲\n  第2条　乙",
        "- 甲\n\n      一　丙",
    ],
    ids=["its own marker", "wrapped reference", "wrapped date", "heading", "code"],
)
def test_lines_that_may_be_something_else_stay_in_their_item(text: str) -> None:
    assert [label for kind, _, label, _ in blocks(text) if kind == "item"] == ["-"]


def test_tables_in_items_are_blocks_of_their_item() -> None:
    text = (
        "1. a\n    <table>\n        <tr><td>b</td></tr>\n    </table>\n"
        "2. c\n    * d\n\n        | e |\n        |---|\n        | f |\n        <!-- g -->\n"
        "    * h\n"
    )
    document = load(text)
    assert [block.kind.value for block in document.outline.blocks] == [
        "item",
        "table",
        "item",
        "item",
        "table",
        "item",
    ]
    assert [block.parent for block in document.outline.blocks] == [None, 0, None, 2, 3, 2]
    table = document.outline.blocks[4].span
    assert document.text[table.start : table.end] == ("| e |\n        |---|\n        | f |")


def test_a_table_that_ends_a_list_stands_in_the_section() -> None:
    text = "# 第28条\n\n1. a\n    - `b`\n    \n| c |\n| -: |\n| d |\n\n2. e\n"
    assert [entry[:3] for entry in blocks(text)] == [
        ("item", 1, "1."),
        ("item", 2, "-"),
        ("table", 0, ""),
        ("item", 1, "2."),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "```\na\n\nb\n```\n\n    c",
            [("code", 0, "", "```\na\n\nb\n```"), ("code", 0, "", "c")],
            id="code",
        ),
        pytest.param(
            "> a\nb\n>\n> - c", [("quote", 0, "", "> a\nb\n>\n> - c")], id="a quote is one block"
        ),
        pytest.param(
            "x[^1]\n\n[^1]: a\n\n    b",
            [("paragraph", 0, "", "x[^1]"), ("footnote", 0, "", "[^1]: a\n\n    b")],
            id="footnote",
        ),
        pytest.param(
            "a\n\n* * *\n\n[r]: http://x",
            [
                ("paragraph", 0, "", "a"),
                ("paragraph", 0, "", "* * *"),
                ("paragraph", 0, "", "[r]: http://x"),
            ],
            id="rules and link definitions",
        ),
        pytest.param(
            "- - a\n\n  | b |\n  |---|\n",
            [
                ("item", 1, "-", "-"),
                ("item", 2, "-", "- a"),
                ("table", 1, "", "| b |\n  |---|"),
            ],
            id="an item that opens with a list",
        ),
        pytest.param(
            "- # a\n\n  b\n\n  ```\n  c\n  ```\n  > d",
            [
                ("item", 1, "-", "- # a"),
                ("paragraph", 1, "", "b"),
                ("code", 1, "", "```\n  c\n  ```"),
                ("quote", 1, "", "> d"),
            ],
            id="blocks of an item",
        ),
        pytest.param(
            "a\nb\n\nc", [("paragraph", 0, "", "a\nb"), ("paragraph", 0, "", "c")], id="p"
        ),
    ],
)
def test_blocks(text: str, expected: list[Entry]) -> None:
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        pytest.param("a\n\n<!--\n# 第12章\n\n1. x\n-->\n\nb", "a\n\n\n\nb", id="a draft clause"),
        pytest.param("a <!-- x --> b", "a  b", id="inline"),
        pytest.param("# a <!-- x -->\n\nb", "# a \n\nb", id="in a heading"),
        pytest.param("a <!--\nx --> b", "a  b", id="inline over two lines"),
        pytest.param("| a <!-- x --> |\n|---|\n| b |", "| a  |\n|---|\n| b |", id="in a table"),
        pytest.param("<table>\n<!-- x -->\n</table>", "<table>\n\n</table>", id="in HTML"),
        pytest.param("a\n\n<!-- x\n\n# y", "a\n\n", id="unclosed, to the end"),
        pytest.param("a\n\n<!-- x --> b <!-- y -->", "a\n\n b ", id="text between two"),
        pytest.param("a\n\n<!-- x --> <!--\ny\n\n-->b", "a\n\n b", id="opened on a closing line"),
        pytest.param("a\n\n<!--> b <!---> c", "a\n\n b  c", id="the shortest ones"),
        pytest.param("- a\n  <!-- x\n\n  y -->\n- b", "- a\n  \n- b", id="in an item"),
        pytest.param("> a <!-- x -->", "> a ", id="in a quote"),
        pytest.param("a <!-- か\u3099 --> か\u3099", "a  が", id="beside composed text"),
    ],
)
def test_comments_are_no_content(raw: str, text: str) -> None:
    document = load(raw)
    assert document.text == text
    assert document.full_text == raw


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("```\n<!-- x -->\n```", id="in a fence"),
        pytest.param("a\n\n    <!-- x -->", id="in indented code"),
        pytest.param("a `<!-- x -->` b", id="in a code span"),
        pytest.param("a \\<!-- x --> b", id="escaped"),
        pytest.param('a <b title="<!-- x -->"> b', id="in an attribute"),
        pytest.param("a <!-- x\n\nb -->", id="inline and not closed in its paragraph"),
        pytest.param("<script>\n// <!-- x -->\n</script>", id="in a script"),
    ],
)
def test_what_only_looks_like_a_comment_stays(raw: str) -> None:
    assert load(raw).text == raw


def test_spans_lead_back_to_the_raw_file() -> None:
    raw = "---\r\ntitle: x\r\n---\r\n# か\u3099\r\n\r\n<!-- d -->\r\n\r\n1. 通勤\r\n"
    document = load_document(b"\xef\xbb\xbf" + raw.encode(), name="rules.md")
    span = document.outline.blocks[0].span
    assert document.offsets is not None
    start, end = document.offsets.raw_span(span)
    assert raw[start:end] == "1. 通勤"
    assert document.stated == {"title": "x"}
    assert document.title == "が"
    assert document.outline.sections[0].heading == "が"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_every_encoding_gives_the_same_document(encoding: str) -> None:
    text = "# 第1条　目的\n\n会社は、通勤手当を支給する。\n"
    assert load_document(text.encode(encoding), name="rules.md") == load(text)


@pytest.mark.parametrize(
    "raw", ["<!-- x -->", "---\ntitle: x\n---\n", "---\ntitle: x\n---\n\n<!-- x"]
)
def test_a_file_without_content_is_refused(raw: str) -> None:
    with pytest.raises(LoadError, match=r"rules\.md holds no text"):
        load(raw)


def test_an_unknown_ending_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(LoadError, match=r"rules\.zip has no known ending") as caught:
        loader_for("rules.zip")
    assert all(suffix in str(caught.value) for suffix in known_suffixes())


@pytest.mark.parametrize("name", ["a.md", "a.MD", "dir.txt/a.Markdown", "a.txt", "a.b.text"])
def test_the_ending_chooses_the_loader(name: str) -> None:
    loader = loader_for(name)
    assert isinstance(loader, Loader)
    assert any(name.lower().endswith(suffix) for suffix in loader.suffixes)


@pytest.mark.parametrize(
    ("name", "title"), [("memo", "a"), ("memo.md", "a"), ("memo.2024", "a"), ("memo.txt", "")]
)
def test_text_given_directly_is_markdown_unless_its_name_says_otherwise(
    name: str, title: str
) -> None:
    assert load_text("# a\n\nb", name=name).title == title


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(LoadError, match="memo holds lone surrogates"):
        load_text("a\ud800", name="memo")


def test_a_long_list_keeps_its_items_apart() -> None:
    text = "".join(f"{number}. item\n" for number in range(1, 501))
    outline = outline_of(text)
    assert [block.label for block in outline.blocks] == [f"{n}." for n in range(1, 501)]
    assert outline.blocks[-1].span == Span(len(text) - len("500. item\n"), len(text) - 1)


def test_a_line_that_is_nothing_but_bold_can_be_a_heading() -> None:
    text = "# 規程\n\n**第1条（目的）**\n\n1. 会社は\n**第2条**\n手当は\n\n**注意**\n"
    outline = outline_of(text)
    assert [section.heading for section in outline.sections[1:]] == [
        "規程",
        "第1条（目的）",
        "第2条",
    ]
    assert [text[block.span.start : block.span.end] for block in outline.blocks] == [
        "1. 会社は",
        "手当は",
        "**注意**",
    ]
    assert [section.level for section in outline.sections] == [0, 1, 2, 2]
