"""What a store keeps of the relation graph: of one document, and of the profile.

Sequences are bags: their order says nothing, so `bag` makes it one and the same.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from ragspine_store.relations import Answer, AnswerKey, EdgeKey, Evidence, Rejection


class KeptOrigin(enum.Enum):
    """Who gave a piece of evidence, and gives it anew in place of what stands."""

    PROFILE = "profile"
    RULES = "rules"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class KeptRelation:
    """One piece of evidence for an edge.

    Attributes:
        key: the edge.
        origin: who gave it.
        evidence: where it stands.
        seq: of a model's, the child whose answer it came from; None for others and for stale ones.
        is_stale: its quote is gone from the document.
        floor: of a stale one, the clearance that its text had last; 0 for others.
        is_judged: the last verdict on the edge knew of it.
    """

    key: EdgeKey = field(repr=False)
    origin: KeptOrigin
    evidence: Evidence
    seq: int | None = None
    is_stale: bool = False
    floor: int = 0
    is_judged: bool = False


@dataclass(frozen=True, slots=True)
class KeptAddress:
    """What a part of a document is referred to as, in the order in which they were found."""

    address: str
    position: int
    node: str


@dataclass(frozen=True, slots=True)
class KeptReference:
    """A reference in a document's text; `source` is the id of the node it stands in."""

    source: str
    title: str = field(repr=False)
    address: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class KeptRejection:
    """A relation that was not written; `seq` is the child that a model was asked about."""

    origin: KeptOrigin
    seq: int | None
    rejection: Rejection


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A model's cached answer about a child."""

    key: AnswerKey
    seq: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class KeptRelations:
    """All that the graph keeps of one document that is in the store.

    Attributes:
        doc_id: the document.
        rules: fingerprint its rule-made rows were made with; '' when they have to be made anew.
        relations: what rules and models found in it.
        titles: normalised names under which others refer to it.
        addresses, references, rejections, answers: see there.
    """

    doc_id: str
    rules: str = ""
    relations: tuple[KeptRelation, ...] = ()
    titles: tuple[str, ...] = field(default=(), repr=False)
    addresses: tuple[KeptAddress, ...] = ()
    references: tuple[KeptReference, ...] = ()
    rejections: tuple[KeptRejection, ...] = ()
    answers: tuple[KeptAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptProfile:
    """What the graph keeps that is no document's own.

    Attributes:
        rules: fingerprint that the graph was last built with; '' before.
        relations: what profile and facts say.
        labels: ids of nodes with their labels, as the profile shows them.
    """

    rules: str = ""
    relations: tuple[KeptRelation, ...] = ()
    labels: tuple[tuple[str, str], ...] = field(default=(), repr=False)
