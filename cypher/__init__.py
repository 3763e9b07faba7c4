"""The project's Cypher as package data; `ragspine_store.queries` loads it."""
