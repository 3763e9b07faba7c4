from collections.abc import Mapping, Sequence

class LexicalGraphConfig:
    def __init__(self, *, document_node_label: str, chunk_node_label: str) -> None: ...

class Neo4jNode:
    def __init__(self, *, id: str, label: str, properties: Mapping[str, object]) -> None: ...

class Neo4jRelationship:
    def __init__(
        self, *, start_node_id: str, end_node_id: str, type: str, properties: Mapping[str, object]
    ) -> None: ...

class Neo4jGraph:
    def __init__(
        self, *, nodes: Sequence[Neo4jNode], relationships: Sequence[Neo4jRelationship]
    ) -> None: ...
