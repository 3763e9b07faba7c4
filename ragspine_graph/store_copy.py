"""Copies a store into another one, as the settings say what is kept of RESTRICTED documents.

Both name stubs by one key: that of `RAGSPINE_STUB_KEY`, or the one beside a file, which a copy of a
file to a file takes along. Whether it is there and the right one is seen before anything is
written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ragspine_graph.backends import open_backend, stub_key
from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import ServerAddress, parse_place
from ragspine_graph.errors import ConfigError
from ragspine_store import copying
from ragspine_store.copying import CopyProgress, CopyReport
from ragspine_store.protocols import Store
from ragspine_store.storage_rules.stub_key import KEY_VARIABLE, find_key, keep_key, key_file

Place = Path | ServerAddress


def copy_store(
    source: str | Path,
    target: str | Path,
    config: ServiceConfig | None = None,
    *,
    progress: Callable[[CopyProgress], None] = lambda _: None,
) -> CopyReport:
    """Copy all that a store keeps into another, and read that again; see `copying.copy_store`.

    Args:
        source: a store URL, or the path of a SQLite file; it is not changed.
        target: likewise; created when it does not exist.
        config: the settings; None loads them from file and environment.
        progress: told after each document, in each of three rounds.

    Raises:
        ConfigError: a setting or a place is wrong, or there is no such source.
        CopyError: the target keeps something else, or the source changed meanwhile.
        StoreFormatError: the stores name stubs by different keys, or the key is missing.

    >>> import tempfile
    >>> from ragspine_graph import KnowledgeBase
    >>> folder = Path(tempfile.mkdtemp())
    >>> KnowledgeBase.open(folder / "one.db").close()
    >>> copy_store(folder / "one.db", folder / "other.db").is_equal
    True
    """
    config = config or ServiceConfig.load()
    start, end = parse_place(source), parse_place(target)
    if _name(start) == _name(end):
        raise ConfigError("the same store given twice; expected a source and another target")
    with closing(open_backend(start, config, create=False)) as opened:
        _provide_key(opened, start, end, config)
        with closing(open_backend(end, config)) as into:
            return copying.copy_store(opened, into, source_name=_name(start), progress=progress)


def _provide_key(source: Store, start: Place, end: Place, config: ServiceConfig) -> None:
    """See that the key of the source's stubs is there, and will be at the target."""
    given = stub_key(config)
    with source.reading() as transaction:
        check = transaction.kept.key_check()
        is_reduced = config.restricted_at_rest == "stub" and transaction.withheld_documents()
    beside = key_file(start) if isinstance(start, Path) else None
    key = find_key(given, beside, check) if check else None
    if given is not None:
        return
    if isinstance(end, ServerAddress):
        if key is not None:
            raise ConfigError(
                f"the stubs of the source are named by the key in {str(beside)!r}; a server needs "
                f"it in {KEY_VARIABLE}: set that to what the file holds, and keep a copy"
            )
        if is_reduced:
            raise ConfigError(
                "the source keeps the text of RESTRICTED documents, of which stubs are to be left, "
                f"and no key is there to name them; expected {KEY_VARIABLE}: set it to a long "
                "random text, and keep a copy"
            )
    elif key is not None and not key_file(end).exists():
        keep_key(key_file(end), key)


def _name(place: Place) -> str:
    """What tells a place from others."""
    if isinstance(place, Path):
        name = str(place.resolve())
    else:
        name = f"{place.uri} {os.environ.get('NEO4J_DATABASE', '')}"
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
