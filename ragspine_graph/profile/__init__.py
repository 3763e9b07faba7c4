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

All tables are optional. Ingest reads `[sensitivity]`, the relation graph and the gate the rest.
"""

from ragspine_graph.profile.loading import load_profile
from ragspine_graph.profile.model import Dimension, Home, Profile

__all__ = ["Dimension", "Home", "Profile", "load_profile"]
