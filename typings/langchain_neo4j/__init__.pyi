"""What `benchmarks.neo4j_peers` calls of the peer, so that types are checked without it."""

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_neo4j.graphs.graph_document import GraphDocument
from neo4j_graphrag.types import SearchType

class Neo4jGraph:
    def __init__(self, url: str, username: str, password: str, *, refresh_schema: bool) -> None: ...
    def add_graph_documents(
        self, graph_documents: list[GraphDocument], *, baseEntityLabel: bool
    ) -> None: ...

class Neo4jVector:
    def __init__(
        self,
        embedding: Embeddings,
        *,
        search_type: SearchType,
        url: str,
        username: str,
        password: str,
        index_name: str,
        keyword_index_name: str,
        node_label: str,
        retrieval_query: str,
    ) -> None: ...
    def similarity_search(self, query: str, k: int) -> list[Document]: ...
