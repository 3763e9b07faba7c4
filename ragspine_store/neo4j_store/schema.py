"""Constraints and indexes of a store on a server, and what a new version has to change."""

from __future__ import annotations

from ragspine_store.errors import StoreFormatError
from ragspine_store.neo4j_store.connection import Connection
from ragspine_store.neo4j_store.meta import find_meta, set_meta
from ragspine_store.neo4j_store.parts import DocumentParts
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.queries import queries_of
from ragspine_store.tokenizer import TOKENIZER_VERSION

SCHEMA_VERSION = 3

_SCHEMA = "schema"
_TOKENIZER = "tokenizer"


def init_schema(connection: Connection) -> None:
    """Create what is missing; running it again changes nothing.

    Raises:
        StoreFormatError: the store was written by a newer version.
    """
    if (
        find_version(connection) == SCHEMA_VERSION
        and _facts(connection).get(_TOKENIZER) == TOKENIZER_VERSION
    ):
        return
    for query in queries_of("schema"):
        connection.run_alone(query.definition.name)
    connection.run_alone("await_indexes")
    connection.run_alone("make_change_counter")
    with connection.writing() as opened:
        queries = opened.queries
        if find_meta(queries, _TOKENIZER) not in (None, TOKENIZER_VERSION):
            _index_anew(queries, opened.state)
        for key, value in ((_SCHEMA, str(SCHEMA_VERSION)), (_TOKENIZER, TOKENIZER_VERSION)):
            if find_meta(queries, key) != value:
                set_meta(queries, key, value)


def find_version(connection: Connection) -> int | None:
    """The schema that the store was written with; None without a store.

    Raises:
        StoreFormatError: it is that of a newer version.
    """
    version = _facts(connection).get(_SCHEMA)
    if version is not None and int(version) > SCHEMA_VERSION:
        raise StoreFormatError(
            f"the store at {connection.uri} has schema {version}; this version reads schema "
            f"{SCHEMA_VERSION} and older: use the version that wrote it"
        )
    return None if version is None else int(version)


def _facts(connection: Connection) -> dict[str, str]:
    return {row["key"]: row["value"] for row in connection.run_alone("read_meta")}


def _index_anew(queries: Queries, state: int) -> None:
    """Make the tokens of all searchable children anew, by the rules of now."""
    for row in queries.rows("documents_to_index"):
        DocumentParts(queries, row["doc_id"], state).index_anew()
