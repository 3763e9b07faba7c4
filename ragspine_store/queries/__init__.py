"""Named queries: Cypher as data, in `cypher/`."""

from ragspine_store.queries.catalogue import NamedQuery, get_query, load_queries, queries_of
from ragspine_store.queries.files import Mode, QueryDefinition
from ragspine_store.queries.parameters import Parameter

__all__ = [
    "Mode",
    "NamedQuery",
    "Parameter",
    "QueryDefinition",
    "get_query",
    "load_queries",
    "queries_of",
]
