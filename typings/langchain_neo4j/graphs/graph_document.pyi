from collections.abc import Mapping, Sequence

class Node:
    def __init__(self, *, id: str, type: str, properties: Mapping[str, object]) -> None: ...

class Relationship:
    def __init__(
        self, *, source: Node, target: Node, type: str, properties: Mapping[str, object]
    ) -> None: ...

class GraphDocument:
    def __init__(self, *, nodes: Sequence[Node], relationships: Sequence[Relationship]) -> None: ...
