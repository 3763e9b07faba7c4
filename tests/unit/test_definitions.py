from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.extraction import Extraction, RelationExtractor
from ragspine_graph.extraction.defined_terms import find_defined_terms
from ragspine_graph.extraction.definitions import DefinedTermExtractor, find_uses
from ragspine_store.relations import Provenance
from tests.relation_sources import read_source


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("株式会社甲（以下「会社」という。）は、", ["会社"]),
        ("この規程（以下、「本規程」という。）は、", ["本規程"]),
        ("育児休業（以下単に「休業」という。）を", ["休業"]),
        ("甲及び乙（以下『当事者』と総称する。）は", ["当事者"]),
        ("「社員」とは、会社に雇用された者をいう。", ["社員"]),
        ('Acme Ltd (the "Company") and', ["Company"]),
        ("Acme Ltd (hereinafter the “Company”) and", ["Company"]),
        ("Acme Ltd (together with its heirs, the “Sellers”) and", ["Sellers"]),
        ('the board, hereinafter "Board", meets', ["Board"]),
        ("(1) ‘AI system’ means a system; (2) ‘risk’ means harm", ["AI system", "risk"]),
        ('"Fee" shall mean the price', ["Fee"]),
        ("「会社」は、社員を雇う。", []),
        ("以下のとおりとする。", []),
        ('He said "yes" (and "no") to it.', []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_text_defines_terms(text: str, names: list[str]) -> None:
    assert [term.name for term in find_defined_terms(text)] == names


def test_a_term_for_one_article_is_local() -> None:
    (term,) = find_defined_terms("期間（以下この条において「特定期間」という。）を")
    assert term.is_local


def test_a_use_is_the_definition_or_the_term_as_a_word_of_its_own() -> None:
    text = "株式会社甲（以下「会社」という。）は、子会社と会社の社員を守る。ＡＢＣ会社、会社"
    definitions = {term.name: term for term in find_defined_terms(text)}
    uses = [(name, text[slice(*span)], span.start) for name, span in find_uses(text, definitions)]
    assert uses == [
        ("会社", "以下「会社」という", text.index("以下")),
        ("会社", "会社", text.index("会社の")),
        ("会社", "会社", text.index("会社、")),
        ("会社", "会社", len(text) - 2),
    ]


RULES = """# 規則

## 第1条　目的

株式会社甲（以下「会社」という。）の決まりを定める。

## 第2条　期間

会社は、期間（以下この条において「特定期間」という。）を定め、会社は特定期間を守る。

## 第3条　その他

株式会社乙の特定期間は、定めない。
"""


def _extract(text: str) -> Extraction:
    return DefinedTermExtractor().extract(read_source(text, chunker="parent_child"))


def test_the_sections_that_use_a_term_mention_it() -> None:
    found = [(r.source.id, r.kind, r.target.id) for r in _extract(RULES).relations]
    assert found == [
        ("section:rules.md#s2", "mentions", "term:会社@rules.md"),
        ("section:rules.md#s3", "mentions", "term:会社@rules.md"),
        ("section:rules.md#s3", "mentions", "term:特定期間@rules.md"),
    ]


def test_evidence_is_the_first_use_with_the_count_of_all() -> None:
    first, second, _ = _extract(RULES).relations
    assert first.provenance is Provenance.RULE
    assert first.evidence.quote == "以下「会社」という"
    assert (second.evidence.quote, second.evidence.target_name) == ("会社", "会社")
    assert second.evidence.count == 2
    assert second.evidence.model == ""


def test_it_is_an_extractor() -> None:
    assert isinstance(DefinedTermExtractor(), RelationExtractor)


@given(st.text(alphabet='以下「会社」という（）()"“”‘’the Co means、。\n'))
def test_any_text_gives_terms_that_stand_in_it(text: str) -> None:
    end = 0
    for term in find_defined_terms(text):
        assert term.name in text[slice(*term.span)]
        assert end <= term.span.start < term.span.end
        end = term.span.end
