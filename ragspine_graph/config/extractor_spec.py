"""How settings name an extractor and its sources of entities, such as `deterministic(top_n=5)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ragspine_graph.errors import ConfigError

EXTRACTOR_NAMES = ("none", "deterministic", "rule", "cooccurrence", "llm", "on")
SOURCE_NAMES = ("metadata", "profile", "titles", "terms")
DEFAULT_SOURCES = ("metadata", "profile")
DEFAULT_WINDOW = "sentences:2"
DEFAULT_TOP_N = 5

Kind = Literal["none", "deterministic", "llm"]

_KINDS: dict[str, Kind] = {
    "none": "none",
    "deterministic": "deterministic",
    "rule": "deterministic",
    "cooccurrence": "deterministic",
    "llm": "llm",
    "on": "llm",
}
_SPEC = re.compile(r"(?P<name>[^()]*)(?:\((?P<settings>[^()]*)\))?\s*")
_SETTING = re.compile(r"\s*(?P<key>window|top_n|sources)\s*=\s*(?P<value>[^\s,]+)\s*")
_EXPECTED = (
    f"one of {', '.join(EXTRACTOR_NAMES)}, with settings as in "
    "'deterministic(window=section, top_n=5, sources=profile+terms)'"
)
_SENTENCES = re.compile(r"sentences:(?P<n>[1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Window:
    """How far apart two names may stand to meet.

    Attributes:
        units: sentences between them at most, 0 for the same one; None for any number.
        in_section: whether they have to stand in one section.
    """

    units: int | None = 0
    in_section: bool = False


@dataclass(frozen=True, slots=True)
class ExtractorSpec:
    """An extractor as settings name it.

    Attributes:
        kind: which one.
        window, top_n, sources: of the deterministic one.
    """

    kind: Kind
    window: str = DEFAULT_WINDOW
    top_n: int = DEFAULT_TOP_N
    sources: tuple[str, ...] = DEFAULT_SOURCES


def parse_extractor_spec(spec: str) -> ExtractorSpec:
    """Read the spec of an extractor; case, `-` and `_` in its name do not matter.

    Raises:
        ConfigError: the name is unknown, or a setting is not one of the extractor's.

    >>> parse_extractor_spec("Co-Occurrence(window=section)").window
    'section'
    """
    match = _SPEC.fullmatch(spec)
    name = re.sub(r"[-_\s]", "", match["name"]).casefold() if match else ""
    if match is None or name not in _KINDS:
        raise ConfigError(f"relation extractor {spec!r} given; expected {_EXPECTED}")
    kind = _KINDS[name]
    written = (match["settings"] or "").strip()
    if not written:
        return ExtractorSpec(kind)
    if kind != "deterministic":
        raise ConfigError(f"settings given for the relation extractor {name!r}, which takes none")
    settings: dict[str, str] = {}
    for setting in written.split(","):
        found = _SETTING.fullmatch(setting)
        if found is None or found["key"] in settings:
            raise ConfigError(
                f"setting {setting.strip()!r} given in the relation extractor {spec!r}; "
                f"expected {_EXPECTED}"
            )
        settings[found["key"]] = found["value"]
    window = settings.get("window", DEFAULT_WINDOW)
    parse_window(window)
    return ExtractorSpec(
        kind,
        window,
        _positive(settings.get("top_n", str(DEFAULT_TOP_N))),
        parse_sources(settings["sources"]) if "sources" in settings else DEFAULT_SOURCES,
    )


def parse_window(spec: str) -> Window:
    """Read how far apart names may stand.

    Args:
        spec: `sentence` for the same one, `sentences:2` for at most two between them, `section`
            for the same deepest section, `document` for anywhere.

    Raises:
        ConfigError: it is none of these.

    >>> parse_window("sentences:2")
    Window(units=2, in_section=False)
    """
    named = {
        "sentence": Window(0),
        "section": Window(None, in_section=True),
        "document": Window(None),
    }
    if spec in named:
        return named[spec]
    if match := _SENTENCES.fullmatch(spec):
        return Window(int(match["n"]))
    raise ConfigError(f"window {spec!r} given; expected sentence, sentences:N, section or document")


def parse_sources(spec: str) -> tuple[str, ...]:
    """Read names of sources of entities, each once, joined by `+` or commas; `none` for no source.

    Raises:
        ConfigError: a name is unknown.

    >>> parse_sources("profile, terms")
    ('profile', 'terms')
    """
    names = tuple(dict.fromkeys(name.strip().casefold() for name in re.split("[+,]", spec)))
    if names == ("none",):
        return ()
    for name in names:
        if name not in SOURCE_NAMES:
            raise ConfigError(
                f"source of entities {name!r} given; expected some of {', '.join(SOURCE_NAMES)}, "
                "or none"
            )
    return names


def _positive(number: str) -> int:
    if not number.isdecimal() or int(number) < 1:
        raise ConfigError(f"top_n={number} given; expected a whole number of at least 1")
    return int(number)
