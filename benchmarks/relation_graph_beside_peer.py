"""`build_relation_graph` beside `rag-spine`'s, on the same chunks in the same run.

Each figure is the median of several processes of their own: processor seconds of the build, and by
how much it raised the most memory that the process held. Chunks are as the stores keep them.

base            ten chunks a document, one of ten listed entities a document
co-occurrence   an entity a chunk, drawn from five thousand, and the deterministic extractors as
                they come: ours relates what adjoining chunks are about, the peer all of a document
one document    two thousand entities in one document, likewise
names in text   ours alone: two thousand names in the text of one document, six thousand times
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from ragspine_graph.building import build_relation_graph
from ragspine_graph.extraction import make_relation_extractor
from ragspine_graph.profile import Profile
from ragspine_store.records import StoredChunk

LISTED = 10
CHUNKS_A_DOCUMENT = 10

# Where only metadata name entities, the peer's one source is ours too.
_EXTRACTOR = {
    "base": "none",
    "co-occurrence": "deterministic(sources=metadata)",
    "one document": "deterministic(sources=metadata)",
    "names in text": "deterministic",
}


class Built(NamedTuple):
    """What one build came to."""

    seconds: float
    megabytes: float
    edges: int


def main() -> None:
    """Print one table, or measure one case for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="processes for each figure")
    parser.add_argument("--measure", nargs=3, metavar=("SIDE", "CASE", "CHUNKS"))
    arguments = parser.parse_args()
    if arguments.measure:
        side, case, size = arguments.measure
        print(json.dumps(measure(side, case, int(size))))
        return
    table = Table("case", "chunks", "side", "CPU s", "us a chunk", "MB", "edges")
    rows = [("base", size, both) for size, both in _sizes()]
    rows += [("co-occurrence", size, both) for size, both in _sizes()]
    rows += [("one document", 2_000, True), ("names in text", 2_000, False)]
    for case, size, both in rows:
        figures = {
            side: _median([_in_process(side, case, size) for _ in range(arguments.runs)])
            for side in (("ours", "peer") if both else ("ours",))
        }
        for side, built in figures.items():
            table.add_row(
                case,
                f"{size:,}",
                side,
                f"{built.seconds:.3f}",
                f"{1e6 * built.seconds / size:.1f}",
                f"{built.megabytes:.0f}",
                f"{built.edges:,}",
            )
        if both:
            times = figures["peer"].seconds / figures["ours"].seconds
            table.add_row("", "", "times faster", f"{times:.2f}", "", "", "")
    Console().print(table)


def _sizes() -> list[tuple[int, bool]]:
    return [(1_000, True), (10_000, True), (50_000, True), (100_000, False), (200_000, False)]


def _in_process(side: str, case: str, size: int) -> Built:
    command = [sys.executable, "-m", "benchmarks.relation_graph_beside_peer"]
    told = subprocess.run(
        [*command, "--measure", side, case, str(size)], check=True, capture_output=True, text=True
    )
    return Built(*json.loads(told.stdout))


def _median(runs: Sequence[Built]) -> Built:
    return Built(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.megabytes for run in runs),
        runs[0].edges,
    )


def measure(side: str, case: str, size: int) -> Built:
    """Build once, in this process."""
    chunks = make_chunks(case, size)
    build = (_ours if side == "ours" else _peer)(case, chunks)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    edges = build()
    seconds = time.process_time() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held
    return Built(seconds, grown / 1024, edges())


def make_chunks(case: str, size: int) -> list[StoredChunk]:
    """The chunks of a case; the same ones at each call."""
    draw = random.Random(7)
    if case == "base":
        entities = [f"E{no // CHUNKS_A_DOCUMENT % LISTED}" for no in range(size)]
    elif case == "co-occurrence":
        entities = [f"E{draw.randrange(5_000)}" for _ in range(size)]
    elif case == "one document":
        entities = [f"E{no}" for no in range(size)]
    else:
        entities = [""] * size
    in_document = size if case in ("one document", "names in text") else CHUNKS_A_DOCUMENT
    chunks: list[StoredChunk] = []
    for no, entity in enumerate(entities):
        doc_id, seq = f"d{no // in_document}.md", no % in_document
        text = "It says so."
        if case == "names in text":
            text = f"{_name(draw)} met {_name(draw)}. Then {_name(draw)} left."
        chunks.append(
            StoredChunk(
                f"{doc_id}#c{seq}",
                doc_id,
                seq,
                text,
                f"{doc_id}#para{seq + 1}",
                seq + 1,
                seq + 1,
                entity=entity,
            )
        )
    return chunks


def _name(draw: random.Random) -> str:
    return f"Name{draw.randrange(2_000)}"


def _ours(case: str, chunks: list[StoredChunk]) -> Callable[[], Callable[[], int]]:
    named = 2_000 if case == "names in text" else 0
    aliases = {f"Name{no}": f"N{no}" for no in range(named)}
    aliases |= {f"Entity {no}": f"E{no}" for no in range(LISTED)}
    profile = Profile.model_validate(
        {
            "home": {"company_name": "Home", "entity_code": "HOME", "synonyms": aliases},
            "external_entities": {"Rival": "Rival Inc."},
        }
    )
    extractor = make_relation_extractor(_EXTRACTOR[case], profile=profile)
    return lambda: (
        build_relation_graph(profile, chunks=chunks, relation_extractor=extractor).number_of_edges
    )


def _peer(case: str, chunks: list[StoredChunk]) -> Callable[[], Callable[[], int]]:
    from ragspine.common.company_profile import DomainProfile  # noqa: PLC0415 not in our process
    from ragspine.graph.extractor import DeterministicRelationExtractor  # noqa: PLC0415
    from ragspine.graph.relation import build_relation_graph as build  # noqa: PLC0415

    profile = DomainProfile(
        home_company_name="Home",
        home_entity_code="HOME",
        home_entity_synonyms={f"Entity {no}": f"E{no}" for no in range(LISTED)},
        external_entities={"Rival": "Rival Inc."},
    )
    extractor = None if case == "base" else DeterministicRelationExtractor()
    return lambda: build(profile, chunks=chunks, relation_extractor=extractor).count_edges


if __name__ == "__main__":
    main()
