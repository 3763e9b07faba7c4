"""Whether each document of `tests.generations` is wholly of one generation, wherever it is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragspine_store.protocols import Store
from ragspine_store.testing.base import found
from ragspine_store.testing.relations import read_edges
from tests import generations
from tests.backends import Neo4jBackend, Place, SQLiteBackend


@dataclass(frozen=True)
class Kept:
    """A document as it is kept: its text, its children and their spans, its headings."""

    text: str
    chunks: list[str]
    spans: list[tuple[int, int]]
    headings: list[str]


def assert_whole(store: Store, place: Place) -> list[int]:
    """Check every document, what was derived from it and the index; give their generations."""
    if isinstance(place, SQLiteBackend):
        documents = kept_in_tables(place)
    else:
        assert isinstance(place, Neo4jBackend)
        documents = kept_in_graph(place)
    seen: dict[str, int] = {}
    for doc_id, kept in documents.items():
        number = int(doc_id.removeprefix("docs/").removesuffix(".md"))
        (name,) = set(re.findall(r"doc\d+gen\d+", kept.text))
        generation = int(name.partition("gen")[2])
        seen[doc_id] = generation
        count = generations.paragraphs(number, generation)
        assert kept.text.strip() == generations.text(number, generation).strip()
        assert kept.chunks == [f"{name} paragraph {n}" for n in range(count)]
        assert [kept.text[start:end] for start, end in kept.spans] == kept.chunks
        assert kept.headings == [f"Heading {name}"] * 2
        assert found(store, name, k=100) == [f"{doc_id}#c{n}" for n in range(count)]
        for other in (generation - 1, generation + 1):
            assert found(store, generations.word(number, other)) == []
    for edge in read_edges(store):
        _, _, doc_id = edge.key.source.partition(":")
        assert edge.key.target.endswith(f"gen{seen[doc_id]}")
    return list(seen.values())


def kept_in_tables(backend: SQLiteBackend) -> dict[str, Kept]:
    """All documents, after a look that no row belongs to none of them."""
    documents: dict[str, Kept] = {}
    with backend.raw() as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for no, doc_id in db.execute("SELECT no, doc_id FROM document ORDER BY no").fetchall():

            def column(query: str, value: object) -> list[str]:
                return [text for (text,) in db.execute(query, (value,))]

            documents[doc_id] = Kept(
                "".join(
                    column("SELECT text FROM document_text WHERE doc_no = ? ORDER BY start", no)
                ),
                column("SELECT text FROM narrative_chunk WHERE doc_id = ? ORDER BY seq", doc_id),
                db.execute(
                    "SELECT span_start, span_end FROM chunk_span WHERE doc_no = ? ORDER BY seq",
                    (no,),
                ).fetchall(),
                column("SELECT heading FROM section WHERE doc_no = ? ORDER BY no", no),
            )
        for table in ("chunk_span", "section", "tree_node", "document_text"):
            orphans = f"SELECT COUNT(*) FROM {table} WHERE doc_no NOT IN (SELECT no FROM document)"
            assert db.execute(orphans).fetchone() == (0,)
    totals = backend.totals()
    assert totals["narrative_chunk"] == totals["chunk_span"] == totals["chunk_fts_docsize"]
    return documents


def kept_in_graph(backend: Neo4jBackend) -> dict[str, Kept]:
    """All documents, after a look that no node belongs to none of them."""
    rows = backend.raw(
        "MATCH (d:Ragspine:Document) RETURN d.doc_id AS doc_id, d.heading AS heading,"
        " COLLECT { MATCH (d)-[:HAS_TEXT]->(t:Text) RETURN t.text ORDER BY t.text_start } AS texts,"
        " COLLECT { MATCH (d)-[:PARENT_OF*]->(c:Child:RagspineSearchable)"
        "   RETURN [c.text, c.span_start, c.span_end] ORDER BY c.seq } AS children,"
        " COLLECT { MATCH (d)-[:PARENT_OF*]->(s:Section) RETURN s.heading ORDER BY s.no }"
        "   AS headings"
    )
    documents = {
        row["doc_id"]: Kept(
            "".join(row["texts"]),
            [text for text, _, _ in row["children"]],
            [(start, end) for _, start, end in row["children"]],
            [row["heading"], *row["headings"]],
        )
        for row in rows
    }
    (loose,) = backend.raw(
        "MATCH (n:Ragspine) WHERE n.doc_id IS NOT NULL AND NOT EXISTS"
        " { MATCH (d:Ragspine:Document) WHERE d.doc_id = n.doc_id } RETURN collect(n.id) AS ids"
    )
    assert loose["ids"] == []
    (alone,) = backend.raw(
        "MATCH (n:Ragspine) WHERE n:Entity|Text|Section|Child|Branch AND NOT EXISTS { (n)--() }"
        " RETURN collect(n.id) AS ids"
    )
    assert alone["ids"] == []
    children = sum(len(kept.chunks) for kept in documents.values())
    assert backend.totals().get("Child", 0) == backend.indexed() == children
    return documents
