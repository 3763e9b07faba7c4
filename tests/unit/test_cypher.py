"""`KnowledgeBase.cypher`: named queries and ad-hoc ones, each for one reader."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity
from ragspine_graph.cypher import Projections
from ragspine_graph.cypher.named import READERS_FILES
from ragspine_graph.cypher.projections import MAX_PROJECTIONS
from ragspine_graph.errors import ConfigError, RequestError
from ragspine_store.errors import CypherError, NamedQueryError
from ragspine_store.queries import Mode, NamedQuery, queries_of
from ragspine_store.queries.parameters import SCOPE_PARAMETERS
from tests.graphs import (
    DOCUMENTS,
    MADE_UP,
    OWNS,
    RIVAL,
    SUPPLIES,
    ScriptedModel,
    open_knowledge,
    write_documents,
)

READERS_QUERIES = [query for file in READERS_FILES for query in queries_of(file)]


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with open_knowledge(tmp_path) as knowledge:
        docs = write_documents(tmp_path, DOCUMENTS)
        knowledge.ingest(docs, root=docs)
        knowledge.build_relations(provider=ScriptedModel(OWNS, SUPPLIES, RIVAL, MADE_UP))
        yield knowledge


def column(knowledge: KnowledgeBase, text: str, reader: Reader | None = None) -> list[object]:
    return [row[0] for row in knowledge.cypher.query(text, reader=reader).rows]


# --- named queries ------------------------------------------------------------------------------


@pytest.mark.parametrize("query", READERS_QUERIES, ids=lambda query: query.definition.name)
def test_a_readers_query_reads_and_says_who_reads(query: NamedQuery) -> None:
    assert query.definition.mode is Mode.READ
    declared = {p.name: p.declared_type for p in query.definition.parameters}
    assert declared.items() >= SCOPE_PARAMETERS.items()
    text = query.definition.statement
    # Whatever a query binds and may show is held against the clearance and the collections.
    assert text.count(".clearance <= $clearance") == text.count("collection IN $collections)")
    assert text.count("clearance <= $clearance") >= 1


def test_a_path_is_looked_for_among_thousands_of_nodes(tmp_path: Path) -> None:
    with open_knowledge(tmp_path) as knowledge:
        lines = "\n".join(f"{number}. Tea." for number in range(1, 4_001))
        docs = write_documents(tmp_path, {"a.md": f"# Rules\n\n{lines}\n"})
        knowledge.ingest(docs, root=docs)
        result = knowledge.cypher.run("path", {"source": "document:a.md", "target": "nobody"})
        assert result.rows == ()


def test_what_stands_around_an_entity(knowledge: KnowledgeBase) -> None:
    result = knowledge.cypher.run("neighbourhood", {"entity": "entity:MINATO"})
    found = [(row[0], row[2], row[3]) for row in result.rows]
    assert found == [
        ("entity:MINATO", "competes_with", "external:kestrel"),
        ("entity:MINATO", "competes_with", "external:北斗重工業"),
        ("document:pay.md", "mentions", "entity:MINATO"),
        ("document:rules.md", "mentions", "entity:MINATO"),
        ("entity:MINATO", "parent_of", "entity:MINATO_LOG"),
    ]
    by_name = knowledge.cypher.run("neighbourhood", {"entity": "株式会社みなと製作所"})
    assert by_name.rows == result.rows


def test_edges_of_a_model_are_followed_when_they_are_asked_for_or_verified(
    knowledge: KnowledgeBase,
) -> None:
    def around() -> list[object]:
        result = knowledge.cypher.run("neighbourhood", {"entity": "acme"})
        return [row[2] for row in result.rows]

    assert around() == []
    asked = knowledge.cypher.run("neighbourhood", {"entity": "acme", "unverified": True})
    ((_, _, kind, *_),) = asked.rows
    assert kind == "owns"
    (edge,) = [row[-1] for row in knowledge.cypher.run("unverified_edges").rows if row[3] == "owns"]
    knowledge.audit.verify(str(edge), reviewer="me", note="seen")
    assert around() == ["owns"]
    knowledge.audit.reject(str(edge), reviewer="me", note="not so")
    assert around() == []
    again = knowledge.cypher.run("neighbourhood", {"entity": "acme", "unverified": True})
    assert again.rows == ()
    decided = knowledge.cypher.run("verdicts_since", {"since": "2020-01-01"})
    assert [(row[1], row[2], row[6]) for row in decided.rows] == [("me", "rejected", "not so")]


def test_the_shortest_way_between_two(knowledge: KnowledgeBase) -> None:
    ends = {"source": "entity:MINATO_LOG", "target": "document:rules.md"}
    result = knowledge.cypher.run("path", ends)
    assert result.rows == ((["entity:MINATO_LOG", "entity:MINATO", "document:rules.md"], 2),)


def test_references_in_and_out_and_those_without_an_answer(knowledge: KnowledgeBase) -> None:
    out = knowledge.cypher.run("references_out", {"article": "rules.md#s3"})
    assert [(row[0], row[1], row[4]) for row in out.rows] == [
        ("section:rules.md#s3", "section:rules.md#s2", "前条")
    ]
    into = knowledge.cypher.run("references_into", {"article": "rules.md#s3"})
    assert [row[0] for row in into.rows] == ["section:pay.md#s2", "section:rules.md#s2"]
    dangling = knowledge.cypher.run("dangling_references")
    assert [(row[0], row[5]) for row in dangling.rows] == [
        ("section:pay.md#s2", "article 39"),
        ("section:rules.md#s3", "article 9"),
    ]
    without = knowledge.cypher.run("sections_without_references")
    assert [row[0] for row in without.rows] == ["section:deals.md#s1"]


def test_what_the_graph_says_agrees_with_the_reads_of_relations(knowledge: KnowledgeBase) -> None:
    counted = knowledge.cypher.run("edges_by_provenance").rows
    edges = knowledge.relations.all(unverified=True)
    expected: dict[tuple[object, ...], int] = {}
    for edge in edges:
        key = (edge.key.kind, edge.key.provenance.value, edge.verdict and edge.verdict.value)
        expected[key] = expected.get(key, 0) + 1
    assert {row[:3]: row[3] for row in counted} == expected
    assert sum(int(str(row[4])) for row in counted) == sum(len(edge.evidence) for edge in edges)
    assert len(knowledge.relations.dangling()) == len(
        knowledge.cypher.run("dangling_references").rows
    )


def test_what_changed_since_a_time(knowledge: KnowledgeBase) -> None:
    since = knowledge.cypher.run("changed_since", {"since": "2020-01-01"})
    assert {row[0] for row in since.rows} == set(DOCUMENTS)
    assert knowledge.cypher.run("changed_since", {"since": "2999-01-01"}).rows == ()


def test_entities_that_only_edges_of_a_model_reach(knowledge: KnowledgeBase) -> None:
    found = [row[0] for row in knowledge.cypher.run("only_model").rows]
    assert found == ["unlisted:globex", "unlisted:acme", "unlisted:initech"]


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("neighbors", {}, "no query 'neighbors'; expected one that `cypher list` shows, such as"),
        ("find_meta", {"key": "schema"}, "no query 'find_meta'"),
        ("neighbourhood", {}, "no 'entity'"),
        ("neighbourhood", {"entity": 3}, "'entity' given as int; expected STRING"),
        ("neighbourhood", {"entity": "a", "limit": True}, "'limit' given as bool"),
        ("neighbourhood", {"entity": "a", "depth": 2}, "unknown parameter 'depth'"),
        ("most_connected", {"clearance": 3}, "unknown parameter 'clearance'"),
        ("most_connected", {"collections": None}, "unknown parameter 'collections'"),
    ],
)
def test_a_wrong_name_or_parameter_is_refused(
    knowledge: KnowledgeBase, name: str, given: dict[str, object], message: str
) -> None:
    with pytest.raises(NamedQueryError, match=message):
        knowledge.cypher.run(name, given)


# --- one's own ----------------------------------------------------------------------------------


def test_ones_own_query_is_answered_with_named_columns(knowledge: KnowledgeBase) -> None:
    result = knowledge.cypher.query(
        "MATCH (d:Document)-[:PARENT_OF*]->(c:Child) WHERE d.doc_id = $doc "
        "RETURN d.title AS title, count(c) AS children",
        {"doc": "pay.md"},
    )
    assert result.to_dict() == {
        "query": None,
        "columns": ["title", "children"],
        "rows": [{"title": "賃金規程", "children": 3}],
        "cut": False,
        "refused": None,
    }


def test_ones_own_query_needs_its_parameters(knowledge: KnowledgeBase) -> None:
    with pytest.raises(CypherError, match=r"names \$doc"):
        knowledge.cypher.query("MATCH (d {id: $doc}) RETURN d")


@pytest.mark.parametrize(
    ("timeout_s", "max_rows"), [(0.0, 1), (-1.0, 1), (float("nan"), 1), (1.0, 0), (1.0, 10**9)]
)
def test_bounds_are_positive_and_bounded(
    knowledge: KnowledgeBase, timeout_s: float, max_rows: int
) -> None:
    with pytest.raises(RequestError, match="given; expected"):
        knowledge.cypher.query("RETURN 1", timeout_s=timeout_s, max_rows=max_rows)


def test_an_operators_query_needs_a_server(knowledge: KnowledgeBase) -> None:
    with pytest.raises(RequestError, match="expected a store on Neo4j"):
        knowledge.cypher.query("RETURN 1", operator=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (d:Document {doc_id: 'pay.md'})", (("賃金規程",),)),
        ("MATCH (d:Document) FILTER d.doc_id = 'pay.md' RETURN d.doc_id AS d", (("pay.md",),)),
        ("MATCH (d:Document {doc_id: 'pay.md'}) RETURN id(d) AS id", (("document:pay.md",),)),
        ("MATCH (d:Document) RETURN COLLECT { MATCH (d)--(s) RETURN s.no } AS nos", None),
        ("MATCH (d:Document)-[:PARENT_OF]->{1,3}(s) RETURN s.no", None),
    ],
    ids=["no return", "filter", "id", "collect", "quantified"],
)
def test_the_engine_in_memory_differs_from_a_server_as_documented(
    knowledge: KnowledgeBase, text: str, expected: tuple[tuple[object, ...], ...] | None
) -> None:
    if expected is None:
        with pytest.raises(CypherError, match="the engine does not run the query"):
            knowledge.cypher.query(text)
    else:
        assert knowledge.cypher.query(text).rows == expected


# --- the gate -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Kestrel", "ＫＥＳＴＲＥＬ", "external:kestrel", "北斗・重工"])
def test_a_query_that_names_a_competitor_is_refused_like_a_question(
    knowledge: KnowledgeBase, name: str
) -> None:
    refused = [
        knowledge.cypher.run("neighbourhood", {"entity": name}),
        knowledge.cypher.query("MATCH (n {id: $id}) RETURN n", {"id": name}),
        knowledge.cypher.query("UNWIND $ids AS id RETURN id", {"ids": [{"a": name}]}),
        knowledge.cypher.query(f"MATCH (n) WHERE n.name = '{name}' RETURN n"),
    ]
    asked = knowledge.search(f"What does {name} sell?").refused
    assert asked is not None
    for result in refused:
        assert result.rows == ()
        assert result.refused == asked


def test_a_store_whose_questions_are_not_gated_refuses_none(tmp_path: Path) -> None:
    with open_knowledge(tmp_path, gate_questions=False) as knowledge:
        assert knowledge.cypher.run("neighbourhood", {"entity": "Kestrel"}).refused is None


# --- the graph in memory ------------------------------------------------------------------------


def test_it_is_made_anew_when_the_store_has_changed_and_kept_when_not(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    projections = Projections(knowledge._store)
    kept = projections.engine(Reader())
    assert projections.engine(Reader()) is kept
    with open_knowledge(tmp_path) as other:
        other.relabel("deals.md", "CONFIDENTIAL")
    assert projections.engine(Reader()) is not kept


def test_a_few_readers_have_theirs_at_a_time(knowledge: KnowledgeBase) -> None:
    projections = Projections(knowledge._store)
    readers = [Reader(collections=frozenset({str(n)})) for n in range(MAX_PROJECTIONS + 1)]
    engines = [projections.engine(reader) for reader in readers]
    assert [projections.engine(reader) for reader in readers[1:]] == engines[1:]
    assert projections.engine(readers[0]) is not engines[0]


@pytest.mark.guarantee("G3")
def test_a_raised_label_takes_effect_in_the_next_query(knowledge: KnowledgeBase) -> None:
    documents = "MATCH (d:Document) RETURN d.doc_id ORDER BY d.doc_id"
    assert column(knowledge, documents) == ["deals.md", "pay.md", "rules.md"]
    knowledge.relabel("pay.md", "CONFIDENTIAL")
    internal = Reader(Sensitivity.INTERNAL)
    assert column(knowledge, documents, internal) == ["deals.md", "rules.md"]
    knowledge.relabel("deals.md", "RESTRICTED")
    assert column(knowledge, documents) == ["pay.md", "rules.md"]
    assert column(knowledge, "MATCH (n:Entity) WHERE n.id STARTS WITH 'unlisted:' RETURN n.id") == [
        "unlisted:労働基準法",
        "unlisted:就業規則",
    ]
    knowledge.delete("pay.md")
    assert column(knowledge, documents) == ["rules.md"]


def test_a_reader_of_other_collections_sees_the_profile_alone(knowledge: KnowledgeBase) -> None:
    nobody = Reader(collections=frozenset({"elsewhere"}))
    labels = "MATCH (n:Ragspine) RETURN DISTINCT labels(n)[0] AS label"
    assert column(knowledge, labels, nobody) == ["Entity"]
    around = knowledge.cypher.run("neighbourhood", {"entity": "entity:MINATO"}, reader=nobody)
    assert {row[2] for row in around.rows} == {"competes_with", "parent_of"}


def test_a_withheld_part_is_no_node_and_its_heading_is_nowhere(knowledge: KnowledgeBase) -> None:
    knowledge.relabel("rules.md#s3", "CONFIDENTIAL")
    internal = Reader(Sensitivity.INTERNAL)
    sections = "MATCH (s:Section {doc_id: 'rules.md'}) RETURN s.heading ORDER BY s.no"
    assert column(knowledge, sections, internal) == ["就業規則", "第1条 目的"]
    children = "MATCH (c:Child {doc_id: 'rules.md'}) RETURN c.text ORDER BY c.seq"
    assert "手当" not in str(column(knowledge, children, internal))
    assert "手当" in str(column(knowledge, children))
    levels = "MATCH (c:Child {doc_id: 'rules.md'}) RETURN DISTINCT c.clearance AS c ORDER BY c"
    assert column(knowledge, levels) == [1, 2]
    into = knowledge.cypher.run("references_into", {"article": "rules.md#s3"}, reader=internal)
    assert into.rows == ()


def test_without_the_extra_all_are_refused_in_the_same_words(
    knowledge: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    with open_knowledge(tmp_path / "other") as empty:
        monkeypatch.setitem(sys.modules, "kglite", None)
        said: set[str] = set()
        for one in (knowledge, empty):
            for name in DOCUMENTS, ["missing.md"]:
                with pytest.raises(ConfigError, match=r"ragspine-graph\[cypher\]") as caught:
                    one.cypher.query(f"MATCH (n) WHERE n.doc_id IN {list(name)} RETURN n")
                said.add(str(caught.value))
            with pytest.raises(ConfigError) as caught:
                one.cypher.run("most_connected")
            said.add(str(caught.value))
            with pytest.raises(CypherError, match="is refused"):
                one.cypher.query("LOAD CSV FROM 'f' AS r RETURN r")
    assert len(said) == 1
