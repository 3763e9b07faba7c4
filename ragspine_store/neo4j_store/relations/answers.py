"""Answers of models, cached beside the children they are about."""

from __future__ import annotations

import hashlib
import json

from ragspine_store.neo4j_store.relations.targets import find_target
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.relations import Answer, AnswerKey, ChunkRange
from ragspine_store.storage_rules.texts import can_be_stored


def put_answer(
    queries: Queries, key: AnswerKey, doc_id: str, seq: int, version: int, answer: Answer
) -> bool:
    """Keep an answer; False when its child is gone, RESTRICTED or of another version."""
    target = find_target(queries, doc_id, version, ChunkRange(seq, seq))
    if target is None or seq not in target.open_children or not can_be_stored(answer.text):
        return False
    queries.run(
        "put_answer",
        id=answer_node(key),
        properties={
            **key._asdict(),
            "doc_id": doc_id,
            "seq": seq,
            "text": answer.text,
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
        },
    )
    return True


def find_answer(queries: Queries, key: AnswerKey) -> Answer | None:
    """A cached answer."""
    row = queries.row("find_answer", id=answer_node(key))
    return Answer(row["text"], row["input_tokens"], row["output_tokens"]) if row else None


def answer_node(key: AnswerKey) -> str:
    """Id of a cached answer's node."""
    return f"answer:{hashlib.sha256(json.dumps(key).encode()).hexdigest()}"
