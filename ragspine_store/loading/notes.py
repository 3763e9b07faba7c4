"""How loaders say what they left out: phrases for the operator, without any text of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MAX_RANGES = 20


def left_out(counts: Mapping[str, int]) -> tuple[str, ...]:
    """One note on what was left out, none when that is nothing.

    Args:
        counts: how many, by what one of them is called.

    >>> left_out({"hidden sheet": 2, "hidden row": 0, "hidden column": 1})
    ('left out: 2 hidden sheets, 1 hidden column',)
    """
    parts = [
        f"{number:,} {what}{'' if number == 1 else 's'}"
        for what, number in counts.items()
        if number
    ]
    return (f"left out: {', '.join(parts)}",) if parts else ()


def numbered(what: str, numbers: Sequence[int]) -> str:
    """Things by their numbers, those in a row as a range.

    Args:
        what: what one of them is called.
        numbers: in order.

    >>> numbered("page", [3])
    'page 3'
    >>> numbered("page", [3, 7, 8, 9])
    'pages 3 and 7-9'
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    shown = ["-".join(map(str, ends)) for ends in ranges]
    if len(shown) > _MAX_RANGES:
        shown = [*shown[:_MAX_RANGES], "more"]
    listed = " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    return f"{what}{'' if len(numbers) == 1 else 's'} {listed}"
