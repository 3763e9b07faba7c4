"""Where a quote stands in a text: exactly, or as nearly as is stated here.

Not compared are: width and other compatible forms (NFKC), case, white space, characters that are
not seen, and the shape of quotes and dashes. All else has to be there, in this order.
"""

from __future__ import annotations

import re
import unicodedata

from ragspine_store.records import Span

# A character with the marks that compose with it, so that folding a piece folds the text.
_PIECE = re.compile(
    "[^\u0300-\u036f\u3099\u309a\uff9e\uff9f][\u0300-\u036f\u3099\u309a\uff9e\uff9f]*|.", re.S
)
_SHAPES = str.maketrans("‘’‚‛′“”„‟″‐‑‒–—―−", "'''''\"\"\"\"\"-------")


def find_quote(quote: str, text: str) -> Span | None:
    r"""Where a quote stands in a text, the first place; None when it does not.

    Args:
        quote: as a model gives it.
        text: as the document has it.

    Returns:
        A half-open span of `text`.

    >>> find_quote("A社とB社は 提携した", "…Ａ社とＢ社は\n提携した。")
    Span(start=1, end=12)
    """
    at = text.find(quote)
    if quote and at >= 0:
        return Span(at, at + len(quote))
    wanted, _ = _folded(quote)
    given, places = _folded(text)
    at = given.find(wanted)
    if not wanted or at < 0:
        return None
    return Span(places[at].start, places[at + len(wanted) - 1].end)


def _folded(text: str) -> tuple[str, list[Span]]:
    """What is compared, and for each of its characters where it comes from."""
    folded: list[str] = []
    places: list[Span] = []
    for piece in _PIECE.finditer(text):
        shaped = unicodedata.normalize("NFKC", piece[0]).translate(_SHAPES).casefold()
        for character in unicodedata.normalize("NFKC", shaped):
            if not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf"):
                folded.append(character)
                places.append(Span(*piece.span()))
    return "".join(folded), places
