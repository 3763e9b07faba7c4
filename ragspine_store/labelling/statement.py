"""A label that somebody stated."""

from __future__ import annotations

from typing import NamedTuple

from ragspine_store.sensitivity import Sensitivity


class Statement(NamedTuple):
    """A stated label and where it was stated, in words for a message."""

    level: Sensitivity
    source: str
