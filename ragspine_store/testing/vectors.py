"""Vectors made for tests: of each text one of its own, so that equal texts have equal ones."""

from __future__ import annotations

import dataclasses
import hashlib
import random
import struct
from collections.abc import Iterable, Mapping, Sequence

from ragspine_store.protocols import Candidate, Scope, Store
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader
from ragspine_store.vectors import PartVector, VectorCount, VectorKind

MODEL = "model one"
OTHER = "model two"
DIMENSIONS = {MODEL: 4, OTHER: 3}
CHILD, PARENT = VectorKind.CHILD, VectorKind.PARENT


def embed(text: str, model: str = MODEL) -> list[float]:
    """The vector of a text: of unit length, in any direction."""
    chance = random.Random(f"{model}: {text}")
    numbers = [chance.gauss(0, 1) for _ in range(DIMENSIONS[model])]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


def hash_of(text: str) -> bytes:
    """The hash of a text, as vectors carry it."""
    return hashlib.sha256(text.encode()).digest()


def values_of(numbers: Sequence[float]) -> bytes:
    """Numbers as vectors carry them."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def part_vector(kind: VectorKind, seq: int, text: str, model: str = MODEL) -> PartVector:
    """The vector of a part whose text is given."""
    return PartVector(model, kind, seq, hash_of(text), values_of(embed(text, model)))


def vectors_of(document: PreparedDocument, *models: str) -> list[PartVector]:
    """The vectors of all children and parents of a document, by one model unless more are named."""
    text = document.loaded.text
    firsts = {c.window: c.seq for c in reversed(document.chunks) if c.window is not None}
    parts = [(CHILD, chunk.seq, chunk.text) for chunk in document.chunks]
    parts += [(PARENT, seq, text[slice(*window)]) for window, seq in firsts.items()]
    return [part_vector(*part, model) for model in models or (MODEL,) for part in parts]


def embedded(document: PreparedDocument, *models: str) -> PreparedDocument:
    """A document with vectors of all its parts."""
    return dataclasses.replace(document, vectors=vectors_of(document, *models))


def near(
    store: Store,
    text: str,
    *,
    kind: VectorKind = CHILD,
    k: int = 10,
    model: str = MODEL,
    reader: Reader | None = None,
    filters: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, float]:
    """Ids of the children that a text's vector is nearest to, with their scores, best first."""
    with store.reading() as transaction:
        scope = Scope(reader or Reader(), filters or {})
        hits = transaction.nearest(model, embed(text, model), kind, scope, k)
        candidates = transaction.candidates(hits)
    assert [c.key for c in candidates] == [hit.key for hit in hits]
    return {c.chunk.chunk_id: c.score for c in candidates}


def cosine(one: str, other: str, model: str = MODEL) -> float:
    """The cosine of the vectors of two texts."""
    pairs = zip(embed(one, model), embed(other, model), strict=True)
    return sum(a * b for a, b in pairs)


def ranked(children: Iterable[Candidate], text: str, k: int = 10) -> dict[str, float]:
    """Ids of the k children nearest to a text, reckoned without a store."""
    scores = [(-cosine(text, c.chunk.text), c.chunk.doc_id, c.chunk.seq) for c in children]
    return {f"{doc_id}#c{seq}": -score for score, doc_id, seq in sorted(scores)[:k]}


def counts(store: Store) -> list[VectorCount]:
    """How far a store is embedded."""
    with store.reading() as transaction:
        return transaction.vector_counts()


def kept_vectors(store: Store, doc_id: str) -> set[tuple[str, VectorKind, int]]:
    """Which vectors are kept of a document: model, kind and position of each."""
    with store.reading() as transaction:
        document = transaction.kept.document(doc_id)
    return {(v.model, v.kind, v.seq) for v in document.vectors} if document else set()
