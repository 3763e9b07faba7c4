"""What a model's reply proposes, whatever shape it comes in.

`provider.reply_json` says which JSON in it is read. An object with `relations` holds items; any
other object is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, TypeGuard

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragspine_graph.names.normaliser import MAX_NAME_CHARS
from ragspine_graph.provider.reply_json import BROKEN, iter_json

MAX_QUOTE_CHARS = 2_000
MAX_KIND_CHARS = 100
MAX_ITEMS = 200

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
        if value is BROKEN:
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
    """What might be items; `BROKEN` once for a reply that holds something broken, or nothing."""
    for value in iter_json(text):
        if value is BROKEN:
            yield value
        else:
            yield from _unfold(value)


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
