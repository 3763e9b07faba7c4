"""Answers of models, cached beside the children they are about."""

from __future__ import annotations

import sqlite3

from ragspine_store.relations import Answer, AnswerKey, ChunkRange
from ragspine_store.sqlite_store.relations.targets import find_target
from ragspine_store.storage_rules.texts import can_be_stored


def put_answer(
    db: sqlite3.Connection, key: AnswerKey, doc_id: str, seq: int, version: int, answer: Answer
) -> bool:
    """Keep an answer; False when its child is gone, RESTRICTED or of another version."""
    target = find_target(db, doc_id, version, ChunkRange(seq, seq))
    if target is None or seq not in target.open_children or not can_be_stored(answer.text):
        return False
    db.execute(
        "INSERT OR REPLACE INTO model_answer (model, prompt, chunk, doc, seq, answer,"
        " input_tokens, output_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*key, target.doc, seq, answer.text, answer.input_tokens, answer.output_tokens),
    )
    return True


def find_answer(db: sqlite3.Connection, key: AnswerKey) -> Answer | None:
    """A cached answer."""
    row = db.execute(
        "SELECT answer, input_tokens, output_tokens FROM model_answer"
        " WHERE model = ? AND prompt = ? AND chunk = ?",
        key,
    ).fetchone()
    return Answer(*row) if row else None
