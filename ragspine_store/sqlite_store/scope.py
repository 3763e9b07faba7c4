"""A reader as the parameters of a statement."""

from __future__ import annotations

import json

from ragspine_store.sensitivity import Reader


def reader_values(reader: Reader) -> dict[str, object]:
    """The parameters that a statement about what a reader sees takes."""
    collections = reader.collections
    return {
        "clearance": int(reader.clearance),
        "collections": None if collections is None else json.dumps(sorted(collections)),
    }
