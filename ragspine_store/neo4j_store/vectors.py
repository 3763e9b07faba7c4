"""Vectors on the server: written, found by their text, counted, removed."""

from __future__ import annotations

import struct
from abc import ABC
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ragspine_store.neo4j_store.transaction import Opened, Queries
from ragspine_store.records import Span
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.texts import can_be_stored
from ragspine_store.storage_rules.vector_parts import (
    LabelledChild,
    Parent,
    check_dimensions,
    dimensions_by_model,
    embeddable_parts,
    parents_of,
)
from ragspine_store.vectors import (
    BYTES_PER_NUMBER,
    MissingVectors,
    PartVector,
    VectorCount,
    VectorKind,
)

Properties = Mapping[str, Any]  # the driver gives untyped values

_BATCH_NUMBERS = 400_000
"""How many numbers go to the server in one query."""


class DocumentVectors:
    """The parts of one document and its vectors, as they are now.

    Args:
        queries: runs queries in an open write transaction.
        doc_id: of a document that is there.
    """

    def __init__(self, queries: Queries, doc_id: str) -> None:
        self._queries = queries
        row = queries.row("read_vector_parts", doc_id=doc_id)
        assert row is not None
        self._vectors: list[tuple[str, str, int]] = row["vectors"]
        self._keys: dict[int, int] = {c["seq"]: c["hit_key"] for c in row["children"]}
        document: Properties = row["document"]
        sections = [(Span(start, end), label) for start, end, label in row["sections"]]
        sections.append((Span(0, document["span_end"]), document["root_label"]))
        labelled, parents = parts_of(document["sensitivity"], sections, row["children"])
        self._embeddable = embeddable_parts(labelled, parents.values())
        self._families: defaultdict[int, list[int]] = defaultdict(list)
        for child in labelled:
            if child.window is not None:
                self._families[parents[child.window].first].append(self._keys[child.seq])

    def write(self, vectors: Sequence[PartVector]) -> None:
        """Write vectors, each in place of the one of its model and part.

        Those of RESTRICTED parts are never sent.

        Raises:
            VectorError: they have other dimensions than the store's of their model.
        """
        for model, given in dimensions_by_model(vectors).items():
            row = self._queries.row("find_dimensions", model=model)
            check_dimensions(model, given, row["dimensions"] if row else given)
        rows = (self._row(v) for v in vectors if (v.kind, v.seq) in self._embeddable)
        size = max(_BATCH_NUMBERS // max((v.dimensions for v in vectors), default=1), 1)
        while batch := list(islice(rows, size)):
            self._queries.run("write_vectors", rows=batch)

    def remove_restricted(self, others: Collection[int] = ()) -> None:
        """Remove the vectors of what is RESTRICTED by now, and of other children by their keys."""
        outdated = {(VectorKind.CHILD, s) for s, key in self._keys.items() if key in others}
        kept = self._embeddable - outdated
        removed = [n for n, kind, seq in self._vectors if (VectorKind(kind), seq) not in kept]
        if removed:
            self._queries.run("delete_vectors", ids=removed)

    def _row(self, vector: PartVector) -> dict[str, object]:
        first = self._keys[vector.seq]
        keys = [first] if vector.kind is VectorKind.CHILD else self._families[vector.seq]
        return {
            "id": f"vector:{vector.kind.value}:{first}:{vector.model}",
            "keys": keys,
            "properties": {
                "model": vector.model,
                "kind": vector.kind.value,
                "seq": vector.seq,
                "text_hash": vector.text_hash.hex(),
                "dimensions": vector.dimensions,
                f"{vector.kind.value}_vector": numbers_of(vector.values),
            },
        }


def parts_of(
    document: str, sections: Iterable[tuple[Span, str]], children: Iterable[Properties]
) -> tuple[list[LabelledChild], dict[Span, Parent]]:
    """Children of a document as vectors need them, and its parents.

    Args:
        document: its label.
        sections: spans and labels of those with a label of their own.
        children: their properties.
    """
    level = stored_label(document)
    strict = [(span, found) for span, label in sections if (found := stored_label(label)) > level]
    labelled = [_labelled(child, level, strict) for child in children]
    return labelled, parents_of(labelled, strict, level)


def numbers_of(values: bytes) -> list[float]:
    """A vector as the server keeps it."""
    return list(struct.unpack(f"<{len(values) // BYTES_PER_NUMBER}f", values))


def values_of(numbers: Sequence[float]) -> bytes:
    """A vector as it was given."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def _labelled(
    child: Properties, document: int, sections: Iterable[tuple[Span, int]]
) -> LabelledChild:
    start, end, window_start, window_end = (
        child[name] for name in ("span_start", "span_end", "window_start", "window_end")
    )
    span = None if start is None else Span(start, end)
    labels = [document, child["clearance"], stored_label(child["sensitivity"])]
    if child["is_erased"]:
        labels.append(Sensitivity.RESTRICTED)
    if span is not None:
        labels += [level for extent, level in sections if extent.contains(span)]
    window = None if window_start is None else Span(window_start, window_end)
    return LabelledChild(child["seq"], max(labels), span, window)


class VectorWriting(ABC):
    """The part of a write transaction that changes vectors; see `StoreWriter`."""

    _opened: Opened

    def find_vectors(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values of a model's vectors by the hash of the text, wherever that text stands."""
        wanted = [text_hash.hex() for text_hash in hashes]
        if not wanted:
            return {}
        rows = self._opened.queries.rows("find_vectors", model=model, hashes=wanted)
        return {bytes.fromhex(row["text_hash"]): values_of(row["vector"]) for row in rows}

    def put_vectors(self, doc_id: str, version: int, vectors: Sequence[PartVector]) -> bool:
        """Write vectors of a document, each in place of the one of its model and part.

        Returns:
            False, and nothing changes, when the document is of another version by now, RESTRICTED,
            or gone.

        Raises:
            VectorError: they have other dimensions than the store's of their model.
        """
        if not can_be_stored(doc_id):
            return False
        row = self._opened.queries.row("find_document_state", doc_id=doc_id)
        if row is None or row["document"]["version"] != version:
            return False
        if stored_label(row["document"]["sensitivity"]) is Sensitivity.RESTRICTED:
            return False
        DocumentVectors(self._opened.queries, doc_id).write(vectors)
        return True

    def missing_vectors(self, model: str) -> list[MissingVectors]:
        """Documents with a child that is not RESTRICTED and has no vector of a model, by id."""
        rows = self._opened.queries.rows("missing_vectors", model=model)
        return sorted(MissingVectors(row["doc_id"], row["version"]) for row in rows)

    def drop_vectors(self, keep: Collection[str]) -> int:
        """Remove the vectors of all models but these; how many there were."""
        row = self._opened.queries.row("drop_vectors", keep=list(keep))
        assert row is not None
        return row["dropped"]


def count_vectors(queries: Queries) -> list[VectorCount]:
    """How far the store is embedded, by the name of the model."""
    return sorted(
        VectorCount(row["model"], row["dimensions"], row["children"])
        for row in queries.rows("count_vectors")
    )


def kept_vectors(
    document: str,
    sections: Iterable[tuple[Span, str]],
    children: Sequence[Properties],
    vectors: Iterable[Properties],
) -> Iterator[PartVector]:
    """The vectors of a document but of RESTRICTED parts, in one order; parameters as `parts_of`."""
    labelled, parents = parts_of(document, sections, children)
    embeddable = embeddable_parts(labelled, parents.values())
    for stored in sorted(vectors, key=lambda v: (v["model"], v["kind"], v["seq"])):
        kind = VectorKind(stored["kind"])
        if (kind, stored["seq"]) in embeddable:
            yield PartVector(
                stored["model"],
                kind,
                stored["seq"],
                bytes.fromhex(stored["text_hash"]),
                values_of(stored["vector"]),
            )
