"""What the service understands of a profile, for people to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile import Dimension, Profile

_SHORT = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a profile knows.

    Attributes:
        code: by which it is known; of an external party the name as shown.
        label: as shown.
        aliases: other names of it.
        note: its place, its unit, or what it follows from.
    """

    code: str
    label: str = ""
    aliases: tuple[str, ...] = ()
    note: str = ""

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "code": self.code,
            "label": self.label,
            "aliases": list(self.aliases),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class ProfileSummary:
    """All that a profile knows, table by table.

    Attributes:
        tables: entries by the table of the profile they stand in.
        warnings: what is allowed and hardly meant, one sentence each.
    """

    tables: dict[str, tuple[Entry, ...]]
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "tables": {
                name: [entry.to_dict() for entry in entries]
                for name, entries in self.tables.items()
            },
            "warnings": list(self.warnings),
        }


def summarise(profile: Profile) -> ProfileSummary:
    """What a profile knows; empty tables are left out, but for how unlabelled documents fare.

    >>> profile = Profile.model_validate({"external_entities": {"Rival": "Rival Inc."}})
    >>> summarise(profile).tables["external_entities"]
    (Entry(code='Rival Inc.', label='', aliases=('Rival',), note=''),)
    """
    tables = {
        "home": _entities(profile),
        "external_entities": [
            Entry(shown, aliases=_aliases(profile.external_entities.items(), shown))
            for shown in dict.fromkeys(profile.external_entities.values())
        ],
        **{f"dimensions.{dimension.name}": _values(dimension) for dimension in profile.dimensions},
        "synonyms": [Entry(word, aliases=terms) for word, terms in profile.synonyms.items()],
        "sensitivity": _policy(profile),
    }
    return ProfileSummary(
        {name: tuple(entries) for name, entries in tables.items() if entries},
        tuple(_warnings(profile)),
    )


def _entities(profile: Profile) -> list[Entry]:
    home = profile.home
    codes = [home.entity_code, *home.labels, *home.synonyms.values(), *home.geography]
    entries: list[Entry] = []
    for code in dict.fromkeys(filter(None, codes)):
        is_company = code == home.entity_code
        label = home.labels.get(code) or (home.company_name if is_company else "")
        aliases = _aliases(home.synonyms.items(), code)
        if is_company and home.company_name not in (label, ""):
            aliases = (home.company_name, *aliases)
        entries.append(Entry(code, label, aliases, home.geography.get(code, "")))
    if home.company_name and not home.entity_code:
        entries.insert(0, Entry(normalise_name(home.company_name), home.company_name))
    return entries


def _values(dimension: Dimension) -> list[Entry]:
    codes = [
        *dimension.labels,
        *dimension.synonyms.values(),
        *dimension.units,
        *dimension.derivation.values(),
    ]
    return [
        Entry(
            code,
            dimension.labels.get(code, ""),
            _aliases(dimension.synonyms.items(), code),
            dimension.units.get(code, "")
            or ", ".join(_aliases(dimension.derivation.items(), code)),
        )
        for code in dict.fromkeys(codes)
    ]


def _policy(profile: Profile) -> list[Entry]:
    policy = profile.sensitivity
    level = "RESTRICTED" if policy.escalate_unlabelled else policy.default_level.name
    entries = [Entry("unlabelled", level)]
    if policy.restricted_keywords:
        entries.append(Entry("restricted_keywords", aliases=policy.restricted_keywords))
    if policy.restricted_filename_patterns:
        patterns = policy.restricted_filename_patterns
        entries.append(Entry("restricted_filename_patterns", aliases=patterns))
    return entries


def _aliases(pairs: Iterable[tuple[str, str]], code: str) -> tuple[str, ...]:
    return tuple(alias for alias, meant in pairs if meant == code)


def _warnings(profile: Profile) -> Iterable[str]:
    for alias, shown in profile.external_entities.items():
        if len(normalise_name(alias)) <= _SHORT:
            yield (
                f"external_entities: {alias!r} ({shown}) is a single character: every text that "
                "holds it counts as naming the party"
            )
    if profile.home.company_name and not profile.home.entity_code:
        yield "home: no entity_code; the company is known by its normalised name"
