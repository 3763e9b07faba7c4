"""The name that a text opens with."""

from __future__ import annotations

import pytest

from ragspine_graph.extraction.references.opening import opening_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The Last Coupon is a film.", ("The Last Coupon", "Last Coupon")),
        ("Madame la Présidente (1916) is", ("Madame la Présidente",)),
        ('"Jaws" is a film', ("Jaws",)),
        ("William I, Prince of Orange (1533)", ("William I, Prince of Orange", "William I")),
        ("B. F. Skinner, a man,", ("B. F. Skinner", "B. Skinner", "F. Skinner", "B. F.")),
        ("When work begins, ask.", ()),
        ("the rules apply", ()),
        ("The rules apply", ()),
        ("", ()),
        ("(", ()),
    ],
    ids=lambda given: given or "nothing",
)
def test_a_text_opens_with_what_it_is_about(text: str, names: tuple[str, ...]) -> None:
    assert opening_names(text) == names
