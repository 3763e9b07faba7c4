"""Choosing a chunker by name."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from ragspine_store.chunking.auto import AutoChunker
from ragspine_store.chunking.hierarchical import HierarchicalChunker
from ragspine_store.chunking.parent_child import ParentChildChunker
from ragspine_store.chunking.protocol import Chunker
from ragspine_store.chunking.sentence_window import SentenceWindowChunker
from ragspine_store.errors import ChunkingError

ENTRY_POINT_GROUP = "ragspine.chunkers"
CHUNKER_VARIABLE = "RAGSPINE_CHUNKER"

_SPEC = re.compile(r"(?P<name>[^()]+)(?:\((?P<settings>[^()]*)\))?\s*")
_EXPECTED_SPEC = "a name, with settings as in 'hierarchical(parent=clause, sentences=2)'"

_DEFAULT_NAMES = ("none", "default")
_BUILT_IN: dict[str, Callable[..., Chunker]] = {
    "auto": AutoChunker,
    "hierarchical": HierarchicalChunker,
    "parent_child": ParentChildChunker,
    "small_to_big": ParentChildChunker,
    "sentence_window": SentenceWindowChunker,
}


def make_chunker(spec: str | None = None, **settings: object) -> Chunker | None:
    """The chunker of a name, such as `parent_child`, or of a name with settings in brackets.

    Case, surrounding space, and `-` for `_` do not matter. A package adds its own under the entry
    point group `ragspine.chunkers`: a callable that takes the settings and returns a `Chunker`.
    The built-in names cannot be taken.

    Args:
        spec: the name, and settings as in `hierarchical(parent=clause, sentences=2)`; None or
            blank reads `RAGSPINE_CHUNKER`, and without it means `none`.
        settings: handed to the chunker, as its class or factory names them; they win over those
            in brackets.

    Returns:
        The chunker; None for `none` and `default`, where the caller uses `chunk_document`.

    Raises:
        ChunkingError: the name is unknown, or the settings do not fit it.

    >>> make_chunker("Sentence-Window", window_size=2).spec
    'sentence_window(window_size=2, max_child_tokens=250, ...)'
    >>> make_chunker("hierarchical(parent=clause, child=sentence)").child
    'sentence'
    """
    given = (spec or "").strip() or os.environ.get(CHUNKER_VARIABLE, "").strip() or "none"
    name, written = _read(given)
    settings = {**written, **settings}
    if name in _DEFAULT_NAMES:
        if settings:
            raise ChunkingError(
                f"settings {', '.join(settings)} given; the chunker {name!r} takes none"
            )
        return None
    return _make(name, _factory(name, given), settings)


def _read(spec: str) -> tuple[str, dict[str, object]]:
    """The name and the settings that a spec is written with."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ChunkingError(f"chunker {spec!r} given; expected {_EXPECTED_SPEC}")
    written = (match["settings"] or "").strip()
    settings: dict[str, object] = {}
    for setting in written.split(",") if written else ():
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key or not value or key in settings:
            raise ChunkingError(
                f"setting {setting.strip()!r} given in chunker {spec!r}; expected {_EXPECTED_SPEC}"
            )
        settings[_normalised(key)] = int(value) if value.isdecimal() else value.strip("'\"")
    return _normalised(match["name"]), settings


def _normalised(name: str) -> str:
    return name.strip().casefold().replace("-", "_")


def _factory(name: str, given: str) -> Callable[..., object]:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    registered = entry_points(group=ENTRY_POINT_GROUP)
    matching = [entry for entry in registered if _normalised(entry.name) == name]
    if not matching:
        known = {*_DEFAULT_NAMES, *_BUILT_IN, *(_normalised(entry.name) for entry in registered)}
        raise ChunkingError(
            f"unknown chunker {given!r}; expected one of {', '.join(sorted(known))}"
        )
    if len(matching) > 1:
        values = ", ".join(sorted(entry.value for entry in matching))
        raise ChunkingError(f"chunker {given!r} is registered twice ({values}); uninstall one")
    return _load(matching[0])


def _load(entry: EntryPoint) -> Callable[..., object]:
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise ChunkingError(
            f"chunker {entry.name!r} cannot be loaded from {entry.value!r}: {error}"
        ) from error


def _make(name: str, factory: Callable[..., object], settings: dict[str, object]) -> Chunker:
    known = _settings_of(factory)
    for setting in settings:
        if known is not None and setting not in known:
            raise ChunkingError(
                f"setting {setting!r} given for chunker {name!r}; expected one of "
                f"{', '.join(known)}"
            )
    try:
        chunker = factory(**settings)
    except TypeError as error:
        raise ChunkingError(f"chunker {name!r} does not take these settings: {error}") from error
    if not isinstance(chunker, Chunker):
        raise ChunkingError(
            f"chunker {name!r} gave a {type(chunker).__name__}; expected an object with "
            "`spec` and `chunk`"
        )
    return chunker


def _settings_of(factory: Callable[..., object]) -> list[str] | None:
    """The names of the settings that a chunker takes; None where any may be given."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # written in C, and does not say
        return None
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    return [each.name for each in parameters]
