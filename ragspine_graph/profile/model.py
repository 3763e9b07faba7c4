"""The model of a profile; see `ragspine_graph.profile` for its file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ragspine_store.labelling import SensitivityPolicy

ENTITY_DIMENSION = "entity"
"""The dimension whose values are the entities of `[home]`; it need not be declared."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Home(_Table):
    """The company the service works for.

    Attributes:
        company_name: as shown.
        entity_code: code of the entity meant when none is named.
        synonyms: alias to code.
        geography: code to place.
        labels: code to shown name.
    """

    company_name: str = ""
    entity_code: str = ""
    synonyms: dict[str, str] = {}
    geography: dict[str, str] = {}
    labels: dict[str, str] = {}


class Dimension(_Table):
    """A controlled vocabulary: a metric, a place, a period.

    Attributes:
        name: unique in a profile.
        label: as shown.
        kind: what its values are.
        synonyms: alias to value.
        units: value to unit, for a measure.
        labels: value to shown name.
        derived_from: name of the dimension this one follows from, None for a base dimension.
        derivation: value of that dimension to value of this one.
    """

    name: Annotated[str, Field(min_length=1)]
    label: str = ""
    kind: Literal["categorical", "temporal", "measure"] = "categorical"
    synonyms: dict[str, str] = {}
    units: dict[str, str] = {}
    labels: dict[str, str] = {}
    derived_from: str | None = None
    derivation: dict[str, str] = {}


class Profile(_Table):
    """A whole profile; an empty one changes nothing.

    Attributes:
        home: the company itself.
        external_entities: alias to shown name of competitors and other external parties.
        sensitivity: what makes a document RESTRICTED, and what an unlabelled one is.
        dimensions: controlled vocabularies.
        synonyms: everyday word to the terms documents use.
    """

    home: Home = Home()
    external_entities: dict[str, str] = {}
    sensitivity: SensitivityPolicy = SensitivityPolicy()
    dimensions: tuple[Dimension, ...] = ()
    synonyms: dict[str, tuple[str, ...]] = {}

    def values_of(self, name: str) -> frozenset[str]:
        """The values that a dimension is declared with, or else derives."""
        home = self.home
        values: set[str] = set()
        if name == ENTITY_DIMENSION:
            values |= {home.entity_code, *home.synonyms.values(), *home.labels, *home.geography}
        derived: set[str] = set()
        for dimension in self.dimensions:
            if dimension.name == name:
                values |= {*dimension.synonyms.values(), *dimension.labels, *dimension.units}
                derived |= set(dimension.derivation.values())
        return frozenset(values - {""} or derived)

    def own_names(self) -> list[str]:
        """Every name and code the profile gives to what is its own, not to external parties."""
        home = self.home
        names = [home.company_name, *home.synonyms, *home.labels.values()]
        names += [home.entity_code, *home.synonyms.values(), *home.labels]
        names += [*home.geography, *home.geography.values()]
        for dimension in self.dimensions:
            names += [dimension.name, dimension.label, *dimension.synonyms]
            names += [*dimension.labels.values(), *self.values_of(dimension.name)]
        return [name for name in dict.fromkeys(names) if name]
