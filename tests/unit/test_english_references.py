from __future__ import annotations

import pytest

from ragspine_graph.extraction.references import find_references
from tests.relation_sources import read_source

# Article 4 is where each sentence under test stands, as its second paragraph.
REGULATION = """# Regulation (EU) 2024/1689 (Artificial Intelligence Act)

## Chapter I: General

### Section 1: Subject

#### Article 1: Subject matter

1. This Regulation lays down rules. 2. It covers: (a) providers; (b) deployers: (i) public ones;
(ii) others; (c) importers.

#### Article 2: Scope

The scope is wide: (a) here; (b) there.

### Section 2: Terms

#### Article 3: Definitions

1. A system is a system.

## Chapter II: Duties

### Section 1: Providers

#### Article 4: Duty of care

1. Providers take care.

2. {sentence}

3. They go on.

#### Article 5: Records

1. Providers keep records.

## Annex I: Forms

Section A – Long form 1. Name. 2. Address. Section B – Short form 1. Name.

## Annex III: Areas

The areas are: 1. Biometrics: (a) remote; (b) near. 2. Transport. 3. Water.
"""


def _named(sentence: str) -> list[tuple[str, str]]:
    """Titles and addresses that a sentence in Article 4(2) refers to."""
    found = find_references(read_source(REGULATION.format(sentence=sentence), doc_id="act.md"))
    return [(reference.title, reference.address) for reference in found.references]


