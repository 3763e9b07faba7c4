from collections.abc import Iterable

from ragspine.common.company_profile import DomainProfile
from ragspine.graph.extractor import DeterministicRelationExtractor

class GraphStore:
    def count_nodes(self) -> int: ...
    def count_edges(self) -> int: ...

def build_relation_graph(
    profile: DomainProfile,
    *,
    chunks: Iterable[object] = ...,
    relation_extractor: DeterministicRelationExtractor | None = ...,
) -> GraphStore: ...
