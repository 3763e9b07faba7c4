"""The line grammar of rules and statutes, and how its headings nest with those of Markdown."""

from __future__ import annotations

import pytest

from ragspine_store.loading import outline_of
from ragspine_store.loading.japanese import Rank, parse_heading, rank_of
from ragspine_store.loading.markers import parse_marker
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.records import Outline


def headings(outline: Outline) -> list[tuple[int, str]]:
    return [(section.level, section.heading) for section in outline.sections[1:]]


def blocks(text: str, outline: Outline) -> list[tuple[int, str, str]]:
    """Depth, label and text of each block."""
    return [
        (block.depth, block.label, text[block.span.start : block.span.end])
        for block in outline.blocks
    ]


@pytest.mark.parametrize(
    ("line", "rank", "heading"),
    [
        ("第1条", Rank.ARTICLE, "第1条"),
        ("第1条　目的", Rank.ARTICLE, "第1条　目的"),
        ("第２５条の２　深夜業", Rank.ARTICLE, "第２５条の２　深夜業"),
        ("第二十五条の二　深夜業", Rank.ARTICLE, "第二十五条の二　深夜業"),
        ("第三章の二 賃金", Rank.CHAPTER, "第三章の二 賃金"),
        ("第4条：諸手当および福利厚生", Rank.ARTICLE, "第4条：諸手当および福利厚生"),
        ("第4条: 諸手当", Rank.ARTICLE, "第4条: 諸手当"),
        ("第 1 条（目的）", Rank.ARTICLE, "第 1 条（目的）"),
        ("第1条 （目的）", Rank.ARTICLE, "第1条 （目的）"),
        ("第2章　採用、休職及び副業等", Rank.CHAPTER, "第2章　採用、休職及び副業等"),
        ("　　第一編　総論", Rank.PART, "第一編　総論"),
        ("第３節", Rank.SECTION, "第３節"),
        ("第一款　通則", Rank.SUBSECTION, "第一款　通則"),
        ("第一目　通則", Rank.DIVISION, "第一目　通則"),
        ("附則", Rank.OUTERMOST, "附則"),
        ("附　則", Rank.OUTERMOST, "附　則"),
        (
            "附　則（令和二年法律第十四号）　抄",
            Rank.OUTERMOST,
            "附　則（令和二年法律第十四号）　抄",
        ),
        ("別表第一（第三条関係）", Rank.OUTERMOST, "別表第一（第三条関係）"),
        ("第一条　この法律は、目的を定める。", Rank.ARTICLE, "第一条"),
        ("第1条（目的）この規則は、目的を定める。", Rank.ARTICLE, "第1条（目的）"),
        ("第3条【服務】社員は、誠実に勤務する。", Rank.ARTICLE, "第3条【服務】"),
        ("第5条（休職）やむを得ない事由による。", Rank.ARTICLE, "第5条（休職）"),
        ("第八条　使用者が少なくとも三十日前に", Rank.ARTICLE, "第八条"),
        ("附　則　この規程は、公布の日から施行する。", Rank.OUTERMOST, "附　則"),
        ("第三十八条から第八十四条まで　削除", Rank.ARTICLE, "第三十八条から第八十四条まで　削除"),
        ("第八条〜第十条　削除", Rank.ARTICLE, "第八条〜第十条　削除"),
        ("第8条の2 ～ 10条", Rank.ARTICLE, "第8条の2 ～ 10条"),
        ("第八条・第九条", Rank.ARTICLE, "第八条・第九条"),
        ("第八条・第九条・第十条　削除", Rank.ARTICLE, "第八条・第九条・第十条　削除"),
        ("**第4条（目的）**", Rank.ARTICLE, "**第4条（目的）**"),
        ("__第1章　総則__  ", Rank.CHAPTER, "__第1章　総則__"),
    ],
)
def test_reads_a_heading_line(line: str, rank: Rank, heading: str) -> None:
    found = parse_heading(line)
    assert found is not None
    assert (found.rank, line[found.start : found.end]) == (rank, heading)
    assert not found.is_contents_entry


