"""What becomes of relations when their document changes.

A change of text takes all that rules made of it, to be made anew. What a model found is looked for
by its quote: found, it moves to where the quote stands now; otherwise it stays, marked as stale,
under the label that its text had last. What was deleted or became RESTRICTED takes everything with
it, stale evidence too, since nobody can tell any more from which part that came.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from ragspine_store.neo4j_store.relations.links import link_references
from ragspine_store.neo4j_store.relations.places import chunks_of, span_of
from ragspine_store.neo4j_store.relations.reanchoring import attach, detach
from ragspine_store.neo4j_store.relations.rows import PlaceRow
from ragspine_store.neo4j_store.relations.targets import read_target
from ragspine_store.neo4j_store.relations.verdicts import append_entry
from ragspine_store.neo4j_store.rows import Row, batches, document_node
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.records import PreparedDocument
from ragspine_store.relation_protocols import VerdictEntry
from ragspine_store.relations import EdgeKey, Provenance, Verdict
from ragspine_store.storage_rules.relations.checks import edge_hash
from ragspine_store.storage_rules.relations.nodes import moved_node
from ragspine_store.storage_rules.stub_key import Name
from ragspine_store.storage_rules.texts import fold_heading


class RelationChanges:
    """Keeps the graph in step with its documents, inside one write transaction.

    Args:
        opened: the open transaction.
        name: makes the hashes of the verdict log.
    """

    def __init__(self, opened: Opened, name: Name) -> None:
        self._queries = opened.queries
        self._name = name

    def outdate_rules(self, doc_id: str) -> None:
        """Note that a document has another label: what rules found has to be made anew.

        Until then it stands.
        """
        self._queries.run("note_rules", doc_id=doc_id, rules="")
        self.show_clearances(doc_id)
        self.link(self.titles_of(doc_id), doc_id)

    def note_relabelled_part(self, doc_id: str) -> None:
        """Note that a part of a document has another label now."""
        titles = self.titles_of(doc_id)
        if self._fold_title(doc_id) == doc_id:
            # A document that is called by its id may be so because its title is withheld.
            self._queries.run("delete_titles", doc_id=doc_id)
        self._queries.run("note_rules", doc_id=doc_id, rules="")
        self.show_clearances(doc_id)
        self.link(titles, doc_id)

    def _fold_title(self, doc_id: str) -> str:
        row = self._queries.row("find_title", doc_id=doc_id)
        assert row is not None
        title: str = row["title"]
        self._queries.run("fold_title", doc_id=doc_id, folded=fold_heading(title))
        return title

    def forget(self, doc_id: str) -> None:
        """Take away all that rests on a document which is deleted or RESTRICTED, and its name.

        Nothing of it has been removed yet.
        """
        titles = self.titles_of(doc_id)
        row = self._queries.row("forget_parts", doc_id=doc_id, seqs=None, nos=None)
        named = self._queries.row("forget_document", doc_id=doc_id)
        assert row is not None
        assert named is not None
        self.drop_unused([*row["ids"], *named["ids"]])
        self.link(titles)

    def forget_restricted(self, doc_id: str) -> None:
        """Take away what rests on RESTRICTED parts of a document."""
        target = read_target(self._queries, doc_id)
        if target is None:
            return
        titles = self.titles_of(doc_id)
        rests = self._queries.rows("read_rests", doc_id=doc_id)
        gone = [
            row
            for row in rests
            if row["place"]["stale"]
            or not target.is_open(chunks_of(row["place"]), span_of(row["place"]))
        ]
        keys = [row["key"] for row in gone if not row["is_node"]]
        ends = self._queries.row("ends_of_places", keys=keys)
        self._queries.run("delete_places", keys=keys)
        self._queries.run("delete_rests", keys=[row["key"] for row in gone if row["is_node"]])
        self._queries.run("note_rules", doc_id=doc_id, rules="")
        # Its titles may have stood in what is withheld now.
        self._queries.run("delete_titles", doc_id=doc_id)
        parts = self._queries.row(
            "forget_parts",
            doc_id=doc_id,
            seqs=target.closed_children,
            nos=target.closed_sections,
        )
        assert ends is not None
        assert parts is not None
        self.drop_unused([*ends["ids"], *parts["ids"]])
        self._fold_title(doc_id)
        self.link(titles, doc_id)

    @contextmanager
    def replacing(self, document: PreparedDocument) -> Generator[None]:
        """Replace a document inside; what models found in it is found again in its new text."""
        doc_id = document.meta.doc_id
        detached = detach(self._queries, doc_id)
        titles: list[str] = []
        if detached is not None:
            titles = self.titles_of(doc_id)
            detached.unused.update(self.clear_rules(doc_id))
            self.drop_unused([document_node(doc_id)])
        yield
        if detached is not None:
            self.add_places(attach(self._queries, detached, document))
            self.drop_unused(detached.unused)
            self.show_clearances(doc_id)
            self.link(titles)

    def make_way(self, doc_id: str) -> None:
        """Take away what names a document that is not in the store, before it gets that name."""
        row = self._queries.row("forget_name", doc_id=doc_id)
        assert row is not None
        self.drop_unused([document_node(doc_id), *row["ids"]])

    def move(self, old_id: str, doc_id: str) -> None:
        """Let relations follow a document that has another id now; rules are to be made anew."""
        titles = self.titles_of(old_id)
        unused = self.clear_rules(old_id)
        self._queries.run("note_rules", doc_id=doc_id, rules="")
        self._queries.run("move_derived", old=old_id, new=doc_id)
        terms = self._queries.rows("read_terms", doc_id=doc_id)
        self._queries.run(
            "rename_terms",
            rows=[
                {"before": row["id"], "after": moved_node(row["id"], old_id, doc_id)}
                for row in terms
            ],
        )
        self._rekey(doc_id)
        self._fold_title(doc_id)
        self.drop_unused(unused)
        self.show_clearances(doc_id)
        self.link(titles)

    def _rekey(self, doc_id: str) -> None:
        """Give edges the key that their ends tell; they take their last verdict along."""
        rows: list[Row] = []
        hashes: dict[str, str] = {}
        for row in self._queries.rows("read_places_of_parts", doc_id=doc_id):
            place = row["place"]
            key = EdgeKey(
                row["source"], place["kind"], row["target"], Provenance(place["provenance"])
            )
            properties: Row = {"edge_id": key.edge_id}
            hash_after = edge_hash(key, self._name)
            if hash_after:
                properties["edge_hash"] = hash_after
                hashes[place["edge_hash"]] = hash_after
            rows.append({"key": row["key"], "properties": properties})
        for batch in batches(iter(rows)):
            self._queries.run("rekey_places", rows=batch)
        for row in self._queries.rows("last_verdicts", hashes=sorted(hashes)):
            last = row["entry"]
            entry = VerdictEntry(
                0,
                hashes[row["edge_hash"]],
                last["document_hash"],
                Verdict(last["verdict"]),
                last["reviewer"],
                last["note"],
                last["at"],
                "",
            )
            append_entry(self._queries, entry)

    def clear_rules(self, doc_id: str) -> list[str]:
        """Take away all that rules found in a document; the ends of edges that went."""
        row = self._queries.row("clear_rules", doc_id=doc_id)
        assert row is not None
        return row["ids"]

    def titles_of(self, doc_id: str) -> list[str]:
        """Under which titles a document is referred to."""
        return [row["title"] for row in self._queries.rows("read_titles", doc_id=doc_id)]

    def link(self, titles: Iterable[str], *doc_ids: str) -> None:
        """Link references of these titles, and in these documents, to what answers them now."""
        titles = set(titles)
        if titles or doc_ids:
            self.add_places(link_references(self._queries, titles, doc_ids))

    def add_places(self, rows: Iterable[PlaceRow]) -> None:
        """Add places that state edges; edges of models show the last verdict on them."""
        rows = list(rows)
        hashes = sorted({row.edge_hash for row in rows} - {""})
        logged = self._queries.rows("last_verdicts", hashes=hashes) if hashes else []
        entries = {row["edge_hash"]: row["entry"] for row in logged}
        for row in rows:
            entry = entries.get(row.edge_hash)
            if entry is not None:
                row.properties.update(
                    verified=entry["verdict"],
                    reviewer=entry["reviewer"],
                    note=entry["note"],
                    reviewed_at=entry["at"],
                )
        rows.sort(key=lambda row: (row.source, row.target, row.properties["edge_id"]))
        for batch in batches(row._asdict() for row in rows):
            self._queries.run("create_places", rows=batch)

    def drop_unused(self, ids: Iterable[str]) -> None:
        """Take away those nodes that no edge names any more and that are no part of a document."""
        rows = sorted(set(ids))
        if rows:
            self._queries.run("drop_unused", ids=rows)

    def show_clearances(self, doc_id: str) -> None:
        """Show at what was made of a document who may see it now."""
        self._queries.run("show_clearances", doc_id=doc_id)
        self.show_terms([doc_id])

    def show_terms(self, doc_ids: Iterable[str]) -> None:
        """Show at the terms that documents define who may see them now."""
        if doc_ids := sorted(set(doc_ids)):
            self._queries.run("show_terms", doc_ids=doc_ids)
