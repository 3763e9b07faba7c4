"""A scope as the parameters of a query."""

from __future__ import annotations

from ragspine_store.neo4j_store.rows import document_node
from ragspine_store.protocols import Scope
from ragspine_store.sensitivity import Reader
from ragspine_store.storage_rules.texts import can_be_stored, fold_heading


def reader_values(reader: Reader) -> dict[str, object]:
    """The parameters that a query about what a reader sees takes."""
    collections = reader.collections
    return {
        "clearance": int(reader.clearance),
        "collections": None if collections is None else sorted(filter(can_be_stored, collections)),
    }


def scope_values(scope: Scope) -> dict[str, object]:
    """The parameters that a query about a scope takes."""
    filters = {key: list(filter(can_be_stored, scope.filters[key])) for key in scope.filters}
    sections = filters.pop("section", None)
    return {
        **reader_values(scope.reader),
        "filters": filters,
        "sections": None if sections is None else list(map(_section_node, sections)),
        "headings": list(map(fold_heading, sections or ())),
    }


def _section_node(name: str) -> str:
    """Id of the node that a section's id names; section 0 is the document itself."""
    return document_node(name.removesuffix("#s0")) if name.endswith("#s0") else f"section:{name}"
