"""HTML, read as a browser shows it."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_store.errors import LoadError
from ragspine_store.loading import load_document
from ragspine_store.loading.html import HtmlLoader
from ragspine_store.records import BlockKind, LoadedDocument


def load(html: str) -> LoadedDocument:
    return HtmlLoader().load(html.encode(), name="page.html")


def blocks(html: str) -> list[tuple[BlockKind, str]]:
    document = load(html)
    return [
        (block.kind, document.text[block.span.start : block.span.end])
        for block in document.outline.blocks
    ]


def texts(html: str) -> list[str]:
    return [text for _, text in blocks(html)]


def items(html: str) -> list[tuple[str, int, str]]:
    document = load(html)
    return [
        (block.label, block.depth, document.text[block.span.start : block.span.end])
        for block in document.outline.blocks
        if block.kind is BlockKind.ITEM
    ]


def test_headings_nest_by_level_and_by_japanese_rank() -> None:
    outline = load(
        "<h1>就業規則</h1><h2>第1章 総則</h2><h2>第1条 目的</h2><p>本文</p><h4>第2条</h4>"
        "<h2>第2章</h2><h1>別冊</h1>"
    ).outline
    assert [outline.path(section.no) for section in outline.sections[1:]] == [
        ("就業規則",),
        ("就業規則", "第1章 総則"),
        ("就業規則", "第1章 総則", "第1条 目的"),
        ("就業規則", "第1章 総則", "第2条"),
        ("就業規則", "第2章"),
        ("別冊",),
    ]


def test_paragraphs_numbered_below_a_numbered_item_are_its_items() -> None:
    html = (
        "<ol><li>甲<li>次に掲げる者</ol><p>（１）役員</p><p>（２）社員</p><ol start=3><li>丙</ol>"
    )
    assert [(label, depth) for label, depth, _ in items(html)] == [
        ("1.", 1),
        ("2.", 1),
        ("（１）", 2),
        ("（２）", 2),
        ("3.", 1),
    ]


def test_a_page_of_plain_text_in_pre_is_read_as_text() -> None:
    typed = "<title>規則</title><body><pre>\n第1条　目的\n\n1. 甲\n   - 乙\n\n\n2. 丙\n</pre>"
    assert load(typed).outline.path(1) == ("第1条　目的",)
    assert items(typed) == [("1.", 1, "1. 甲"), ("-", 2, "- 乙"), ("2.", 1, "2. 丙")]
    assert blocks("<pre>if x:\n  1\n</pre>") == [(BlockKind.CODE, "if x:\n  1")]


def test_headings_and_items_on_plain_lines_count_as_in_markdown() -> None:
    html = (
        "<p>（目的）<br>第１条　会社は、次のとおり定める。<br>（１）甲<br>（２）乙</p>"
        "<p>第２条　以上。</p>"
    )
    document = load(html)
    assert [s.heading for s in document.outline.sections[1:]] == ["第１条（目的）", "第２条"]
    assert [label for label, _, _ in items(html)] == ["（１）", "（２）"]


def test_english_clauses_count_as_in_markdown() -> None:
    html = "<h2>1. Services</h2><p>1.1 The Supplier shall: (a) deliver; and (b) report.</p>"
    document = load(html)
    expected = load_document(
        b"## 1. Services\n\n1.1 The Supplier shall: (a) deliver; and (b) report.", name="a.md"
    )
    found = [[s.heading for s in d.outline.sections] for d in (document, expected)]
    assert found[0] == found[1]
    labels = [[b.label for b in d.outline.blocks] for d in (document, expected)]
    assert labels[0] == labels[1]


MARKERS = {
    "decimal": ("<ol><li>a<li>b</ol>", ["1.", "2."]),
    "start": ("<ol start=3><li>a<li>b</ol>", ["3.", "4."]),
    "value": ("<ol><li>a<li value=7>b<li>c</ol>", ["1.", "7.", "8."]),
    "letters": ("<ol type=a start=26><li>a<li>b</ol>", ["z.", "aa."]),
    "capitals": ("<ol type=A><li>a</ol>", ["A."]),
    "roman": ("<ol type=i start=9><li>a<li>b</ol>", ["ix.", "x."]),
    "great roman": ("<ol type=I start=1994><li>a</ol>", ["MCMXCIV."]),
    "style": ("<ol style='list-style-type: upper-latin'><li>a</ol>", ["A."]),
    "reversed": ("<ol reversed><li>a<li>b</ol>", ["2.", "1."]),
    "below one": ("<ol type=a start=0><li>a</ol>", ["0."]),
    "no number": ("<ol start=x><li value='3px'>a</ol>", ["3."]),
    "bullets": ("<ul><li>a<li>b</ul>", ["•", "•"]),
    "none, numbered by hand": (
        "<ul style='list-style: none'><li>（１）甲<li>乙</ul>",
        ["（１）", ""],
    ),
    "stray": ("<li>a", ["•"]),
}


@pytest.mark.parametrize(("html", "labels"), MARKERS.values(), ids=MARKERS.keys())
def test_items_have_the_markers_that_a_browser_shows(html: str, labels: list[str]) -> None:
    found = items(html)
    assert [label for label, _, _ in found] == labels
    assert all(text.startswith(label) for label, _, text in found)


def test_nested_lists_and_further_paragraphs_hang_in_their_item() -> None:
    html = "<ol><li><p>甲</p><ul><li>乙</li></ul><p>続き</p></li><li>丙</li></ol>"
    outline = load(html).outline
    assert [(b.kind.value, b.depth, b.parent) for b in outline.blocks] == [
        ("item", 1, None),
        ("item", 2, 0),
        ("paragraph", 1, 0),
        ("item", 1, None),
    ]


def test_a_list_or_table_between_items_belongs_to_the_item_before() -> None:
    html = (
        "<ol><li>甲</li><ol type=a><li>乙</li></ol><table><tr><td>丙<td>丁</table><li>戊</li></ol>"
    )
    outline = load(html).outline
    assert [(b.label, b.depth, b.parent) for b in outline.blocks] == [
        ("1.", 1, None),
        ("a.", 2, 0),
        ("", 1, 0),
        ("2.", 1, None),
    ]


def test_an_item_that_begins_with_a_list_keeps_its_marker() -> None:
    assert items("<ol><li><ul><li>甲</li></ul></li></ol>") == [("1.", 1, "1."), ("•", 2, "• 甲")]


def test_a_table_is_one_block_with_a_line_for_each_row() -> None:
    html = (
        "<table><caption>表1 手当</caption><thead><tr><th>区分<th>額</thead>"
        "<tr><td rowspan=2>通勤<td>20,000円<tr><td>上限<br>なし"
        "<tr><td colspan=2>以上<tr><td><td></table>"
    )
    assert blocks(html) == [
        (
            BlockKind.TABLE,
            "表1 手当\n| 区分 | 額 |\n| 通勤 | 20,000円 |\n| 通勤 | 上限 なし |\n| 以上 |  |",
        )
    ]


def test_a_table_in_an_item_hangs_in_it() -> None:
    outline = load("<ul><li>表<table><tr><td>a<td>b</table></ul>").outline
    assert [(b.kind, b.parent) for b in outline.blocks] == [
        (BlockKind.ITEM, None),
        (BlockKind.TABLE, 0),
    ]


LAYOUTS = {
    "headings in cells": "<table><tr><td><h1>題</h1><td><p>文</table>",
    "a table in a cell": "<table><tr><td><h1>題</h1><table><tr><td>文</table></table>",
    "said to be one": "<table role=presentation><tr><td>甲<td>文</table><h1>題</h1>",
    "one cell": "<h1>題</h1><table><tr><td>文</table>",
}


@pytest.mark.parametrize("html", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_table_that_lays_out_a_page_is_no_block(html: str) -> None:
    assert all(kind is BlockKind.PARAGRAPH for kind, _ in blocks(html))
    assert "文" in texts(html)
    assert load(html).outline.sections[1].heading == "題"


def test_terms_and_their_definitions_are_items() -> None:
    html = (
        "<dl><dt>役員</dt><dd>取締役をいう。<p>監査役も。</dd>"
        "<div><dt>甲<dt>乙<dd>丙</div><dt>丁</dl>"
    )
    assert blocks(html) == [
        (BlockKind.ITEM, "役員\n取締役をいう。"),
        (BlockKind.PARAGRAPH, "監査役も。"),
        (BlockKind.ITEM, "甲\n乙\n丙"),
        (BlockKind.ITEM, "丁"),
    ]


def test_code_keeps_its_lines_and_a_quotation_is_one_block() -> None:
    html = "<pre>\n  if x:\n    y &lt; 1</pre><blockquote><p>甲</p><ul><li>乙</ul></blockquote>"
    assert blocks(html) == [
        (BlockKind.CODE, "if x:\n    y < 1"),
        (BlockKind.QUOTE, "甲\n• 乙"),
    ]
    assert load(html).text.startswith("  if x:")


def test_a_quotation_that_only_indents_the_page_is_none() -> None:
    html = "<blockquote><h1>題</h1><p>文</blockquote>"
    assert blocks(html) == [(BlockKind.PARAGRAPH, "文")]


def test_captions_and_footnotes_stay_where_they_stand() -> None:
    html = (
        "<p>手当は20,000円<sup><a href='#n1'>1</a></sup>とし、5m<sup>2</sup>とする。</p>"
        "<figure><img src=a alt='流れ図'><figcaption>図1</figcaption></figure>"
        "<ol><li id=n1>税込み</ol>"
    )
    assert texts(html) == ["手当は20,000円[1]とし、5m2とする。", "流れ図", "図1", "1. 税込み"]


HIDDEN = {
    "script": "<script>x<p>秘</p></script>",
    "style": "<style>秘</style>",
    "comment": "<!-- 秘 -->",
    "template": "<template><p>秘</template>",
    "noscript": "<body><noscript>秘</noscript>",
    "attribute": "<p hidden>秘</p>",
    "style attribute": "<div style='color:red; DISPLAY : none'><p>秘</div>",
    "visibility": "<span style='visibility:hidden'>秘</span>",
    "closed dialog": "<dialog>秘</dialog>",
    "reading": "<ruby>字<rp>(</rp><rt>秘</rt></ruby>",
    "head": "<head><meta name=a content=秘></head>",
}


@pytest.mark.parametrize("html", HIDDEN.values(), ids=HIDDEN.keys())
def test_what_is_not_shown_is_not_content_but_is_screened(html: str) -> None:
    document = load(f"{html}<p>見える</p>")
    assert "秘" not in document.text
    assert "見える" in document.text
    assert "秘" in document.full_text


def test_hidden_elements_with_text_are_counted_outermost_ones_alone() -> None:
    hidden = "<div hidden>秘<p hidden>秘</p></div><p style='display:none'>秘</p><p hidden> </p>"
    assert load(f"{hidden}<p>見える</p>").notes == ("left out: 2 hidden elements",)
    assert load("<script>x</script><p>見える</p>").notes == ()


SHOWN = {
    "entities": ("a&amp;b &#12354;&nbsp;&lt;c&gt;", "a&b あ <c>"),
    "line break": ("甲<br>乙", "甲\n乙"),
    "wrapped Japanese": ("規則は、\n  会社が", "規則は、会社が"),
    "wrapped English": ("the\n  rules", "the rules"),
    "wrapped Korean": ("한국\n어", "한국 어"),
    "inline elements": ("a<b>b</b> <i>c</i>", "ab c"),
    "unclosed": ("<b>甲<i>乙</b>丙", "甲乙丙"),
    "details": ("<details><summary>甲</summary>乙</details>", "甲\n\n乙"),
    "inline around blocks": ("<a href=x><div>甲</div>乙</a>", "甲\n\n乙"),
    "bad character reference": ("a&#xD800;&#0;b", "a\ufffd\ufffdb"),
    "stray text in a table": ("<table>甲<tr><td>乙<td>丙</table>", "甲\n\n| 乙 | 丙 |"),
    "combining marks": ("か\u3099", "が"),
}


@pytest.mark.parametrize(("html", "text"), SHOWN.values(), ids=SHOWN.keys())
def test_text_is_as_a_browser_shows_it(html: str, text: str) -> None:
    assert load(html).text == text


def test_the_title_is_the_pages_or_its_first_heading() -> None:
    assert load("<title> 規程\n集 </title><h1>甲</h1>").title == "規程 集"
    assert load("<title></title><h1>甲</h1>").title == "甲"
    assert load("<title>規程</title><p>x").outline.sections[0].heading == "規程"
    assert load("<p>x").title == ""


def test_the_language_is_stated() -> None:
    assert load("<html lang='ja-JP'><p>x").stated == {"language": "ja"}
    assert load("<html lang='en'><p>x").stated == {"language": "en"}
    assert load("<p lang=fr>x").stated == {}


CHARSETS = {
    "meta": ("<meta charset=Shift_JIS><p>労働条件</p>", "cp932"),
    "old meta": ("<meta http-equiv=a content='text/html; charset=euc-jp'><p>条件</p>", "euc_jp"),
    "western": ("<meta charset='iso-8859-1'><p>naïve – “café”</p>", "cp1252"),
    "none": ("<p>労働条件の原則</p>", "cp932"),
    "escapes": ("<p>労働条件</p>", "iso2022_jp"),
    "stale meta": ("<meta charset=Shift_JIS><p>労働条件</p>", "utf-8"),
    "mark": ("<meta charset=Shift_JIS><p>労働条件</p>", "utf-16"),
    "wrong meta": ("<meta charset=euc-kr><p>労働条件の原則\u2460</p>", "cp932"),
}


@pytest.mark.parametrize(("html", "encoding"), CHARSETS.values(), ids=CHARSETS.keys())
def test_the_encoding_is_found(html: str, encoding: str) -> None:
    document = HtmlLoader().load(html.encode(encoding), name="a.html")
    assert f"<p>{document.text}</p>" in html


REFUSED = {
    "too deep": ("<i>" * 300 + "x", "nested deeper than 256"),
    "far too deep": ("<div>" * 100_000, "more than 1000 open elements"),
    "attributes": ("<p " + " ".join(f"a{i}" for i in range(3000)) + ">", "2000 attributes"),
    "nothing shown": ("<script>x</script>", "no text"),
    "binary": ("<p>\0", "binary"),
}


@pytest.mark.parametrize(("html", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_page_is_refused(html: str, reason: str) -> None:
    with pytest.raises(LoadError, match=reason):
        load(html)


def test_long_data_in_attributes_is_no_attack() -> None:
    path = " ".join(str(number) for number in range(5000))
    assert load(f"<p>x<svg><path d='{path}'/></svg><img src='data:{path}'>").text == "x"


def test_a_missing_parser_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    with pytest.raises(LoadError, match=r'pip install "ragspine-graph\[docs\]"'):
        load("<p>x")


TAGS = (
    *("p", "div", "ul", "ol", "li", "table", "tr", "td", "dl", "dt", "dd", "h2", "pre", "b"),
    *("blockquote", "br", "sup", "figure", "caption", "thead"),
)


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([f"<{tag}>" for tag in TAGS]),
            st.sampled_from([f"</{tag}>" for tag in TAGS]),
            st.integers(0, 999).map(lambda number: f"語{number}句 "),
        ),
        max_size=40,
    )
)
def test_no_word_is_lost_or_doubled_whatever_the_markup(pieces: list[str]) -> None:
    words = [piece.strip() for piece in pieces if piece.startswith("語")]
    if not words:
        return
    document = load("".join(pieces))
    text = "".join(document.text.split())
    assert all(text.count(word) == words.count(word) for word in words)
    for block in document.outline.blocks:
        if block.parent is not None:
            assert document.outline.blocks[block.parent].kind is BlockKind.ITEM
