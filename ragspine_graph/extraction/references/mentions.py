"""What the two grammars find: words of a text that name parts of a document."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from ragspine_graph.extraction.references.paths import Path
from ragspine_store.records import Span

OWN_DOCUMENT = "this"
"""Stands as title for the document itself where its text names it: この規則, this Regulation."""


class Anchor(enum.Enum):
    """What the first step of a mention hangs from."""

    TOP = "top"  # a document: the one named, or that in which it stands
    HERE = "here"  # the place where it stands: 本条, this Article
    BESIDE = "beside"  # a part before or after that place: 前条, the following paragraph
    BEFORE = "before"  # all parts before that place: 前各号
    LAST = "last"  # the part that was named last: 同条, that Article


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name a part of a document.

    Attributes:
        span: the words.
        steps: what they number; below the anchor, unless that is a document.
        anchor: what the first step hangs from.
        unit: of the anchor: article in 前条; '' for a document.
        offset: places before (negative) or after the place where it stands.
        title: of the document named, as written; '' for the one in which it stands.
        continues: it goes on with a list: what it leaves out is as in the mention before.
        ends_range: all between the mention before and this one is meant too.
        names_items: the items of what it names are meant (前項各号).
        is_quoted: it stands in words quoted from elsewhere: what follows does not go on from it.
    """

    span: Span
    steps: Path = ()
    anchor: Anchor = Anchor.TOP
    unit: str = ""
    offset: int = 0
    title: str = field(default="", repr=False)
    continues: bool = False
    ends_range: bool = False
    names_items: bool = False
    is_quoted: bool = False
