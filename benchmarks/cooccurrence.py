"""How well standing near one another tells which entities are related, on Re-DocRED.

The development set with its gold mentions as source of entities; a relation counts when any is
annotated between the two, whatever its kind and direction. The baseline is all pairs that share an
annotated sentence, unranked, by how often they do, and by normalised pointwise mutual information.
Beside it stand the windows of `DeterministicRelationExtractor`. Printed: precision, recall and F1
of all edges; precision where the ranking reaches the baseline's recall; average precision over all
relations; and F1 at the best place to cut the ranking.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ragspine_graph.building import build_relation_graph
from ragspine_graph.extraction import DeterministicRelationExtractor, Mention
from ragspine_graph.extraction.reading import Reading
from ragspine_graph.profile import Profile
from ragspine_store.records import Span, StoredChunk
from ragspine_store.relations import Node, NodeType
from ragspine_store.sealed import Cleared, unseal

WINDOWS = ("sentence", "sentences:1", "sentences:2", "sentences:3", "document")

Pair = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Annotated:
    """One document: its text, its entities by sentence and by place, and what is related."""

    doc_id: str
    text: str
    sentences: Sequence[frozenset[int]]
    mentions: Sequence[tuple[int, Span]]
    related: frozenset[Pair]


def read(data: Path) -> list[Annotated]:
    """The development set."""
    lines = (data / "en_redocred" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [_read(f"{no}", json.loads(line)) for no, line in enumerate(lines)]


def _read(doc_id: str, record: dict[str, Any]) -> Annotated:
    text = ""
    tokens: list[list[Span]] = []
    for sentence in record["sents"]:
        spans: list[Span] = []
        for token in sentence:
            spans.append(Span(len(text), len(text) + len(token)))
            text += f"{token} "
        tokens.append(spans)
        text += "\n\n"
    named: list[set[int]] = [set() for _ in tokens]
    mentions: list[tuple[int, Span]] = []
    for number, entity in enumerate(record["vertexSet"]):
        for mention in entity:
            first: int = mention["pos"][0]
            after: int = mention["pos"][1]
            sentence_no: int = mention["sent_id"]
            words = tokens[sentence_no]
            named[sentence_no].add(number)
            mentions.append((number, Span(words[first].start, words[after - 1].end)))
    related = frozenset(
        (doc_id, *sorted((label["h"], label["t"])))
        for label in record["labels"]
        if label["h"] != label["t"]
    )
    return Annotated(doc_id, text, [frozenset(found) for found in named], mentions, related)


def ranked(documents: Sequence[Annotated], window: str, top_n: int) -> list[Pair]:
    """The pairs of all documents, those of the greatest weight first."""
    by_id = {document.doc_id: document for document in documents}

    def gold(reading: Cleared[Reading]) -> Iterable[Mention]:
        document = by_id[unseal(reading).source.doc_id]
        for number, span in document.mentions:
            node = Node(NodeType.UNLISTED, f"d{document.doc_id} n{number}")
            yield Mention(node, span, document.text[slice(*span)])

    graph = build_relation_graph(
        Profile(),
        chunks=[
            StoredChunk(f"{d.doc_id}#c0", d.doc_id, 0, d.text, f"{d.doc_id}#para1", 1, 1)
            for d in documents
        ],
        relation_extractor=DeterministicRelationExtractor([gold], window=window, top_n=top_n),
    )
    weighed = [
        (-data["weight"], _pair(source, target))
        for source, target, data in graph.edges(data=True)
        if data["kind"] == "co_occurs_with"
    ]
    return [pair for _, pair in sorted(weighed)]


def same_sentence(documents: Sequence[Annotated]) -> tuple[dict[Pair, float], dict[Pair, float]]:
    """The pairs that share an annotated sentence: how often they do, and their NPMI."""
    counts: Counter[Pair] = Counter()
    informations: dict[Pair, float] = {}
    for document in documents:
        alone = Counter(number for sentence in document.sentences for number in sentence)
        together = Counter(
            pair for sentence in document.sentences for pair in combinations(sorted(sentence), 2)
        )
        all_of_it = len(document.sentences)
        for (low, high), times in together.items():
            pair = (document.doc_id, low, high)
            counts[pair] = times
            share = times / all_of_it
            expected = alone[low] * alone[high] / all_of_it**2
            informations[pair] = log(share / expected) / -log(share) if share < 1 else 1.0
    return dict(counts), informations


def _pair(source: str, target: str) -> Pair:
    doc_id, number = source.removeprefix("unlisted:d").split(" n")
    low, high = sorted((int(number), int(target.rpartition(" n")[2])))
    return doc_id, low, high


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--top-n", type=int, nargs="+", default=[10, 1000])
    arguments = parser.parse_args()
    documents = read(arguments.data)
    related = frozenset[Pair]().union(*(document.related for document in documents))
    counts, informations = same_sentence(documents)
    baseline = sorted(counts)
    table = Table("edges", "number", "P", "R", "F1", "P at R", "AP", "best F1", "P, R there")
    recall = len(related.intersection(baseline)) / len(related)
    table.add_row("same annotated sentence", *_figures(baseline, related, None))
    for name, weights in (("by count", counts), ("by NPMI", informations)):
        by_weight = sorted(baseline, key=lambda pair: (-weights[pair], pair))
        table.add_row(f"same sentence, {name}", *_figures(by_weight, related, recall))
    for window in WINDOWS:
        for top_n in arguments.top_n:
            pairs = ranked(documents, window, top_n)
            table.add_row(f"{window}, top {top_n}", *_figures(pairs, related, recall))
    Console().print(table)
    print(f"P at R: precision where the ranking reaches the baseline's recall of {recall:.3f}")


def _figures(pairs: Sequence[Pair], related: frozenset[Pair], recall: float | None) -> list[str]:
    found, average, best, at_recall = 0, 0.0, (0.0, 0.0, 0.0), 0.0
    for rank, pair in enumerate(pairs, 1):
        if pair in related:
            found += 1
            average += found / rank
            if not at_recall and recall is not None and found >= recall * len(related):
                at_recall = found / rank
        best = max(best, (2 * found / (rank + len(related)), found / rank, found / len(related)))
    figures = [
        f"{len(pairs):,}",
        f"{found / len(pairs):.3f}",
        f"{found / len(related):.3f}",
        f"{2 * found / (len(pairs) + len(related)):.3f}",
    ]
    if recall is None:
        return [*figures, "", "", "", ""]
    return [
        *figures,
        f"{at_recall:.3f}" if at_recall else "not reached",
        f"{average / len(related):.3f}",
        f"{best[0]:.3f}",
        f"{best[1]:.3f}, {best[2]:.3f}",
    ]


if __name__ == "__main__":
    main()
