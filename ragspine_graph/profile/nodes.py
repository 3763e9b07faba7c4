"""The nodes that a profile lists, and which of them a name means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile import Dimension, Profile
from ragspine_store.relations import PROFILE_DOC_ID, Node, NodeType

ENTITY_DIMENSION = "entity"
GEOGRAPHY_DIMENSION = "geography"
METRIC_DIMENSION = "metric"


class ListedName(NamedTuple):
    """A name that the profile gives to an entity, an external party or a metric.

    Attributes:
        name: as written: a code, a label or an alias.
        node: what it means.
        locator: where in the profile, as a path of keys.
    """

    name: str
    node: Node
    locator: str


class ProfileNodes:
    """The entities, external parties and metrics of a profile by their names.

    Names are compared by `normalise_name`. Codes win over labels, labels over aliases; between
    equals the first in the profile wins.

    >>> profile = Profile.model_validate({"home": {"synonyms": {"Example Ltd": "EX"}}})
    >>> nodes = ProfileNodes(profile)
    >>> nodes.entity("EXAMPLE").id, nodes.entity("Other, Inc.").id
    ('entity:EX', 'unlisted:other')
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.names = tuple(_listed_names(profile))
        self._entities: dict[str, Node] = {}
        self._metrics: dict[str, Node] = {}
        for name, node, _ in self.names:
            of_its_type = self._metrics if node.type is NodeType.METRIC else self._entities
            of_its_type.setdefault(normalise_name(name), node)
        self._written: dict[str, Node] = {}

    @property
    def home(self) -> Node | None:
        """The company itself; None when the profile names none."""
        return _home(self.profile)

    def find(self, name: str) -> Node | None:
        """The entity, external party or metric that a name means; None when it is not listed."""
        key = normalise_name(name)
        return self._entities.get(key) or self._metrics.get(key)

    def entity(self, name: str) -> Node:
        """The entity or external party that a name means, a node of its own when not listed."""
        node = self._written.get(name)
        if node is None:
            key = normalise_name(name)
            node = self._entities.get(key) or Node(NodeType.UNLISTED, key or name)
            self._written[name] = node
        return node

    def metric(self, name: str) -> Node:
        """The metric that a name means; a code that is not listed is a metric too."""
        return self._metrics.get(normalise_name(name)) or Node(NodeType.METRIC, name)

    def derivations(self) -> Iterator[Derivation]:
        """What follows from what; the geography of entities is derived from the entity."""
        for code, place in self.profile.home.geography.items():
            yield Derivation(
                _entity(self.profile, code),
                _value(self.profile, GEOGRAPHY_DIMENSION, place),
                locator("home", "geography", code),
            )
        for dimension in self.profile.dimensions:
            for base, derived in dimension.derivation.items() if dimension.derived_from else ():
                yield Derivation(
                    _value(self.profile, dimension.derived_from or "", base),
                    _value(self.profile, dimension.name, derived),
                    locator("dimensions", dimension.name, "derivation", base),
                )


def is_metric(dimension: Dimension) -> bool:
    """Whether the values of a dimension are metrics."""
    return dimension.name == METRIC_DIMENSION or dimension.kind == "measure"


class Derivation(NamedTuple):
    """A value that follows from a value of another dimension.

    Attributes:
        base, derived: the nodes of both.
        locator: where the profile says so.
    """

    base: Node
    derived: Node
    locator: str


def locator(*keys: str) -> str:
    """A place in the profile, as people find it in its file.

    >>> locator("home", "labels", "EX")
    'company_profile#home.labels.EX'
    """
    return f"{PROFILE_DOC_ID}#{'.'.join(keys)}"


def _home(profile: Profile) -> Node | None:
    home = profile.home
    if home.entity_code:
        return _entity(profile, home.entity_code)
    if home.company_name:
        return Node(NodeType.ENTITY, normalise_name(home.company_name), home.company_name)
    return None


def _entity(profile: Profile, code: str) -> Node:
    home = profile.home
    label = home.labels.get(code, "")
    if not label and code == home.entity_code:
        label = home.company_name
    return Node(NodeType.ENTITY, code, label)


def _external(shown: str) -> Node:
    return Node(NodeType.EXTERNAL, normalise_name(shown) or shown, shown)


def _value(profile: Profile, dimension: str, value: str) -> Node:
    if dimension == ENTITY_DIMENSION:
        return _entity(profile, value)
    declared = next((known for known in profile.dimensions if known.name == dimension), None)
    label = declared.labels.get(value, "") if declared else ""
    if dimension == METRIC_DIMENSION or (declared and is_metric(declared)):
        return Node(NodeType.METRIC, value, label)
    return Node(NodeType.DIMENSION, f"{dimension}/{value}", label or value)


def _listed_names(profile: Profile) -> Iterator[ListedName]:
    yield from _codes(profile)
    yield from _labels(profile)
    yield from _aliases(profile)


def _codes(profile: Profile) -> Iterator[ListedName]:
    home = profile.home
    if home.entity_code:
        node = _entity(profile, home.entity_code)
        yield ListedName(home.entity_code, node, locator("home", "entity_code"))
    for table, codes in (("labels", home.labels), ("geography", home.geography)):
        for code in codes:
            yield ListedName(code, _entity(profile, code), locator("home", table, code))
    for alias, code in home.synonyms.items():
        yield ListedName(code, _entity(profile, code), locator("home", "synonyms", alias))
    for dimension in _named_dimensions(profile):
        for table, codes in (("labels", dimension.labels), ("units", dimension.units)):
            for code in codes:
                node = _value(profile, dimension.name, code)
                yield ListedName(code, node, locator("dimensions", dimension.name, table, code))
        for alias, code in dimension.synonyms.items():
            node = _value(profile, dimension.name, code)
            place = locator("dimensions", dimension.name, "synonyms", alias)
            yield ListedName(code, node, place)


def _labels(profile: Profile) -> Iterator[ListedName]:
    home = profile.home
    node = _home(profile)
    if node and home.company_name:
        yield ListedName(home.company_name, node, locator("home", "company_name"))
    for code, label in home.labels.items():
        yield ListedName(label, _entity(profile, code), locator("home", "labels", code))
    for alias, shown in profile.external_entities.items():
        yield ListedName(shown, _external(shown), locator("external_entities", alias))
    for dimension in _named_dimensions(profile):
        for code, label in dimension.labels.items():
            node = _value(profile, dimension.name, code)
            yield ListedName(label, node, locator("dimensions", dimension.name, "labels", code))


def _aliases(profile: Profile) -> Iterator[ListedName]:
    for alias, code in profile.home.synonyms.items():
        yield ListedName(alias, _entity(profile, code), locator("home", "synonyms", alias))
    for alias, shown in profile.external_entities.items():
        yield ListedName(alias, _external(shown), locator("external_entities", alias))
    for dimension in _named_dimensions(profile):
        for alias, code in dimension.synonyms.items():
            node = _value(profile, dimension.name, code)
            yield ListedName(alias, node, locator("dimensions", dimension.name, "synonyms", alias))


def _named_dimensions(profile: Profile) -> list[Dimension]:
    return [
        dimension
        for dimension in profile.dimensions
        if dimension.name == ENTITY_DIMENSION or is_metric(dimension)
    ]
