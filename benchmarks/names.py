"""What it costs to look for all names of a profile in a chunk, and to screen a relation.

Names are made of words of the texts, in the number given, so that many almost match; a tenth of
the chunks is written with decorated letters (full width, middle dots). Printed for each number of
names: seconds to build the automaton, and milliseconds a chunk of 480 characters (mean, p99) for
finding names in the plain form (mentions) and in the loose form (the gate's reading of a question),
for a chunk made of nothing but names, and for screening a relation with two new ends. Texts: see
`benchmarks.corpus`.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.corpus import documents
from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile import Profile
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.relations import Evidence, Node, NodeType, Provenance, Relation

CHUNK_CHARS = 480
CHUNKS = 1_000
DOCUMENTS = 2_000
_WORD = re.compile(r"[\u30a1-\u30ff]{2,}|[\u4e00-\u9fff]{2,}|[A-Za-z]{3,}")


def as_decorated(text: str) -> str:
    """Letters in full width, with a middle dot after every ninth character."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    return "・".join(wide[i : i + 9] for i in range(0, len(wide), 9))[: len(text)]


def read_chunks(data: Path) -> list[str]:
    texts = (text for _, text in itertools.islice(documents(data), DOCUMENTS))
    pieces = [text[i : i + CHUNK_CHARS] for text in texts for i in range(0, len(text), CHUNK_CHARS)]
    whole = [piece for piece in pieces if len(piece) == CHUNK_CHARS][:CHUNKS]
    return [piece if number % 10 else as_decorated(piece) for number, piece in enumerate(whole)]


def make_names(chunks: Iterable[str], count: int) -> list[str]:
    """Names of one or two words, always the same."""
    words = sorted({word for chunk in chunks for word in _WORD.findall(chunk)})
    draw = random.Random(0)
    names: dict[str, None] = {}
    while len(names) < count:
        first, second = draw.sample(words, 2)
        joint = " " if first.isascii() and second.isascii() else ""
        names[first if draw.random() < 0.3 else f"{first}{joint}{second}"] = None
    return list(names)


def milliseconds(call: Callable[[str], object], texts: Sequence[str]) -> tuple[float, float]:
    """Mean and p99 of one call a text, after a first round that fills the caches of letters."""
    times: list[float] = []
    for is_measured in (False, True):
        for text in texts:
            start = time.perf_counter()
            call(text)
            if is_measured:
                times.append((time.perf_counter() - start) * 1e3)
    return statistics.mean(times), statistics.quantiles(times, n=100)[-1]


def screening(gate: SecurityGate, names: Sequence[str]) -> float:
    """Mean milliseconds of screening relations none of whose ends was seen before."""
    relations = [
        Relation(
            Node(NodeType.UNLISTED, normalise_name(f"{first} {number}")),
            "partner_of",
            Node(NodeType.UNLISTED, normalise_name(f"{second} {number}")),
            Provenance.MODEL,
            Evidence("a.md", "a.md#para1", source_name=first, target_name=second),
        )
        for number, (first, second) in enumerate(itertools.pairwise(names[:CHUNKS]))
    ]
    start = time.perf_counter()
    for relation in relations:
        gate.screen(relation)
    return (time.perf_counter() - start) * 1e3 / len(relations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    arguments = parser.parse_args()
    chunks = read_chunks(arguments.data)
    heads = ("names", "build s", "plain", "p99", "loose", "p99", "all names", "found", "screen")
    table = Table(*heads, title=f"ms a chunk of {CHUNK_CHARS} characters, {len(chunks)} chunks")
    for size in arguments.sizes:
        names = make_names(chunks, size)
        start = time.perf_counter()
        loose = NameMatcher(names, is_loose=True)
        built = time.perf_counter() - start
        plain = NameMatcher(names)
        dense = ["".join(random.Random(i).choices(names, k=200))[:CHUNK_CHARS] for i in range(100)]
        found = statistics.mean(len(plain.find(chunk)) for chunk in chunks)
        gate = SecurityGate(Profile(external_entities={name: name for name in names}))
        figures = (
            *milliseconds(plain.find, chunks),
            *milliseconds(lambda text, gate=gate: gate.screen_question(text), chunks),
            milliseconds(loose.find, dense)[0],
        )
        screened = screening(gate, names)
        cells = [*(f"{figure:.3f}" for figure in figures), f"{found:.1f}", f"{screened:.3f}"]
        table.add_row(f"{size:,}", f"{built:.2f}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
