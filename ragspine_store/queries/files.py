"""Files of named queries, as they stand in `cypher/*.cypher`: parsing alone, nothing runs here.

A query is a header of comments and one statement, which ends with a semicolon:

    // name: documents_of_topic
    // mode: read
    // summary: Lists the documents of a topic.
    // param topic: STRING - as in the documents' metadata
    // param limit: INTEGER = 20 - most rows
    // returns: doc_id, title
    MATCH (d:Ragspine:Document {topic: $topic})
    RETURN d.doc_id AS doc_id, d.title AS title
    ORDER BY doc_id LIMIT $limit;

A parameter without a default is required; `STRING | NULL` may be null. A longer entry goes on in
the next line, indented by two more spaces. `returns: nothing` says that there are no rows, and
`server-only: REASON` that the embedded engine cannot run it.
"""

from __future__ import annotations

import enum
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from ragspine_store.errors import QueryFileError
from ragspine_store.queries.parameters import PARAMETER_TYPES, SCOPE_PARAMETERS, Parameter

RESERVED_NAMES = frozenset({"all", "explain", "file", "list", "query"})
"""Words that mean something else where a person names a query."""


class Mode(enum.Enum):
    """What a query does to the store."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class QueryDefinition:
    """A query as its file defines it.

    Attributes:
        name: unique over all files.
        mode: whether it reads or writes.
        summary: what it does, in one sentence.
        parameters: in the order of declaration.
        returns: its columns in order; empty when it gives no rows.
        server_only: why the embedded engine cannot run it; '' when it can.
        statement: the Cypher, without semicolon.
        file, line: where its header starts; lines count from 1.
    """

    name: str
    mode: Mode
    summary: str
    parameters: tuple[Parameter, ...]
    returns: tuple[str, ...]
    server_only: str
    statement: str
    file: str
    line: int


def parse_queries(text: str, file: str) -> list[QueryDefinition]:
    """Read all queries of a file, in its order.

    Args:
        text: the file, its lines separated by line feeds.
        file: its name, for messages.

    Raises:
        QueryFileError: a header or statement is malformed, or a declared parameter is not used or
            a used one not declared; the message says where.

    >>> (query,) = parse_queries('''// name: one
    ... // mode: read
    ... // summary: Gives a number.
    ... // returns: n
    ... RETURN 1 AS n;''', "cypher/doc.cypher")
    >>> query.name, query.returns, query.statement
    ('one', ('n',), 'RETURN 1 AS n')
    """
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if _NAME_LINE.match(line)]
    for index, line in enumerate(lines[: starts[0] if starts else len(lines)]):
        if line.strip() and not line.startswith("//"):
            raise _fault(file, index + 1, "a statement without a header", "`// name: …` above it")
    return [
        _Section(file, start + 1, lines[start:end]).parse()
        for start, end in itertools.pairwise([*starts, len(lines)])
    ]


def index_by_name(queries: Iterable[QueryDefinition]) -> dict[str, QueryDefinition]:
    """The queries by name, in their order.

    Raises:
        QueryFileError: two have the same name; the message says where both are.
    """
    found: dict[str, QueryDefinition] = {}
    for query in queries:
        first = found.setdefault(query.name, query)
        if first is not query:
            raise _fault(
                query.file,
                query.line,
                f"a second query {query.name!r}",
                f"a name of its own: the first stands in {first.file}:{first.line}",
            )
    return found


class _Entry(NamedTuple):
    """One entry of a header: its key, or `param`, the parameter's name, the rest, its line."""

    key: str
    parameter: str
    value: str
    line: int


_NAME_LINE = re.compile(r"//\s*name\s*:")
_KEYS = ("name", "mode", "summary", "param", "returns", "server-only")
_REQUIRED_KEYS = ("mode", "summary", "returns")
_ENTRY = re.compile(
    r"// (?:(?P<key>name|mode|summary|returns|server-only)|param (?P<p>\w+)): +(.+)"
)
_CONTINUED = re.compile(r"//   +(\S.*)")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NULLABLE = " | NULL"
_TYPE = re.compile(r"\S+(?: \| NULL)?")
_NOTHING = "nothing"