@pytest.mark.parametrize(
    ("sentence", "addresses"),
    [
        ("See Article 1.", ["article 1"]),
        ("See Art. 1.", ["article 1"]),
        ("See Article 1(2).", ["article 1/paragraph 2"]),
        ("See Article 1 (2), point (a).", ["article 1/paragraph 2/point a"]),
        ("See Article 1(2)(b)(ii).", ["article 1/paragraph 2/point b/point ii"]),
        ("See Article 2, point (b), there.", ["article 2/point b"]),
        ("See point (b) of Article 2.", ["article 2/point b"]),
        (
            "See paragraph 2, first subparagraph, point (a), of Article 1.",
            ["article 1/paragraph 2/point a"],
        ),
        ("See Annex III.", ["annex 3"]),
        ("See Annex III (point 1(a)).", ["annex 3/paragraph 1/point a"]),
        ("See point 1(a) of Annex III.", ["annex 3/paragraph 1/point a"]),
        ("See Section B of Annex I.", ["annex 1/section b"]),
        ("See section A, point 2, of Annex I.", ["annex 1/section a/paragraph 2"]),
        ("See Chapter I.", ["chapter 1"]),
        ("See Chapter I, Section 2.", ["chapter 1/section 2"]),
        ("See Section 2 of Chapter I.", ["chapter 1/section 2"]),
        ("See Section 1.", ["chapter 2/section 1"]),
        ("See Article 1 of this Regulation.", ["article 1"]),
        ("See Article 1 of Regulation (EU) 2024/1689.", ["article 1"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_number_names_a_part_of_the_own_document(sentence: str, addresses: list[str]) -> None:
    assert _named(sentence) == [("", address) for address in addresses]


@pytest.mark.parametrize(
    ("sentence", "addresses"),
    [
        ("See Articles 1, 2 and 5.", ["article 1", "article 2", "article 5"]),
        ("See Articles 1 to 3.", ["article 1", "article 2", "article 3"]),
        ("See Article 1 or 5.", ["article 1", "article 5"]),
        ("See Article 1(1) and (2).", ["article 1/paragraph 1", "article 1/paragraph 2"]),
        ("See Sections A and B of Annex I.", ["annex 1/section a", "annex 1/section b"]),
        ("See points 1 and 3 of Annex III.", ["annex 3/paragraph 1", "annex 3/paragraph 3"]),
        ("See points 1 to 3 of Annex III.", [f"annex 3/paragraph {n}" for n in (1, 2, 3)]),
        (
            "See Article 1(2), points (a) to (c).",
            [f"article 1/paragraph 2/point {letter}" for letter in "abc"],
        ),
        ("See Annexes I and III.", ["annex 1", "annex 3"]),
        ("Article 1 and 12 months later.", ["article 1"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lists_and_ranges_name_all_their_parts(sentence: str, addresses: list[str]) -> None:
    assert _named(sentence) == [("", address) for address in addresses]


@pytest.mark.parametrize(
    ("sentence", "addresses"),
    [
        ("See the preceding Article.", ["article 3"]),
        ("See the following Article.", ["article 5"]),
        ("See this Chapter.", ["chapter 2"]),
        (
            "See Article 1. Paragraph 2 of that Article applies.",
            ["article 1", "article 1/paragraph 2"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_relative_reference_resolves_by_its_place(sentence: str, addresses: list[str]) -> None:
    assert _named(sentence) == [("", address) for address in addresses]


@pytest.mark.parametrize(
    ("sentence", "address"),
    [
        ("See paragraph 1.", "article 4/paragraph 1"),
        ("See the previous paragraph.", "article 4/paragraph 1"),
        ("See paragraph 3 of this Article.", "article 4/paragraph 3"),
        ("See paragraph (1) of this Article.", "article 4/paragraph 1"),
    ],
    ids=lambda value: value,
)
def test_a_paragraph_alone_is_one_of_the_own_article(sentence: str, address: str) -> None:
    text = REGULATION.format(sentence=sentence)
    found = find_references(read_source(text, doc_id="act.md", chunker="parent_child"))
    assert [reference.address for reference in found.references] == [address]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "See Article 6(1)(f) of Regulation (EU) 2016/679.",
            [("regulation2016/679", "article 6/paragraph 1/point f")],
        ),
        ("See Article 5 TEU.", [("teu", "article 5")]),
        ("See Article 16 of the TFEU.", [("tfeu", "article 16")]),
        ("See Article 6 GDPR.", [("gdpr", "article 6")]),
        (
            "See Articles 1 and 2 of Directive 2008/115/EC.",
            [("directive2008/115/ec", "article 1"), ("directive2008/115/ec", "article 2")],
        ),
        (
            "See Article 14(4), points (a) and (b), of Regulation (EC) No 300/2008.",
            [
                ("regulation300/2008", "article 14/paragraph 4/point a"),
                ("regulation300/2008", "article 14/paragraph 4/point b"),
            ],
        ),
        (
            "Regulation (EU) 2019/1020 applies. See Article 1 of that Regulation.",
            [("regulation2019/1020", "article 1")],
        ),
        ("See Section 172 of the Companies Act 2006.", [("companiesact2006", "section 172")]),
        ("See Annex I to Directive 2014/90/EU.", [("directive2014/90/eu", "annex 1")]),
        (
            "Regulation (EU) 2018/1139 is amended as follows: in Article 1, a word is added.",
            [("regulation2018/1139", "article 1")],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_name_behind_points_into_that_document(
    sentence: str, expected: list[tuple[str, str]]
) -> None:
    assert _named(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "This Article applies.",
        "A section of the market, part of it and a chapter of history.",
        "The chapter house. Title deeds. An annex.",
        "The following is added: ‘3. Without prejudice to paragraph 1, it applies.’",
        "Points of contact, paragraphs and clauses.",
    ],
    ids=["this", "prose", "nouns", "quoted", "plurals"],
)
def test_words_that_only_look_like_a_reference_are_none(sentence: str) -> None:
    assert _named(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "address"),
    [
        ("See Article 9.", "article 9"),
        ("See Article 1(7).", "article 1/paragraph 7"),
        ("See Annex IX.", "annex 9"),
    ],
    ids=lambda value: value,
)
def test_what_does_not_exist_has_no_address(sentence: str, address: str) -> None:
    found = find_references(read_source(REGULATION.format(sentence=sentence), doc_id="act.md"))
    assert [reference.address for reference in found.references] == [address]
    assert address not in [offered.address for offered in found.addresses]


CONTRACT = """SERVICES AGREEMENT

1. Definitions

1.1 Terms have their meaning under Section 2.2 and clause 2.2(a), paragraph 2.1 and Schedule 1.

2. Fees

2.1 Fees are due under Clause 1.1.

2.2 Late fees: (a) interest; (b) costs.

Schedule 1: Rates

The rates.
"""


@pytest.mark.parametrize("chunker", ["none", "parent_child"])
def test_clauses_of_a_contract_answer_to_every_word_for_them(chunker: str) -> None:
    source = read_source(CONTRACT, doc_id="contract.txt", chunker=chunker)
    found = find_references(source)
    assert [reference.address for reference in found.references] == [
        "section 2.2",
        "clause 2.2/point a",
        "paragraph 2.1",
        "schedule 1",
        "clause 1.1",
    ]
    offered = {address.address for address in found.addresses}
    assert {reference.address for reference in found.references} <= offered


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("(a) u; (b) v: (i) w; (ii) x; (c) y.", ["a", "b", "b/i", "b/ii", "c"]),
        ("(g) u; (h) v; (i) w; (j) x.", ["g", "h", "i", "j"]),
        ("(h) v: (i) w; (ii) x; (i) y.", ["h", "h/i", "h/ii", "i"]),
        ("(i) w; (ii) x.", ["i", "ii"]),
    ],
    ids=["below b", "after h", "below h, then after it", "alone"],
)
def test_an_i_is_a_number_or_a_letter_by_its_neighbours(points: str, expected: list[str]) -> None:
    before = "(a) u; (b) u; (c) u; (d) u; (e) u; (f) u; "
    lead = {"(g)": before, "(h)": f"{before}(g) u; "}.get(points[:3], "")
    text = f"# Act\n\n## Article 1\n\nThese: {lead}{points}\n"
    found = find_references(read_source(text, doc_id="act.md"))
    addresses = [address.address.replace("point ", "") for address in found.addresses]
    assert addresses[-len(expected) :] == [f"article 1/{each}" for each in expected]
