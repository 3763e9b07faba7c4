"""The terms that a document defines, as nodes, and the sections that use them.

A term belongs to its document (`term:会社@rules.md`), so that 「会社」 of two handbooks stay apart.
One that holds for an article alone (以下この条において) is mentioned by that article alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from ragspine_graph.extraction.defined_terms import DefinedTerm, find_defined_terms
from ragspine_graph.extraction.places import Places
from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.extraction.reading import Reading, read_source
from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.records import Span
from ragspine_store.relations import MENTIONS, Node, NodeType, Provenance, Relation
from ragspine_store.sealed import Cleared, unseal

# 会社 in 株式会社 or 子会社 is another word.
_INSIDE_WORD = re.compile(r"[一-鿿々ァ-ヺー]{2}")


class DefinedTermExtractor:
    """Finds defined terms: a `mentions` relation from each section that defines or uses one."""

    def extract(self, source: Cleared[RelationSource]) -> Extraction:
        """Relations of one document, by place; see `RelationExtractor.extract`."""
        return self.extract_from(source.map(read_source))

    def extract_from(self, reading: Cleared[Reading]) -> Extraction:
        """As `extract`, from a reading that other rules share."""
        document = unseal(reading).source
        places = Places(document)
        definitions: dict[str, DefinedTerm] = {}
        for term in find_defined_terms(document.text):
            if name := normalise_name(term.name):
                definitions.setdefault(name, term)
        uses: dict[tuple[int, str], list[Span]] = {}
        for name, span in sorted(find_uses(document.text, definitions), key=lambda use: use[1]):
            section = places.section_at(span.start)
            if section is not None:
                uses.setdefault((section, name), []).append(span)
        relations: list[Relation] = []
        for (section, name), spans in uses.items():
            term = definitions[name]
            if term.is_local and places.section_at(term.span.start) != section:
                continue
            evidence = places.find_evidence(
                spans[0], target_name=_written(document.text, term, spans[0]), count=len(spans)
            )
            if evidence is not None:
                source_node = places.node_of_section(section)
                target = Node(NodeType.TERM, f"{name}@{document.doc_id}")
                relations.append(Relation(source_node, MENTIONS, target, Provenance.RULE, evidence))
        return Extraction(tuple(relations))


def find_uses(text: str, definitions: Mapping[str, DefinedTerm]) -> Iterator[tuple[str, Span]]:
    """Where terms are defined and used; a use inside of a definition is the definition.

    Args:
        text: the text.
        definitions: by normalised name.

    >>> from ragspine_graph.extraction.defined_terms import find_defined_terms
    >>> text = "株式会社甲（以下「会社」という。）は、会社とする。"
    >>> uses = find_uses(text, {term.name: term for term in find_defined_terms(text)})
    >>> [text[span.start : span.end] for _, span in uses]
    ['以下「会社」という', '会社']
    """
    defining = sorted(term.span for term in definitions.values())
    for name, term in definitions.items():
        yield name, term.span
    matcher = NameMatcher(term.name for term in definitions.values())
    for name, span in matcher.find(text):
        index = bisect_right(defining, span) - 1
        is_defining = index >= 0 and defining[index].contains(span)
        is_inside_word = span.start > 0 and _INSIDE_WORD.match(text, span.start - 1) is not None
        if name in definitions and not is_defining and not is_inside_word:
            yield name, span


def _written(text: str, term: DefinedTerm, span: Span) -> str:
    return term.name if span == term.span else text[span.start : span.end]
