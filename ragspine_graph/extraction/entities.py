"""Where entities come from: sources that find names in a document, each by choice.

| name | finds |
|---|---|
| `metadata` | what the metadata of a child say it is about |
| `profile` | entities and metrics of the profile, by their labels and aliases |
| `titles` | laws and other documents that the text refers to by name |
| `terms` | terms that the document defines, wherever it uses them |

A source is any callable from a cleared document's reading to mentions. Where two find names in the
same words, the longer name counts, then the one of the earlier source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter

from ragspine_graph.extraction.defined_terms import DefinedTerm, find_defined_terms
from ragspine_graph.extraction.definitions import find_uses
from ragspine_graph.extraction.reading import EntitySource, Mention, Reading
from ragspine_graph.extraction.references.titles import normal_title
from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_store.records import Span
from ragspine_store.relations import Node, NodeType
from ragspine_store.sealed import Cleared, unseal


def make_entity_sources(names: Iterable[str], nodes: ProfileNodes) -> tuple[EntitySource, ...]:
    """The sources of these names (`extractor_spec.SOURCE_NAMES`), in their order.

    Args:
        names: as `extractor_spec.parse_sources` gives them.
        nodes: of the profile.
    """
    makers: dict[str, Callable[[], EntitySource]] = {
        "metadata": lambda: metadata_source(nodes),
        "profile": lambda: profile_source(nodes),
        "titles": lambda: find_titles,
        "terms": lambda: find_terms,
    }
    return tuple(makers[name]() for name in names)


def find_mentions(sources: Iterable[EntitySource], reading: Cleared[Reading]) -> list[Mention]:
    """What the sources find: what children are about, then names by place.

    No two names are in the same words, and none is across a border of parts.
    """
    find_part = unseal(reading).find_part
    about: list[Mention] = []
    named: list[tuple[int, int, int, Mention]] = []
    for order, source in enumerate(sources):
        for mention in _look_once(source, reading):
            if mention.is_about:
                about.append(mention)
            elif find_part(mention.span) is not None:
                named.append((mention.span.start, -mention.span.end, order, mention))
    named.sort(key=itemgetter(0, 1, 2))
    kept: list[Mention] = []
    named_to = 0
    for start, end, _, mention in named:
        if start >= named_to:
            kept.append(mention)
            named_to = -end
    return about + kept


def _look_once(source: EntitySource, reading: Cleared[Reading]) -> tuple[Mention, ...]:
    found = unseal(reading).mentions
    if source not in found:
        found[source] = tuple(source(reading))
    return found[source]


def metadata_source(nodes: ProfileNodes) -> EntitySource:
    """Finds what the metadata of children say they are about."""

    def find(reading: Cleared[Reading]) -> Iterator[Mention]:
        for part in unseal(reading).parts:
            if name := part.chunk.entity:
                yield Mention(nodes.entity(name), part.span, name, is_about=True)

    return find


def profile_source(nodes: ProfileNodes) -> EntitySource:
    """Finds the names of a profile; codes count only where they are an alias too."""
    named = [listed for listed in nodes.names if listed.name != listed.node.key]
    by_key = {normalise_name(listed.name): listed.node for listed in reversed(named)}
    matcher = NameMatcher(listed.name for listed in named)

    def find(reading: Cleared[Reading]) -> Iterator[Mention]:
        text = unseal(reading).text
        for part in unseal(reading).parts:
            start = part.span.start
            for key, (first, last) in matcher.find(text[start : part.span.end]):
                span = Span(start + first, start + last)
                # Rivals are found too, so that no shorter name is found inside of theirs.
                if by_key[key].type is not NodeType.EXTERNAL:
                    yield Mention(by_key[key], span, text[span.start : span.end])

    return find


def find_titles(reading: Cleared[Reading]) -> Iterator[Mention]:
    """Finds the names of other documents in references; none before the record."""
    read = unseal(reading)
    if read.is_canonical:
        for reference in read.references.references:
            span = reference.evidence.span
            if reference.title and span:
                name = _title_in(reference.evidence.quote, reference.title)
                yield Mention(Node(NodeType.UNLISTED, reference.title), span, name)


def find_terms(reading: Cleared[Reading]) -> Iterator[Mention]:
    """Finds the terms that hold in all of the document; none before the record."""
    read = unseal(reading)
    if not read.is_canonical:
        return
    definitions: dict[str, DefinedTerm] = {}
    for term in find_defined_terms(read.text):
        if (key := normalise_name(term.name)) and not term.is_local:
            definitions.setdefault(key, term)
    for key, span in find_uses(read.text, definitions):
        node = Node(NodeType.TERM, f"{key}@{read.source.doc_id}")
        term = definitions[key]
        yield Mention(node, span, term.name if span == term.span else read.text[slice(*span)])


def _title_in(quote: str, title: str) -> str:
    """The title as a reference writes it; as it is compared where it stands for another.

    It stands in front in Japanese, behind in English.
    """
    in_front = (quote[:end] for end in range(1, len(quote) + 1))
    behind = (quote[start:] for start in reversed(range(len(quote))))
    for written in (*in_front, *behind):
        if normal_title(written) == title:
            return written.strip("「『“”\"' ")
    return title
