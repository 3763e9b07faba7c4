"""Random histories of a store, beside a dictionary that keeps what should be in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ragspine_store.errors import NotFoundError
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import found
from tests.backends import SQLiteBackend

WORDS = ("tea", "milk", "税", "手当")
IDS = ("a.md", "b.md", "hr/c.md")
READERS = (
    Reader(),
    Reader(Sensitivity.PUBLIC),
    Reader(Sensitivity.INTERNAL, frozenset({"default"})),
    Reader(collections=frozenset({"x"})),
)
levels = st.sampled_from(list(Sensitivity))
ids = st.sampled_from(IDS)
lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@st.composite
def documents(draw: st.DrawFn) -> PreparedDocument:
    parts = draw(
        st.lists(
            st.builds(
                Part,
                st.just("heading"),
                st.lists(lines, min_size=1, max_size=3).map(tuple),
                st.integers(1, 2),
            ),
            min_size=1,
            max_size=3,
        )
    )
    return make_document(
        draw(ids),
        *parts,
        label=draw(levels),
        windows=draw(st.booleans()),
        described={"collection": draw(st.sampled_from(("default", "x")))},
    )


@dataclass(frozen=True)
class Kept:
    """What the model knows of a document; `lines` is None when only a stub is kept."""

    label: Sensitivity
    collection: str
    lines: tuple[str, ...] | None


class StoreMachine(RuleBasedStateMachine):
    """Rules act on the store and on a dictionary; the expectations use the dictionary alone."""

    @initialize(at_rest=st.sampled_from(("stub", "text")))
    def open(self, at_rest: str) -> None:
        self._folder = TemporaryDirectory()
        self._keeps_text = at_rest == "text"
        self._backend = SQLiteBackend(
            Path(self._folder.name, "store.db"), "text" if self._keeps_text else "stub"
        )
        self._store = self._backend.open_store()
        self._kept: dict[str, Kept] = {}

    def teardown(self) -> None:
        self._backend.close()
        self._folder.cleanup()

    def _stubbed(self, kept: Kept) -> Kept:
        if kept.label is Sensitivity.RESTRICTED and not self._keeps_text:
            return replace(kept, lines=None, collection="")
        return kept

    @rule(document=documents())
    def put(self, document: PreparedDocument) -> None:
        with self._store.writing() as transaction:
            transaction.put(document)
        self._kept[document.meta.doc_id] = self._stubbed(
            Kept(
                document.meta.sensitivity,
                document.meta.collection,
                tuple(chunk.text for chunk in document.chunks),
            )
        )

    @rule(doc_id=ids)
    def delete(self, doc_id: str) -> None:
        with self._store.writing() as transaction:
            assert transaction.delete(doc_id) == (doc_id in self._kept)
        self._kept.pop(doc_id, None)

    @rule(doc_id=ids, level=levels)
    def relabel(self, doc_id: str, level: Sensitivity) -> None:
        with self._store.writing() as transaction:
            if doc_id not in self._kept:
                with pytest.raises(NotFoundError):
                    transaction.relabel(doc_id, level)
                return
            state = transaction.relabel(doc_id, level)
        kept = self._kept[doc_id] = self._stubbed(replace(self._kept[doc_id], label=level))
        assert (state.sensitivity, state.is_stub) == (level, kept.lines is None)

    @rule()
    def purge(self) -> None:
        with self._store.writing() as transaction:
            transaction.stub_restricted()
        self._kept = {
            doc_id: replace(kept, lines=None) if kept.label is Sensitivity.RESTRICTED else kept
            for doc_id, kept in self._kept.items()
        }

    @rule()
    def erase(self) -> None:
        assert self._store.erase()

    @rule()
    def reopen(self) -> None:
        self._store.close()
        self._store = self._backend.open_store()

    def _visible(self, reader: Reader) -> dict[str, tuple[str, ...]]:
        return {
            doc_id: kept.lines
            for doc_id, kept in sorted(self._kept.items())
            if kept.lines is not None
            and kept.label <= reader.clearance
            and (reader.collections is None or kept.collection in reader.collections)
        }

    @invariant()
    def each_reader_finds_what_the_model_has(self) -> None:
        for reader in READERS:
            visible = self._visible(reader)
            for word in WORDS:
                assert set(found(self._store, word, k=100, reader=reader)) == {
                    f"{doc_id}#c{n}"
                    for doc_id, kept in visible.items()
                    for n, line in enumerate(kept)
                    if word in line
                }
            with self._store.reading() as transaction:
                assert transaction.visible_counts(reader) == (
                    len(visible),
                    sum(map(len, visible.values())),
                )

    @invariant()
    def the_operator_counts_what_the_model_has(self) -> None:
        with self._store.reading() as transaction:
            census = transaction.census()
            withheld = transaction.withheld_documents()
        hidden = self._labelled(kept for kept in self._kept.values() if kept.lines is not None)
        assert census.restricted_documents == len(withheld) == hidden
        assert census.stubs == sum(kept.lines is None for kept in self._kept.values())
        assert census.unknown_labels == census.missing_windows == 0

    def _labelled(self, kept: Iterable[Kept]) -> int:
        return sum(one.label is Sensitivity.RESTRICTED for one in kept)

    @invariant()
    def nothing_is_left_of_what_went(self) -> None:
        lines = [kept.lines for kept in self._kept.values() if kept.lines is not None]
        indexed = self._visible(Reader())
        totals = self._backend.totals()
        assert totals["document"] == len(lines)
        assert totals["narrative_chunk"] == totals["chunk_span"] == sum(map(len, lines))
        assert totals["chunk_fts_docsize"] == sum(map(len, indexed.values()))


StoreMachine.TestCase.settings = settings(
    max_examples=settings().max_examples // 5, stateful_step_count=20
)
TestStoreBesideModel = StoreMachine.TestCase
