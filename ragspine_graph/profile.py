"""The profile: what a house tells the service about itself, in one TOML file.

    [home]
    company_name = "Example Inc."
    entity_code = "EX"
    [home.synonyms]              # alias = code
    [home.geography]             # code = place
    [home.labels]                # code = label
    [external_entities]          # alias = shown name
    [sensitivity]                # see ragspine_store.labelling.SensitivityPolicy
    [synonyms]                   # everyday word = [terms]
    [[dimensions]]               # metrics and derived dimensions
    name = "metric"

All tables are optional. Ingest reads `[sensitivity]`; the others are checked and kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragspine_graph.errors import ConfigError
from ragspine_graph.validation import first_fault, read_config_file
from ragspine_store.labelling import SensitivityPolicy


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

    def own_names(self) -> list[str]:
        """Every name the profile gives to what is its own: the company, entities, dimensions."""
        home = self.home
        names = [home.company_name, home.entity_code, *home.synonyms, *home.labels.values()]
        for dimension in self.dimensions:
            names += [dimension.label, *dimension.synonyms, *dimension.labels.values()]
        return names


def load_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        ConfigError: the file is missing or malformed, a table or key is unknown, or a value is
            not of its documented form; the message names file and key.
    """
    values = read_config_file(path, kind="profile")
    try:
        return Profile.model_validate(values)
    except ValidationError as error:
        key, problem = first_fault(error, Profile)
        raise ConfigError(f"profile {str(path)!r}, key {key}: {problem}") from None
