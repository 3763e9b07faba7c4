"""Named queries: their files, their parameters, and where they are loaded from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.errors import NamedQueryError, QueryFileError
from ragspine_store.queries import Mode, NamedQuery, Parameter, get_query, load_queries, queries_of
from ragspine_store.queries.files import RESERVED_NAMES, index_by_name, parse_queries
from ragspine_store.queries.parameters import PARAMETER_TYPES, SCOPE_PARAMETERS

ROOT = Path(__file__).parents[2]
FILE = "cypher/made.cypher"
HEADER = """\
// name: made
// mode: read
// summary: Made for a test.
// returns: n
"""


def query_with(entries: str = "", statement: str = "RETURN 1 AS n;") -> str:
    return f"{HEADER}{entries}{statement}\n"


def test_a_query_is_read_with_all_it_declares() -> None:
    (query,) = parse_queries(
        """\
// A remark about the whole file.

// name: edges_of
// mode: write
// summary: Does something that needs
//   two lines.
// param node: STRING - id of a node
// param limit: INTEGER = 25 - most rows,
//   not more
// param kinds: LIST<STRING> | NULL = null
// param clearance: INTEGER
// returns: source, target
// server-only: it needs an index of its own
MATCH (a {id: $node}) // not $unknown; nor this
WHERE a.text <> '$quoted; \\' ' AND a.`$x;` = "$y" /* $z; */ AND a.level <= $clearance
RETURN $kinds AS source, a.id AS target LIMIT $`limit` ;

