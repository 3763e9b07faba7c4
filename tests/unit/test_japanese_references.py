from __future__ import annotations

import pytest

from ragspine_graph.extraction.references import DocumentReferences, find_references
from tests.relation_sources import read_source

# 第5条 is where each sentence under test stands, as its second paragraph.
RULES = """# 就業規則

## 第1章　総則

### 第1条　目的

1. この規則は、就業に関する事項を定める。
2. 定めのない事項は、法令による。

### 第2条　定義

次の各号に定めるところによる。

一　社員　雇われた者
二　休日　働かない日
三　休暇　休む日

### 第3条　適用

1. 社員に適用する。
2. 次の者を除く。
    1. 役員
    2. 嘱託

## 第2章　服務

### 第5条　服務

1. 職務に専念する。
2. {sentence}
3. 会社の財産を守る。

### 第5条の2　副業

1. 届け出る。

### 第6条　懲戒

1. 懲戒する。

## 附　則

### 第1条　施行

1. この規則は、公布の日から施行する。

### 第2条　経過

1. 前条の日前は、従前のとおりとする。

## 別表第一

1. 手当の額

## 別表第二

1. 旅費の額
"""


def _references(sentence: str, chunker: str = "parent_child") -> DocumentReferences:
    return find_references(read_source(RULES.format(sentence=sentence), chunker=chunker))


def _named(sentence: str) -> list[tuple[str, str]]:
    """Titles and addresses that a sentence in 第5条第2項 refers to."""
    before = len(_references("").references) - 1  # the one of 附則第2条 comes last
    found = _references(sentence).references[before:-1]
    return [(reference.title, reference.address) for reference in found]


def _own(*addresses: str) -> list[tuple[str, str]]:
    return [("", address) for address in addresses]


