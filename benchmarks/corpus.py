"""The texts that the speed benchmarks share: shuffled real sentences and real questions.

Reads `ja_lawqa` and `en_hotpot` (`corpus.jsonl` text, `queries.jsonl` question).
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

SETS = ("ja_lawqa", "en_hotpot")
LINES_A_DOCUMENT = 20
_SENTENCE_END = re.compile(r"(?<=[。！？.!?])\s*")


def documents(data: Path) -> Iterator[tuple[str, str]]:
    """Ids and texts of twenty shuffled sentences each, without end, always the same."""
    sentences = [
        sentence
        for name in SETS
        for text in _column(data / name / "corpus.jsonl", "text")
        for sentence in _SENTENCE_END.split(text)
        if sentence.strip()
    ]
    random.Random(0).shuffle(sentences)
    lines = itertools.cycle(sentences)
    for number in itertools.count():
        yield f"d{number}.txt", "\n".join(itertools.islice(lines, LINES_A_DOCUMENT))


def questions(data: Path, count: int) -> list[str]:
    """That many of the sets' questions, shuffled, always the same."""
    found = [q for name in SETS for q in _column(data / name / "queries.jsonl", "question")]
    random.Random(1).shuffle(found)
    return found[:count]


def _column(path: Path, key: str) -> list[str]:
    return [json.loads(line)[key] for line in path.read_text(encoding="utf-8").splitlines()]
