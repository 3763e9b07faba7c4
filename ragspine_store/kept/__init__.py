"""All that a store keeps, as values that no backend shapes: what is copied from one to another."""

from ragspine_store.kept.digest import Tally, bag, digest_of
from ragspine_store.kept.documents import (
    KeptBranch,
    KeptChild,
    KeptDocument,
    KeptSection,
    KeptStub,
)
from ragspine_store.kept.logs import KeptLogs, KeptVerdict, LoweredLabel
from ragspine_store.kept.protocols import KeptReader, KeptWriter
from ragspine_store.kept.relations import (
    KeptAddress,
    KeptAnswer,
    KeptOrigin,
    KeptProfile,
    KeptReference,
    KeptRejection,
    KeptRelation,
    KeptRelations,
)

__all__ = [
    "KeptAddress",
    "KeptAnswer",
    "KeptBranch",
    "KeptChild",
    "KeptDocument",
    "KeptLogs",
    "KeptOrigin",
    "KeptProfile",
    "KeptReader",
    "KeptReference",
    "KeptRejection",
    "KeptRelation",
    "KeptRelations",
    "KeptSection",
    "KeptStub",
    "KeptVerdict",
    "KeptWriter",
    "LoweredLabel",
    "Tally",
    "bag",
    "digest_of",
]
