"""What a profile's tables have to agree in, beyond the form of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ragspine_graph.names.normaliser import (
    MAX_NAME_CHARS,
    holds_control,
    is_legal_form,
    loose_name,
    normalise_name,
)
from ragspine_graph.profile.model import ENTITY_DIMENSION, Dimension, Profile


class Fault(NamedTuple):
    """What is wrong, and where.

    Attributes:
        key: of the value, with dots between tables.
        problem: what was given, what was expected.
    """

    key: str
    problem: str


class _Meaning(NamedTuple):
    """A name with the code it stands for."""

    key: str
    name: str
    code: str


def find_faults(profile: Profile) -> Iterator[Fault]:
    """Every contradiction in a profile, in the order of its tables."""
    yield from _find_nameless(profile)
    yield from _find_ambiguous(_entity_names(profile))
    yield from _find_external_faults(profile)
    yield from _find_dimension_faults(profile)
    for word, terms in profile.synonyms.items():
        if not terms or not all(normalise_name(term) for term in terms):
            yield Fault(f"synonyms.{word}", f"{list(terms)} given; expected the terms it means")


def _find_nameless(profile: Profile) -> Iterator[Fault]:
    names = [
        *_keys("home.synonyms", profile.home.synonyms),
        *_values("home.labels", profile.home.labels),
        *_keys("external_entities", profile.external_entities),
        *_values("external_entities", profile.external_entities),
        *_keys("synonyms", profile.synonyms),
    ]
    codes = [
        *_values("home.synonyms", profile.home.synonyms),
        *_keys("home.labels", profile.home.labels),
        *_keys("home.geography", profile.home.geography),
        *_values("home.geography", profile.home.geography),
    ]
    if profile.home.company_name:
        names.append(("home.company_name", profile.home.company_name))
    for number, dimension in enumerate(profile.dimensions):
        table = f"dimensions[{number}]"
        names += _keys(f"{table}.synonyms", dimension.synonyms)
        names += _values(f"{table}.labels", dimension.labels)
        codes += _values(f"{table}.synonyms", dimension.synonyms)
        codes += _keys(f"{table}.labels", dimension.labels)
        codes += _keys(f"{table}.units", dimension.units)
        codes += _keys(f"{table}.derivation", dimension.derivation)
        codes += _values(f"{table}.derivation", dimension.derivation)
    for key, name in names:
        if not normalise_name(name):
            yield Fault(key, f"{name!r} given; expected a name with at least one letter or digit")
    for key, code in codes:
        if not code.strip():
            yield Fault(key, f"{code!r} given; expected a code")
    for key, name in (*names, *codes):
        if holds_control(name):
            yield Fault(key, f"{name!r} given; expected a name without control characters")
        elif len(name) > MAX_NAME_CHARS:
            yield Fault(key, f"{len(name):,} characters given; expected at most {MAX_NAME_CHARS}")


def _find_ambiguous(meanings: Iterator[_Meaning]) -> Iterator[Fault]:
    first: dict[str, _Meaning] = {}
    for meaning in meanings:
        known = first.setdefault(normalise_name(meaning.name), meaning)
        if known.code != meaning.code:
            yield Fault(
                meaning.key,
                f"{meaning.name!r} means {meaning.code!r} here and {known.code!r} in {known.key}; "
                "expected one code for one name",
            )


def _entity_names(profile: Profile) -> Iterator[_Meaning]:
    home = profile.home
    if home.entity_code and home.company_name:
        yield _Meaning("home.company_name", home.company_name, home.entity_code)
    for alias, code in home.synonyms.items():
        yield _Meaning(f"home.synonyms.{alias}", alias, code)
    for code, label in home.labels.items():
        yield _Meaning(f"home.labels.{code}", label, code)
    for number, dimension in enumerate(profile.dimensions):
        if dimension.name == ENTITY_DIMENSION:
            yield from _dimension_names(number, dimension)


def _dimension_names(number: int, dimension: Dimension) -> Iterator[_Meaning]:
    for alias, value in dimension.synonyms.items():
        yield _Meaning(f"dimensions[{number}].synonyms.{alias}", alias, value)
    for value, label in dimension.labels.items():
        yield _Meaning(f"dimensions[{number}].labels.{value}", label, value)


def _find_external_faults(profile: Profile) -> Iterator[Fault]:
    own = {loose_name(name): name for name in profile.own_names()}
    yield from _find_ambiguous(
        _Meaning(f"external_entities.{alias}", alias, shown)
        for alias, shown in profile.external_entities.items()
    )
    for alias, shown in profile.external_entities.items():
        for name in (alias, shown):
            if is_legal_form(name):
                yield Fault(
                    f"external_entities.{alias}",
                    f"{name!r} given, a legal form that many names share; expected a name",
                )
            known = own.get(loose_name(name))
            if known:
                yield Fault(
                    f"external_entities.{alias}",
                    f"{name!r} is also a name of the profile's own ({known!r}); expected a name "
                    "of others alone",
                )


def _find_dimension_faults(profile: Profile) -> Iterator[Fault]:
    known: dict[str, Dimension | None] = {ENTITY_DIMENSION: None}
    for number, dimension in enumerate(profile.dimensions):
        if known.get(dimension.name):
            yield Fault(f"dimensions[{number}].name", f"{dimension.name!r} given twice")
        known[dimension.name] = dimension
    for number, dimension in enumerate(profile.dimensions):
        table = f"dimensions[{number}]"
        if dimension.name != ENTITY_DIMENSION:
            yield from _find_ambiguous(_dimension_names(number, dimension))
        base = dimension.derived_from
        if base is None:
            if dimension.derivation:
                yield Fault(f"{table}.derivation", "given without derived_from; expected both")
        elif base not in known:
            names = ", ".join(sorted(known))
            yield Fault(f"{table}.derived_from", f"{base!r} given; expected one of {names}")
        elif dimension.name in _bases(base, known):
            yield Fault(f"{table}.derived_from", f"{base!r} given, which follows from this one")
        else:
            yield from _find_unknown_values(f"{table}.derivation", dimension, profile)


def _bases(name: str, known: Mapping[str, Dimension | None]) -> list[str]:
    """A dimension and all that it follows from."""
    chain: list[str] = []
    while name not in chain:
        chain.append(name)
        dimension = known.get(name)
        if dimension is None or dimension.derived_from is None:
            break
        name = dimension.derived_from
    return chain


def _find_unknown_values(table: str, dimension: Dimension, profile: Profile) -> Iterator[Fault]:
    base = dimension.derived_from or ""
    for side, name, values in (
        ("from", base, dimension.derivation),
        ("to", dimension.name, dimension.derivation.values()),
    ):
        known = profile.values_of(name)
        for value in values:
            if known and value not in known:
                expected = ", ".join(sorted(known))
                yield Fault(
                    table, f"{side} {value!r} given; expected a value of {name!r}: {expected}"
                )


def _keys(table: str, values: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(f"{table}.{key}", key) for key in values]


def _values(table: str, values: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(f"{table}.{key}", value) for key, value in values.items()]
