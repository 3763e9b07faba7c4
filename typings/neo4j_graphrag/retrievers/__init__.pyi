from collections.abc import Sequence

from neo4j import Driver, Record

class RawSearchResult:
    records: Sequence[Record]

class HybridCypherRetriever:
    def __init__(
        self,
        driver: Driver,
        vector_index_name: str,
        fulltext_index_name: str,
        retrieval_query: str,
    ) -> None: ...
    def get_search_results(
        self, query_text: str, query_vector: list[float], top_k: int
    ) -> RawSearchResult: ...