@pytest.mark.parametrize(
    "line",
    [
        "第4条の規定により支給する。",
        "第4条第2項に定める手当は、支給しない。",
        "第4条及び第5条の規定は、適用しない。",
        "第4条、第5条",
        "第八条・第九条の規定は、適用しない。",
        "第八条〜第十条に定める。",
        "**第4条の規定により支給する。**",
        "**第4条　会社は、手当を支給する。**",
        "**第4条** 会社は",
        "**重要**",
        "第1条（以下「本条」という。）の規定による。",
        "第4条（賃金）の規定により支給する。",
        "第4条（賃金）第2項に定める。",
        "第四条に規定する者",
        "第2章　この章は、賃金を定める。",
        "第1 目的",
        "第1　目的",
        "第1回",
        "附則第2条の規定",
        "別表に定める額",
        "別表第一に掲げる額",
        "1. 第4条",
        "",
    ],
)
def test_a_mention_is_no_heading(line: str) -> None:
    assert parse_heading(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "第一章　総則（第一条―第十二条）",
        "第二章　服務（第13条～第20条の2）",
        "第三章　雑則（第二十一条・第二十二条）",
        "第1章 総則……………3",
        "第1条 目的 ..... 12",
        "第1条　目的・・・・・・３",
        "第1条　目的\t4",
        "附則 ... 9",
    ],
)
def test_an_entry_of_a_table_of_contents_is_told_apart(line: str) -> None:
    found = parse_heading(line)
    assert found is not None
    assert found.is_contents_entry


@pytest.mark.parametrize(
    ("heading", "rank"),
    [
        ("第1条目的", Rank.ARTICLE),
        ("第1章はじめに", Rank.CHAPTER),
        ("第八条・第九条", Rank.ARTICLE),
        ("附則（経過措置）", Rank.OUTERMOST),
        ("第4条の規定について", None),
        ("第4条第2項", None),
        ("（参考）第14条　廃棄", None),
        ("就業規則第34条　年次有給休暇", None),
        ("第1 目的", None),
        ("別表の見方", None),
        ("別表示", None),
        ("目的", None),
    ],
)
def test_a_marked_heading_has_a_rank(heading: str, rank: Rank | None) -> None:
    assert rank_of(heading) is rank


@pytest.mark.parametrize(
    ("line", "label", "style"),
    [
        ("２　会社は", "２", "1"),
        ("10　会社は", "10", "1"),
        ("2 会社は", "2", "1"),
        ("2. The office", "2.", "1."),
        ("2.会社は", "2.", "1."),
        ("２．会社は", "２．", "1."),
        ("3）会社は", "3）", "1)"),
        ("3) the", "3)", "1)"),
        ("①氏名", "①", "①"),
        ("⑴氏名", "⑴", "(1)"),
        ("一　役員", "一", "一"),
        ("十二の二　顧問", "十二の二", "一"),
        ("イ　役員", "イ", "ア"),
        ("ア．役員", "ア．", "ア."),
        ("（１）役員", "（１）", "(1)"),
        ("(1) one", "(1)", "(1)"),
        ("（一）役員", "（一）", "(一)"),
        ("（ア）役員", "（ア）", "(ア)"),
        ("(a) one", "(a)", "(a)"),
        ("(iii) one", "(iii)", "(a)"),
        ("（１）やむを得ない事由", "（１）", "(1)"),
        ("- one", "-", "-"),
        ("* one", "*", "*"),
        ("・役員", "・", "・"),
        ("　　イ　役員", "イ", "ア"),
    ],
)
def test_reads_an_item_marker(line: str, label: str, style: str) -> None:
    marker = parse_marker(line)
    assert marker is not None
    assert (marker.label, marker.style) == (label, style)
    assert line[marker.start :].startswith(label)


