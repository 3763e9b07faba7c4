"""What a model's reply proposes, whatever shape it comes in.

Read in this way: what a model thought aloud is dropped; every JSON object or array that stands in
the rest is read, with or without text and fences around it; where one breaks off, the whole objects
inside it are. An object with `relations` holds items; any other object is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, TypeGuard

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragspine_graph.names.normaliser import MAX_NAME_CHARS

MAX_QUOTE_CHARS = 2_000
MAX_KIND_CHARS = 100
MAX_ITEMS = 200
_MAX_REPLY_CHARS = 200_000
_MAX_BROKEN = 200

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENER = re.compile(r"[{\[]")
_NO_ITEM = object()

_Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]


class RelationItem(BaseModel):
    """One relation as a model states it; none of it is believed.

    Attributes:
        source, target: names of its ends.
        kind: what joins them.
        quote: the words it rests on.
        polarity: whether they affirm or deny it.
    """

    model_config = ConfigDict(
        frozen=True, strict=True, str_strip_whitespace=True, hide_input_in_errors=True
    )

    source: _Name
    target: _Name
    kind: Annotated[str, Field(min_length=1, max_length=MAX_KIND_CHARS)]
    quote: Annotated[str, Field(min_length=1, max_length=MAX_QUOTE_CHARS)]
    polarity: Literal["affirmed", "denied"] = "affirmed"


@dataclass(frozen=True, slots=True)
class Reply:
    """What is well-formed in a reply, in its order.

    Attributes:
        items: well-formed relations.
        faults: of what was dropped, what is wrong with each; no text of the reply.
    """

    items: tuple[RelationItem, ...] = ()
    faults: tuple[str, ...] = ()


def parse_reply(text: str) -> Reply:
    r"""Read a model's reply; never fails.

    >>> reply = parse_reply('Sure! ```json\n[{"source": "A", "target": "B", "kind": "owns"')
    >>> reply.items, reply.faults
    ((), ('broken off or no JSON',))
    """
    items: list[RelationItem] = []
    faults: list[str] = []
    for value in _proposed(text):
        if len(items) + len(faults) >= MAX_ITEMS:
            faults.append(f"more than {MAX_ITEMS} items")
            break
        if value is _NO_ITEM:
            faults.append("broken off or no JSON")
            continue
        try:
            items.append(RelationItem.model_validate(value))
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(part) for part in fault["loc"]) or "item"
            faults.append(f"{place}: {fault['type']}")
    return Reply(tuple(items), tuple(faults))


def _proposed(text: str) -> Iterator[object]:
    """What might be items; `_NO_ITEM` once for a reply that holds something broken, or nothing."""
    text = _THOUGHTS.sub(" ", text[:_MAX_REPLY_CHARS])
    decoder = json.JSONDecoder()
    at, broken, found = 0, 0, False
    while broken < _MAX_BROKEN and (opener := _OPENER.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, opener.start())
        except (ValueError, RecursionError):
            at = opener.end()
            broken += 1
            continue
        found = True
        yield from _unfold(value)
    if broken or not found:
        yield _NO_ITEM


def _unfold(value: object) -> Iterator[object]:
    if _is_object(value) and "relations" in value:
        value = value["relations"]
        if not _is_list(value):
            yield value
    elif not _is_list(value):
        yield value
    if _is_list(value):
        yield from value


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)