class _Section(NamedTuple):
    """The part of a file that holds one query; `line` is the number of its first line."""

    file: str
    line: int
    lines: Sequence[str]

    def parse(self) -> QueryDefinition:
        entries = list(self._entries())
        given = {entry.key: entry for entry in entries if entry.key != "param"}
        name = given["name"]
        if not _NAME.fullmatch(name.value) or name.value in RESERVED_NAMES:
            self._fail(name, f"the name {name.value!r}", "another one in a_z0_9")
        for key in _REQUIRED_KEYS:
            if key not in given:
                self._fail(name, f"query {name.value!r} without `// {key}:`", "one in its header")
        statement, used = self._statement(name)
        parameters = [e for e in entries if e.key == "param"]
        self._compare(parameters, used)
        if not given["summary"].value.endswith("."):
            self._fail(given["summary"], "a summary without a full stop", "one sentence")
        reason = given.get("server-only")
        return QueryDefinition(
            name=name.value,
            mode=self._mode(given["mode"]),
            summary=given["summary"].value,
            parameters=tuple(map(self._parameter, parameters)),
            returns=self._columns(given["returns"]),
            server_only=reason.value if reason else "",
            statement=statement,
            file=self.file,
            line=self.line,
        )

    def _header(self) -> Sequence[str]:
        return list(itertools.takewhile(lambda line: line.startswith("//"), self.lines))

    def _entries(self) -> Iterator[_Entry]:
        entry: _Entry | None = None
        seen: set[tuple[str, str]] = set()
        for number, line in enumerate(self._header(), start=self.line):
            continued = _CONTINUED.fullmatch(line.rstrip())
            if entry and continued:
                entry = entry._replace(value=f"{entry.value} {continued[1]}")
                continue
            if entry:
                yield entry
            match = _ENTRY.fullmatch(line.rstrip())
            if match is None:
                self._fail(number, "a line in a header", f"`// KEY: …` of {', '.join(_KEYS)}")
            entry = _Entry(match["key"] or "param", match["p"] or "", match[3], number)
            if entry[:2] in seen:
                self._fail(number, f"a second {' '.join(entry[:2]).strip()!r}", "each entry once")
            seen.add(entry[:2])
        if entry:
            yield entry

    def _mode(self, entry: _Entry) -> Mode:
        try:
            return Mode(entry.value)
        except ValueError:
            self._fail(entry, f"mode {entry.value!r}", "read or write")

    def _columns(self, entry: _Entry) -> tuple[str, ...]:
        if entry.value == _NOTHING:
            return ()
        columns = tuple(name.strip() for name in entry.value.split(","))
        if not all(map(_COLUMN.fullmatch, columns)) or len(set(columns)) < len(columns):
            self._fail(entry, f"returns {entry.value!r}", "distinct columns, or `nothing`")
        return columns

    def _parameter(self, entry: _Entry) -> Parameter:
        match = _TYPE.match(entry.value)
        declared = match[0] if match else ""
        rest = entry.value[len(declared) :]
        default: object = None
        has_default = rest.startswith(" = ")
        if has_default:
            try:
                default, end = json.JSONDecoder().raw_decode(rest, len(" = "))
            except ValueError:
                self._fail(entry, f"a default of {entry.parameter!r}", "JSON after ` = `")
            rest = rest[end:]
        if rest and not rest.startswith(" - "):
            self._fail(entry, f"{rest!r}", "a default after ` = `, the meaning after ` - `")
        base = declared.removesuffix(_NULLABLE)
        if base not in PARAMETER_TYPES:
            self._fail(entry, f"type {declared!r}", f"one of {', '.join(PARAMETER_TYPES)}")
        parameter = Parameter(
            name=entry.parameter,
            type=base,
            is_nullable=declared.endswith(_NULLABLE),
            is_required=not has_default,
            default=default,
            meaning=rest.removeprefix(" - "),
        )
        if has_default and not parameter.accepts(default):
            self._fail(entry, f"a default of {entry.parameter!r}", f"a value of type {declared}")
        scope = SCOPE_PARAMETERS.get(entry.parameter)
        if scope is not None and (declared != scope or has_default):
            self._fail(entry, f"a parameter {entry.parameter!r}", f"{scope} without a default")
        return parameter

    def _statement(self, name: _Entry) -> tuple[str, dict[str, int]]:
        """The statement, and the line of each parameter's first use."""
        body_line = self.line + len(self._header())
        body = "\n".join(self.lines[len(self._header()) :])
        used: dict[str, int] = {}
        end: int | None = None
        for token in _TOKEN.finditer(body):
            line = body_line + body.count("\n", 0, token.start())
            if token["open"]:
                self._fail(line, f"{token['open']} without an end", "one")
            if end is not None and not token["comment"]:
                self._fail(line, "text behind the semicolon", "one statement for each name")
            if token["parameter"]:
                used.setdefault(token["parameter"].strip("`"), line)
            if token["end"]:
                end = token.start()
        if end is None or not body[:end].strip():
            self._fail(name, f"query {name.value!r}", "a statement that ends with a semicolon")
        return body[:end].strip(), used

    def _compare(self, declared: Sequence[_Entry], used: Mapping[str, int]) -> None:
        names = {entry.parameter for entry in declared}
        for entry in declared:
            if entry.parameter not in used:
                self._fail(entry, f"parameter {entry.parameter!r}", "a use in the statement")
        for parameter, line in used.items():
            if parameter not in names:
                self._fail(line, f"${parameter}", f"`// param {parameter}: TYPE` in the header")

    def _fail(self, at: _Entry | int, given: str, expected: str) -> NoReturn:
        raise _fault(self.file, at if isinstance(at, int) else at.line, given, expected)


# What can stand in a statement, as far as parameters and its end can be told apart from text.
_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n]* | /\*.*?\*/ )
    | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*`
    | \$(?P<parameter> \w+ | `[^`]+` )
    | (?P<open> ['"`] | /\* )
    | (?P<end> ; )
    | [^\s'"`$/;]+ | \S
    """,
    re.VERBOSE | re.DOTALL,
)


def _fault(file: str, line: int, given: str, expected: str) -> QueryFileError:
    return QueryFileError(f"{file}:{line}: {given}; expected {expected}")
