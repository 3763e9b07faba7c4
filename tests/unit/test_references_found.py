"""What holds of references in both languages: places, evidence, targets, and any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.extraction.references import DocumentReferences, find_references
from ragspine_graph.security.relation_source import RelationSource, SourceChunk, SourceSection
from ragspine_store._seal import mint
from ragspine_store.records import Span
from ragspine_store.sealed import unseal
from tests.relation_sources import read_source

RULES = """# 就業規則

## 第1章　総則

### 第1条　目的

1. 第3条第2項第1号による。
2. 第3条による。

### 第3条　適用

1. 社員に適用する。
2. 次の者を除く。
    1. 役員
    2. 嘱託
"""


def _found(
    text: str, *, chunker: str = "none", restricted: tuple[str, ...] = ()
) -> DocumentReferences:
    return find_references(read_source(text, chunker=chunker, restricted=restricted))


def _nodes(found: DocumentReferences) -> dict[str, str]:
    return {address.address: address.node.id for address in found.addresses}


def test_a_reference_starts_in_the_section_it_stands_in() -> None:
    found = _found(RULES)
    assert [r.source.id for r in found.references] == ["section:rules.md#s3"] * 2


def test_a_reference_before_the_first_heading_starts_in_the_document() -> None:
    found = find_references(read_source("第3条による。\n", doc_id="note.md"))
    assert [r.source.id for r in found.references] == ["document:note.md"]


@pytest.mark.parametrize(
    ("chunker", "node"),
    [
        ("none", "section:rules.md#s4"),
        ("parent_child", "child:rules.md#c4"),
        ("hierarchical", "child:rules.md#c4"),
    ],
)
def test_an_item_is_its_child_where_it_is_one_and_its_article_otherwise(
    chunker: str, node: str
) -> None:
    found = _found(RULES, chunker=chunker)
    assert _nodes(found)["article 3/paragraph 2/item 1"] == node
    assert _nodes(found)["article 3"] == "section:rules.md#s4"


@pytest.mark.parametrize(
    ("supplement", "number", "is_known"),
    [
        ("附則", 3, True),
        ("附則", 1, False),
        ("附則", 4, False),
        ("附則（令和五年法律第一号）", 3, False),
    ],
    ids=["counts on", "counts anew", "leaves one out", "of an amending act"],
)
def test_an_article_of_the_supplement_is_meant_by_its_number_where_that_goes_on(
    supplement: str, number: int, is_known: bool
) -> None:
    main = "# 規程\n\n## 第1条 目的\n\n第2条による。\n\n## 第2条 適用\n\n適用する。\n\n"
    found = _nodes(
        _found(f"{main}## {supplement}\n\n### 第{number}条 経過\n\n1. 従前の例による。\n")
    )
    own = found[f"supplement 1/article {number}"]
    assert (found.get(f"article {number}") == own) is is_known
    assert (found.get(f"article {number}/paragraph 1") == own) is is_known


@pytest.mark.parametrize("chunker", ["none", "parent_child", "sentence_window"])
def test_every_chunker_offers_the_same_addresses(chunker: str) -> None:
    assert [*_nodes(_found(RULES, chunker=chunker))] == [
        "chapter 1",
        "article 1",
        "article 1/paragraph 1",
        "article 1/paragraph 2",
        "article 3",
        "article 3/paragraph 1",
        "article 3/paragraph 2",
        "article 3/paragraph 2/item 1",
        "article 3/paragraph 2/item 2",
    ]


def test_evidence_names_the_child_the_place_and_the_words() -> None:
    evidence = _found(RULES, chunker="parent_child").references[0].evidence
    assert (evidence.doc_id, evidence.locator, evidence.chunks) == (
        "rules.md",
        "rules.md#para4",
        (0, 0),
    )
    assert evidence.quote == evidence.target_name == "第3条第2項第1号"


def test_words_that_run_over_children_have_all_of_them_as_evidence() -> None:
    text = "# Act\n\n## Article 1\n\nArticles 2\nto 3 say so.\n\n## Article 2\n\nSee Article 1.\n"
    source = read_source(text, chunker="sentence_window")
    for reference in find_references(source).references:
        chunks, span = reference.evidence.chunks, reference.evidence.span
        assert chunks is not None
        assert span is not None
        covered = [c.span for c in unseal(source).chunks if chunks.first <= c.seq <= chunks.last]
        assert covered[0] is not None
        assert covered[-1] is not None
        assert covered[0].start <= span.start < span.end <= covered[-1].end


def test_the_number_of_a_heading_refers_to_nothing() -> None:
    assert _found("# 規則\n\n## 第1条　目的\n\n甲\n\n## 第2条　定義\n\n乙\n").references == ()


def test_a_reference_in_a_heading_is_vouched_for_by_the_first_child_below() -> None:
    text = "# 規則\n\n## 第1条　目的\n\n甲\n\n## 別表（第1条関係）\n\n乙\n"
    found = _found(text, chunker="parent_child")
    assert [(r.source.id, r.address) for r in found.references] == [
        ("section:rules.md#s3", "article 1")
    ]
    assert found.references[0].evidence.chunks == (1, 1)


def test_a_reference_to_the_part_it_stands_in_is_none() -> None:
    assert _found("# 規則\n\n## 第1条\n\n1. 甲\n2. 前項及び第1条による。\n").references == ()


def test_a_withheld_article_is_nobodys_neighbour_and_has_no_address() -> None:
    text = "# 規則\n\n## 第1条　甲\n\n一\n\n## 第2条　乙\n\n二\n\n## 第3条\n\n前条、第2条による。\n"
    found = _found(text, restricted=("第2条　乙",))
    assert [r.address for r in found.references] == ["article before", "article 2"]
    assert not {"article before", "article 2"} & _nodes(found).keys()


def test_the_inside_of_a_range_is_not_named_by_its_words() -> None:
    found = _found("# A\n\n## Article 1\n\nSee Articles 2 to 4 of the Fish Act 2001.\n")
    assert [(r.address, r.evidence.target_name) for r in found.references] == [
        ("article 2", "Articles 2"),
        ("article 3", ""),
        ("article 4", "4 of the Fish Act 2001"),
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("就業規則", ("就業規則",)),
        ("就業規則（令和5年4月1日施行）", ("就業規則",)),
        ("就業規則 v2.1", ("就業規則",)),
        ("賃金規程_2024-04-01", ("賃金規程",)),
        ("株式会社甲 賃金規程", ("甲賃金規程", "賃金規程")),
        (
            "Regulation (EU) 2024/1689 (Artificial Intelligence Act)",
            ("regulation2024/1689", "artificialintelligenceact"),
        ),
        ("", ()),
    ],
)
def test_a_document_answers_to_its_title_without_date_and_company(
    title: str, expected: tuple[str, ...]
) -> None:
    found = find_references(read_source("text\n", title=title))
    assert set(expected) <= set(found.titles)
    assert bool(found.titles) == bool(expected)


def test_a_document_answers_to_the_short_name_it_gives_itself() -> None:
    text = "# 育児休業規程\n\n## 第1条\n\nこの規程（以下「育休規程」という。）は、定める。\n"
    assert _found(text).titles == ("育児休業規程", "育休規程")


def test_an_agreement_answers_to_the_short_name_it_gives_itself() -> None:
    text = (
        "# Master Services Agreement\n\n## Section 1\n\nThis Master Services Agreement (the “MSA”)"
        " is made. See Section 2 of the MSA.\n\n## Section 2\n\nIt (the “Fee”) is due.\n"
    )
    assert _found(text).titles == ("masterservicesagreement", "msa")


def test_a_general_word_for_itself_is_no_name_for_others() -> None:
    text = "# 育児休業規程\n\n## 第1条\n\nこの規程（以下「本規程」という。）は、定める。\n"
    assert _found(text).titles == ("育児休業規程",)


_PIECES = st.sampled_from(
    [
        *"第条項号の前次同本各及び、，から（）「」\n 　1２三十〇-#.;:()ivaA‘’“”",
        "第1条", "前項", "別表", "附則", "同法", "労働基準法", "以下「会社」という",
        "Article ", "Articles ", "Annex ", "point ", "(a)", " to ", " and ", " of ",
        "Regulation (EU) 2016/679", "this ", "Section ", "\n# ", "\n\n1. ", "IV", "\u200b",
    ]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=60).map("".join) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), max_size=80
)


@given(_TEXTS, st.sampled_from(["none", "parent_child", "sentence_window"]))
def test_any_text_gives_exact_quotes_and_known_nodes(text: str, chunker: str) -> None:
    source = read_source(f"x{text}", chunker=chunker)
    document = unseal(source)
    found = find_references(source)
    assert find_references(source) == found
    assert len(_nodes(found)) == len(found.addresses)
    sections = {f"section:{document.doc_id}#s{section.no}" for section in document.sections}
    children = {f"child:{document.doc_id}#c{chunk.seq}" for chunk in document.chunks}
    assert set(_nodes(found).values()) <= sections | children
    for reference in found.references:
        evidence = reference.evidence
        assert evidence.quote
        assert evidence.span is not None
        assert document.text[slice(*evidence.span)] == evidence.quote
        assert reference.source.id in sections | {f"document:{document.doc_id}"}
        node = None if reference.title else _nodes(found).get(reference.address)
        assert node != reference.source.id


@given(
    st.text() | _TEXTS, st.text(max_size=10) | st.sampled_from(["第1条", "Annex I", "4.2", "附則"])
)
def test_no_text_and_no_heading_makes_it_fail(text: str, heading: str) -> None:
    whole = Span(0, len(text))
    source = RelationSource(
        doc_id="any",
        title=text[:50],
        collection="default",
        version=1,
        text=text,
        sections=(SourceSection(0, None, 0, "", whole), SourceSection(1, 0, 1, heading, whole)),
        chunks=(SourceChunk(0, text, "any#para1", whole, 1),),
    )
    for reference in find_references(mint(source)).references:
        assert reference.evidence.quote in text


@pytest.mark.parametrize(
    "unit",
    [
        "第1条（",
        "「第1条",
        "前項、",
        "各号、",
        "(a) x; ",
        "point (a) of ",
        "‘a “b ",
        "Articles 1, ",
        " ",
    ],
)
def test_a_line_of_many_thousand_beginnings_is_read(unit: str) -> None:
    text = "## 第1条\n\n" + unit * (100_000 // len(unit))
    assert find_references(read_source(text)).addresses[0].address == "article 1"


def test_a_line_of_a_million_characters_is_read() -> None:
    text = "## 第1条\n\n" + ("第2条による。" + "これを定める。" * 13) * 10_000
    assert len(find_references(read_source(text)).references) == 10_000
