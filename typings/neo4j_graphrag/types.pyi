from enum import StrEnum

class SearchType(StrEnum):
    HYBRID = "hybrid"