// What stands between two queries belongs to neither.
""",
        FILE,
    )
    assert (query.name, query.mode, query.file, query.line) == ("edges_of", Mode.WRITE, FILE, 3)
    assert query.summary == "Does something that needs two lines."
    assert query.returns == ("source", "target")
    assert query.server_only == "it needs an index of its own"
    assert query.parameters == (
        Parameter("node", "STRING", meaning="id of a node"),
        Parameter("limit", "INTEGER", is_required=False, default=25, meaning="most rows, not more"),
        Parameter("kinds", "LIST<STRING>", is_nullable=True, is_required=False),
        Parameter("clearance", "INTEGER"),
    )
    assert query.statement.startswith("MATCH (a {id: $node}) // not")
    assert query.statement.endswith("LIMIT $`limit`")


def test_queries_come_in_the_order_of_their_file_and_end_where_the_next_begins() -> None:
    text = query_with() + "\n" + query_with().replace("made", "other")
    assert [(q.name, q.line, q.statement) for q in parse_queries(text, FILE)] == [
        ("made", 1, "RETURN 1 AS n"),
        ("other", 7, "RETURN 1 AS n"),
    ]


@pytest.mark.parametrize(
    "text", ["", "\n", "// Only a remark.\n"], ids=["empty", "blank", "remark"]
)
def test_a_file_may_hold_no_query(text: str) -> None:
    assert parse_queries(text, FILE) == []


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("RETURN 1;\n", 1, "a statement without a header"),
        (query_with("// author: me\n"), 5, "a line in a header"),
        (query_with("// just words\n"), 5, "a line in a header"),
        (query_with("// mode: write\n"), 5, "a second 'mode'"),
        (query_with("// param a: MAP\n// param a: MAP\n", "RETURN $a;"), 6, "a second 'param a'"),
        (query_with().replace("read", "peek"), 2, "mode 'peek'; expected read or write"),
        (query_with().replace("// mode: read\n", ""), 1, "without `// mode:`"),
        (query_with().replace("// summary: Made for a test.\n", ""), 1, "without `// summary:`"),
        (query_with().replace("// returns: n\n", ""), 1, "without `// returns:`"),
        (query_with().replace("test.", "test"), 3, "without a full stop"),
        (query_with().replace("returns: n", "returns: n,"), 4, "returns 'n,'"),
        (query_with().replace("returns: n", "returns: n, n"), 4, "returns 'n, n'"),
        (query_with().replace("name: made", "name: Made-Up"), 1, "the name 'Made-Up'"),
        (query_with().replace("name: made", "name: list"), 1, "the name 'list'"),
        (query_with(statement="RETURN 1"), 1, "a statement that ends with a semicolon"),
        (query_with(statement=" ;"), 1, "a statement that ends with a semicolon"),
        (query_with(statement="RETURN 1;\nRETURN 2;"), 6, "text behind the semicolon"),
        (query_with(statement="RETURN\n 'a;"), 6, "' without an end"),
        (query_with(statement='RETURN "a;'), 5, '" without an end'),
        (query_with(statement="RETURN `a;"), 5, "` without an end"),
        (query_with(statement="RETURN 1 /* a;"), 5, "/* without an end"),
        (query_with(statement="RETURN\n $a AS n;"), 6, "$a; expected `// param a: TYPE`"),
        (query_with("// param a: STRING\n"), 5, "parameter 'a'; expected a use"),
        (query_with("// param a: MAP\n", "RETURN '$a' AS n;"), 5, "parameter 'a'; expected a use"),
        (query_with("// param a: TEXT\n", "RETURN $a;"), 5, "type 'TEXT'; expected one of STRING"),
        (query_with("// param a: MAP = x\n", "RETURN $a;"), 5, "a default of 'a'; expected JSON"),
        (query_with("// param a: INTEGER = true\n", "RETURN $a;"), 5, "a value of type INTEGER"),
        (query_with("// param a: INTEGER = null\n", "RETURN $a;"), 5, "a value of type INTEGER"),
        (query_with("// param a: INTEGER = 1 2\n", "RETURN $a;"), 5, "' 2'; expected a default"),
        (query_with("// param a: MAP, a map\n", "RETURN $a;"), 5, "' a map'; expected a default"),
        (query_with("// param a: MAP=1\n", "RETURN $a;"), 5, "type 'MAP=1'"),
        (query_with("// param clearance: STRING\n", "RETURN $clearance;"), 5, "expected INTEGER"),
        (query_with("// param clearance: INTEGER = 3\n", "RETURN $clearance;"), 5, "without a def"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_refused_with_the_place(text: str, line: int, problem: str) -> None:
    with pytest.raises(QueryFileError, match=re.escape(problem)) as caught:
        parse_queries(text, FILE)
    assert str(caught.value).startswith(f"{FILE}:{line}: ")


def test_a_second_query_of_a_name_is_refused_naming_both_places() -> None:
    first = parse_queries(query_with(), "cypher/a.cypher")
    second = parse_queries("\n" + query_with(), "cypher/b.cypher")
    with pytest.raises(QueryFileError, match=r"cypher/b\.cypher:2.*cypher/a\.cypher:1"):
        index_by_name([*first, *second])


# --- any query that can be written comes back as it was meant ----------------------------------

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
SENTENCES = st.lists(WORDS, min_size=1, max_size=4).map(lambda words: " ".join(words) + ".")
VALUES = {
    "STRING": st.text(max_size=10),
    "INTEGER": st.integers(-(2**63), 2**63 - 1),
    "FLOAT": st.floats(allow_nan=False, allow_infinity=False),
    "BOOLEAN": st.booleans(),
    "MAP": st.dictionaries(NAMES, st.integers(0, 9), max_size=2),
    "LIST<STRING>": st.lists(st.text(max_size=5), max_size=3),
    "LIST<INTEGER>": st.lists(st.integers(0, 9), max_size=3),
    "LIST<FLOAT>": st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    "LIST<MAP>": st.lists(st.dictionaries(NAMES, st.integers(0, 9), max_size=2), max_size=2),
}
LITERALS = st.one_of(
    st.text(max_size=8).map(lambda s: "'" + s.replace("\\", "\\\\").replace("'", "\\'") + "'"),
    st.text(max_size=8).map(lambda s: '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'),
    st.text(min_size=1, max_size=8).map(lambda s: f"`{s.replace('`', '``')}`"),
    st.text(max_size=8).map(lambda s: f"/*{s.replace('*/', '')} */"),
    WORDS.map(lambda s: f"// {s.replace('name', '')}\n"),
)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    kind = draw(st.sampled_from(sorted(VALUES)))
    is_nullable = draw(st.booleans())
    is_required = draw(st.booleans())
    values = st.none() | VALUES[kind] if is_nullable else VALUES[kind]
    return Parameter(
        draw(NAMES.filter(lambda name: name not in SCOPE_PARAMETERS)),
        kind,
        is_nullable=is_nullable,
        is_required=is_required,
        default=None if is_required else draw(values),
        meaning=draw(st.just("") | SENTENCES),
    )


def declared(parameter: Parameter) -> str:
    default = "" if parameter.is_required else f" = {json.dumps(parameter.default)}"
    meaning = f" - {parameter.meaning}" if parameter.meaning else ""
    return f"// param {parameter.name}: {parameter.declared_type}{default}{meaning}\n"


def test_every_type_is_tried() -> None:
    assert VALUES.keys() == PARAMETER_TYPES.keys()


@given(
    st.lists(parameters(), unique_by=lambda p: p.name, max_size=4),
    NAMES.filter(lambda name: name not in RESERVED_NAMES),
    SENTENCES,
    st.lists(NAMES, unique=True, max_size=3).filter(lambda names: names != ["nothing"]),
    st.lists(LITERALS, max_size=5),
)
def test_what_is_written_is_read(
    given_parameters: list[Parameter],
    name: str,
    summary: str,
    columns: list[str],
    literals: list[str],
) -> None:
    uses = [f"${parameter.name}" for parameter in given_parameters]
    statement = " ".join(["RETURN", *literals, *uses]).strip()
    text = (
        f"// name: {name}\n// mode: read\n// summary: {summary}\n"
        + "".join(map(declared, given_parameters))
        + f"// returns: {', '.join(columns) or 'nothing'}\n{statement}\n;\n"
    )
    (query,) = parse_queries(text, FILE)
    assert (query.name, query.summary, query.returns) == (name, summary, tuple(columns))
    assert query.parameters == tuple(given_parameters)
    assert query.statement == statement


# --- parameters -------------------------------------------------------------------------------


def made_query(entries: str, statement: str) -> NamedQuery:
    (definition,) = parse_queries(query_with(entries, statement), FILE)
    return NamedQuery(definition, "RETURN 1 AS n")


QUERY = made_query(
    "// param a: STRING\n// param n: INTEGER = 3\n// param c: LIST<STRING> | NULL\n",
    "RETURN $a, $n, $c;",
)


def test_defaults_are_filled_in_and_null_is_given_where_it_may_be() -> None:
    assert QUERY.bind({"a": "x", "c": None}) == {"a": "x", "n": 3, "c": None}
    assert QUERY.bind({"a": "", "c": [], "n": 0}) == {"a": "", "n": 0, "c": []}


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"c": None}, "no 'a'; expected STRING"),
        ({"a": "x"}, "no 'c'; expected LIST<STRING> | NULL"),
        ({"a": "x", "c": None, "z": 1}, "unknown parameter 'z'; expected one of a, n, c"),
        ({"a": None, "c": None}, "'a' given as NoneType; expected STRING"),
        ({"a": "x", "c": "y"}, "'c' given as str; expected LIST<STRING> | NULL"),
        ({"a": "x", "c": [1]}, "'c' given as list; expected LIST<STRING> | NULL"),
        ({"a": "x", "c": None, "n": True}, "'n' given as bool; expected INTEGER"),
        ({"a": "x", "c": None, "n": 2**63}, "'n' given as int; expected INTEGER"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_by_name(values: dict[str, object], problem: str) -> None:
    with pytest.raises(NamedQueryError, match=re.escape(problem)):
        QUERY.bind(values)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("a", "12", "12"), ("a", "", ""), ("n", "12", 12), ("c", '["x"]', ["x"]), ("c", "null", None)],
    ids=str,
)
def test_a_typed_argument_is_read_as_its_parameter_says(
    name: str, text: str, value: object
) -> None:
    assert QUERY.parse_argument(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"), [("n", "many"), ("n", "1.5"), ("c", "x"), ("c", "[1]"), ("z", "1")], ids=str
)
def test_a_typed_argument_that_does_not_fit_is_refused(name: str, text: str) -> None:
    with pytest.raises(NamedQueryError):
        QUERY.parse_argument(name, text)


# --- what is shipped --------------------------------------------------------------------------


def test_every_file_is_loaded_and_each_text_leads_back_to_it() -> None:
    shipped = sorted((ROOT / "cypher").glob("*.cypher"))
    assert {q.definition.file for q in load_queries().values()} == {
        f"cypher/{path.name}" for path in shipped
    }
    for query in load_queries().values():
        first, _, rest = query.text.partition("\n")
        leads_to = re.fullmatch(r"// \w+, (.+):(\d+)", first)
        assert leads_to
        lines = (ROOT / leads_to[1]).read_text("utf-8").split("\n")
        assert lines[int(leads_to[2]) - 1] == f"// name: {query.definition.name}"
        assert rest == query.definition.statement


def test_the_queries_of_one_file_come_in_its_order() -> None:
    meta = [query.definition for query in queries_of("meta")]
    assert {query.file for query in meta} == {"cypher/meta.cypher"}
    assert [query.line for query in meta] == sorted(query.line for query in meta)
    assert [query.name for query in meta][:2] == ["find_meta", "set_meta"]
    assert queries_of("no such file") == []


def test_an_unknown_query_is_refused_with_names_near_it() -> None:
    with pytest.raises(NamedQueryError, match=r"no query 'find_mta'; expected .* find_meta"):
        get_query("find_mta")


def test_the_queries_are_found_in_a_wheel(tmp_path: Path) -> None:
    """The folder lies elsewhere then, under its import name."""
    source, wheels, site = (tmp_path / name for name in ("source", "wheels", "site"))
    for package in ("ragspine_store", "ragspine_graph", "cypher"):
        shutil.copytree(ROOT / package, source / package)
    for file in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(wheels), str(source)],
        check=True,
        cwd=tmp_path,
    )
    (wheel,) = wheels.iterdir()
    subprocess.run([*pip, "install", "--no-deps", "-t", str(site), str(wheel)], check=True)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from ragspine_store.queries import catalogue\n"
        "print(catalogue.__file__)\n"
        "print(*sorted(catalogue.load_queries()))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(site)],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    where, names = done.stdout.splitlines()
    assert Path(where).is_relative_to(site)
    assert names.split() == sorted(load_queries())