@pytest.mark.parametrize(
    "line",
    [
        "3.5%を超える",
        "3 月に支給する",
        "２．５％を超える",
        "20 employees were present",
        "2024. That year",
        "20,000円を支給する",
        "一般社員は",
        "イギリスの",
        "（１）及び（２）に掲げる者は、",
        "①又は②の届出",
        "（１）に掲げる者",
        "（注）社員をいう",
        "**bold** text",
        "-5 degrees",
        "・・・・・",
        "1.",
        "-",
        "",
    ],
)
def test_text_is_no_item_marker(line: str) -> None:
    assert parse_marker(line) is None


STATUTE = """労働規則

目　次
　第一章　総則（第一条―第三条）
　附則

　　　第一章　総則

（目的）
第一条　この規則は、次に掲げる事項を定める。
　一　労働時間
　二　次に掲げる賃金
　　イ　基本給
　　ロ　手当
　　　（１）　通勤手当
　　　（２）　住宅手当
２　前項の規定にかかわらず、
別に定める。
　一　休日

（定義）
第二条　社員とは、正社員をいう。
第一条の規定は、適用しない。
第三条　削除
　　　附　則
（施行期日）
第一条　この規則は、公布の日から施行する。
第二条　経過措置は、別に定める。
別表第一（第三条関係）
区分　金額
"""


def test_a_statute_in_plain_lines_has_its_tree() -> None:
    outline = outline_of_plain_text(STATUTE)
    assert headings(outline) == [
        (1, "第一章　総則"),
        (2, "第一条（目的）"),
        (2, "第二条（定義）"),
        (2, "第三条　削除"),
        (1, "附　則"),
        (2, "第一条（施行期日）"),
        (2, "第二条"),
        (1, "別表第一（第三条関係）"),
    ]
    assert outline.path(6) == ("附　則", "第一条（施行期日）")
    assert STATUTE[outline.sections[2].span.start :].startswith("（目的）\n第一条")


def test_a_statute_in_plain_lines_has_its_items() -> None:
    outline = outline_of_plain_text(STATUTE)
    assert [entry for entry in blocks(STATUTE, outline) if entry[0]] == [
        (1, "一", "一　労働時間"),
        (1, "二", "二　次に掲げる賃金"),
        (2, "イ", "イ　基本給"),
        (2, "ロ", "ロ　手当"),
        (3, "（１）", "（１）　通勤手当"),
        (3, "（２）", "（２）　住宅手当"),
        (1, "２", "２　前項の規定にかかわらず、\n別に定める。"),
        (2, "一", "一　休日"),
    ]
    assert "第一条の規定は、適用しない。" in [entry[2] for entry in blocks(STATUTE, outline)]


def test_a_statute_reads_alike_as_markdown() -> None:
    plain, marked = outline_of_plain_text(STATUTE), outline_of(STATUTE)
    assert plain.sections == marked.sections
    assert [block for block in plain.blocks if block.label] == [
        block for block in marked.blocks if block.label
    ]


def test_an_unmarked_table_of_contents_ends_where_its_first_entry_comes_again() -> None:
    text = "目次\n第1章 総則\n第2章 服務\n附則\n\n第1章 総則\n第1条 目的\n第2章 服務\n附則\n"
    assert headings(outline_of_plain_text(text)) == [
        (1, "第1章 総則"),
        (2, "第1条 目的"),
        (1, "第2章 服務"),
        (1, "附則"),
    ]


def test_a_caption_may_stand_a_blank_line_above_its_article() -> None:
    text = "（目的）\n\n第１条　この規則は、目的を定める。\n\n（注意）\n\n以上"
    for outline in (outline_of(text), outline_of_plain_text(text)):
        assert headings(outline) == [(1, "第１条（目的）")]
        assert [entry[2] for entry in blocks(text, outline)] == [
            "この規則は、目的を定める。",
            "（注意）",
            "以上",
        ]


def test_articles_in_markdown_lines_end_the_list_above_them() -> None:
    text = (
        "第1条　目的\n1. a\n2. b\n（定義）\n第2条　次のとおりとする。\n- c\n"
        "第3条　表\n| d |\n|---|\n第4条　終"
    )
    outline = outline_of(text)
    assert headings(outline) == [
        (1, "第1条　目的"),
        (1, "第2条（定義）"),
        (1, "第3条　表"),
        (1, "第4条　終"),
    ]
    assert [label for _, label, _ in blocks(text, outline)] == ["1.", "2.", "", "-", ""]


