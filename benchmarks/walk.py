"""What a walk adds to a search: milliseconds of CPU a question, with and without, on SQLite.

The passages of `en_2wiki` (see `benchmarks.question_sets`) are ingested `--copies` times, each copy
under titles that share a name with the first, which is the most that a name can lead to; 8 copies
are some 56,000 children. Each question is asked both ways, in turn, for ten hits without windows.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.question_sets import passages, records
from ragspine_graph import KnowledgeBase, ServiceConfig


def cpu_ms(knowledge: KnowledgeBase, question: str) -> float:
    start = time.process_time()
    knowledge.search(question, expand="none")
    return 1000 * (time.process_time() - start)


def main() -> None:
    """Print the median and the 95th percentile of both, and of the difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--copies", type=int, default=8)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        asked = passages(arguments.data, "en_2wiki", folder)
        for copy in range(2, arguments.copies + 1):
            place = folder / f"copy{copy}"
            place.mkdir()
            for record in records(arguments.data / "en_2wiki" / "corpus.jsonl"):
                text = f"# {record['title']} (copy {copy})\n\n{record['text']}\n"
                (place / f"{record['id']}.md").write_text(text, encoding="utf-8")
        store = folder / "walk.db"
        plain = ServiceConfig(chunker="hierarchical")
        walking = ServiceConfig(chunker="hierarchical", walk="question")
        with KnowledgeBase.open(store, plain) as one, KnowledgeBase.open(store, walking) as other:
            one.ingest([path for path in sorted(folder.iterdir()) if path.is_dir()], root=folder)
            one.build_relations()
            print(f"{one.status().chunks:,} children")
            questions = [question.text for question in asked.questions]
            for question in questions:
                cpu_ms(one, question)
                cpu_ms(other, question)
            times = [(cpu_ms(one, question), cpu_ms(other, question)) for question in questions]
    for name, column in (
        ("without", [without for without, _ in times]),
        ("with", [with_walk for _, with_walk in times]),
        ("difference", [with_walk - without for without, with_walk in times]),
    ):
        p95 = statistics.quantiles(column, n=20)[-1]
        print(f"{name:10} p50 {statistics.median(column):6.2f} ms   p95 {p95:6.2f} ms")


if __name__ == "__main__":
    main()
