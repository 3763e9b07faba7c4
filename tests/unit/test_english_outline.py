"""English numbered clauses, in plain text and in the body lines of Markdown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.loading import enclosing_clause, outline_of
from ragspine_store.loading.english import clause_rank, parse_clause, reads_as_title
from ragspine_store.loading.japanese import Rank
from ragspine_store.loading.markers import parse_marker
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.records import BlockKind, Outline

Reader = Callable[[str], Outline]
READERS = pytest.mark.parametrize(
    "read", [outline_of, outline_of_plain_text], ids=["markdown", "plain text"]
)


def paths(outline: Outline) -> list[str]:
    """The heading path of each section but the document."""
    return [" > ".join(outline.path(section.no)) for section in outline.sections[1:]]


def items(text: str, outline: Outline) -> list[str]:
    """The items, indented by their depth, up to their first line's end."""
    return [
        "  " * (block.depth - 1) + text[block.span.start : block.span.end].partition("\n")[0]
        for block in outline.blocks
        if block.kind is BlockKind.ITEM
    ]


AGREEMENT = """\
This Agreement is made between Harbour Mills Ltd and Penrose Analytics GmbH.
Turnover rose by more than
2.5 million euros in the year before, and under
Article 5 of the framework the parties agreed as follows.

1. Definitions

In this Agreement the following words have these meanings.

1.1 "Affiliate" means any company that controls, is controlled by or is under
common control with a party.

1.2 "Fees" means the sums set out in
Schedule 1 of this Agreement.

2. Services

2.1 Scope of the services

The Supplier shall provide the services described in Schedule 2:

(a) hosting, which includes

(i) storage; and

(ii) backup;

(b) support.

2.2 Service levels

2.2.1 The Supplier shall answer within 4 hours.

2.2.2 The Supplier shall repair within
2 days of the call.

3. Fees and payment

3.1 The Customer shall pay each invoice within 30 days.

3.2 Interest accrues at
3.5 per cent.

Article 5 shall apply to all of the above.

Schedule 1: Fees

The monthly fee is 2,000 euros.

Schedule 2 – Services

Part A Hosting

One server.

Part B Support

One desk.

Appendix

Forms.
"""


@READERS
def test_a_contract_becomes_the_tree_of_its_clauses(read: Reader) -> None:
    outline = read(AGREEMENT)
    assert paths(outline) == [
        "1. Definitions",
        "2. Services",
        "2. Services > 2.1 Scope of the services",
        "2. Services > 2.2 Service levels",
        "3. Fees and payment",
        "Schedule 1: Fees",
        "Schedule 2 – Services",
        "Schedule 2 – Services > Part A Hosting",
        "Schedule 2 – Services > Part B Support",
        "Appendix",
    ]
    assert items(AGREEMENT, outline) == [
        '1.1 "Affiliate" means any company that controls, is controlled by or is under',
        '1.2 "Fees" means the sums set out in',
        "(a) hosting, which includes",
        "  (i) storage; and",
        "  (ii) backup;",
        "(b) support.",
        "2.2.1 The Supplier shall answer within 4 hours.",
        "2.2.2 The Supplier shall repair within",
        "3.1 The Customer shall pay each invoice within 30 days.",
        "3.2 Interest accrues at",
    ]


REGULATION = """\
CHAPTER I
GENERAL PROVISIONS

Article 1
Subject matter

1. This Regulation lays down rules.

2. It does so for the Union.

CHAPTER II
OBLIGATIONS

SECTION 1
Providers

Article 2
Duties of providers

Providers keep records as laid down in
Article 1 and show them.

SECTION 2
Deployers

Article 3
Duties of deployers

Deployers follow the instructions.

ANNEX III
List of systems

1. Biometrics:

(a) remote identification;

(b) categorisation.

2. Critical infrastructure.
"""


@READERS
def test_titles_on_the_next_line_belong_to_their_number(read: Reader) -> None:
    outline = read(REGULATION)
    assert paths(outline) == [
        "CHAPTER I GENERAL PROVISIONS",
        "CHAPTER I GENERAL PROVISIONS > Article 1 Subject matter",
        "CHAPTER II OBLIGATIONS",
        "CHAPTER II OBLIGATIONS > SECTION 1 Providers",
        "CHAPTER II OBLIGATIONS > SECTION 1 Providers > Article 2 Duties of providers",
        "CHAPTER II OBLIGATIONS > SECTION 2 Deployers",
        "CHAPTER II OBLIGATIONS > SECTION 2 Deployers > Article 3 Duties of deployers",
        "ANNEX III List of systems",
    ]


