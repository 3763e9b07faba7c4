"""The XML of Word documents, with names like `w:p` whichever namespaces the file uses."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

__all__ = ["PREFIXES", "Element", "children_of", "find_child", "value_of"]

PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://schemas.openxmlformats.org/package/2006/relationships": "",
}


def children_of(element: Element | None, tag: str) -> Iterator[Element]:
    """The children of that name, in order; none of no element."""
    return (child for child in (() if element is None else element) if child.tag == tag)


def find_child(element: Element | None, *tags: str) -> Element | None:
    """Find the first child of that name, or the one that a path of names leads to."""
    for tag in tags:
        element = next(children_of(element, tag), None)
    return element


def value_of(parent: Element | None, tag: str) -> str:
    """The `w:val` of a child; '' without one."""
    element = find_child(parent, tag)
    return "" if element is None else element.get("w:val", "")
