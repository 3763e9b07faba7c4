"""The public question sets as documents on disk and as questions with gold.

Reads, below the folder of the data, as far as they are asked for:

- `ja_work_rules`: `{handbook}/*.md`, and `queries.jsonl` (qid, handbook, kind, question, gold
  leaves with file, start and end in code points of the raw file). Each question is asked of its
  own handbook.
- `ja_lawqa`, `en_2wiki`, `en_hotpot`: `corpus.jsonl` (id, title, text), written as one Markdown
  file a record with the title as its heading, or without; `queries.jsonl` (qid, question,
  gold_ids or gold_titles, and choices in `ja_lawqa`). Gold are whole documents.
- `en_chunking_eval`: `{corpus}.md`, and `queries.jsonl` (qid, question, corpus, refs[{start_index,
  end_index}] in characters). Questions are asked of all documents together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragspine_graph.evaluation import Question, parse_questions


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Documents, each folder a collection of its own, and what is asked of them."""

    name: str
    folders: Sequence[Path]
    questions: Sequence[Question]


def work_rules(data: Path) -> QuestionSet:
    """The handbooks."""
    folder = data / "ja_work_rules"
    lines = [
        {
            "id": record["qid"],
            "question": record["question"],
            "kind": record["kind"],
            "filters": {"collection": record["handbook"]},
            "gold_spans": [
                {
                    "doc_id": f"{record['handbook']}/{leaf['file']}",
                    "start": leaf["start"],
                    "end": leaf["end"],
                }
                for leaf in record["gold"]
            ],
        }
        for record in records(folder / "queries.jsonl")
    ]
    handbooks = sorted(path for path in folder.iterdir() if path.is_dir())
    return QuestionSet("ja_work_rules", handbooks, _parsed(lines, folder))


def passages(
    data: Path,
    name: str,
    scratch: Path,
    *,
    with_titles: bool = True,
    with_choices: bool = False,
) -> QuestionSet:
    """A corpus of passages, written into a folder below `scratch`."""
    folder = scratch / name
    folder.mkdir()
    ids: dict[str, list[str]] = {}
    for record in records(data / name / "corpus.jsonl"):
        doc_id = f"{name}/{record['id']}.md"
        ids.setdefault(record["title"], []).append(doc_id)
        heading = f"# {record['title']}\n\n" if with_titles else ""
        (scratch / doc_id).write_text(f"{heading}{record['text']}\n", encoding="utf-8")
    lines = [
        {
            "id": record["qid"],
            "question": (
                f"{record['question']}\n{record['choices']}" if with_choices else record["question"]
            ),
            "gold_ids": (
                [f"{name}/{gold}.md" for gold in record["gold_ids"]]
                if "gold_ids" in record
                else [doc_id for title in record["gold_titles"] for doc_id in ids[title]]
            ),
        }
        for record in records(data / name / "queries.jsonl")
    ]
    label = name + (", with choices" if with_choices else "")
    label += "" if with_titles else ", without titles"
    return QuestionSet(label, [folder], _parsed(lines, data / name))


def chunking_eval(data: Path) -> QuestionSet:
    """The English documents with gold spans."""
    folder = data / "en_chunking_eval"
    lines = [
        {
            "id": record["qid"],
            "question": record["question"],
            "kind": record["corpus"],
            "gold_spans": [
                {
                    "doc_id": f"{folder.name}/{record['corpus']}.md",
                    "start": ref["start_index"],
                    "end": ref["end_index"],
                }
                for ref in record["refs"]
            ],
        }
        for record in records(folder / "queries.jsonl")
    ]
    return QuestionSet("en_chunking_eval", [folder], _parsed(lines, folder))


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _parsed(lines: list[dict[str, Any]], folder: Path) -> tuple[Question, ...]:
    return parse_questions(map(json.dumps, lines), origin=str(folder / "queries.jsonl"))
