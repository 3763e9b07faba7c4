"""`REFERS_TO`: references linked to every part that may answer them, for those who explore.

The store itself answers references as it reads. In the graph each link says what comes before its
part: it counts for a reader who sees none of that. Where whoever sees a part sees something before
it too, it answers nobody, so that few links are needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ragspine_store.graph_scheme import relationship_type
from ragspine_store.neo4j_store.relations.places import Place
from ragspine_store.neo4j_store.relations.rows import PlaceRow
from ragspine_store.neo4j_store.rows import document_node
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.relations import REFERS_TO, EdgeKey, Provenance


class Seen(NamedTuple):
    """By whom something is seen: from which clearance on, and in which collection."""

    clearance: int
    collection: str

    def covers(self, other: Seen) -> bool:
        """Whether whoever sees the other sees this."""
        return self.collection == other.collection and self.clearance <= other.clearance


class Answer(NamedTuple):
    """A part that may answer a reference, and what comes before it."""

    node: str
    before: Sequence[Seen]


class _Document(NamedTuple):
    """A document that references may point into."""

    doc_id: str
    seen: Seen


def answers(
    documents: Iterable[tuple[str, Seen]], parts: Mapping[str, Sequence[tuple[str, Seen]]]
) -> Iterator[Answer]:
    """The parts that may answer a reference, each for some reader.

    Args:
        documents: ids of those of its title, in the order in which they are asked.
        parts: those of its address by document, in their order.

    >>> secret, open_ = Seen(2, "x"), Seen(1, "x")
    >>> found = answers([("a", secret), ("b", open_), ("c", open_)], {"a": [("a1", secret)],
    ...     "b": [("b1", open_)], "c": [("c1", open_)]})
    >>> [(one.node, [seen.clearance for seen in one.before]) for one in found]
    [('a1', []), ('b1', [2])]
    """
    documents_before: list[Seen] = []
    for doc_id, seen in documents:
        if any(before.covers(seen) for before in documents_before):
            continue
        parts_before: list[Seen] = []
        for node, part_seen in parts.get(doc_id, ()):
            if not any(before.covers(part_seen) for before in (*documents_before, *parts_before)):
                yield Answer(node, [*documents_before, *parts_before])
                parts_before.append(part_seen)
        documents_before.append(seen)


def link_references(
    queries: Queries, titles: Collection[str], doc_ids: Collection[str]
) -> list[PlaceRow]:
    """Unlink references of these titles and in these documents; the links to be made instead."""
    rows = queries.rows("unlink_references", titles=sorted(titles), doc_ids=sorted(doc_ids))
    references: list[Place] = [row["reference"] for row in rows]
    if not references:
        return []
    titled: dict[str, list[_Document]] = {}
    own: dict[str, _Document] = {}
    asked = {reference["title"] for reference in references} - {""}
    within = {reference["doc_id"] for reference in references if not reference["title"]}
    for row in queries.rows("read_titled", titles=sorted(asked), doc_ids=sorted(within)):
        document = _Document(row["doc_id"], Seen(row["clearance"], row["collection"]))
        if row["title"] is None:
            own[document.doc_id] = document
        else:
            titled.setdefault(row["title"], []).append(document)
    into = [_documents(reference, titled, own) for reference in references]
    parts = _parts(queries, zip(references, into, strict=True))
    return [
        _link(reference, answer)
        for reference, documents in zip(references, into, strict=True)
        for answer in answers(documents, parts[reference["address"]])
    ]


def _documents(
    reference: Place, titled: Mapping[str, Sequence[_Document]], own: Mapping[str, _Document]
) -> list[_Document]:
    """The documents that a reference may point into, in the order in which they are asked."""
    if not reference["title"]:
        return [own[reference["doc_id"]]] if reference["doc_id"] in own else []
    collection = reference["collection"]
    return sorted(
        titled.get(reference["title"], ()),
        key=lambda one: (one.seen.collection != collection, one.doc_id),
    )


_Parts = dict[str, dict[str, list[tuple[str, Seen]]]]


def _parts(queries: Queries, references: Iterable[tuple[Place, Sequence[_Document]]]) -> _Parts:
    """The parts of each address by document, in their order."""
    found: _Parts = {}
    asked: dict[tuple[str, str], _Document] = {}
    for reference, documents in references:
        address = reference["address"]
        of_address = found.setdefault(address, {})
        for document in documents:
            if address:
                asked[document.doc_id, address] = document
            else:
                of_address[document.doc_id] = [(document_node(document.doc_id), document.seen)]
    rows = queries.rows(
        "read_addressed",
        asked=[{"doc_id": doc_id, "address": address} for doc_id, address in sorted(asked)],
    )
    for row in rows:
        doc_id, address = row["doc_id"], row["address"]
        seen = Seen(row["clearance"], asked[doc_id, address].seen.collection)
        found[address].setdefault(doc_id, []).append((row["node"], seen))
    return found


def _link(reference: Place, answer: Answer) -> PlaceRow:
    key = EdgeKey(reference["source"], REFERS_TO, answer.node, Provenance.RULE)
    kept = {name: value for name, value in reference.items() if name not in _OF_REFERENCES}
    return PlaceRow(
        key.source,
        key.target,
        relationship_type(key),
        {
            **kept,
            "reference": reference["id"],
            "edge_id": key.edge_id,
            "kind": REFERS_TO,
            "provenance": Provenance.RULE.value,
            "stale": False,
            "before_clearances": [seen.clearance for seen in answer.before] or None,
            "before_collections": [seen.collection for seen in answer.before] or None,
        },
    )


_OF_REFERENCES = {"id", "source", "title", "address"}
