"""The gate: every relation is screened before it is written, and every question before it is asked.

In this order; the first rule that stops a relation names the rejection. Pure decisions: no store,
no model, no clock.

1. `control-character`, `too-long`, `empty-name`: ends and kind are short, printable names.
2. `self-relation`: the ends are two nodes.
3. `listed-name`: no competitor or external party of the profile is an end or stands in the kind,
   in whatever spelling. A longer name of the profile that holds a listed one is not it.
4. `reserved-kind`: the kinds of the profile and the rules are not a model's to give.

What the profile says itself is screened by `screen_controlled`, which adds one thing: the home
company's own `competes_with`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import (
    MAX_NAME_CHARS,
    holds_control,
    loose_name,
    normalise_name,
)
from ragspine_graph.profile import Profile
from ragspine_store._seal import mint_screened
from ragspine_store.relations import (
    COMPETES_WITH,
    RESERVED_KINDS,
    Node,
    NodeType,
    Provenance,
    Rejection,
    Relation,
)
from ragspine_store.sealed import Screened
from ragspine_store.tokenizer import fold

MAX_KIND_CHARS = 100
MAX_REMEMBERED = 100_000
MAX_QUOTE_CHARS = 1_000
LISTED_NAME = "listed-name"

# A document or a part of it is named by its id: where it stands, not what it is about.
_PARTS = frozenset(part.value for part in (NodeType.DOCUMENT, NodeType.SECTION, NodeType.CHILD))
_TERM = NodeType.TERM.value
_EXTERNAL = NodeType.EXTERNAL.value
_RESERVED = frozenset(loose_name(kind) for kind in RESERVED_KINDS)
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN_WORDS = re.compile(r"[\s\-_.・]+")


_Key = tuple[str, str, str, bool]
_Fault = tuple[str, str]
"""A rule and the reason it gives."""


class _Part(NamedTuple):
    """An end or the kind of a relation: what is screened by itself, and only once.

    Attributes:
        type, key, label: of the end; the kind has no type and is its key.
        written: the end as its evidence writes it, '' when as the node shows it.
        by_model: a model says so.
    """

    type: str
    key: str
    label: str
    written: str
    by_model: bool

    @property
    def is_by_id(self) -> bool:
        """Whether the key is an id that names nothing."""
        return self.type in _PARTS and not self.by_model

    @property
    def name(self) -> str:
        """The name in the key."""
        return self.key.rpartition("@")[0] if self.type == _TERM else self.key

    def names(self) -> list[str]:
        """All names in it, each once however it is capitalised; none that is empty."""
        names = [self.written]
        if not self.type:
            names = [self.key, _NEW_WORD.sub(" ", self.key)]
        elif not self.is_by_id:
            names += [self.label, self.name]
        folded = {name.lower() if name.isascii() else name: name for name in names if name}
        return list(folded.values())

    def is_named(self) -> bool:
        """Whether anything is left of it when it is normalised; an id is a name as it is."""
        return bool(self.key if self.is_by_id else normalise_name(self.name))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a question is not answered.

    Attributes:
        rule: short name of the rule that refused it.
        name: the listed party as the profile shows it.

    >>> Refusal("listed-name", "Rival Inc.").to_dict()
    {'rule': 'listed-name', 'name': 'Rival Inc.'}
    """

    rule: str
    name: str

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {"rule": self.rule, "name": self.name}


