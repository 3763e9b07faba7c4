"""Labels inside a document: sections and children may be stricter than the document.

What was stated of a section or child is its own label. What is in force is derived from it, in one
place, and written into the rows, which is all that reads look at:

- a section is as strict as its document, its own label, the sections around it, and every labelled
  child that holds its heading;
- a child is as strict as its document, its own label, and every section and labelled child that it
  shares text with;
- what was erased is RESTRICTED until its document is ingested again, whatever its label.

A row from before the record has no span; there paragraphs tell what shares text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ragspine_store.records import PartState, Span
from ragspine_store.sensitivity import Sensitivity, stored_label

# What stands in the place of each erased character, so that spans and paragraph numbers hold.
ERASED = "█"

UNSTATED = Sensitivity.PUBLIC
"""What a part without a label of its own adds to the strictness of what is around it: nothing."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section or child: its key, where its text stands, and what was stated of it."""

    key: int
    extent: Span
    own: Sensitivity
    is_erased: bool
    parent: int | None = None
    heading: str = field(default="", repr=False)

    @property
    def alone(self) -> Sensitivity:
        """The least that it is by itself."""
        return Sensitivity.RESTRICTED if self.is_erased else self.own


@dataclass(frozen=True, slots=True)
class PartLabels:
    """The parts of one document, in document order, and what is in force, derived from them."""

    document: Sensitivity
    sections: Sequence[Part]
    children: Sequence[Part]

    def of_sections(self) -> dict[int, Sensitivity]:
        """The labels in force of the sections; a parent comes before its subsections."""
        strict = [child for child in self.children if child.own > self.document]
        found: dict[int, Sensitivity] = {}
        for section in self.sections:
            heading = Span(section.extent.start, section.extent.start + 1)
            labels = [self.document, section.alone]
            if section.parent is not None:
                labels.append(found.get(section.parent, self.document))
                labels += [child.own for child in strict if child.extent.overlaps(heading)]
            found[section.key] = max(labels)
        return found

    def of_children(self) -> dict[int, Sensitivity]:
        """The labels in force of the children."""
        sections = self.of_sections()
        strict = [(s.extent, sections[s.key]) for s in self.sections]
        strict += [(child.extent, child.own) for child in self.children]
        strict = [(extent, label) for extent, label in strict if label > self.document]
        found: dict[int, Sensitivity] = {}
        for child in self.children:
            shared = (label for extent, label in strict if extent.overlaps(child.extent))
            found[child.key] = max(self.document, child.alone, *shared)
        return found

    def state_of(self, doc_no: int, key: int, *, is_section: bool) -> PartState:
        """What is known of one part.

        Args:
            doc_no: the store's own key of the document.
            key: of the part.
            is_section: a section rather than a child.
        """
        part = next(p for p in (self.sections if is_section else self.children) if p.key == key)
        bare = self._without(part, is_section=is_section)
        in_force, inherited = (
            (labels.of_sections() if is_section else labels.of_children())[key]
            for labels in (self, bare)
        )
        return PartState(doc_no, key, is_section, inherited, in_force, part.is_erased)

    def withheld_headings(self) -> set[str]:
        """Headings of the sections that are stricter than the document."""
        in_force = self.of_sections()
        return {
            section.heading
            for section in self.sections
            if section.parent is not None and in_force[section.key] > self.document
        }

    def _without(self, part: Part, *, is_section: bool) -> PartLabels:
        """The same, had nothing been stated of one part."""
        parts = self.sections if is_section else self.children
        bare = [replace(p, own=UNSTATED, is_erased=False) if p is part else p for p in parts]
        return replace(self, sections=bare) if is_section else replace(self, children=bare)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What has to go of a document whose parts are RESTRICTED.

    Attributes:
        sections, children: keys of those to be marked as erased.
        headings: of those sections.
        text: the canonical text, overwritten; None when none is kept.
    """

    sections: Sequence[int]
    children: Sequence[int]
    headings: frozenset[str] = field(repr=False)
    text: str | None = field(repr=False)


def find_erasure(labels: PartLabels, text: str | None) -> Erasure | None:
    """What has to go of a document's RESTRICTED parts; None when nothing of them is kept.

    A document that is RESTRICTED itself is another matter.

    Args:
        labels: of its parts.
        text: its canonical text, None when none is kept.
    """
    if labels.document is Sensitivity.RESTRICTED:
        return None
    of_sections, of_children = labels.of_sections(), labels.of_children()
    sections = [s for s in labels.sections if of_sections[s.key] is Sensitivity.RESTRICTED]
    children = [c for c in labels.children if of_children[c.key] is Sensitivity.RESTRICTED]
    # Children that only share text with a RESTRICTED part lose their row's text, no more.
    stated = [child for child in children if child.own is Sensitivity.RESTRICTED]
    erased = text and _overwritten(text, [part.extent for part in (*sections, *stated)])
    if erased == text and all(part.is_erased for part in (*sections, *children)):
        return None
    return Erasure(
        [section.key for section in sections],
        [child.key for child in children],
        frozenset(section.heading for section in sections),
        erased or None,
    )


def own_label(label: str) -> Sensitivity:
    """What a stored label of a part's own says; '' says nothing."""
    return stored_label(label) if label else UNSTATED


def stated_label(level: Sensitivity, document: Sensitivity) -> str:
    """What is stored when a level is stated of a part: '' when its document is as strict."""
    return level.name if level > document else ""


def _overwritten(text: str, spans: Iterable[Span]) -> str:
    for start, end in spans:
        erased = "".join("\n" if char == "\n" else ERASED for char in text[start:end])
        text = text[:start] + erased + text[end:]
    return text
