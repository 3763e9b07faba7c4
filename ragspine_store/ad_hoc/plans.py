"""What a server's plan of an ad-hoc query may hold, as EXPLAIN gives it.

The words of a query tell what it says, its plan what the server made of it. `LOAD CSV` counts as a
read and runs in READ mode, so neither the kind of the query nor the mode keeps it out: every
operator of the plan has to be listed here, and what a newer server brings is refused until it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ragspine_store.ad_hoc.screening import PROCEDURES
from ragspine_store.errors import CypherError

# Operators that find nodes and relationships by label, type, id or index end so.
_FINDS = ("Scan", "ByIdSeek", "IndexSeek", "IndexSeekByRange", "CountFromCountStore")
_READS = frozenset(
    {
        *("ProduceResults", "EmptyRow", "Argument", "Projection", "CacheProperties", "Input"),
        *("Filter", "Distinct", "OrderedDistinct", "Limit", "ExhaustiveLimit", "Skip", "Optional"),
        *("Sort", "PartialSort", "Top", "PartialTop", "Top1WithTies", "Eager"),
        *("EagerAggregation", "OrderedAggregation", "Unwind", "PartitionedUnwind", "Union"),
        *("OrderedUnion", "Expand", "OptionalExpand", "VarLengthExpand", "Repeat", "BFS"),
        *("ShortestPath", "StatefulShortestPath", "ProjectEndpoints", "PathPropagatingBFS"),
        *("CartesianProduct", "Apply", "SemiApply", "AntiSemiApply", "LetSemiApply"),
        *("LetAntiSemiApply", "SelectOrSemiApply", "SelectOrAntiSemiApply", "RollUpApply"),
        *("LetSelectOrSemiApply", "LetSelectOrAntiSemiApply", "ConditionalApply"),
        *("AntiConditionalApply", "ArgumentTracker", "NodeHashJoin", "ValueHashJoin"),
        *("NodeLeftOuterHashJoin", "NodeRightOuterHashJoin", "AssertSameNode", "TriadicSelection"),
        *("TriadicBuild", "TriadicFilter", "TriadicSelectionBuild", "TriadicSelectionFilter"),
        "RemoteBatchProperties",
    }
)
_CALL = "ProcedureCall"


class PlanStep(NamedTuple):
    """One operator of a plan: its name, and what the server says about it."""

    operator: str
    details: str


def refuse_plan(steps: Iterable[PlanStep], query_type: str) -> None:
    """Refuse a query by its plan.

    Args:
        steps: every operator.
        query_type: as the server says: `r` for one that reads.

    Raises:
        CypherError: it does not only read, or its plan holds an operator or a procedure that is
            not listed.

    >>> refuse_plan([PlanStep("ProduceResults@neo4j", "n"), PlanStep("AllNodesScan", "n")], "r")
    """
    if query_type != "r":
        raise CypherError(
            f"the query is refused: the server takes it for one of type {query_type!r}; expected "
            "one that only reads"
        )
    for operator, details in steps:
        name = operator.partition("@")[0].partition("(")[0]
        if name == _CALL and details.partition("(")[0].strip().casefold() in PROCEDURES:
            continue
        if name not in _READS and not name.endswith(_FINDS):
            raise CypherError(
                f"the query is refused: its plan holds the operator {name!r}; expected those that "
                "read the graph alone"
            )
