"""The markers of list items, as a browser shows them."""

from __future__ import annotations

import re

from ragspine_store.loading.html.elements import HtmlElement

BULLET = "•"

_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?\b(none|decimal|(?:lower|upper)-\w+)", re.I)
_STYLE_OF_TYPE = {
    "1": "decimal",
    "a": "lower-alpha",
    "A": "upper-alpha",
    "i": "lower-roman",
    "I": "upper-roman",
}
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_INTEGER = re.compile(r"\s*([+-]?\d{1,9})")


class ListNumbering:
    """Numbers the items of one list.

    >>> items = ListNumbering(HtmlElement("ol", {"type": "a", "start": "3"}))
    >>> items.next_label(HtmlElement("li")), items.next_label(HtmlElement("li", {"value": "1"}))
    ('c.', 'a.')
    """

    def __init__(self, element: HtmlElement) -> None:
        self._is_ordered = element.tag == "ol"
        self._style = _style_of(element) or "decimal"
        self._has_markers = self._style != "none"
        self._step = -1 if "reversed" in element.attributes else 1
        first = 1
        if self._step < 0:
            first = sum(child.tag == "li" for child in element.elements())
        self._number = _integer(element.attributes.get("start", ""), first)

    def next_label(self, item: HtmlElement) -> str:
        """The label of the next item; '' when none is shown."""
        number = _integer(item.attributes.get("value", ""), self._number)
        self._number = number + self._step
        style = _style_of(item) or self._style
        if style == "none":
            return ""
        return f"{_numeral(number, style)}." if self._is_ordered else BULLET


def _style_of(element: HtmlElement) -> str:
    match = _STYLE.search(element.attributes.get("style", ""))
    if match:
        return match[1].lower()
    return _STYLE_OF_TYPE.get(element.attributes.get("type", ""), "")


def _numeral(number: int, style: str) -> str:
    case, _, system = style.partition("-")
    if system in ("alpha", "latin") and number > 0:
        numeral = _letters(number)
    elif system == "roman" and 0 < number < 4000:
        numeral = _roman(number)
    else:
        return str(number)
    return numeral.upper() if case == "upper" else numeral


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _roman(number: int) -> str:
    numeral = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        numeral += sign * count
    return numeral


def _integer(text: str, default: int) -> int:
    match = _INTEGER.match(text)
    return int(match[1]) if match else default
