"""The store on a Neo4j server beside two libraries for graphs on Neo4j, in one run on one server.

All three write the same lexical graph, document by document (documents, sections, children and
`PARENT_OF` between them, the same properties and tokens, none with vectors), and answer the same
questions with ten children, each with the text of its window. Printed for each size: children
written a second, p50 of a search in milliseconds, and how many of the ten best are also ours.

- `neo4j-graphrag`: `Neo4jWriter` as it is by default, a run for each document; searched by
  `HybridCypherRetriever`, whose Cypher gives the parent's text. Its vector index is empty, so that
  it ranks by full text alone.
- `langchain-neo4j`: `Neo4jGraph.add_graph_documents` with its base label, which makes it fast;
  searched by `Neo4jVector` in hybrid mode with the same Cypher, its vector index empty too.

Theirs are asked for the same tokens in an index with the same analyzer. They have no phrases, no
labels, no filters and no windows longer or shorter than a section, so each section keeps its own
text. Both need APOC Core, which the server started here has. The three take turns, document by
document and question by question.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, LiteralString, Protocol

from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jGraph as LangChainGraph
from langchain_neo4j import Neo4jVector
from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship
from neo4j import Driver
from neo4j_graphrag.components.kg_writer import Neo4jWriter
from neo4j_graphrag.components.types import (
    LexicalGraphConfig,
    Neo4jGraph,
    Neo4jNode,
    Neo4jRelationship,
)
from neo4j_graphrag.retrievers import HybridCypherRetriever
from neo4j_graphrag.types import SearchType
from rich.console import Console
from rich.table import Table

from benchmarks.corpus import questions
from benchmarks.neo4j_cost import HITS, WARM_UP, in_turn
from benchmarks.neo4j_server import Server, markdown_documents, prepare, running_server
from ragspine_store.neo4j_store import Neo4jStore, rows
from ragspine_store.protocols import Scope
from ragspine_store.query import Query, parse_query
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader
from tests.neo4j_driver import session_of

VERSION = "5.26.30"
MEASURED = 22  # documents of each size whose writing is timed
NO_VECTOR = [1.0, 0.0]
Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Graph:
    """A document as nodes and edges, for whoever writes them.

    Attributes:
        nodes: label, id and properties.
        edges: ids of parent and child, and properties.
    """

    nodes: Sequence[tuple[str, str, Properties]]
    edges: Sequence[tuple[str, str, Properties]]


class Side(Protocol):
    """One of the three."""

    def write(self, document: PreparedDocument) -> None:
        """Write one document."""
        ...

    def search(self, query: Query) -> list[str]:
        """Texts of the best children, with windows read."""
        ...


class Ours:
    """This project."""

    def __init__(self, store: Neo4jStore) -> None:
        self._store = store

    def write(self, document: PreparedDocument) -> None:
        with self._store.writing() as transaction:
            transaction.put(document)

    def search(self, query: Query) -> list[str]:
        with self._store.reading() as transaction:
            hits = transaction.search(query, Scope(Reader()), HITS)
            candidates = transaction.candidates(hits)
            transaction.windows(candidates)
        return [candidate.chunk.text for candidate in candidates]


class GraphRag:
    """`neo4j-graphrag`."""

    def __init__(self, driver: Driver) -> None:
        make_ready(driver, _GRAPHRAG)
        self._writer = Neo4jWriter(driver)
        self._config = LexicalGraphConfig(
            document_node_label="GraphragDocument", chunk_node_label="GraphragChild"
        )
        self._retriever = HybridCypherRetriever(
            driver,
            vector_index_name="graphrag_vectors",
            fulltext_index_name="graphrag_tokens",
            retrieval_query=(
                "MATCH (node)<-[:PARENT_OF]-(parent)"
                " RETURN node.id AS id, node.text AS text, parent.text AS window, score"
            ),
        )

    def write(self, document: PreparedDocument) -> None:
        graph = graph_of(document, "graphrag")
        asyncio.run(
            self._writer.run(
                Neo4jGraph(
                    nodes=[
                        Neo4jNode(id=node_id, label=f"Graphrag{label}", properties=properties)
                        for label, node_id, properties in graph.nodes
                    ],
                    relationships=[
                        Neo4jRelationship(
                            start_node_id=parent,
                            end_node_id=child,
                            type="PARENT_OF",
                            properties=properties,
                        )
                        for parent, child, properties in graph.edges
                    ],
                ),
                self._config,
            )
        )

    def search(self, query: Query) -> list[str]:
        found = self._retriever.get_search_results(
            query_text=words(query), query_vector=NO_VECTOR, top_k=HITS
        )
        return [record["text"] for record in found.records]


class LangChain:
    """`langchain-neo4j`."""

    def __init__(self, server: Server, driver: Driver) -> None:
        make_ready(driver, _LANGCHAIN)
        self._graph = LangChainGraph(
            server.uri, server.username, server.password, refresh_schema=False
        )
        self._vectors = Neo4jVector(
            _NoVectors(),
            search_type=SearchType.HYBRID,
            url=server.uri,
            username=server.username,
            password=server.password,
            index_name="langchain_vectors",
            keyword_index_name="langchain_tokens",
            node_label="LangchainChild",
            retrieval_query=(
                "MATCH (node)<-[:PARENT_OF]-(parent)"
                " RETURN node.text AS text, score, {id: node.id, window: parent.text} AS metadata"
            ),
        )

    def write(self, document: PreparedDocument) -> None:
        graph = graph_of(document, "langchain")
        nodes = {
            node_id: Node(id=node_id, type=f"Langchain{label}", properties=properties)
            for label, node_id, properties in graph.nodes
        }
        relationships = [
            Relationship(
                source=nodes[parent], target=nodes[child], type="PARENT_OF", properties=properties
            )
            for parent, child, properties in graph.edges
        ]
        self._graph.add_graph_documents(
            [GraphDocument(nodes=list(nodes.values()), relationships=relationships)],
            baseEntityLabel=True,
        )

    def search(self, query: Query) -> list[str]:
        found = self._vectors.similarity_search(words(query), k=HITS)
        return [document.page_content for document in found]


class _NoVectors(Embeddings):
    def embed_query(self, text: str) -> list[float]:
        return NO_VECTOR

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [NO_VECTOR for _ in texts]


def make_ready(driver: Driver, queries: Sequence[LiteralString]) -> None:
    """Remove what a peer wrote before, and make its indexes: one of them for it to find empty."""
    with session_of(driver) as session:
        for query in queries:
            session.run(query).consume()


_GRAPHRAG: Sequence[LiteralString] = (
    "MATCH (n:GraphragDocument|GraphragSection|GraphragChild)"
    " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS",
    "CREATE FULLTEXT INDEX graphrag_tokens IF NOT EXISTS FOR (n:GraphragChild) ON EACH [n.tok]"
    " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}",
    "CREATE VECTOR INDEX graphrag_vectors IF NOT EXISTS FOR (n:GraphragChild) ON (n.embedding)"
    " OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}",
    "CALL db.awaitIndexes(60)",
)
_LANGCHAIN: Sequence[LiteralString] = (
    "MATCH (n:LangchainDocument|LangchainSection|LangchainChild)"
    " CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS",
    "CREATE FULLTEXT INDEX langchain_tokens IF NOT EXISTS FOR (n:LangchainChild) ON EACH [n.tok]"
    " OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}",
    "CREATE VECTOR INDEX langchain_vectors IF NOT EXISTS FOR (n:LangchainChild) ON (n.embedding)"
    " OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}",
    "CALL db.awaitIndexes(60)",
)


def words(query: Query) -> str:
    """A question as the peers take it: its tokens, of which any may be found."""
    return " ".join(token for term in query.terms for token in term.tokens)


def graph_of(document: PreparedDocument, writer: str) -> Graph:
    """The lexical graph that the store writes, with its own text on each section.

    Args:
        document: what is written.
        writer: begins every id, since two libraries share a label.
    """

    def node(label: str, node_id: object, properties: Mapping[str, Any]) -> None:
        kept = {k: v for k, v in properties.items() if v is not None and v != []}
        named = f"{writer}:{node_id}"
        nodes.append((label, named, {**kept, "id": named}))

    def edge(row: Mapping[str, Any]) -> None:
        properties = {"order": row["order"], "level": row["level"]}
        edges.append((f"{writer}:{row['parent']}", f"{writer}:{row['id']}", properties))

    nodes: list[tuple[str, str, Properties]] = []
    edges: list[tuple[str, str, Properties]] = []
    text, outline = document.loaded.text, document.loaded.outline
    whole = {**rows.document_row(document, 1, 1, 1), "offsets": None}
    node("Document", rows.document_node(document.meta.doc_id), whole)
    row: Mapping[str, Any]
    for row in rows.section_rows(document):
        no: int = row["properties"]["no"]
        section = outline.sections[no]
        own = text[section.span.start : section.own_end]
        node("Section", row["id"], {**row["properties"], "text": own})
        edge(row)
    shared = rows.shared_properties(document)
    for row in rows.child_rows(document, 1, None):
        node("Child", row["id"], {**shared, **row["properties"], **row["tokens"][0]})
        edge(row)
    return Graph(nodes, edges)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=60)
    arguments = parser.parse_args()
    logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)
    asked = [parse_query(q) for q in questions(arguments.data, arguments.questions)]
    texts = markdown_documents(arguments.data)
    table = Table("children", "side", "written /s", "search p50 ms", "of our ten best")
    with ExitStack() as stack:
        server = stack.enter_context(running_server(VERSION, with_apoc=True))
        driver = stack.enter_context(server.driver())
        sides: Mapping[str, Side] = {
            "ragspine-graph": Ours(stack.enter_context(server.empty_store())),
            "neo4j-graphrag": GraphRag(driver),
            "langchain-neo4j": LangChain(server, driver),
        }
        children = 0
        for size in arguments.sizes:
            taken: list[list[float]] = [[] for _ in sides]
            counts: list[int] = []
            while children < size:
                documents = [prepare(*text) for text in islice(texts, MEASURED)]
                counts = [len(document.chunks) for document in documents]
                children += sum(counts)
                # The last documents before a size are those whose time is told.
                taken = in_turn([side.write for side in sides.values()], documents)
            writing = [sum(counts) / sum(times) for times in taken]
            in_turn([side.search for side in sides.values()], asked * WARM_UP)
            searching = in_turn([side.search for side in sides.values()], asked * 3)
            best = [set(sides["ragspine-graph"].search(query)) for query in asked]
            for at, (name, side) in enumerate(sides.items()):
                common = [
                    len(set(side.search(query)) & ours) / max(1, len(ours))
                    for query, ours in zip(asked, best, strict=True)
                ]
                table.add_row(
                    f"{children:,}",
                    name,
                    f"{writing[at]:,.0f}",
                    f"{1000 * statistics.median(searching[at]):.1f}",
                    f"{statistics.mean(common):.0%}",
                )
    Console().print(table)


if __name__ == "__main__":
    main()
