from neo4j import Driver
from neo4j_graphrag.components.types import LexicalGraphConfig, Neo4jGraph

class KGWriterModel:
    status: str

class Neo4jWriter:
    def __init__(self, driver: Driver) -> None: ...
    async def run(
        self, graph: Neo4jGraph, lexical_graph_config: LexicalGraphConfig
    ) -> KGWriterModel: ...
