"""Random histories of a store, beside a dictionary that keeps what should be in it.

The same histories are made in a file and on a server; then all that can be read is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import Candidate, Scope, Store, StoreReader
from ragspine_store.query import parse_query
from ragspine_store.records import PreparedDocument
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge
from ragspine_store.relations import Address, Node, Verdict
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import found
from ragspine_store.testing.relations import (
    at,
    beside,
    entity,
    fact,
    mention,
    proposed,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    refer,
    rejection,
    section,
)
from ragspine_store.testing.vectors import embedded, near
from ragspine_store.vectors import VectorKind
from tests.backends import STUB_KEY, Neo4jBackend, Place, SQLiteBackend, all_kept
from tests.conftest import AtRest
from tests.neo4j_server import Server

WORDS = ("tea", "milk", "税", "手当")
QUERIES = (*WORDS, "tea 手当", '"tea milk"', "heading 税")
IDS = ("a.md", "b.md", "hr/c.md")
READERS = (
    Reader(),
    Reader(Sensitivity.PUBLIC),
    Reader(Sensitivity.INTERNAL, frozenset({"default"})),
    Reader(collections=frozenset({"x"})),
)
RESTRICTED = Sensitivity.RESTRICTED
levels = st.sampled_from(list(Sensitivity))
names = st.sampled_from(("A", "B", "C")).map(entity)
ids = st.sampled_from(IDS)
lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@st.composite
def documents(draw: st.DrawFn) -> PreparedDocument:
    parts = draw(
        st.lists(
            st.builds(
                Part,
                st.just("heading"),
                st.lists(lines, min_size=1, max_size=3).map(tuple),
                st.integers(1, 2),
            ),
            min_size=1,
            max_size=3,
        )
    )
    document = make_document(
        draw(ids),
        *parts,
        label=draw(levels),
        windows=draw(st.booleans()),
        described={"collection": draw(st.sampled_from(("default", "x")))},
    )
    return embedded(document) if draw(st.booleans()) else document


@dataclass(frozen=True)
class Line:
    """What the model knows of a child: its text, None when erased; the sections above it."""

    text: str | None
    above: frozenset[int]


@dataclass(frozen=True)
class Kept:
    """What the model knows of a document; `lines` is None when only a stub is kept.

    Attributes:
        raised: labels of parts that are stricter than their document, by `s2` or `c0`.
    """

    label: Sensitivity
    collection: str
    lines: tuple[Line, ...] | None
    raised: Mapping[str, Sensitivity] = field(default_factory=dict[str, Sensitivity])

    @classmethod
    def of(cls, document: PreparedDocument) -> Kept:
        parents = {s.no: s.parent for s in document.loaded.outline.sections}

        def above(no: int | None) -> Iterator[int]:
            while no is not None:
                yield no
                no = parents[no]

        lines = tuple(Line(c.text, frozenset(above(c.section))) for c in document.chunks)
        return cls(document.meta.sensitivity, document.meta.collection, lines)

    def level(self, seq: int) -> Sensitivity:
        """The label of a child in force."""
        assert self.lines is not None
        parts = (f"c{seq}", *(f"s{no}" for no in self.lines[seq].above))
        return max(self.label, *(self.raised.get(part, self.label) for part in parts))

    def erased(self) -> Kept:
        """Without the text of what is RESTRICTED."""
        if self.label is RESTRICTED or self.lines is None:
            return replace(self, lines=None, collection="", raised={})
        lines = tuple(
            replace(line, text=None) if self.level(seq) is RESTRICTED else line
            for seq, line in enumerate(self.lines)
        )
        return replace(self, lines=lines)

    def seen(self, clearance: Sensitivity) -> dict[int, str]:
        """Texts of the children of a clearance."""
        lines = enumerate(self.lines or ())
        return {
            seq: line.text
            for seq, line in lines
            if line.text is not None and self.level(seq) <= clearance
        }


class StoreMachine(RuleBasedStateMachine):
    """Rules act on the stores and on a dictionary; the expectations use the dictionary alone."""

    def places(self, folder: Path, at_rest: AtRest) -> list[Place]:
        """Where the history is made."""
        return [SQLiteBackend(folder / "store.db", at_rest)]

    @initialize(at_rest=st.sampled_from(("stub", "text")))
    def open(self, at_rest: AtRest) -> None:
        self._ends = ExitStack()
        for module in ("sqlite_store.writing", "neo4j_store.rows", "neo4j_store.writing"):
            self._still(module)
        for module in ("sqlite_store.stub_rows", "neo4j_store.stubs"):
            self._still(module)
        for backend in ("sqlite_store", "neo4j_store"):
            self._still(f"{backend}.relations.verdicts")
        folder = self._ends.enter_context(TemporaryDirectory())
        self._keeps_text = at_rest == "text"
        self._places = self.places(Path(folder), at_rest)
        self._stores = [place.new_store() for place in self._places]
        for place in self._places:
            self._ends.callback(place.close)
        self._kept: dict[str, Kept] = {}

    def _still(self, module: str) -> None:
        """Both stores are written at the same instant."""
        name = f"ragspine_store.{module}.now"
        self._ends.enter_context(patch(name, lambda: "2026-01-01T00:00:00+00:00"))

    def teardown(self) -> None:
        self._ends.close()

    def _settled(self, kept: Kept) -> Kept:
        return kept if self._keeps_text else kept.erased()

    @rule(document=documents())
    def put(self, document: PreparedDocument) -> None:
        for store in self._stores:
            with store.writing() as transaction:
                transaction.put(document)
        self._kept[document.meta.doc_id] = self._settled(Kept.of(document))

    @rule(doc_id=ids)
    def delete(self, doc_id: str) -> None:
        for store in self._stores:
            with store.writing() as transaction:
                assert transaction.delete(doc_id) == (doc_id in self._kept)
        self._kept.pop(doc_id, None)

    @rule(doc_id=ids, level=levels)
    def relabel(self, doc_id: str, level: Sensitivity) -> None:
        kept = self._kept.get(doc_id)
        after = self._settled(replace(kept, label=level)) if kept else None
        for store in self._stores:
            with store.writing() as transaction:
                if after is None:
                    with pytest.raises(NotFoundError):
                        transaction.relabel(doc_id, level)
                    continue
                state = transaction.relabel(doc_id, level)
            assert (state.sensitivity, state.is_stub) == (level, after.lines is None)
        if after is not None:
            self._kept[doc_id] = after

    @rule(doc_id=ids, part=st.sampled_from(("s1", "s2", "c0", "c1", "c2")), level=levels)
    def raise_part(self, doc_id: str, part: str, level: Sensitivity) -> None:
        kept = self._kept.get(doc_id)
        before: set[Sensitivity | None] = set()
        for store in self._stores:
            with store.writing() as transaction:
                state = transaction.find_part(f"{doc_id}#{part}")
                before.add(state.label if state else None)
                if state is not None and state.label < level:
                    transaction.relabel_part(f"{doc_id}#{part}", level)
        (label,) = before
        if label is not None and label < level:
            assert kept is not None
            self._kept[doc_id] = self._settled(replace(kept, raised={**kept.raised, part: level}))

    @rule()
    def purge(self) -> None:
        for store in self._stores:
            with store.writing() as transaction:
                transaction.stub_restricted()
        self._kept = {doc_id: kept.erased() for doc_id, kept in self._kept.items()}

    @rule()
    def erase(self) -> None:
        for store in self._stores:
            assert store.erase()

    @rule()
    def reopen(self) -> None:
        for store in self._stores:
            store.close()
        self._stores = [place.open_store() for place in self._places]

    # --- the graph ----------------------------------------------------------------------------

    @rule(doc_id=ids, seq=st.integers(0, 2), one=names, other=names, word=st.sampled_from(WORDS))
    def extract_by_rules(self, doc_id: str, seq: int, one: Node, other: Node, word: str) -> None:
        where = at(doc_id, seq, quote=word)
        part = section(doc_id, 1)
        self._agree(
            lambda place, store: put_rules(
                place,
                store,
                doc_id,
                mention(one, where),
                beside(one, other, where),
                rejections=[rejection(where, word)],
                titles=["heading"],
                addresses=[Address("article 1", part)],
                references=[refer(part, "article 1", where, "heading"), refer(part, "x", where)],
            )
        )

    @rule(doc_id=ids, seq=st.integers(0, 2), one=names, other=names, word=st.sampled_from(WORDS))
    def extract_by_a_model(self, doc_id: str, seq: int, one: Node, other: Node, word: str) -> None:
        where = at(doc_id, seq, quote=word)
        proposal = proposed(one, "pays", other, where)
        self._agree(
            lambda place, store: put_model(
                place, store, doc_id, seq, proposal, rejections=[rejection(where)]
            )
        )

    @rule(doc_ids=st.sets(ids))
    def state_facts(self, doc_ids: set[str]) -> None:
        for place, store in zip(self._places, self._stores, strict=True):
            put_profile(place, store, *map(fact, sorted(doc_ids)))

    @rule(number=st.integers(0, 3), verdict=st.sampled_from((Verdict.VERIFIED, Verdict.REJECTED)))
    def judge(self, number: int, verdict: Verdict) -> None:
        every = EdgeFilter(Reader())
        proposals = [edge.key for edge in read_edges(self._stores[0], every) if edge.verdict]
        for key in proposals[number : number + 1]:
            for store in self._stores:
                with store.writing() as transaction:
                    transaction.record_verdict(key.edge_id, verdict, reviewer="Kim", note="")

    def _agree(self, call: Callable[[Place, Store], object]) -> None:
        told = [call(*pair) for pair in zip(self._places, self._stores, strict=True)]
        assert all(one == told[0] for one in told)

    # --- what has to hold -----------------------------------------------------------------------

    def _visible(self, reader: Reader) -> dict[str, dict[int, str]]:
        return {
            doc_id: kept.seen(reader.clearance)
            for doc_id, kept in sorted(self._kept.items())
            if kept.lines is not None
            and kept.label <= reader.clearance
            and (reader.collections is None or kept.collection in reader.collections)
        }

    @invariant()
    def each_reader_finds_what_the_model_has(self) -> None:
        for reader in READERS:
            visible = self._visible(reader)
            for store in self._stores:
                for word in WORDS:
                    assert set(found(store, word, k=100, reader=reader)) == {
                        f"{doc_id}#c{seq}"
                        for doc_id, lines in visible.items()
                        for seq, line in lines.items()
                        if word in line
                    }
                seen = {f"{doc_id}#c{seq}" for doc_id, lines in visible.items() for seq in lines}
                for kind in VectorKind:
                    assert near(store, "tea", kind=kind, k=100, reader=reader).keys() <= seen
                with store.reading() as transaction:
                    assert transaction.visible_counts(reader) == (
                        len(visible),
                        sum(map(len, visible.values())),
                    )

    @invariant()
    def the_operator_counts_what_the_model_has(self) -> None:
        hidden = self._labelled(kept for kept in self._kept.values() if kept.lines is not None)
        for store in self._stores:
            with store.reading() as transaction:
                census = transaction.census()
                withheld = transaction.withheld_documents()
            assert census.restricted_documents == len(withheld) == hidden
            assert census.stubs == sum(kept.lines is None for kept in self._kept.values())
            assert census.unknown_labels == census.missing_windows == 0

    def _labelled(self, kept: Iterable[Kept]) -> int:
        return sum(one.label is RESTRICTED for one in kept)

    @invariant()
    def nothing_is_left_of_what_went(self) -> None:
        lines = [kept.lines for kept in self._kept.values() if kept.lines is not None]
        indexed = sum(map(len, self._visible(Reader()).values()))
        for place in self._places:
            totals = place.totals()
            if isinstance(place, SQLiteBackend):
                assert totals["document"] == len(lines)
                assert totals["narrative_chunk"] == sum(map(len, lines))
                assert totals["chunk_fts_docsize"] == indexed
            else:
                assert isinstance(place, Neo4jBackend)
                assert totals.get("Document", 0) == len(lines)
                assert totals.get("Child", 0) == sum(map(len, lines))
                assert place.indexed() == indexed


StoreMachine.TestCase.settings = settings(
    max_examples=settings().max_examples // 5, stateful_step_count=20
)
TestStoreBesideModel = StoreMachine.TestCase


# --- a file beside a server ---------------------------------------------------------------------

NEAR, NEAR_OF_SEVERAL = 1.25, 4.0
"""How far apart two children may be in one store's scores whose order is another in the other, for
a question of one token and of several; docs/adr/0024-ranks-of-two-engines.md has measured it."""


class BothStoresMachine(StoreMachine):
    """The same history in a file and on a server."""

    server: ClassVar[Server]

    def places(self, folder: Path, at_rest: AtRest) -> list[Place]:
        key = STUB_KEY.encode()
        return [
            SQLiteBackend(folder / "store.db", at_rest, stub_key=key),
            Neo4jBackend(self.server, at_rest),
        ]

    @invariant()
    def all_that_is_kept_is_the_same(self) -> None:
        here, there = map(all_kept, self._stores)
        assert here == there

    @invariant()
    def all_that_is_read_is_the_same(self) -> None:
        for reader in READERS:
            with self._stores[0].reading() as here, self._stores[1].reading() as there:
                ours, theirs = (all_read(one, reader) for one in (here, there))
                assert ours == theirs
                for query in QUERIES:
                    as_near = NEAR if query in WORDS else NEAR_OF_SEVERAL
                    hits = ranked(here, query, reader), ranked(there, query, reader)
                    compare_hits(*hits, as_near)
            for kind in VectorKind:
                ours, theirs = (
                    list(near(store, "tea", kind=kind, k=3, reader=reader).items())
                    for store in self._stores
                )
                assert ours == theirs


def all_read(transaction: StoreReader, reader: Reader) -> list[object]:
    """What can be read of documents and graph, without keys of rows and the order of labels."""
    edges = transaction.edges(EdgeFilter(reader))
    views = [view for view in map(transaction.find_document, IDS) if view]
    children = [child for view in views for child in view.chunks]
    windows = transaction.windows(children)
    return [
        transaction.census(),
        transaction.vector_counts(),
        transaction.relation_census(reader),
        list(map(plain_edge, edges)),
        transaction.dangling(reader),
        transaction.rejections(reader),
        transaction.verdict_log(reader),
        [transaction.find_nodes(reader, name) for name in ("A", "b", "heading", IDS[0])],
        [replace(view, chunks=()) for view in views],
        list(map(plain_child, children)),
        {key: (window.text, set(window.labels)) for key, window in windows.items()},
    ]


def plain_edge(edge: StoredEdge) -> StoredEdge:
    pieces = (replace(e, labels=tuple(sorted({*e.labels}))) for e in edge.evidence)
    ends = (replace(end, labels=tuple(sorted({*end.labels}))) for end in (edge.source, edge.target))
    source, target = ends
    return replace(edge, evidence=tuple(pieces), source=source, target=target)


def plain_child(child: Candidate) -> Candidate:
    return replace(child, key=0)


def ranked(transaction: StoreReader, query: str, reader: Reader) -> dict[str, float]:
    """Scores by child, best first."""
    hits = transaction.search(parse_query(query), Scope(reader), 100)
    candidates = transaction.candidates(hits)
    return {c.chunk.chunk_id: hit.score for c, hit in zip(candidates, hits, strict=True)}


def compare_hits(ours: Mapping[str, float], theirs: Mapping[str, float], as_near: float) -> None:
    """The same children; in another order only where either store holds two as near."""
    assert ours.keys() == theirs.keys()
    place = {chunk_id: number for number, chunk_id in enumerate(theirs)}
    for one, other in combinations(ours, 2):
        if place[one] > place[other]:
            assert min(ours[one] / ours[other], theirs[other] / theirs[one]) <= as_near


def test_a_file_and_a_server_agree_whatever_happened(neo4j_lts: Server) -> None:
    class Machine(BothStoresMachine):
        server = neo4j_lts

    few = settings(max_examples=4, stateful_step_count=12, derandomize=True, database=None)
    run_state_machine_as_test(Machine, settings=few)
    neo4j_lts.clear()
