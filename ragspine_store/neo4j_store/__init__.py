"""The store on a Neo4j server; the only package that imports `neo4j`."""

from ragspine_store.neo4j_store.store import Neo4jStore

__all__ = ["Neo4jStore"]
