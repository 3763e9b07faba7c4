"""Store URLs: how a store is named on the command line and in the configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ragspine_graph.errors import ConfigError

_SERVER_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_CREDENTIALS = "NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE"

_EXPECTED = (
    "expected sqlite:///file.db (relative), sqlite:////folder/file.db (absolute) or a Neo4j "
    "server, such as neo4j://host:7687"
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SERVER = re.compile(r"([^\s/?#\[\]:@%,\\]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?/?")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a Neo4j server listens.

    Attributes:
        uri: scheme, host and port, as the driver takes them; it holds no credentials.
    """

    uri: str


def parse_store_url(url: str) -> Path | ServerAddress:
    """The file of the embedded store, or the server, that a URL names.

    A relative file is relative to the current folder. The part after `sqlite:///` is the file's
    name as it stands; nothing in it is decoded. Of a server, the URL has host and port alone.

    Raises:
        ConfigError: the URL names no store; the message shows no credentials.

    >>> parse_store_url("sqlite:///ragspine.db").as_posix()
    'ragspine.db'
    >>> parse_store_url("sqlite:////srv/ragspine.db").as_posix()
    '/srv/ragspine.db'
    >>> parse_store_url("neo4j://graph.example:7687").uri
    'neo4j://graph.example:7687'
    """
    shown = repr(_without_credentials(url))
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise ConfigError(f"store {shown} is not a URL; {_EXPECTED}")
    name, rest = scheme[1].lower(), url[scheme.end() :]
    if name in _SERVER_SCHEMES:
        return ServerAddress(f"{name}://{_parse_server(rest, shown)}")
    if name != "sqlite":
        raise ConfigError(f"store {shown} is of an unknown kind; {_EXPECTED}")
    slash, file = rest[:1], rest[1:]
    if slash != "/" or not file or file.endswith("/") or file == ":memory:":
        raise ConfigError(f"store {shown} names no file; {_EXPECTED}")
    if "?" in file or "\0" in file:
        raise ConfigError(f"store {shown} holds a '?' or NUL, but takes no options; {_EXPECTED}")
    return Path(file)


def parse_place(store: str | Path) -> Path | ServerAddress:
    """The file or server that a store URL names; a string without `://` is the path of a file.

    Raises:
        ConfigError: the URL names no store.

    >>> parse_place("ragspine.db").as_posix()
    'ragspine.db'
    """
    if isinstance(store, Path):
        return store
    return parse_store_url(store) if "://" in store or not store else Path(store)


def _parse_server(rest: str, shown: str) -> str:
    """Host and port of a server; a port is the driver's to choose when none is given."""
    if "@" in rest:
        raise ConfigError(
            f"store {shown} holds credentials, which stand in {_CREDENTIALS} instead; {_EXPECTED}"
        )
    match = _SERVER.fullmatch(rest)
    if match is None or not rest.isprintable() or int(match[2] or 1) not in range(1, 65536):
        raise ConfigError(
            f"store {shown} has more or less than a host and a port; {_EXPECTED}: the database is "
            f"one of {_CREDENTIALS}"
        )
    return rest.removesuffix("/")


def _without_credentials(url: str) -> str:
    """The URL as a message may show it: user, password and options can stand around `@` and `?`."""
    if "@" not in url and "?" not in url:
        return url
    scheme = _SCHEME.match(url)
    return f"{scheme[0] if scheme else ''}…"
