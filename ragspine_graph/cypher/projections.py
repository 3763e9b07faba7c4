"""Graphs in memory, one for each of a few readers, made anew when the store has changed."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ragspine_graph.cypher.engine import EmbeddedEngine, require_engine
from ragspine_graph.cypher.projection import project
from ragspine_store.protocols import Store
from ragspine_store.sensitivity import Reader

MAX_PROJECTIONS = 4
"""Readers whose graph is kept at a time."""


class Projections:
    """The graph in memory, for a few readers at a time.

    Args:
        store: whose graph it is.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._engines: OrderedDict[Reader, tuple[int, EmbeddedEngine]] = OrderedDict()

    def engine(self, reader: Reader) -> EmbeddedEngine:
        """The graph of what the reader may see in the store as it is now.

        Raises:
            ConfigError: the extra `cypher` is not installed.
        """
        require_engine()
        with self._lock, self._store.reading() as transaction:
            counter = transaction.change_counter()
            kept = self._engines.get(reader)
            if kept is None or kept[0] != counter:
                kept = counter, EmbeddedEngine(project(transaction, reader))
            self._engines[reader] = kept
            self._engines.move_to_end(reader)
            while len(self._engines) > MAX_PROJECTIONS:
                self._engines.popitem(last=False)
            return kept[1]
