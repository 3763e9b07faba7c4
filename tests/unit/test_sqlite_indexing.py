"""Writing one document costs what it is long, however many others are in the store."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragspine_store.protocols import StoreWriter
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from tests.backends import SQLiteBackend, statements_of, tables_scanned

CHANGES: dict[str, Callable[[StoreWriter], object]] = {
    "add": lambda transaction: transaction.put(make_document("b.md", Part("B", ("milk",)))),
    "update": lambda transaction: transaction.put(make_document("a.md", Part("B", ("milk",)))),
    "relabel": lambda transaction: transaction.relabel("a.md", Sensitivity.CONFIDENTIAL),
    "delete": lambda transaction: transaction.delete("a.md"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_statement_of_a_write_reads_a_table_of_documents(
    backend: SQLiteBackend, change: str
) -> None:
    store = backend.open_store()
    put(store, make_document("a.md", Part("A", ("tea",))))

    def write() -> None:
        with store.writing() as transaction:
            CHANGES[change](transaction)

    scanned = tables_scanned(store, statements_of(store, write))
    # `SELECT EXISTS` stops at the first stub, and scans the one row it makes.
    assert scanned <= {"stub", "CONSTANT"}