@pytest.mark.parametrize(
    ("sentence", "addresses"),
    [
        ("第3条による。", ["article 3"]),
        ("第３条による。", ["article 3"]),
        ("第三条による。", ["article 3"]),
        ("第5条の2による。", ["article 5-2"]),
        ("第五条の二第一項による。", ["article 5-2/paragraph 1"]),
        ("第3条第2項第1号による。", ["article 3/paragraph 2/item 1"]),
        ("第3条2項の1号による。", ["article 3/paragraph 2/item 1"]),
        ("第2条第3号による。", ["article 2/item 3"]),
        ("第2条第1項第3号による。", ["article 2/paragraph 1/item 3"]),
        ("第1章による。", ["chapter 1"]),
        ("第1章第3条による。", ["article 3"]),
        ("本章による。", ["chapter 2"]),
        ("別表第一による。", ["table 1"]),
        ("別表第２による。", ["table 2"]),
        ("別表による。", ["table"]),
        ("附則第2条による。", ["supplement 1/article 2"]),
        ("附則による。", ["supplement 1"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_number_names_a_part_of_the_own_document(sentence: str, addresses: list[str]) -> None:
    assert _named(sentence) == _own(*addresses)


@pytest.mark.parametrize(
    ("sentence", "addresses"),
    [
        ("前条による。", ["article 3"]),
        ("前条第2項第2号による。", ["article 3/paragraph 2/item 2"]),
        ("次条による。", ["article 5-2"]),
        ("前二条による。", ["article 3", "article 2"]),
        ("本条第1項による。", ["article 5/paragraph 1"]),
        ("この条の第3項による。", ["article 5/paragraph 3"]),
        ("前項による。", ["article 5/paragraph 1"]),
        ("次項による。", ["article 5/paragraph 3"]),
        ("第1項による。", ["article 5/paragraph 1"]),
        ("第6条及び同条第1項による。", ["article 6", "article 6/paragraph 1"]),
        (
            "第3条第2項及び同項第2号による。",
            ["article 3/paragraph 2", "article 3/paragraph 2/item 2"],
        ),
        ("第2条各号による。", [f"article 2/paragraph 1/item {number}" for number in (1, 2, 3)]),
        ("前条第2項各号による。", [f"article 3/paragraph 2/item {number}" for number in (1, 2)]),
        ("前章による。", ["chapter 1"]),
        (
            "第6条中「第2条第1号又は第2号」とあり、同条第1項による。",
            ["article 6", "article 2/item 1", "article 2/item 2", "article 6/paragraph 1"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_relative_reference_resolves_by_its_place(sentence: str, addresses: list[str]) -> None:
    assert _named(sentence) == _own(*addresses)


@pytest.mark.parametrize(
    ("sentence", "addresses"),
    [
        ("第1条、第3条及び第6条による。", ["article 1", "article 3", "article 6"]),
        ("第1条（目的）及び6条による。", ["article 1", "article 6"]),
        ("第1条から第5条の2までによる。", ["article 1", "article 2", "article 3", "article 5-2"]),
        ("第2条から前条までによる。", ["article 2", "article 3"]),
        ("第1項及び第3項による。", ["article 5/paragraph 1", "article 5/paragraph 3"]),
        ("前条第1項又は第2項による。", ["article 3/paragraph 1", "article 3/paragraph 2"]),
        (
            "第2条第1号から第3号までによる。",
            ["article 2/item 1", "article 2/item 2", "article 2/item 3"],
        ),
        ("第3条（第2項を除く。）による。", ["article 3", "article 3/paragraph 2"]),
        (
            "第3条（第1項を除き、第2項に限る。）による。",
            ["article 3", "article 3/paragraph 1", "article 3/paragraph 2"],
        ),
        ("第1章（第3条を除く。）による。", ["chapter 1", "article 3"]),
        (
            "第2条第1号から第2号まで若しくは第3号による。",
            ["article 2/item 1", "article 2/item 2", "article 2/item 3"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lists_and_ranges_name_all_their_parts(sentence: str, addresses: list[str]) -> None:
    named = dict.fromkeys(_named(sentence))
    assert list(named) == [each for each in _own(*addresses) if each != ("", "article 5")]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("労働基準法第39条による。", [("労働基準法", "article 39")]),
        ("「労働基準法第39条」による。", [("労働基準法", "article 39")]),
        ("「賃金規程」第3条による。", [("賃金規程", "article 3")]),
        ("労働基準法（昭和22年法律第49号）第39条による。", [("労働基準法", "article 39")]),
        (
            "労働基準法（以下「労基法」という。）第39条、労基法第20条による。",
            [("労働基準法", "article 39"), ("労働基準法", "article 20")],
        ),
        (
            "賃金規程第19条および20条による。",
            [("賃金規程", "article 19"), ("賃金規程", "article 20")],
        ),
        (
            "労働基準法第39条第1項による。同法第20条による。",
            [("労働基準法", "article 39/paragraph 1"), ("労働基準法", "article 20")],
        ),
        ("役員及び賃金規程別表第一による。", [("賃金規程", "table 1")]),
        ("労働基準法附則第137条による。", [("労働基準法", "supplement 1/article 137")]),
        (
            "文書の保存に関する取扱規程第8条による。",
            [("文書の保存に関する取扱規程", "article 8")],
        ),
        ("この規則第3条による。", [("", "article 3")]),
        ("本規則第3条による。", [("", "article 3")]),
        ("就業規則第3条による。", [("", "article 3")]),
        (
            "賃金規程第3条及び前条による。",
            [("賃金規程", "article 3"), ("", "article 3")],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_name_in_front_points_into_that_document(
    sentence: str, expected: list[tuple[str, str]]
) -> None:
    assert _named(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "国民年金の第三号被保険者とする。",
        "昭和22年法律第49号とする。",
        "前条件のとおりとする。",
        "本条例とする。",
        "次の項目とする。",
        "第一に職務、第二に財産とする。",
        "3条件とする。",
        "本条による。",
        "「前項」とあるのは「第2項」とする。",
    ],
    ids=str,
)
def test_words_that_only_look_like_a_reference_are_none(sentence: str) -> None:
    assert _named(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "address"),
    [
        ("第4条による。", "article 4"),
        ("第3条第9項による。", "article 3/paragraph 9"),
        ("別表第九による。", "table 9"),
        ("第6条の2による。", "article 6-2"),
    ],
    ids=lambda value: value,
)
def test_what_does_not_exist_has_no_address(sentence: str, address: str) -> None:
    found = _references(sentence)
    assert address in [reference.address for reference in found.references]
    assert address not in [offered.address for offered in found.addresses]


def test_a_supplement_counts_its_own_articles() -> None:
    assert _references("").references[-1].address == "supplement 1/article 1"


def test_the_first_paragraph_has_none_before_it() -> None:
    found = find_references(read_source("# 規則\n\n## 第1条\n\n1. 前項のとおり。\n2. 甲\n"))
    assert [reference.address for reference in found.references] == ["article 1/paragraph before"]


def test_an_article_of_law_text_holds_its_paragraphs_and_items() -> None:
    text = "第一条　次に掲げるものとする。\n一　甲\nイ　乙\n二　丙\n２　丁\n一　戊\n"
    found = find_references(read_source(text, doc_id="law.txt"))
    addresses = [address.address for address in found.addresses]
    assert addresses == [
        "article 1",
        "article 1/paragraph 1",
        "article 1/paragraph 1/item 1",
        "article 1/item 1",
        "article 1/paragraph 1/item 1/point イ",
        "article 1/item 1/point イ",
        "article 1/paragraph 1/item 2",
        "article 1/item 2",
        "article 1/paragraph 2",
        "article 1/paragraph 2/item 1",
    ]


def test_bullets_of_a_paragraph_are_items_by_their_order() -> None:
    text = "# 規則\n\n## 第1条\n\n1. 次の物とする。\n    - 机\n    - 椅子\n2. 前項第2号を除く。\n"
    found = find_references(read_source(text, chunker="parent_child"))
    nodes = {address.address: address.node.id for address in found.addresses}
    assert nodes[found.references[0].address] == "child:rules.md#c2"


def test_a_heading_for_deleted_articles_answers_to_each_of_them() -> None:
    text = "第一条から第三条まで　削除\n\n第四条　第二条による。\n"
    found = find_references(read_source(text, doc_id="law.txt"))
    assert {"article 1", "article 2", "article 3"} <= {a.address for a in found.addresses}
    assert [reference.address for reference in found.references] == ["article 2"]


def test_an_amendments_supplement_says_nothing_of_the_main_articles() -> None:
    text = (
        "第一条　甲\n\n附　則　（平成五年法律第七九号）\n\n第二条の規定は、公布の日から施行する。\n"
    )
    found = find_references(read_source(text, doc_id="law.txt"))
    assert found.references == ()
