from collections.abc import Mapping

class DomainProfile:
    def __init__(
        self,
        home_company_name: str,
        home_entity_code: str,
        home_entity_synonyms: Mapping[str, str] = ...,
        entity_geography: Mapping[str, str] = ...,
        external_entities: Mapping[str, str] = ...,
    ) -> None: ...
