"""The nearest children: an index looks further than is wanted, and what it gives is scored exactly.

An index of vectors is approximate, and what a reader may not see takes places in what it gives. So
it is asked for many more than are wanted; where too few of those may be shown, all vectors that are
inside the scope are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from neo4j import Record

from ragspine_store.neo4j_store.scope import scope_values
from ragspine_store.neo4j_store.transaction import Opened, schema_row
from ragspine_store.protocols import Scope
from ragspine_store.records import Hit
from ragspine_store.sensitivity import Reader
from ragspine_store.storage_rules.nearness import Near, best_of
from ragspine_store.storage_rules.vector_parts import check_dimensions, require_numpy
from ragspine_store.vectors import VectorKind

if TYPE_CHECKING:
    from ragspine_store.storage_rules.cosine import Doubles

_INDEXES = {
    VectorKind.CHILD: "ragspine_child_vectors",
    VectorKind.PARENT: "ragspine_parent_vectors",
}
# The index is asked for at least so many, which costs it little. A store of fewer is compared
# whole, since an index may miss some of many that are alike.
_LOOK = 512
_LOOK_NARROWED = 1024
# So many times what is wanted are scored exactly, since an index scores roughly; all that it gives
# where a reader may not see some of it.
_SCORED_FOR_EACH = 4
_SCORED = 64
_WHOLE = 0
# The server scores in single precision: so many below the last one might belong above it.
_MARGIN = 16


def nearest_children(
    opened: Opened,
    model: str,
    vector: Sequence[float],
    kind: VectorKind,
    scope: Scope,
    k: int,
) -> list[Hit]:
    """The children inside a scope that a vector is nearest to; see `StoreReader.nearest`."""
    require_numpy()
    from ragspine_store.storage_rules.cosine import unit_vector  # noqa: PLC0415 the extra

    unit = unit_vector(vector)
    is_narrowed = bool(scope.filters) or scope.reader != Reader()
    wanted = max(_SCORED, _SCORED_FOR_EACH * k)
    look = max(_LOOK_NARROWED if is_narrowed else _LOOK, wanted)
    values = {
        "model": model,
        "kind": kind.value,
        "vector": unit.tolist(),
        "index": _INDEXES[kind],
        "scored": look if is_narrowed else wanted,
        "limit": k + _MARGIN,
        **scope_values(scope),
    }
    row = schema_row(opened.row("nearest_vectors", look=look, **values))
    if row["dimensions"] is None:
        return []
    check_dimensions(model, len(unit), row["dimensions"])
    certain = sum(hit["score"] > row["worst"] for hit in row["hits"])
    if not row["is_whole"] and certain < k:
        row = schema_row(opened.row("nearest_vectors", look=_WHOLE, **values))
    return best_of(_near(row, unit), k)


def _near(row: Record, unit: Doubles) -> Iterator[Near]:
    from ragspine_store.storage_rules.cosine import exact_cosines, rows_of  # noqa: PLC0415 the extra

    hits = row["hits"]
    cosines = exact_cosines(rows_of([hit["vector"] for hit in hits], len(unit)), unit)
    for hit, cosine in zip(hits, cosines.tolist(), strict=True):
        for key, seq in hit["family"]:
            yield Near(cosine, hit["doc_id"], hit["first"], seq, key)
