"""Every named query that a reader may run gives the same rows on every backend."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.cypher import list_queries
from ragspine_store.ad_hoc import screen_query
from ragspine_store.cypher_protocols import Bounds
from ragspine_store.errors import CypherError, StoreError
from ragspine_store.neo4j_store import Neo4jStore
from tests.backends import Neo4jBackend
from tests.conftest import AtRest
from tests.graphs import (
    DEALS,
    OWNS,
    PAY,
    PROFILE,
    RULES,
    SUPPLIES,
    Proposal,
    ScriptedModel,
    write_documents,
)
from tests.neo4j_server import Server

READERS = (
    Reader(),
    Reader(Sensitivity.INTERNAL),
    Reader(collections=frozenset({"default"})),
    Reader(Sensitivity.INTERNAL, frozenset({"branch", "elsewhere"})),
)
INJECTION: Proposal = (
    "𠮷野家",
    "x`) DETACH DELETE n//",
    "Hooli",
    "𠮷野家 x`) DETACH DELETE n// Hooli",
)
# Two documents of one title in two collections: what a reference means depends on who reads.
DOCUMENTS = {
    "main/rules.md": RULES,
    "main/pay.md": PAY,
    "main/deals.md": DEALS
    + "\n𠮷野家 x`) DETACH DELETE n// Hooli.\n\nInitech supplies ｱ社 and 山田\n",
    "branch/rules.md": RULES.replace("## 第2条 手当", "## 第3条 手当"),
    "branch/pay.md": "---\ntitle: 支店給与\n---\n" + PAY.replace("第2条", "第3条"),
    "branch/secret.md": "---\nsensitivity: RESTRICTED\n---\n# 就業規則\n\nAcme owns Globex.\n",
}
VALUES: dict[str, tuple[object, ...]] = {
    "entity": ("entity:MINATO", "acme", "会社", "term:会社@main/rules.md", "𠮷野家", "nobody"),
    "source": ("entity:MINATO_LOG", "unlisted:acme", "document:main/pay.md"),
    "target": ("entity:MINATO", "unlisted:initech", "会社"),
    "article": ("main/rules.md", "main/rules.md#s3", "branch/pay.md#s2", "branch/rules.md", "none"),
    "document": ("main/rules.md", "main/deals.md", "branch/pay.md", "branch/secret.md"),
    "since": ("2000-01-01", "2999-01-01"),
    "unverified": (False, True),
    "limit": (3,),
    "least_weight": (0.5,),
}


def fill(knowledge: KnowledgeBase, docs: Path) -> None:
    """The same documents, relations, labels and verdicts, whatever the backend."""
    for folder in ("main", "branch"):
        collection = "default" if folder == "main" else "branch"
        knowledge.ingest(docs / folder, root=docs, collection=collection)
    knowledge.build_relations(provider=ScriptedModel(OWNS, SUPPLIES, INJECTION))
    knowledge.relabel("branch/rules.md", "CONFIDENTIAL")
    knowledge.relabel("main/pay.md#s2", "CONFIDENTIAL")
    knowledge.relabel("main/rules.md#s2", "RESTRICTED")
    knowledge.build_relations(provider=ScriptedModel())
    proposed = sorted(edge.id for edge in knowledge.audit.list(limit=100).edges)
    for edge_id, decide in zip(
        proposed, (knowledge.audit.verify, knowledge.audit.reject), strict=False
    ):
        decide(edge_id, reviewer="Kim", note="seen")
    deals = docs / "main" / "deals.md"
    deals.write_text(
        deals.read_text(encoding="utf-8").replace("Globex supplies Initech.", "Gone."),
        encoding="utf-8",
    )
    knowledge.ingest(docs / "main", root=docs, collection="default")


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two stores are written at the same instant."""
    for module in (
        "sqlite_store.writing",
        "sqlite_store.relations.verdicts",
        "neo4j_store.rows",
        "neo4j_store.writing",
        "neo4j_store.relations.verdicts",
    ):
        monkeypatch.setattr(f"ragspine_store.{module}.now", lambda: "2026-01-01T00:00:00+00:00")


@pytest.fixture
def config(tmp_path: Path, at_rest: AtRest) -> ServiceConfig:
    (tmp_path / "profile.toml").write_text(PROFILE, encoding="utf-8")
    return ServiceConfig(
        store=f"sqlite:///{tmp_path / 'kb.db'}",
        chunker="hierarchical",
        profile=tmp_path / "profile.toml",
        entity_sources="profile,titles,terms",
        # One of the two adds relations: with each way of keeping what is RESTRICTED another.
        relation_extractor="llm" if at_rest == "stub" else "deterministic",
        restricted_at_rest=at_rest,
    )


@pytest.fixture
def embedded(tmp_path: Path, config: ServiceConfig) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(config=config) as knowledge:
        fill(knowledge, write_documents(tmp_path / "embedded", DOCUMENTS))
        yield knowledge


@pytest.fixture
def served(
    tmp_path: Path, config: ServiceConfig, neo4j_server: Server, at_rest: AtRest
) -> Iterator[KnowledgeBase]:
    backend = Neo4jBackend(neo4j_server, at_rest)
    knowledge = KnowledgeBase(backend.open_store(), config)
    fill(knowledge, write_documents(tmp_path / "served", DOCUMENTS))
    yield knowledge
    backend.close()


