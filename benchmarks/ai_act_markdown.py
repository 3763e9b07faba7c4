"""Render the AI Act to Markdown and ingest it.

Reads `en_ai_act/ai_act.jsonl` (id, title, text_content; articles also chapter_title and
section_title). Chapter titles hold line breaks, which a Markdown heading cannot.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from ragspine_graph import KnowledgeBase, ServiceConfig


def render(records: list[dict[str, str | None]]) -> Iterator[str]:
    """The lines of the Markdown: chapters, sections, then articles with their text."""
    yield "# Regulation (EU) 2024/1689 (Artificial Intelligence Act)"
    above: tuple[str, str] = ("", "")
    for record in records:
        chapter, section = (
            " ".join((record.get(key) or "").split()) for key in ("chapter_title", "section_title")
        )
        if (record["id"] or "").startswith("article") and (chapter, section) != above:
            if chapter != above[0]:
                yield f"\n## {chapter}"
            if section:
                yield f"\n### {section}"
            above = (chapter, section)
        level = "####" if (record["id"] or "").startswith("article") else "##"
        title = " ".join((record.get("title") or record["id"] or "").split())
        yield f"\n{level} {title}\n\n{record['text_content']}"


def main() -> None:
    """Write the file, ingest it with each chunker, print the reports' counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds en_ai_act")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    arguments = parser.parse_args()
    source = arguments.data / "en_ai_act" / "ai_act.jsonl"
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    arguments.out.mkdir(parents=True, exist_ok=True)
    target = arguments.out / "ai_act.md"
    target.write_text("\n".join(render(records)) + "\n", encoding="utf-8")
    for chunker in ("none", "parent_child", "sentence_window"):
        store = arguments.out / f"ai_act-{chunker}.db"
        with KnowledgeBase.open(store, ServiceConfig.load(chunker=chunker)) as knowledge:
            for file in knowledge.ingest(target).files:
                print(
                    f"{chunker}: {file.outcome.value}, {file.sections} sections, "
                    f"{file.blocks} blocks, {file.chunks} children, "
                    f"{len(file.cut_sections)} sections cut {file.message}"
                )


if __name__ == "__main__":
    main()
