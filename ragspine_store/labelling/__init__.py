"""Where a document's label and metadata come from, and which label wins.

Argument, front matter, sidecars and policy each state a label or none; `resolve` takes the
strictest, and `decide` weighs it against the label the store already holds.
"""

from ragspine_store.labelling.policy import SensitivityPolicy
from ragspine_store.labelling.resolution import Resolution, decide, resolve
from ragspine_store.labelling.sidecar import Sidecar, SidecarReader, is_sidecar_name
from ragspine_store.labelling.statement import Statement

__all__ = [
    "Resolution",
    "SensitivityPolicy",
    "Sidecar",
    "SidecarReader",
    "Statement",
    "decide",
    "is_sidecar_name",
    "resolve",
]