class SecurityGate:
    """Screens relations and questions against the parties that a profile lists.

    Args:
        profile: whose `external_entities` are stopped; an empty one lists nobody.

    >>> gate = SecurityGate(Profile(external_entities={"Rival": "Rival Inc."}))
    >>> gate.screen_question("What does ＲＩＶＡＬ sell?")
    Refusal(rule='listed-name', name='Rival Inc.')
    """

    def __init__(self, profile: Profile) -> None:
        home = profile.home
        self._home = home.entity_code or normalise_name(home.company_name)
        self._shown = {
            normalise_name(name): shown
            for alias, shown in profile.external_entities.items()
            for name in (shown, alias)
        }
        names = [*profile.external_entities, *profile.external_entities.values()]
        self._names = NameMatcher([*names, *profile.own_names()], is_loose=True)
        self._passed: set[_Key] = set()

    def screen(self, relation: Relation) -> Screened[Relation] | Rejection:
        """A relation that rules or a model found in a document.

        A model's kind comes out normalised, see `normalise_kind`.
        """
        fault = self._find_fault(relation)
        if fault:
            return _reject(relation, *fault)
        if relation.provenance is Provenance.MODEL:
            relation = replace(relation, kind=normalise_kind(relation.kind))
        return mint_screened(relation)

    def screen_controlled(self, relation: Relation) -> Screened[Relation] | Rejection:
        """A relation that the profile or a fact states.

        Between the home company and an external party of the profile `competes_with` passes, and
        nothing else does that names one.
        """
        if self._is_competition(relation):
            return mint_screened(relation)
        fault = self._find_fault(relation)
        if not fault and relation.provenance is not Provenance.CONTROLLED:
            fault = "not-controlled", "only the profile and facts state what is controlled"
        return _reject(relation, *fault) if fault else mint_screened(relation)

    def screen_question(self, text: str) -> Refusal | None:
        """Whether a question names a listed party; None when it does not."""
        name = self.find_listed(text)
        return None if name is None else Refusal(LISTED_NAME, name)

    def find_listed(self, text: str) -> str | None:
        """The first listed party that a text names, as the profile shows it."""
        matches = sorted(self._names.iter_all(text), key=lambda match: match.span)
        own = [match.span for match in matches if match.key not in self._shown]
        for match in matches:
            is_in_longer = any(span.contains(match.span) and span != match.span for span in own)
            if match.key in self._shown and not is_in_longer:
                return self._shown[match.key]
        return None

    def _find_fault(self, relation: Relation) -> _Fault | None:
        keys = _keys(relation)
        if self._passed.issuperset(keys):
            return _find_self_relation(relation)
        new = [
            (place, make(relation))
            for (place, make), key in zip(_PARTS_OF_A_RELATION, keys, strict=True)
            if key not in self._passed
        ]
        fault = (
            _first(_find_malformed, new)
            or _find_self_relation(relation)
            or _first(self._find_listed_in, new)
            or _first(_find_reserved, new)
        )
        if not fault:
            if len(self._passed) > MAX_REMEMBERED:
                self._passed.clear()
            self._passed.update(keys)
        return fault

    def _find_listed_in(self, part: _Part) -> _Fault | None:
        for name in part.names():
            listed = self.find_listed(name)
            if listed is not None:
                return LISTED_NAME, f"names {listed}, which the profile lists"
        if part.type == _EXTERNAL:
            return LISTED_NAME, "is an external party"
        return None

    def _is_competition(self, relation: Relation) -> bool:
        return (
            relation.kind == COMPETES_WITH
            and relation.provenance is Provenance.CONTROLLED
            and relation.source.type is NodeType.ENTITY
            and relation.source.key == self._home
            and relation.target.type is NodeType.EXTERNAL
            and normalise_name(relation.target.key) in self._shown
        )


def normalise_kind(kind: str) -> str:
    """A kind as a model's edges carry it: folded, its words joined by `_`.

    >>> normalise_kind("Partner-Of"), normalise_kind("partnerOf"), normalise_kind("業務 提携")
    ('partner_of', 'partner_of', '業務_提携')
    """
    return _BETWEEN_WORDS.sub("_", fold(_NEW_WORD.sub(" ", kind))).strip("_")


def _keys(relation: Relation) -> tuple[_Key, _Key, _Key]:
    """What tells the parts of a relation from others, as quick to compare as can be."""
    evidence, source, target = relation.evidence, relation.source, relation.target
    by_model = relation.provenance is Provenance.MODEL
    return (
        (source.id, source.label, evidence.source_name, by_model),
        (target.id, target.label, evidence.target_name, by_model),
        ("", relation.kind, "", by_model),
    )


def _source(relation: Relation) -> _Part:
    return _end(relation, relation.source, relation.evidence.source_name)


def _target(relation: Relation) -> _Part:
    return _end(relation, relation.target, relation.evidence.target_name)


def _end(relation: Relation, node: Node, written: str) -> _Part:
    by_model = relation.provenance is Provenance.MODEL
    return _Part(node.type.value, node.key, node.label, written, by_model)


def _kind(relation: Relation) -> _Part:
    return _Part("", relation.kind, "", "", relation.provenance is Provenance.MODEL)


_PARTS_OF_A_RELATION = (("source", _source), ("target", _target), ("kind", _kind))


def _first(
    find: Callable[[_Part], _Fault | None], parts: Iterable[tuple[str, _Part]]
) -> _Fault | None:
    """The first fault of parts, as a whole sentence."""
    for place, part in parts:
        if fault := find(part):
            return fault[0], f"the {place} {fault[1]}"
    return None


def _find_malformed(part: _Part) -> _Fault | None:
    most = MAX_NAME_CHARS if part.type else MAX_KIND_CHARS
    for name in part.names():
        if holds_control(name):
            return "control-character", "holds a control character"
        if len(name) > most:
            return "too-long", f"has more than {most} characters"
    return None if part.is_named() else ("empty-name", "names nothing")


def _find_self_relation(relation: Relation) -> _Fault | None:
    if relation.source.id != relation.target.id:
        return None
    return "self-relation", "source and target are one node"


def _find_reserved(part: _Part) -> _Fault | None:
    if part.type:
        return None
    kind = loose_name(part.key)
    if part.by_model and kind in _RESERVED:
        return "reserved-kind", "is reserved for the profile and the rules"
    if kind == loose_name(COMPETES_WITH):
        return "reserved-kind", "says who competes with whom, as only the profile may"
    return None


def _reject(relation: Relation, rule: str, reason: str) -> Rejection:
    evidence = relation.evidence
    return Rejection(
        rule,
        reason,
        _bounded(relation.source.label or evidence.source_name or relation.source.key),
        _bounded(relation.kind),
        _bounded(relation.target.label or evidence.target_name or relation.target.key),
        _bounded(evidence.quote, MAX_QUOTE_CHARS),
        replace(evidence, quote="", source_name="", target_name=""),
    )


def _bounded(text: str, most: int = MAX_NAME_CHARS) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
