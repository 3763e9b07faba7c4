"""Finds what one document refers to, and how it can be referred to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from ragspine_graph.extraction.places import Places
from ragspine_graph.extraction.references.english import find_english
from ragspine_graph.extraction.references.english_titles import EnglishTitles
from ragspine_graph.extraction.references.japanese import find_japanese
from ragspine_graph.extraction.references.japanese_titles import TitleReader
from ragspine_graph.extraction.references.mentions import Mention
from ragspine_graph.extraction.references.opening import opening_names
from ragspine_graph.extraction.references.paths import format_path
from ragspine_graph.extraction.references.resolution import Resolver
from ragspine_graph.extraction.references.structure import Structure
from ragspine_graph.extraction.references.titles import normal_title, own_titles
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.relations import Address, Reference
from ragspine_store.sealed import Cleared, unseal


@dataclass(frozen=True, slots=True)
class DocumentReferences:
    """What a document refers to, and how it can be referred to.

    Attributes:
        titles: normalised names under which other documents refer to it.
        addresses: of its parts, in document order; each once.
        references: in document order.
    """

    titles: tuple[str, ...] = field(repr=False)
    addresses: tuple[Address, ...]
    references: tuple[Reference, ...]


def find_references(source: Cleared[RelationSource]) -> DocumentReferences:
    """Find the references of one document, in Japanese and English.

    A reference to what the document does not have is kept: it dangles until a reader sees a part
    that answers to it. One that names the very part in which it stands is left out.

    Args:
        source: the document.
    """
    return references_of(unseal(source))


def references_of(document: RelationSource) -> DocumentReferences:
    """As `find_references`, of a document that was unsealed to be read."""
    places = Places(document)
    structure = Structure(document, places)
    titles = own_titles(document.title)
    normal = cache(normal_title)  # of this document alone: nothing of it outlives the call
    japanese = TitleReader(document.text, frozenset(titles), normal)
    english = EnglishTitles(document.text, frozenset(titles), normal)
    titles = tuple(
        dict.fromkeys(
            (*titles, *_opening(document), *japanese.short_names(), *english.short_names())
        )
    )
    finder = _Finder(document.text, places, structure, normal)
    mentions = [*find_japanese(document.text, japanese), *find_english(document.text, english)]
    mentions.sort(key=lambda mention: mention.span)
    references = tuple(
        reference for mention in mentions for reference in finder.references_of(mention)
    )
    return DocumentReferences(titles, structure.addresses(), references)


def _opening(document: RelationSource) -> tuple[str, ...]:
    """The names that a document without any heading opens with, normalised."""
    if any(section.heading for section in document.sections):
        return ()
    return tuple(filter(None, map(normal_title, opening_names(document.text))))


class _Finder:
    """Makes references of mentions."""

    def __init__(
        self, text: str, places: Places, structure: Structure, normal: Callable[[str], str]
    ) -> None:
        self._text = text
        self._normal = normal
        self._places = places
        self._structure = structure
        self._resolver = Resolver(structure)

    def references_of(self, mention: Mention) -> list[Reference]:
        if self._structure.is_number_of_heading(mention.span.start):
            return []
        targets = self._resolver.resolve(mention)
        no = self._places.section_at(mention.span.start)
        if not targets or no is None:
            return []
        source = self._places.node_of_section(no)
        found: list[Reference] = []
        for target in dict.fromkeys(targets):
            node = None if target.title else self._structure.find_node(target.path)
            if node == source:
                continue
            name = self._text[slice(*mention.span)] if target.is_named else ""
            evidence = self._places.find_evidence(mention.span, target_name=name)
            if evidence is not None:
                address = format_path(target.path)
                found.append(Reference(source, self._normal(target.title), address, evidence))
        return found
