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
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragspine_graph.name_matcher import NameMatcher
from ragspine_graph.names import fold_text, normalise_name
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

MAX_NAME_CHARS = 200
MAX_KIND_CHARS = 100
MAX_REMEMBERED = 100_000
MAX_QUOTE_CHARS = 1_000
LISTED_NAME = "listed-name"

# A document or a part of it is named by its id: where it stands, not what it is about.
_PARTS = frozenset({NodeType.DOCUMENT, NodeType.SECTION, NodeType.CHILD})
_CONTROLS = frozenset({"Cc", "Cs"})
_RESERVED = frozenset(fold_text(kind, is_loose=True).text for kind in RESERVED_KINDS)
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN_WORDS = re.compile(r"[\s\-_.・]+")


_Part = tuple[Node | str, str, Provenance]


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
        self._passed: set[_Part] = set()

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

    def _find_fault(self, relation: Relation) -> tuple[str, str] | None:
        fault = _find_self_relation(relation)
        parts = _parts(relation)
        if not fault and all(part in self._passed for part in parts):
            return None
        fault = (
            _find_malformed(relation)
            or fault
            or self._find_listed_end(relation)
            or _find_reserved(relation)
        )
        if not fault:
            if len(self._passed) > MAX_REMEMBERED:
                self._passed.clear()
            self._passed.update(parts)
        return fault

    def _find_listed_end(self, relation: Relation) -> tuple[str, str] | None:
        for place, name in _names_in(relation):
            listed = self.find_listed(name)
            if listed is not None:
                return LISTED_NAME, f"the {place} names {listed}, which the profile lists"
        for place, node in (("source", relation.source), ("target", relation.target)):
            if node.type is NodeType.EXTERNAL:
                return LISTED_NAME, f"the {place} is an external party"
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


def _parts(relation: Relation) -> tuple[_Part, _Part, _Part]:
    """What is screened one by one; that the ends differ is all that is not."""
    evidence, provenance = relation.evidence, relation.provenance
    return (
        (relation.source, evidence.source_name, provenance),
        (relation.target, evidence.target_name, provenance),
        (relation.kind, "", provenance),
    )


def _names_in(relation: Relation) -> Iterator[tuple[str, str]]:
    """All names in a relation, each with its place in it."""
    evidence = relation.evidence
    for place, node, written in (
        ("source", relation.source, evidence.source_name),
        ("target", relation.target, evidence.target_name),
    ):
        yield place, written
        if node.type not in _PARTS or relation.provenance is Provenance.MODEL:
            yield place, node.label
            yield place, _name_in_key(node)
    yield "kind", relation.kind
    yield "kind", _NEW_WORD.sub(" ", relation.kind)


def _name_in_key(node: Node) -> str:
    return node.key.rpartition("@")[0] if node.type is NodeType.TERM else node.key


def _find_malformed(relation: Relation) -> tuple[str, str] | None:
    for place, name in _names_in(relation):
        most = MAX_KIND_CHARS if place == "kind" else MAX_NAME_CHARS
        if any(unicodedata.category(c) in _CONTROLS and c not in "\n\r\t" for c in name):
            return "control-character", f"the {place} holds a control character"
        if len(name) > most:
            return "too-long", f"the {place} has more than {most} characters"
    named = (
        ("source", _name_in_key(relation.source)),
        ("target", _name_in_key(relation.target)),
        ("kind", relation.kind),
    )
    for place, name in named:
        if not normalise_name(name):
            return "empty-name", f"the {place} names nothing"
    return None


def _find_self_relation(relation: Relation) -> tuple[str, str] | None:
    if relation.source.id != relation.target.id:
        return None
    return "self-relation", "source and target are one node"


def _find_reserved(relation: Relation) -> tuple[str, str] | None:
    kind = fold_text(relation.kind, is_loose=True).text
    if relation.provenance is Provenance.MODEL and kind in _RESERVED:
        return "reserved-kind", "the kind is reserved for the profile and the rules"
    if kind == fold_text(COMPETES_WITH, is_loose=True).text:
        return "reserved-kind", "only the profile says who competes with whom"
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
