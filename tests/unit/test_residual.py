"""What is left of a question."""

from __future__ import annotations

from ragspine_graph.retrieval.residual import Residual, words_of
from ragspine_store.query import parse_query


def asked(text: str) -> Residual:
    return Residual.of(parse_query(text))


def test_function_words_are_not_asked_for_unless_nothing_else_is() -> None:
    assert asked("Who was the director of Jaws?") == asked("director jaws")
    assert len(asked("who was it").terms) == 3


def test_a_share_counts_the_terms_that_a_text_holds() -> None:
    question = asked("director jaws born")
    assert question.share(words_of("The director was born")) == 2 / 3
    assert question.found_in(words_of("Jaws")) == {1}
    assert question.share(frozenset()) == 0


def test_what_a_title_says_is_no_longer_asked_for() -> None:
    left = asked("director of Jaws born").without(words_of("Jaws (film)"))
    assert left == asked("director born")
    assert left.without(words_of("director born")).share(words_of("Jaws")) == 0


def test_japanese_counts_content_and_whole_phrases() -> None:
    question = asked("第12条の手当")
    assert question.share(words_of("第12条に定める手当")) > question.share(words_of("手当 12 条"))
