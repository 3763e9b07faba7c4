"""Ad-hoc Cypher is read in one way, and says nothing but what reads the graph."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.ad_hoc import PlanStep, refuse_plan, screen_query
from ragspine_store.ad_hoc.tokens import MAX_QUERY_CHARS, TokenKind, read_tokens, render_tokens
from ragspine_store.errors import CypherError

READS = [
    "MATCH (n:Entity)-[r:A|SET*1..3 {load: 'x'}]->(m) WHERE n.use > 1.5e3 AND NOT (m)--() RETURN n",
    "MATCH (n) RETURN n.id, count(*) AS c, count(DISTINCT n.x) ORDER BY c DESC SKIP 1 LIMIT 3",
    "MATCH p = (a)-->(b), q = shortestPath((a)-[*..4]-(b)) RETURN [x IN nodes(p) WHERE (1 = 1)]",
    "OPTIONAL MATCH (n:Section) WITH n WHERE n.heading CONTAINS '手当' RETURN n.heading",
    "MATCH (n) CALL (n) { MATCH (n)--(m) RETURN count(m) AS c } RETURN c",
    "CALL { MATCH (n) RETURN n LIMIT 1 } RETURN n",
    "CALL db.labels() YIELD label RETURN label",
    "MATCH (n) WHERE NOT EXISTS { (n)-[:REFERS_TO]->() } RETURN n.id",
    "UNWIND $ids AS id MATCH (n {id: id}) RETURN CASE WHEN (n.x = 1) THEN (2) ELSE (3) END",
    "RETURN 1 AS x UNION ALL RETURN 2 AS x",
    "MATCH (n) WHERE n.text = 'LOAD CSV FROM' OR n.text = \"it's; CREATE\" RETURN n",
    "MATCH (n:`x y`) RETURN n.`a b` AS `c d`",
    "MATCH (n) RETURN n.load, n.create, n.show, {set: 1, delete: n.id}",
    "MATCH (n:Load|Create&!Drop) RETURN n",
]


@pytest.mark.parametrize("query", READS)
def test_what_reads_the_graph_passes_as_it_is(query: str) -> None:
    screened = screen_query(query)
    assert [t.text for t in read_tokens(screened.text)] == [t.text for t in read_tokens(query)]
    assert screen_query(screened.text) == screened


def test_comments_are_dropped_and_literals_have_one_spelling() -> None:
    screened = screen_query(
        "MATCH (n) // a LOAD CSV FROM 'x'\n"
        "WHERE n.name = \"it's\" /* ; CREATE (m)\n */ OR n.id = 'a\\\\b' RETURN n.id AS `i d`;  ;"
    )
    assert screened.text == (
        r"MATCH (n) WHERE n.name = 'it\'s' OR n.id = 'a\\b' RETURN n.id AS `i d`"
    )
    assert screened.strings == ("it's", "a\\b")


def test_a_query_tells_the_parameters_it_names() -> None:
    assert screen_query("MATCH (n {id: $id}) RETURN n LIMIT $limit").parameters == {"id", "limit"}


LOADS = [
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "load csv with headers from 'f' as row return row",
    "LoAd\tcSv FROM 'f' AS row RETURN row",
    "LOAD\nCSV FROM 'f' AS row RETURN row",
    "LOAD/**/CSV FROM 'f' AS row RETURN row",
    "LOAD/* // */CSV FROM 'f' AS row RETURN row",
    "LOAD // comment\nCSV FROM 'f' AS row RETURN row",
    "// comment\nLOAD CSV FROM 'f' AS row RETURN row",
    "/* MATCH (n) */ LOAD CSV FROM 'f' AS row RETURN row",
    "`LOAD` CSV FROM 'f' AS row RETURN row",
    "`LOAD` `CSV` FROM 'f' AS row RETURN row",
    "`load` `csv` FROM 'f' AS row RETURN row",
    "WITH 1 AS x `LOAD` `CSV` FROM 'f' AS row RETURN row",
    r"L\u004fAD CSV FROM 'f' AS row RETURN row",
    r"\u004c\u004f\u0041\u0044 CSV FROM 'f' AS row RETURN row",
    r"RETURN 1 AS row UNION `LO\u0041D` CSV FROM 'f' AS row RETURN row",
    "ＬＯＡＤ CSV FROM 'f' AS row RETURN row",
    "WITH 1 AS x ＬＯＡＤ ＣＳＶ FROM 'f' AS row RETURN row",
    "WITH 1 AS x LOAD\u00a0CSV FROM 'f' AS row RETURN row",
    "WITH 1 AS x LOAD\u2003CSV FROM 'f' AS row RETURN row",
    "WITH 1 AS x LOAD\u200bCSV FROM 'f' AS row RETURN row",
    "WITH 1 AS x LO\u00adAD CSV FROM 'f' AS row RETURN row",
    "WITH 1 AS x LOAD\x0bCSV FROM 'f' AS row RETURN row",
    "RETURN 1 // one\u2028LOAD CSV FROM 'f' AS row RETURN row",
    "RETURN 1 // one\rLOAD CSV FROM 'f' AS row RETURN row",
    "RETURN 1 // one\u0085LOAD CSV FROM 'f' AS row RETURN row",
    "PROFILE LOAD CSV FROM 'f' AS row RETURN row",
    "EXPLAIN LOAD CSV FROM 'f' AS row RETURN row",
    "CYPHER 5 LOAD CSV FROM 'f' AS row RETURN row",
    "CYPHER runtime=slotted LOAD CSV FROM 'f' AS row RETURN row",
    "FOR VALID_TIME ALL LOAD CSV FROM 'f' AS row RETURN row",
    "USING PERIODIC COMMIT LOAD CSV FROM 'f' AS row RETURN row",
    "USE neo4j LOAD CSV FROM 'f' AS row RETURN row",
    "MATCH (n) LOAD CSV FROM 'f' AS row RETURN row",
    "CALL { LOAD CSV FROM 'f' AS row RETURN row } RETURN row",
    "CALL () { LOAD CSV FROM 'f' AS row RETURN row } RETURN row",
    "CALL { CALL { LOAD CSV FROM 'f' AS row RETURN row } RETURN row } RETURN row",
    "RETURN 1 AS row UNION LOAD CSV FROM 'f' AS row RETURN row",
    "RETURN 1 AS row UNION ALL LOAD CSV FROM 'f' AS row RETURN row",
    "RETURN COLLECT { LOAD CSV FROM 'f' AS row RETURN row } AS x",
    "RETURN EXISTS { LOAD CSV FROM 'f' AS row RETURN row } AS x",
    "RETURN COUNT { LOAD CSV FROM 'f' AS row RETURN row } AS x",
    "UNWIND [1] AS i FOREACH (x IN [1] | LOAD CSV FROM 'f' AS row)",
    "RETURN 1; LOAD CSV FROM 'f' AS row RETURN row",
    r"RETURN 'a\u0027 AS x LOAD CSV FROM \u0027f\u0027 AS row RETURN row //'",
    r"RETURN 'a\\u0027 AS x LOAD CSV FROM \\u0027f\\u0027 AS row RETURN row //'",
    "RETURN `a``b` AS x LOAD CSV FROM 'f' AS row RETURN row",
    "RETURN ``` AS x LOAD CSV FROM 'f' AS row RETURN row ```",
]


@pytest.mark.parametrize("query", LOADS)
def test_a_file_is_loaded_in_no_spelling(query: str) -> None:
    with pytest.raises(CypherError, match="is refused"):
        screen_query(query)


OTHERS = {
    "create": "MATCH (n) CREATE (m) RETURN m",
    "insert": "MATCH (n) INSERT (m) RETURN m",
    "merge": "WITH 1 AS x MERGE (m) RETURN m",
    "set": "MATCH (n) SET n.x = 1",
    "remove": "MATCH (n) REMOVE n.x",
    "delete": "MATCH (n) DETACH DELETE n",
    "foreach": "MATCH (n) FOREACH (x IN [1] | SET n.x = 1)",
    "transactions": "CALL { MATCH (n) RETURN n } IN TRANSACTIONS RETURN n",
    "show": "SHOW TRANSACTIONS",
    "show later": "MATCH (n) RETURN n UNION SHOW PROCEDURES",
    "terminate": "TERMINATE TRANSACTIONS 'x'",
    "use": "USE system MATCH (n) RETURN n",
    "use inside": "CALL { USE other MATCH (n) RETURN n } RETURN n",
    "drop": "DROP INDEX x",
    "alter": "ALTER USER neo4j SET PASSWORD 'x'",
    "grant": "GRANT ROLE x TO y",
    "start": "START DATABASE x",
    "format": "MATCH (n) RETURN n.id FORMAT CSV",
    "procedure": "CALL dbms.listConfig() YIELD name RETURN name",
    "procedure in the middle": "MATCH (n) CALL apoc.load.json('x') YIELD value RETURN value",
    "procedure in backticks": "CALL `dbms.killQuery`('x')",
    "procedure in parts": "CALL `apoc`.`load` . json('x') YIELD value RETURN value",
    "procedure over lines": "CALL dbms // x\n.killQuery('x')",
    "procedure without parentheses": "CALL dbms.components YIELD name RETURN name",
    "algorithm": "CALL pagerank() YIELD node RETURN node",
    "function": "RETURN apoc.load.json('x')",
    "function in backticks": "RETURN `apoc.load.json`('x')",
    "function behind a comment": "RETURN load_file/**/('x')",
    "function of the engine": "RETURN text_score(1)",
    "nothing": "",
    "a comment alone": "// nothing",
    "a semicolon alone": ";",
    "two statements": "RETURN 1; RETURN 2",
    "string without an end": "RETURN 'x",
    "comment without an end": "RETURN 1 /* x",
    "name without an end": "RETURN `x",
    "unknown escape": "RETURN '\\q'",
    "emoji": "RETURN 1 ☃ 2",
    "dollar alone": "RETURN $",
    "too long": f"RETURN '{'x' * MAX_QUERY_CHARS}'",
    "long s": "MATCH (n) \u017fet n.x = 1",
    "dotless i": "MATCH (n) ıNSERT (m)",
}


@pytest.mark.parametrize("query", OTHERS.values(), ids=OTHERS.keys())
def test_what_does_more_than_read_is_refused(query: str) -> None:
    with pytest.raises(CypherError, match=r"is refused: .*; expected "):
        screen_query(query)


EXCESS = {
    "brackets": f"RETURN {'[' * 33}1{']' * 33}",
    "brackets of all kinds": f"MATCH (n) WHERE {'([{a: ' * 11}1{'}])' * 11} RETURN n",
    "not": f"RETURN {'NOT ' * 65}true",
    "not in backticks": f"RETURN {'`NOT` ' * 65}true",
    "case": f"RETURN {'CASE WHEN true THEN ' * 65}1{' END' * 65}",
    "union": "RETURN 1 AS x" + " UNION RETURN 1 AS x" * 65,
    "many words": f"RETURN {'1+' * 1_000}1",
}


@pytest.mark.parametrize("query", EXCESS.values(), ids=EXCESS.keys())
def test_what_engines_take_long_over_is_refused(query: str) -> None:
    with pytest.raises(CypherError, match=r"is refused: .*; expected .*: ask for less at once"):
        screen_query(query)


@pytest.mark.parametrize(
    "query",
    [
        f"RETURN {'[' * 32}1{']' * 32}",
        f"RETURN {'[1], ' * 200}1",
        f"RETURN {'NOT ' * 64}true",
        f"MATCH (n) WHERE {'n.x IS NOT NULL AND ' * 100}true RETURN n",
        f"RETURN {'1+' * 998}1",
        f"RETURN '{'[' * 5_000}'",
    ],
    ids=["depth", "breadth", "not", "is not null", "words", "string"],
)
def test_what_is_within_the_bounds_passes(query: str) -> None:
    screen_query(query)


def test_a_refusal_says_where_and_what_to_do() -> None:
    with pytest.raises(CypherError, match="at line 2, column 8; expected a closing '"):
        screen_query("MATCH (n)\nRETURN 'x")


@given(st.text(alphabet="LOADCSVloadcsv \n'\"`/*\\u0041;(){}[]$:|.1=-><", max_size=60))
def test_whatever_passes_is_read_again_as_the_same(text: str) -> None:
    try:
        screened = screen_query(f"RETURN {text}")
    except CypherError:
        return
    tokens = read_tokens(screened.text)
    assert render_tokens(tokens) == screened.text
    words = [t.text.casefold() for t in tokens if t.kind in (TokenKind.WORD, TokenKind.NAME)]
    pairs = list(pairwise(words))
    assert ("load", "csv") not in pairs or ":" in screened.text or "." in screened.text


@pytest.mark.parametrize(
    "operator",
    [
        "ProduceResults@neo4j",
        "NodeUniqueIndexSeek@neo4j",
        "DirectedRelationshipTypeScan",
        "VarLengthExpand(Pruning,BFS,All)@neo4j",
        "Repeat(Trail)",
        "NodeCountFromCountStore",
        "AntiSemiApply",
    ],
)
def test_operators_that_read_pass(operator: str) -> None:
    refuse_plan([PlanStep(operator, "")], "r")


@pytest.mark.parametrize(
    "step",
    [
        PlanStep("LoadCSV@neo4j", "row"),
        PlanStep("ShowTransactions@neo4j", ""),
        PlanStep("ProcedureCall@neo4j", "dbms.listConfig() :: (name :: STRING)"),
        PlanStep("ProcedureCall@neo4j", ""),
        PlanStep("Create@neo4j", "(n:X)"),
        PlanStep("TransactionForeach", ""),
        PlanStep("SomethingNew", ""),
        PlanStep("", ""),
    ],
    ids=lambda step: step.operator or "none",
)
def test_an_operator_that_is_not_listed_is_refused(step: PlanStep) -> None:
    with pytest.raises(CypherError, match="is refused: its plan holds"):
        refuse_plan([PlanStep("ProduceResults", ""), step], "r")


@pytest.mark.parametrize("query_type", ["rw", "w", "s", ""])
def test_a_query_that_the_server_does_not_take_for_a_read_is_refused(query_type: str) -> None:
    with pytest.raises(CypherError, match="expected one that only reads"):
        refuse_plan([PlanStep("ProduceResults", "")], query_type)


def test_a_listed_procedure_passes_in_a_plan() -> None:
    refuse_plan([PlanStep("ProcedureCall@neo4j", "db.labels() :: (label :: STRING)")], "r")
