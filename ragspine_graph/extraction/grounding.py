"""What a model states has to stand in the text it was given (promise G8).

In this order; the first rule that stops an item names the rejection:

1. `quote-not-found`: the quote stands in the child, exactly or as `quotes` compares.
2. `self-relation`: its ends are two nodes.
3. `endpoint-not-in-quote`: both ends stand in the quote, apart from each other, as
   `ragspine_graph.names.normaliser` compares; an end that the profile lists may stand there by any
   of its names. An end is the profile's node of its name, or the term that the document defines,
   or an unlisted node of its own.
4. `denied`: the model says that the quote denies it, or its clause does (`denials`).

Where the relation stands comes from the child, never from the model. The gate comes after.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from ragspine_graph.extraction.denials import denies
from ragspine_graph.extraction.quotes import find_quote
from ragspine_graph.extraction.reply import RelationItem
from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.gate import normalise_kind
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.records import Span
from ragspine_store.relations import (
    ChunkRange,
    Evidence,
    Node,
    Provenance,
    Rejection,
    Relation,
)

_NO_IDENTIFIER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a model's answer comes from.

    Attributes:
        source: the document.
        chunk: the child the model was asked about.
        model, prompt: name of the model and hash of the prompt.
        terms: nodes of the terms that the document defines, by their normalised names.
    """

    source: RelationSource
    chunk: SourceChunk
    model: str
    prompt: str
    terms: Mapping[str, Node] = field(default_factory=dict[str, Node], repr=False)

    def stamp(self) -> Evidence:
        """Evidence without a quote."""
        return Evidence(
            self.source.doc_id,
            self.chunk.locator,
            ChunkRange(self.chunk.seq, self.chunk.seq),
            model=self.model,
            prompt=self.prompt,
        )

    def passage(self) -> tuple[str, int]:
        """The child's text as the document has it, and where it begins there.

        A child of the default chunker is its paragraphs joined anew. What the reader may not see is
        blank in the document, so nothing of it can be quoted.
        """
        if self.chunk.span is None or not self.source.text:
            return self.chunk.text, 0
        start, end = self.chunk.span
        return self.source.text[start:end], start


class Grounding:
    """Checks a model's items against their text.

    Args:
        nodes: of the profile, by their names.
    """

    def __init__(self, nodes: ProfileNodes) -> None:
        self._nodes = nodes
        self._listed = NameMatcher(listed.name for listed in nodes.names)

    def ground(self, item: RelationItem, lineage: Lineage) -> Relation | Rejection:
        """The relation that an item states, when its text bears it out."""
        evidence = lineage.stamp()
        text, begin = lineage.passage()
        quoted = find_quote(item.quote, text)
        if quoted is None:
            return _reject(item, evidence, "quote-not-found", "the quote is not in the text")
        quote = text[quoted.start : quoted.end]
        evidence = replace(
            evidence,
            quote=quote,
            span=None
            if lineage.chunk.span is None or not lineage.source.text
            else Span(begin + quoted.start, begin + quoted.end),
        )
        source, target = (self._resolve(name, lineage.terms) for name in (item.source, item.target))
        if source.id == target.id:
            return _reject(item, evidence, "self-relation", "source and target are one node")
        places = _apart(
            self._places(item.source, source, quote), self._places(item.target, target, quote)
        )
        if places is None:
            return _reject(
                item, evidence, "endpoint-not-in-quote", "source or target is not in the quote"
            )
        kind = _NO_IDENTIFIER.sub("_", normalise_kind(item.kind)).strip("_")
        first, last = (
            Span(quoted.start + place.start, quoted.start + place.end) for place in sorted(places)
        )
        if item.polarity == "denied":
            return _reject(item, evidence, "denied", "the model says that the quote denies it")
        if denies(text, first, last, kind):
            return _reject(item, evidence, "denied", "its sentence seems to deny it")
        evidence = replace(
            evidence,
            source_name=quote[places[0].start : places[0].end],
            target_name=quote[places[1].start : places[1].end],
        )
        return Relation(source, kind, target, Provenance.MODEL, evidence)

    def _resolve(self, name: str, terms: Mapping[str, Node]) -> Node:
        listed = self._nodes.find(name)
        return listed or terms.get(normalise_name(name)) or self._nodes.entity(name)

    def _places(self, name: str, node: Node, quote: str) -> list[Span]:
        """Where a quote names a node: by the name the model gives, or by one of the profile."""
        own = [match.span for match in NameMatcher([name]).iter_all(quote)]
        listed = (
            match.span
            for match in self._listed.iter_all(quote)
            if self._nodes.find(match.key) == node
        )
        return sorted({*own, *listed}, key=lambda span: (span.start, -span.end))


def _apart(sources: Sequence[Span], targets: Sequence[Span]) -> tuple[Span, Span] | None:
    """The first two places that do not overlap."""
    pairs = product(sources, targets)
    return next((pair for pair in pairs if not pair[0].overlaps(pair[1])), None)


def _reject(item: RelationItem, evidence: Evidence, rule: str, reason: str) -> Rejection:
    quote = evidence.quote or item.quote
    return Rejection(rule, reason, item.source, item.kind, item.target, quote, evidence)