def test_a_line_that_mentions_an_article_stays_in_its_item() -> None:
    text = "1. 手当は、\n第2条の規定による。\n2. b"
    assert [entry[2] for entry in blocks(text, outline_of(text))] == [
        "1. 手当は、\n第2条の規定による。",
        "2. b",
    ]


@pytest.mark.parametrize(
    ("markdown", "tree"),
    [
        pytest.param(
            "## 第1章\n## 第1条\n## 第2条\n## 第2章\n## 第3条",
            [(1, "第1章"), (2, "第1条"), (2, "第2条"), (1, "第2章"), (2, "第3条")],
            id="rank decides at equal levels",
        ),
        pytest.param(
            "# 規則\n### 第1条\n### 第1条の2\n## 附則\n### 第1条",
            [(1, "規則"), (2, "第1条"), (2, "第1条の2"), (2, "附則"), (3, "第1条")],
            id="from H1 to H3",
        ),
        pytest.param(
            "# 規則\n## 第1章\n### 第1条\n#### 備考\n### 附則\n### 第1条",
            [(1, "規則"), (2, "第1章"), (3, "第1条"), (4, "備考"), (2, "附則"), (3, "第1条")],
            id="附則 leaves the last chapter",
        ),
        pytest.param(
            "# 国税\n## 対応\n# 雇用\n## 対応",
            [(1, "国税"), (2, "対応"), (1, "雇用"), (2, "対応")],
            id="repeated titles",
        ),
        pytest.param(
            "# 規則\n第1章\n\n第1条\n\n第2章\n\n第2条",
            [(1, "規則"), (2, "第1章"), (3, "第1条"), (2, "第2章"), (3, "第2条")],
            id="plain lines never close a Markdown heading",
        ),
        pytest.param(
            "# A規則\n第1条\n\n# B規則\n第1条",
            [(1, "A規則"), (2, "第1条"), (1, "B規則"), (2, "第1条")],
            id="a Markdown heading closes plain lines",
        ),
        pytest.param(
            "## 第1編\n## 第1章\n## 第1節\n## 第1款\n## 第1目\n## 第1条\n## 第2節",
            [
                (1, "第1編"),
                (2, "第1章"),
                (3, "第1節"),
                (4, "第1款"),
                (5, "第1目"),
                (6, "第1条"),
                (3, "第2節"),
            ],
            id="all ranks",
        ),
        pytest.param(
            "# 第1条\n## 補足\n# 第2条",
            [(1, "第1条"), (2, "補足"), (1, "第2条")],
            id="levels decide without a rank",
        ),
        pytest.param("第1章\n\n## 第1条", [(1, "第1章"), (2, "第1条")], id="plain above marked"),
    ],
)
def test_ranks_and_levels_nest(markdown: str, tree: list[tuple[int, str]]) -> None:
    outline = outline_of(markdown)
    assert headings(outline) == tree
    assert [section.no for section in outline.sections] == list(range(len(tree) + 1))


def test_a_style_opens_a_level_where_it_first_appears() -> None:
    text = "第1条　手当\n1. a\n(1) b\n① c\nア d\n(2) e\n2. f\n① g\n"
    assert [entry[:2] for entry in blocks(text, outline_of_plain_text(text))] == [
        (1, "1."),
        (2, "(1)"),
        (3, "①"),
        (4, "ア"),
        (2, "(2)"),
        (1, "2."),
        (2, "①"),
    ]


def test_levels_start_anew_under_each_heading_and_after_a_paragraph() -> None:
    text = "第1条　a\n・b\n　① c\n第2条　d\n① e\n\n以上の場合。\n\n・f\n"
    assert [entry[:2] for entry in blocks(text, outline_of_plain_text(text))] == [
        (1, "・"),
        (2, "①"),
        (1, "①"),
        (0, ""),
        (1, "・"),
    ]
