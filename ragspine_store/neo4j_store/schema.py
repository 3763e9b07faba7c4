"""Constraints and indexes of a store on a server, and what a new version has to change."""

from __future__ import annotations

from ragspine_store.errors import StoreFormatError
from ragspine_store.neo4j_store.connection import Connection
from ragspine_store.neo4j_store.meta import find_meta, set_meta
from ragspine_store.neo4j_store.parts import DocumentParts
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.queries import queries_of
from ragspine_store.tokenizer import TOKENIZER_VERSION
from ragspine_store.words import WordsName, agreed_words, words_named

SCHEMA_VERSION = 3

_SCHEMA = "schema"
_TOKENIZER = "tokenizer"


def init_schema(connection: Connection, words: WordsName | None = None) -> None:
    """Create what is missing; running it again changes nothing.

    Args:
        connection: to the server.
        words: what the settings want indexed beside bigrams; None for what is.

    Raises:
        StoreFormatError: the store was written by a newer version.
        WordsError: it is indexed with other words, or what finds them is missing.
    """
    if (
        find_version(connection) == SCHEMA_VERSION
        and _facts(connection).get(_TOKENIZER) == TOKENIZER_VERSION
        and find_words(connection) == _agreed(connection, words)
    ):
        return
    for query in queries_of("schema"):
        connection.run_alone(query.definition.name)
    connection.run_alone("await_indexes")
    connection.run_alone("make_change_counter")
    agreed = _agreed(connection, words)
    with connection.writing() as opened:
        queries = opened.queries
        is_other = find_meta(queries, _TOKENIZER) not in (None, TOKENIZER_VERSION)
        if is_other or opened.words != agreed:
            index_anew(opened, agreed)
        for key, value in ((_SCHEMA, str(SCHEMA_VERSION)), (_TOKENIZER, TOKENIZER_VERSION)):
            if find_meta(queries, key) != value:
                set_meta(queries, key, value)


def find_words(connection: Connection) -> str:
    """The description of the words that are indexed; '' for none."""
    return next((row["words"] for row in connection.run_alone("find_state")), "")


def index_anew(opened: Opened, words: str) -> None:
    """Make the tokens of all searchable children anew, with words as they are described."""
    if opened.words != words:
        opened.queries.run("use_words", words=words)
        opened.words = words
    for row in opened.queries.rows("documents_to_index"):
        DocumentParts(opened.queries, row["doc_id"], opened.state, opened.find_words).index_anew()


def _agreed(connection: Connection, words: WordsName | None) -> str:
    noted = find_words(connection)
    if words in (None, words_named(noted)):
        return agreed_words(noted, words, is_empty=False)
    (row,) = connection.run_alone("has_children")
    return agreed_words(noted, words, is_empty=not row["is_there"])


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
