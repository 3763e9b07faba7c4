"""The read side of the store on a server.

A server keeps no old states, so a transaction does not see the past. It sees every document as it
was when it began, or not at all: one that changed since is left out of all that it reads.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ragspine_store.document_id import split_node_id
from ragspine_store.links import Seed
from ragspine_store.neo4j_store.access import AccessReading
from ragspine_store.neo4j_store.candidates import own_of, read_candidates
from ragspine_store.neo4j_store.copying.reading import KeptReading
from ragspine_store.neo4j_store.links import read_links
from ragspine_store.neo4j_store.nearest import nearest_children
from ragspine_store.neo4j_store.relations.reading import RelationReading
from ragspine_store.neo4j_store.scope import reader_values
from ragspine_store.neo4j_store.search import Ahead, rescored, search
from ragspine_store.neo4j_store.service_jobs import JobReading
from ragspine_store.neo4j_store.texts import read_passages, read_text_windows
from ragspine_store.neo4j_store.transaction import Opened, schema_row
from ragspine_store.neo4j_store.vectors import count_vectors
from ragspine_store.protocols import (
    Branch,
    BranchKey,
    Candidate,
    Census,
    DocumentRow,
    DocumentView,
    Links,
    NodeView,
    Place,
    Scope,
    SectionView,
    Window,
)
from ragspine_store.query import Query
from ragspine_store.records import Hit, Paragraphs, Span, format_locator
from ragspine_store.sensitivity import Reader, Sensitivity, is_known_label, stored_label
from ragspine_store.storage_rules.offsets import unpack_offsets
from ragspine_store.storage_rules.relations.nodes import parts_of_nodes
from ragspine_store.storage_rules.texts import can_be_stored, windows_in_texts
from ragspine_store.vectors import VectorCount, VectorKind


class ReadTransaction(RelationReading, AccessReading, JobReading):
    """Reads inside one open transaction.

    A search reads ahead what is asked for next, so that hits, their rows and their windows come in
    one round trip.

    Args:
        opened: the open transaction.
    """

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._ahead = Ahead()

    @property
    def kept(self) -> KeptReading:
        """All that the store keeps, for a copy."""
        return KeptReading(self._opened.queries)

    def search(self, query: Query, scope: Scope, k: int) -> list[Hit]:
        """The k best hits inside the scope, best first."""
        found = search(self._opened, query, scope, k)
        self._ahead = found.ahead
        return found.hits

    def rescore(self, query: Query, keys: Sequence[int]) -> dict[int, float]:
        """The scores of children for a query as `search` gives them, of those that it finds."""
        return rescored(self._opened, query, keys)

    def nearest(
        self, model: str, vector: Sequence[float], kind: VectorKind, scope: Scope, k: int
    ) -> list[Hit]:
        """The children inside the scope that a vector is nearest to, best first.

        Raises:
            VectorError: it has other dimensions than the store's, or no direction; or the extra
                `embed` is missing.
        """
        return nearest_children(self._opened, model, vector, kind, scope, k)

    def vector_counts(self) -> list[VectorCount]:
        """How far the store is embedded, by the name of the model."""
        return count_vectors(self._opened.queries)

    def candidates(self, hits: Sequence[Hit]) -> list[Candidate]:
        """The rows of the hits, in their order; a vanished one is left out."""
        scores = dict(hits)
        found = {
            key: candidate
            if candidate.score == scores[key]
            else replace(candidate, score=scores[key])
            for key, candidate in self._ahead.candidates.items()
            if key in scores
        }
        missing = [hit.key for hit in hits if hit.key not in found]
        found |= read_candidates(self._opened, missing, scores)
        return [found[hit.key] for hit in hits if hit.key in found]

    def children(self, parent_ids: Sequence[str]) -> dict[str, list[Candidate]]:
        """All current children of each parent id, in document order."""
        families: dict[str, list[str]] = {}
        for parent_id in filter(can_be_stored, parent_ids):
            families.setdefault(split_node_id(parent_id)[0], []).append(parent_id)
        if not families:
            return {}
        rows = self._opened.queries.rows(
            "find_family",
            families=[{"doc_id": d, "parent_ids": parents} for d, parents in families.items()],
        )
        found: dict[str, list[Candidate]] = {}
        keys = [row["key"] for row in rows]
        for candidate in read_candidates(self._opened, keys, {}).values():
            found.setdefault(candidate.chunk.parent_id, []).append(candidate)
        return found

    def first_children(self, node_ids: Sequence[str]) -> dict[str, Candidate]:
        """The first child inside each section, and each child, that a graph node stands for."""
        parts = list(parts_of_nodes(filter(can_be_stored, node_ids)))
        if not parts:
            return {}
        rows = self._opened.queries.rows(
            "find_first_children",
            wanted=[
                {
                    "node": node,
                    "doc_id": doc_id,
                    "section": number if letter == "s" else None,
                    "child": number if letter == "c" else None,
                }
                for node, doc_id, letter, number in parts
            ],
        )
        keys = {row["node"]: row["key"] for row in rows}
        found = read_candidates(self._opened, sorted(set(keys.values())), {})
        return {node: found[key] for node, key in keys.items() if key in found}

    def windows(self, candidates: Sequence[Candidate]) -> dict[str, Window]:
        """The windows of the candidates by chunk id; one that cannot be resolved is left out."""
        found = windows_in_texts(candidates, self.passages)
        texts = [candidate for candidate in candidates if candidate.chunk.window_text]
        return {**found, **read_text_windows(self._opened, texts)}

    def passages(self, places: Sequence[Place]) -> dict[Place, Window]:
        """The texts at the places; one that cannot be resolved is left out."""
        ahead = self._ahead.passages
        found = {place: ahead[place] for place in places if place in ahead}
        return {**found, **read_passages(self._opened, [p for p in places if p not in found])}

    def branches(
        self, candidates: Sequence[Candidate], clearance: Sensitivity
    ) -> dict[BranchKey, Branch]:
        """All branches above the candidates, in one query whatever the depth."""
        hung = sorted({(c.chunk.doc_id, c.node) for c in candidates if c.node is not None})
        rows = self._opened.queries.rows(
            "read_branches",
            hung=[{"doc_id": doc_id, "no": no} for doc_id, no in hung],
            clearance=int(clearance),
        )
        found: dict[BranchKey, Branch] = {}
        for row in rows:
            branch = row["branch"]
            key = BranchKey(branch["doc_id"], branch["no"])
            found[key] = Branch(
                key=key,
                parent=branch["parent"],
                name=branch["name"],
                span=Span(branch["span_start"], branch["span_end"]),
                locator=format_locator(
                    key.doc_id, Paragraphs(branch["para_start"], branch["para_end"])
                ),
                children=branch["children"],
                hides=row["hides"],
            )
        return found

    def links(self, names: Collection[str], seeds: Sequence[Seed], scope: Scope) -> Links:
        """Where names and the references of seeds lead inside the scope, in one query."""
        return read_links(self._opened, names, seeds, scope)

    def find_document(self, doc_id: str) -> DocumentView | None:
        """A document's row and structure; None when there is none, or only a stub."""
        if not can_be_stored(doc_id):
            return None
        row = self._opened.row("read_document", doc_id=doc_id)
        if row is None:
            return None
        document, pieces = row["document"], row["pieces"]
        label = document["sensitivity"]
        root = SectionView(
            0,
            None,
            0,
            document["heading"],
            Span(0, document["span_end"]),
            own_of(document["root_label"], label),
        )
        first = document["first_key"]
        keys = range(first, first + document["children"])
        return DocumentView(
            doc_id=doc_id,
            title=document["title"],
            collection=document["collection"],
            sensitivity=label,
            version=document["version"],
            chunker=document["chunker"],
            text="".join(pieces) if pieces else None,
            offsets=unpack_offsets(document["offsets"]) if document["offsets"] else None,
            pages=tuple(document["pages"]),
            sections=(
                # One from before the record has no structure.
                *(() if document["own_end"] is None else (root,)),
                *(
                    SectionView(
                        s["no"],
                        s["parent"],
                        s["level"],
                        s["heading"],
                        Span(s["span_start"], s["span_end"]),
                        own_of(s["sensitivity"], label),
                    )
                    for s in row["sections"]
                ),
            ),
            nodes=tuple(NodeView(name, Span(start, end)) for name, start, end in row["branches"]),
            chunks=tuple(read_candidates(self._opened, keys, {}).values()),
        )

    def visible_documents(self, reader: Reader, after: str, limit: int) -> list[DocumentRow]:
        """Documents that this reader may see, by id, behind an id."""
        if not can_be_stored(after):
            return []
        rows = self._opened.rows(
            "list_visible",
            **reader_values(reader),
            after=after,
            limit=limit,
        )
        return [
            DocumentRow(d["doc_id"], d["title"], d["collection"], d["sensitivity"], d["version"])
            for d in (row["document"] for row in rows)
            if d is not None
        ]

    def visible_counts(self, reader: Reader) -> tuple[int, int]:
        """How many documents and children this reader may see."""
        row = self._opened.row(
            "count_visible",
            **reader_values(reader),
        )
        row = schema_row(row)
        return row["documents"], row["children"]

    def census(self) -> Census:
        """Counts for the operator."""
        row = self._opened.queries.row("count_all")
        assert row is not None
        restricted = Sensitivity.RESTRICTED
        documents = [(stored_label(label), n) for label, n in row["documents"]]
        return Census(
            documents=sum(n for level, n in documents if level < restricted),
            chunks=sum(
                n
                for label, above, n in row["children"]
                if max(stored_label(label), stored_label(above)) < restricted
            ),
            restricted_documents=sum(n for level, n in documents if level is restricted),
            stubs=row["stubs"],
            restricted_parts=sum(
                n for label, n in row["own_labels"] if stored_label(label) is restricted
            ),
            unknown_labels=sum(n for label, _, n in row["children"] if not is_known_label(label)),
            missing_windows=row["missing_windows"],
            missing_branches=row["missing_branches"],
            erasure_pending=row["is_pending"],
            copy_unfinished=row["is_unfinished"],
        )

    def change_counter(self) -> int:
        """A number that is another one after each write transaction that changed anything."""
        # What a transaction has changed itself may never stand: no other state has that number.
        return -self._opened.state if self._opened.is_writing else self._opened.state

    def withheld_documents(self) -> list[tuple[str, Sensitivity]]:
        """Ids and labels of RESTRICTED documents kept with their text, by id; operators only."""
        rows = self._opened.queries.rows("document_labels")
        labelled = ((row["doc_id"], stored_label(row["sensitivity"])) for row in rows)
        return [(doc_id, level) for doc_id, level in labelled if level is Sensitivity.RESTRICTED]
