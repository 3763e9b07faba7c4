"""Copies all that one store keeps into another, of whichever kind."""

from ragspine_store.copying.report import CopyProgress, CopyReport, Side
from ragspine_store.copying.run import copy_store

__all__ = ["CopyProgress", "CopyReport", "Side", "copy_store"]
