"""A file that gives up some of its transactions, as a server does for another's sake."""

from __future__ import annotations

from collections.abc import Container, Generator
from contextlib import contextmanager

from ragspine_store.errors import TransactionAbortedError
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.sqlite_store.writing import WriteTransaction


class GivesUp(ChunkStore):
    """Gives up write transactions by their number, from 1, after all was done in them."""

    given_up: Container[int] = ()
    begun = 0

    @contextmanager
    def writing(self) -> Generator[WriteTransaction]:
        self.begun += 1
        number = self.begun
        with super().writing() as transaction:
            yield transaction
            if number in self.given_up:
                raise TransactionAbortedError("given up; expected another try")
