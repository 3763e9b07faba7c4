"""Which stretches of a text may be names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.extraction.references.titles import normal_title
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.retrieval.names_in import MAX_WORDS, names_in


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Directed by Jo Dee.", "Jo Dee"),
        ("the Treaty of Rome, signed", "Treaty of Rome"),
        ("John George II, Duke of Saxe-Eisenach was", "John George II, Duke of Saxe-Eisenach"),
        ("Is Dark River (Film) older?", "Dark River (Film)"),
        ("by David O'Leary in", "David O'Leary"),
        ("régie de Boštjan Hladnik", "Boštjan Hladnik"),
        ("会社は就業規則の定めにより", "就業規則"),
        ("労働基準法第12条による", "労働基準法"),
        ("ｼｽﾃﾑ管理規程を見よ", "システム管理規程"),
    ],
    ids=lambda given: given,
)
def test_a_name_is_found_as_titles_are_compared(text: str, name: str) -> None:
    found = {one.key: one.span for one in names_in(text)}
    assert normal_title(name) in found
    start, end = found[normal_title(name)]
    assert normalise_name(text[start:end]) == normalise_name(name)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("jo dee came", "jodee"),
        ("A scorpion is a Scorpion", "scorpion"),
        ("In 1999 it was", "1999"),
        ("の会社", "の会社"),
    ],
    ids=["lower case", "a word like others", "a number", "hiragana before"],
)
def test_what_is_no_name_is_left_out(text: str, missing: str) -> None:
    assert missing not in {name.key for name in names_in(text)}


def test_people_ask_for_names_in_lower_case() -> None:
    asked = "who directed dark river"
    assert "darkriver" in {name.key for name in names_in(asked, is_question=True)}
    assert "river" not in {name.key for name in names_in(asked, is_question=True)}
    assert names_in(asked) == []


def test_longer_names_come_before_shorter_ones_from_the_same_place() -> None:
    names = names_in("Ada King Lovelace")
    assert [name.key for name in names[:3]] == ["adakinglovelace", "adaking", "ada"]


@given(st.text(st.sampled_from("Aa b.é(),-'1第会社のカ\u0301"), max_size=60), st.booleans())
def test_spans_stand_in_the_text_in_order_and_names_are_bounded(
    text: str, is_question: bool
) -> None:
    names = names_in(text, is_question=is_question)
    assert [name.span.start for name in names] == sorted(name.span.start for name in names)
    for name in names:
        assert 0 <= name.span.start < name.span.end <= len(text)
        assert len(name.key) >= 2
    assert len(names) <= MAX_WORDS * max(1, len(text))
