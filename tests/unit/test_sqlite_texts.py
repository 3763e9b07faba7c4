"""Texts longer than a piece are read like short ones."""

from __future__ import annotations

import pytest

from ragspine_store.protocols import Place
from ragspine_store.records import Span
from ragspine_store.storage_rules.texts import PIECE_LENGTH
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from tests.backends import SQLiteBackend

LINES = tuple(f"茶と tea 🍵 {n}" * 40 for n in range(60))


@pytest.mark.parametrize("word", ["b.md", "a.md"])
def test_passages_cross_the_borders_of_pieces(backend: SQLiteBackend, word: str) -> None:
    store = backend.open_store()
    documents = [make_document(doc_id, Part("A", LINES)) for doc_id in ("a.md", "b.md")]
    put(store, *documents)
    text = documents[0].loaded.text
    assert len(text) > 5 * PIECE_LENGTH
    spans = [
        Span(0, len(text)),
        Span(5, 6),
        Span(PIECE_LENGTH - 1, PIECE_LENGTH + 1),
        Span(PIECE_LENGTH, 2 * PIECE_LENGTH),
        Span(PIECE_LENGTH - 1, 3 * PIECE_LENGTH + 1),
        Span(2 * PIECE_LENGTH + 5, 2 * PIECE_LENGTH + 9),
        Span(len(text) - 3, len(text)),
    ]
    with store.reading() as transaction:
        passages = transaction.passages([Place(word, span) for span in spans])
        view = transaction.find_document(word)
    assert {place.span: passage.text for place, passage in passages.items()} == {
        span: text[slice(*span)] for span in spans
    }
    assert view is not None
    assert view.text == text


def test_a_text_that_lost_a_piece_gives_no_passage_that_needs_it(backend: SQLiteBackend) -> None:
    store = backend.open_store()
    put(store, make_document("a.md", Part("A", LINES)))
    with backend.raw() as db:
        db.execute("DELETE FROM document_text WHERE start = ?", (PIECE_LENGTH,))
    places = [
        Place("a.md", Span(start, end))
        for start, end in (
            (0, PIECE_LENGTH),
            (10, PIECE_LENGTH + 10),
            (PIECE_LENGTH, PIECE_LENGTH + 9),
            (PIECE_LENGTH * 2 - 1, PIECE_LENGTH * 2 + 1),
            (PIECE_LENGTH * 2, PIECE_LENGTH * 2 + 9),
        )
    ]
    with store.reading() as transaction:
        assert set(transaction.passages(places)) == {places[0], places[4]}
        assert transaction.census().missing_windows == len(LINES)