@READERS
def test_where_articles_hold_sections_a_section_is_below(read: Reader) -> None:
    text = (
        "Article I\n\nSection 1. Powers are vested.\n\nSection 2. More\n\nText.\n\n"
        "Article II\n\nText.\n"
    )
    assert paths(read(text)) == [
        "Article I",
        "Article I > Section 1",
        "Article I > Section 2. More",
        "Article II",
    ]


@READERS
@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("Article 5", "Article 5"),
        ("ARTICLE 5: Term", "ARTICLE 5: Term"),
        ("Article 5 - Term", "Article 5 - Term"),
        ("Article 5 Prohibited AI practices", "Article 5 Prohibited AI practices"),
        ("Section 3.2 Fees", "Section 3.2 Fees"),
        ("Clause 12A. Notices", "Clause 12A. Notices"),
        ("Annex III", "Annex III"),
        ("Annex", "Annex"),
        ("Part A", "Part A"),
        ("Chapter 2. Devices", "Chapter 2. Devices"),
        ("Schedule 1 – Fees", "Schedule 1 – Fees"),
        ("Appendix B: Forms", "Appendix B: Forms"),
        ("**Article 5. Term**", "Article 5. Term"),
        ("Section 1. All powers shall be vested in it.", "Section 1"),
    ],
)
def test_a_named_number_heads_a_section(read: Reader, line: str, heading: str) -> None:
    text = f"Preamble.\n\n{line}\n\nText.\n"
    outline = read(text)
    assert paths(outline) == [heading]
    assert text[outline.sections[1].span.start :].startswith(line)


@READERS
@pytest.mark.parametrize(
    "line",
    [
        "Article 5 shall apply to both parties.",
        "Article 5(2) Exceptions",
        "Articles 5 and 6",
        "Article 5, second paragraph",
        "Section 3.2 of the Act",
        "Part A of the form",
        "Part of the form",
        "Schedule 1 sets out the fees",
        "Annex III is binding",
        "article 5",
        "Chapter and verse",
        "Appendix items",
        "Sections",
    ],
)
def test_a_sentence_that_begins_with_a_reference_is_no_heading(read: Reader, line: str) -> None:
    assert paths(read(f"Preamble.\n\n{line}\n\nText.\n")) == []


@READERS
@pytest.mark.parametrize(
    "text",
    [
        "The parties agreed under\nArticle 5\nof the framework.\n",
        "as provided in\nArticle 5. The parties meet yearly.\n",
        "The revenue came to\n2.5 Million Euros\n\nin that year.\n",
        "Growth was above\n1.1 per cent\n\nand rising.\n",
        "He was born in\n1. Bezirk\n\nof Vienna.\n",
        "1. The Supplier shall deliver the goods to the\nCustomer in time.\n\nText.\n",
        "1. Delivery Of All Goods That Were Ordered From Us In Writing\nUnder This takes a day.\n",
        "1. Bread\n2. Milk\n\nThen go home.\n",
        "1. Bread\n\n2. Milk\n\nThen go home.\n",
        "1. Passport\n\n2. Photo\n",
        "8.1 Antivirus always on\n8.2 Passcode of six digits\n8.3 Emergency contact\n\nText.\n",
        "4 Passengers\n\nThey were late.\n",
        "1. 目的\n\nこの規程は、目的を定める。\n\n2. 適用\n\n全員に適用する。\n",
    ],
    ids=[
        "wrapped bare article",
        "wrapped article with a sentence",
        "wrapped quantity",
        "wrapped decimal",
        "wrapped ordinal",
        "sentence",
        "wrapped item",
        "list",
        "loose list",
        "list without text",
        "dotted list",
        "number without a full stop",
        "Japanese",
    ],
)
def test_prose_and_lists_are_no_headings(read: Reader, text: str) -> None:
    assert paths(read(text)) == []


def test_a_markdown_list_whose_items_hold_their_own_text_stays_a_list() -> None:
    text = "1. Passport\n\n   Bring the original.\n\n2. Photo\n\n   Bring two.\n"
    outline = outline_of(text)
    assert paths(outline) == []
    assert [block.label for block in outline.blocks if block.label] == ["1.", "2."]


@READERS
def test_sub_numbers_right_below_make_a_heading_of_a_title(read: Reader) -> None:
    text = (
        "1. Definitions\n1.1 Terms are capitalised.\n2. Services\n2.1 Scope\n"
        "The Supplier hosts.\n2.2 Levels\nAnswers come within 4 hours.\n"
    )
    outline = read(text)
    assert paths(outline) == [
        "1. Definitions",
        "2. Services",
        "2. Services > 2.1 Scope",
        "2. Services > 2.2 Levels",
    ]
    assert items(text, outline) == ["1.1 Terms are capitalised."]