def calls() -> Iterator[tuple[str, dict[str, object]]]:
    """Each query with its defaults, and with each value of each of its parameters."""
    for query in list_queries():
        required = {
            parameter.name: VALUES[parameter.name][0]
            for parameter in query.parameters
            if parameter.default is None
        }
        yield query.name, required
        for parameter in query.parameters:
            for value in VALUES[parameter.name]:
                yield query.name, {**required, parameter.name: value}
                if parameter.name != "unverified" and any(
                    p.name == "unverified" for p in query.parameters
                ):
                    yield query.name, {**required, parameter.name: value, "unverified": True}


@pytest.mark.usefixtures("still_clock")
def test_every_query_gives_the_same_rows(
    embedded: KnowledgeBase, served: KnowledgeBase, at_rest: AtRest
) -> None:
    found: set[str] = set()
    for name, values in calls():
        for reader in READERS:
            ours = embedded.cypher.run(name, values, reader=reader)
            theirs = served.cypher.run(name, values, reader=reader)
            assert theirs.to_dict() == ours.to_dict(), (name, values, reader)
            if ours.rows:
                found.add(name)
    of_models = {"only_model", "unverified_edges", "unverified_by_document", "verdicts_since"}
    of_models.add("stale_edges")
    of_one = {"co_occurrences"} if at_rest == "stub" else of_models
    assert found == {query.name for query in list_queries()} - of_one

    # A reader's own query is answered in memory, whatever the backend.
    for text in (
        "MATCH (n) WHERE NOT n:Reference RETURN n.id, labels(n), n.clearance ORDER BY n.id",
        "MATCH (a)-[r]->(b) RETURN a.id AS a, type(r) AS t, b.id AS b, r.locator AS l, r.quote AS q"
        " ORDER BY a, t, b, l, q",
        "MATCH (c:Child) RETURN c.id AS id, c.text, c.source_locator ORDER BY id",
    ):
        for reader in READERS:
            ours = embedded.cypher.query(text, reader=reader)
            theirs = served.cypher.query(text, reader=reader)
            assert theirs.to_dict() == ours.to_dict()
            assert ours.rows


# --- what an operator asks ----------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path, config: ServiceConfig, neo4j_server: Server) -> Iterator[KnowledgeBase]:
    """One document on a server."""
    backend = Neo4jBackend(neo4j_server, "text")
    with KnowledgeBase(backend.open_store(), config) as knowledge:
        docs = write_documents(tmp_path, {"pay.md": PAY})
        knowledge.ingest(docs, root=docs)
        knowledge.relabel("pay.md#s2", "RESTRICTED")
        yield knowledge


@pytest.mark.parametrize("at_rest", ["text"])
def test_an_operator_reads_the_servers_own_graph_and_nothing_else(small: KnowledgeBase) -> None:
    result = small.cypher.query(
        "MATCH (d:Document {doc_id: $id})-[r:PARENT_OF*]->(s) RETURN d, r[0] AS r, s.id AS id"
        " ORDER BY id",
        {"id": "pay.md"},
        operator=True,
    )
    node, relationship, _ = result.rows[0]
    assert isinstance(node, dict)
    assert node["labels"] == ["Document", "Ragspine"]
    assert isinstance(relationship, dict)
    assert relationship["type"] == "PARENT_OF"
    # Whatever the labels: what no reader sees is there.
    assert "section:pay.md#s2" in [row[2] for row in result.rows]
    sections = "MATCH (s:Section) RETURN s.id AS id ORDER BY id"
    assert small.cypher.query(sections).rows == (("section:pay.md#s1",),)
    cut = small.cypher.query("MATCH (n) RETURN n.id", operator=True, max_rows=3)
    assert (len(cut.rows), cut.is_cut) == (3, True)
    named = small.cypher.query("RETURN 'Kestrel' AS name", operator=True)
    assert named.rows == (("Kestrel",),)

    for text, message in REFUSED.items():
        with pytest.raises(CypherError, match=message):
            small.cypher.query(text, operator=True)
    endless = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(a + b)"
    with pytest.raises(CypherError, match=r"was stopped after 0\.5 s"):
        small.cypher.query(endless, operator=True, timeout_s=0.5)

    store = small._store
    assert isinstance(store, Neo4jStore)
    for text in BEYOND:
        query = screen_query("RETURN 1")
        object.__setattr__(query, "text", text)  # what no code of ours can make
        with pytest.raises(StoreError):
            store.query_engine().run(query, {}, Bounds())
    assert small.cypher.query("MATCH (d:Document) RETURN d.doc_id", operator=True).rows


REFUSED = {
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row": "is refused",
    "CALL dbms.listConfig() YIELD name RETURN name": "is refused",
    "MATCH (n) RETURN nothing": "the server does not run the query: ",
    "MATCH (n) RETURN count(": "the server does not run the query: ",
    "UNWIND [0] AS x RETURN 1 / x": r"cannot answer the query \(ArithmeticError\); ",
    "MATCH (d:Document) RETURN abs(d.title)": r"cannot answer the query \(TypeError\); ",
    "RETURN " + "[" * 500 + "]" * 500: "is refused: .* brackets inside of each other",
}
# What the plan stops, if the words had let it through.
BEYOND = (
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "SHOW TRANSACTIONS",
    "SHOW PROCEDURES YIELD name RETURN name",
    "CALL dbms.listConfig() YIELD name RETURN name",
    "CREATE (n:Ragspine) RETURN n",
    "MATCH (n:Document) DETACH DELETE n",
    "CALL db.index.fulltext.queryNodes('ragspine_tokens', 'y') YIELD node RETURN node",
)
