"""Store URLs: how a store is named on the command line and in the configuration."""

from __future__ import annotations

import re
from pathlib import Path

from ragspine_graph.errors import ConfigError

_EXPECTED = "expected sqlite:///file.db (relative) or sqlite:////folder/file.db (absolute)"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def parse_store_url(url: str) -> Path:
    """The file of the embedded store that a URL names.

    A relative file is relative to the current folder. The part after `sqlite:///` is the file's
    name as it stands; nothing in it is decoded.

    Raises:
        ConfigError: the URL does not name an embedded store; the message shows no credentials.

    >>> parse_store_url("sqlite:///ragspine.db").as_posix()
    'ragspine.db'
    >>> parse_store_url("sqlite:////srv/ragspine.db").as_posix()
    '/srv/ragspine.db'
    """
    shown = repr(_without_credentials(url))
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise ConfigError(f"store {shown} is not a URL; {_EXPECTED}")
    name = scheme[1].lower()
    if name.split("+")[0] in ("neo4j", "bolt"):
        raise ConfigError(f"store {shown}: this version has the embedded store only; {_EXPECTED}")
    if name != "sqlite":
        raise ConfigError(f"store {shown} is of an unknown kind; {_EXPECTED}")
    slash, file = url[scheme.end() :][:1], url[scheme.end() + 1 :]
    if slash != "/" or not file or file.endswith("/") or file == ":memory:":
        raise ConfigError(f"store {shown} names no file; {_EXPECTED}")
    if "?" in file or "\0" in file:
        raise ConfigError(f"store {shown} holds a '?' or NUL, but takes no options; {_EXPECTED}")
    return Path(file)


def _without_credentials(url: str) -> str:
    """The URL as a message may show it: user, password and options can stand around `@` and `?`."""
    if "@" not in url and "?" not in url:
        return url
    scheme = _SCHEME.match(url)
    return f"{scheme[0] if scheme else ''}…"