@READERS
def test_numbers_without_a_full_stop_head_what_is_numbered_below_them(read: Reader) -> None:
    text = "4 Context\n\n4.1 Parties\n\nThey matter.\n\n5 Leadership\n\n5.1 Policy\n\nIt exists.\n"
    assert paths(read(text)) == [
        "4 Context",
        "4 Context > 4.1 Parties",
        "5 Leadership",
        "5 Leadership > 5.1 Policy",
    ]


@READERS
def test_the_letter_i_and_the_number_i_are_told_apart(read: Reader) -> None:
    letters = "".join(f"({letter}) text;\n\n" for letter in "abcdefgh")
    text = f"Either:\n\n{letters}(i) the ninth;\n\n(j) the tenth:\n\n(i) the first;\n\n(ii) more.\n"
    assert items(text, read(text))[8:] == [
        "(i) the ninth;",
        "(j) the tenth:",
        "  (i) the first;",
        "  (ii) more.",
    ]


def test_markdown_headings_on_one_level_nest_by_their_numbers() -> None:
    text = "## 1. Terms\n\n## 1.1 Scope\n\n## 1.1.1 Place\n\n## 2. Fees\n\n## Notes\n"
    assert paths(outline_of(text)) == [
        "1. Terms",
        "1. Terms > 1.1 Scope",
        "1. Terms > 1.1 Scope > 1.1.1 Place",
        "2. Fees",
        "Notes",
    ]


def test_differing_levels_of_markdown_weigh_more_than_numbers() -> None:
    text = "# Section 3\n\n## Part A\n\n## Article 5\n\n### Chapter 1\n"
    assert paths(outline_of(text)) == [
        "Section 3",
        "Section 3 > Part A",
        "Section 3 > Part A > Article 5",
        "Section 3 > Part A > Article 5 > Chapter 1",
    ]


@READERS
def test_contents_are_no_headings(read: Reader) -> None:
    text = (
        "Contents\n\nArticle 1 Scope ........ 2\n\nArticle 2 Term ......... 3\n\n"
        "Article 1 Scope\n\nText.\n\nArticle 2 Term\n\nText.\n"
    )
    assert paths(read(text)) == ["Article 1 Scope", "Article 2 Term"]


INLINE = (
    "1. This Regulation lays down rules under Article 6 (1) and point (b) of paragraph 2. "
    "2. It applies to: (a) providers; (b) deployers that: (i) act alone; or (ii) act "
    "together; and (c) importers. See also the following: (a) notes; (b) tables. 3. It is "
    "binding within 2. years."
)


@READERS
def test_items_on_one_line_are_told_apart(read: Reader) -> None:
    outline = read(f"# Article 1\n\n{INLINE}\n")
    assert items(f"# Article 1\n\n{INLINE}\n", outline) == [
        "1. This Regulation lays down rules under Article 6 (1) and point (b) of paragraph 2.",
        "2. It applies to:",
        "  (a) providers;",
        "  (b) deployers that:",
        "    (i) act alone; or",
        "    (ii) act together; and",
        "  (c) importers. See also the following: (a) notes; (b) tables.",
        "3. It is binding within 2. years.",
    ]


@READERS
@pytest.mark.parametrize(
    "text",
    [
        "Sizes are: (a) small, (b) large.",
        "As in points: (a) and (b) of Annex I; (c) too.",
        "See (a) here; (b) there.",
        "Only one: (a) here.",
        "Two lists: (b) here; (c) there.",
        "The total is 1. 2. The next.",
        "Version 2. The next 3. One.",
    ],
    ids=["commas", "references", "no colon", "one", "not from the first", "no number", "prose"],
)
def test_what_is_not_certainly_an_item_stays_whole(read: Reader, text: str) -> None:
    (block,) = read(text).blocks
    assert text[block.span.start : block.span.end] == text


@READERS
def test_items_below_a_split_item_belong_to_its_last_part(read: Reader) -> None:
    text = "1. One. 2. Two.\n   - a\n"
    outline = read(text)
    assert [(block.label, block.parent) for block in outline.blocks] == [
        ("1.", None),
        ("2.", None),
        ("-", 1),
    ]


