"""`co_occurs_with`: names that stand near one another in a document, found without a model."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragspine_graph.config.extractor_spec import DEFAULT_TOP_N, DEFAULT_WINDOW, parse_window
from ragspine_graph.errors import ConfigError
from ragspine_graph.extraction.cooccurrence import Appearance, Pair, Unit, find_pairs
from ragspine_graph.extraction.entities import EntitySource, Mention, find_mentions
from ragspine_graph.extraction.places import join_locators
from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.extraction.reading import Reading, read_source
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.relations import (
    CO_OCCURS_WITH,
    ChunkRange,
    Evidence,
    Node,
    Provenance,
    Relation,
)
from ragspine_store.sealed import Cleared, unseal


class DeterministicRelationExtractor:
    """Relates names that stand near one another, with how often and how strongly.

    An edge is undirected: its source is the node whose id comes first. Its evidence are the
    children in which the two stand closest; `count` says in how many windows of these children,
    `weight` how strongly the two belong together in the document (`extraction.cooccurrence`).
    Where something is withheld between two names, they do not meet. Where nothing but metadata
    name anything, a few sentences reach into the next child.

    Work is linear in the mentions: each meets at most 32 before it. Of the pairs that meet, those
    stay that are among the strongest of one of their names; the others are counted in `left_out`.

    Args:
        sources: where names come from; see `ragspine_graph.extraction.entities`.
        window: see `ragspine_graph.config.extractor_spec.parse_window`.
        top_n: how many of its strongest partners a name keeps.

    Raises:
        ConfigError: the window is unknown, or `top_n` is below 1.
    """

    def __init__(
        self,
        sources: Sequence[EntitySource],
        *,
        window: str = DEFAULT_WINDOW,
        top_n: int = DEFAULT_TOP_N,
    ) -> None:
        if top_n < 1:
            raise ConfigError(f"top_n={top_n} given; expected at least 1")
        self._sources = tuple(sources)
        self._window = parse_window(window)
        self._top_n = top_n

    def extract(self, source: Cleared[RelationSource]) -> Extraction:
        """Relations of one document, by their nodes, each with one evidence for a place."""
        return self.extract_from(source.map(read_source))

    def extract_from(self, reading: Cleared[Reading]) -> Extraction:
        """As `extract`, from a reading that other rules share."""
        mentions = find_mentions(self._sources, reading)
        nodes = {mention.node.id: mention.node for mention in mentions}
        if len(nodes) < 2:
            return Extraction()
        numbers = {node_id: number for number, node_id in enumerate(sorted(nodes))}
        by_sentence = not all(mention.is_about for mention in mentions)
        window = self._window
        if not by_sentence and window.units:
            # A few sentences on from one child is the next one, not beyond it.
            window = replace(window, units=1)
        read = unseal(reading)
        text = _Units(read, by_sentence=by_sentence)
        appearances: set[Appearance] = set()
        written: dict[tuple[int, int], str] = {}
        units = text.units
        for mention in mentions:
            number, name = numbers[mention.node.id], mention.name
            for unit in text.units_of(mention):
                appearances.add(Appearance(unit, number))
                written.setdefault((number, units[unit].seq), name)
        pairs, left_out = find_pairs(sorted(appearances), units, window, self._top_n)
        stamp = _Stamp(read.source, [nodes[node_id] for node_id in numbers], written)
        relations = tuple(relation for pair in pairs for relation in stamp.relations(pair))
        return Extraction(relations, left_out=left_out)


class _Units:
    """A reading cut into units: sentences, or children where only these are known to name."""

    def __init__(self, reading: Reading, *, by_sentence: bool) -> None:
        self.units: list[Unit] = []
        self._starts: list[int] = []
        leads: dict[int, int] = {}
        for part in reading.parts:
            section = part.chunk.section
            for span in reading.sentences(part) if by_sentence else [part.span]:
                lead = leads.get(section, 0)
                leads[section] = lead + 1
                self.units.append(Unit(part.chunk.seq, part.run, section, lead))
                self._starts.append(span.start)

    def units_of(self, mention: Mention) -> range:
        """Numbers of the units that a mention stands in; of all of its child's when about it."""
        if mention.is_about:
            first = bisect_left(self._starts, mention.span.start)
            return range(first, bisect_left(self._starts, mention.span.end))
        unit = bisect_right(self._starts, mention.span.start) - 1
        return range(unit, unit + 1)


class _Stamp:
    """Makes relations of pairs, with the lineage of their document."""

    def __init__(
        self,
        document: RelationSource,
        nodes: Sequence[Node],
        written: dict[tuple[int, int], str],
    ) -> None:
        self._doc_id = document.doc_id
        self._locators = {chunk.seq: chunk.locator for chunk in document.chunks}
        self._nodes = nodes
        self._written = written

    def relations(self, pair: Pair) -> Iterator[Relation]:
        source, target = self._nodes[pair.low], self._nodes[pair.high]
        for place, count in pair.places:
            first, last = place
            locator = self._locators[first]
            if first != last:
                locator = join_locators(locator, self._locators[last])
            evidence = Evidence(
                self._doc_id,
                locator,
                place,
                None,
                "",
                "" if source.label else self._name(pair.low, place),
                "" if target.label else self._name(pair.high, place),
                count,
                pair.weight,
            )
            yield Relation(source, CO_OCCURS_WITH, target, Provenance.RULE, evidence)

    def _name(self, number: int, place: ChunkRange) -> str:
        """How a node is written in one of the two children; no other is sure to be visible."""
        found = self._written.get((number, place.first))
        return found if found is not None else self._written[number, place.last]