BYOD = """\
# セキュリティ管理規程

## 第2章：端末・デバイス管理

### 第7条：会社端末

会社端末は業務のために貸与する。

### 第8条：私有端末の業務利用 - BYOD

8.1項：ウイルス対策ソフトの常時稼働義務
ウイルス対策ソフトを常に動かし、定義を毎日更新しなければならない。

8.2項：6桁以上のパスコード設定義務
画面のロックには6桁以上のパスコードを設定する。

8.3項：紛失時の緊急連絡フロー
紛失に気付いた者は、次の順に連絡する。
(1) 情報システム部
(2) 所属長

## 第3章：罰則

### 第9条：懲戒

違反した者は懲戒の対象とする。
"""
CHAPTER = "第2章：端末・デバイス管理"
ARTICLE = f"{CHAPTER} > 第8条：私有端末の業務利用 - BYOD"


@pytest.mark.parametrize(
    ("text", "read", "above"),
    [
        (BYOD, outline_of, "セキュリティ管理規程 > "),
        (BYOD.replace("#", "").replace("\n ", "\n"), outline_of_plain_text, ""),
        (BYOD.replace("8.1項：", "8.1　").replace("8.2項：", "8.2 "), outline_of, None),
    ],
    ids=["markdown", "plain text", "numbers alone"],
)
def test_the_paragraphs_of_an_article_are_its_items(
    text: str, read: Reader, above: str | None
) -> None:
    above = "セキュリティ管理規程 > " if above is None else above
    outline = read(text)
    article = next(s for s in outline.sections if s.heading.startswith("第8条"))
    assert " > ".join(outline.path(article.no)) == above + ARTICLE
    blocks = [(no, block) for no, block in enumerate(outline.blocks) if block.section == article.no]
    assert [block.label.rstrip("項") for _, block in blocks] == ["8.1", "8.2", "8.3", "(1)", "(2)"]
    third = blocks[2][0]
    assert [block.parent for _, block in blocks] == [None, None, None, third, third]
    assert text[blocks[0][1].span.start : blocks[0][1].span.end].endswith("しなければならない。")


@READERS
@pytest.mark.parametrize(
    "text",
    [
        "第3条\n\n売上は\n3.5 倍に増えた。\n",
        "第3条\n\n率は\n3.1 と定める。\n",
        "売上は\n\n3.5 億円である。\n",
        "売上は\n\n2.7 ポイント上がった。\n",
    ],
    ids=["times", "wrapped", "money", "not the first"],
)
def test_quantities_are_no_items(read: Reader, text: str) -> None:
    assert items(text, read(text)) == []


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("8.1項：義務", (8, 1)),
        ("３．２　届出", (3, 2)),
        ("1.2.3 Text", (1, 2, 3)),
        ("(c) text", (3,)),
        ("12. text", (12,)),
        ("- text", ()),
    ],
)
def test_markers_tell_their_place(line: str, numbers: tuple[int, ...]) -> None:
    marker = parse_marker(line)
    assert marker is not None
    assert marker.numbers == numbers


def test_an_article_is_the_clause_and_else_the_outermost_number() -> None:
    text = "# Section 1\n## Article 5\n### 5.1 Scope\n# Notes\n# 7. Fees\n## 7.1 Rates\n"
    outline = outline_of(text)
    found = [enclosing_clause(outline, section.no) for section in outline.sections]
    assert found == [None, 1, 2, 2, None, 5, 5]


@pytest.mark.parametrize(
    ("heading", "rank"),
    [
        ("Annex III", Rank.OUTERMOST),
        ("Part A: Hosting", Rank.PART),
        ("Chapter 2", Rank.CHAPTER),
        ("Section 3", Rank.SECTION),
        ("Section 3.2 Fees", Rank.SUBNUMBER),
        ("Article 5", Rank.ARTICLE),
        ("1. Definitions", Rank.NUMBER),
        ("1.1.1 Place", Rank.THIRD_NUMBER),
        ("1.1.1.1.1 Place", Rank.DEEPEST_NUMBER),
        ("1.1 million", None),
        ("Definitions", None),
        ("2026 Report", None),
    ],
)
def test_ranks_of_headings(heading: str, rank: Rank | None) -> None:
    assert clause_rank(heading) == rank


@given(st.text(alphabet="Article 5.1(a)IV:–-*_\n\t第条", max_size=40))
def test_what_is_found_lies_inside_the_line(line: str) -> None:
    clause = parse_clause(line)
    if clause is not None:
        assert 0 <= clause.start < clause.end <= len(line)
        assert clause.end <= clause.body <= len(line)


def test_a_title_is_short_and_no_sentence() -> None:
    assert not reads_as_title("")
    assert not reads_as_title("Word " * 13)
    assert not reads_as_title("A" * 91)
