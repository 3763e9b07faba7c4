"""XML that strangers wrote: no document type, hence no entities; bounded depth and size.

Names come as `w:p`, whether the file uses the transitional or the strict namespaces.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

__all__ = ["Element", "XmlRefusedError", "children_of", "find_child", "parse_xml", "value_of"]

_MAX_DEPTH = 200
_MAX_ELEMENTS = 5_000_000
_BLOCK_BYTES = 64 * 1024

_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://schemas.openxmlformats.org/package/2006/relationships": "",
    "http://schemas.openxmlformats.org/package/2006/content-types": "",
}


class XmlRefusedError(Exception):
    """The XML is broken, or holds what no Word document needs; the message names it."""


def parse_xml(data: bytes) -> Element:
    """Parse one part.

    Raises:
        XmlRefusedError: it has a document type, is nested too deeply, is too large or is broken.

    >>> parse_xml(b'<p xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"/>').tag
    'w:p'
    """
    parser = XMLParser(target=_Builder())
    try:
        for at in range(0, len(data), _BLOCK_BYTES):
            parser.feed(data[at : at + _BLOCK_BYTES])
        return parser.close()
    except (ParseError, LookupError, ValueError):
        raise XmlRefusedError("broken XML") from None


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


class _Builder(TreeBuilder):
    """Builds the tree of one part and stops at what is refused."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0
        self._elements = 0

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise XmlRefusedError("a document type declaration")

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self._depth += 1
        self._elements += 1
        if self._depth > _MAX_DEPTH:
            raise XmlRefusedError(f"elements nested deeper than {_MAX_DEPTH}")
        if self._elements > _MAX_ELEMENTS:
            raise XmlRefusedError(f"more than {_MAX_ELEMENTS} elements")
        return super().start(_short(tag), {_short(key): value for key, value in attrs.items()})

    def end(self, tag: str, /) -> Element:
        self._depth -= 1
        return super().end(_short(tag))


@functools.lru_cache(maxsize=4096)
def _short(name: str) -> str:
    namespace, brace, local = name[1:].partition("}")
    return _PREFIXES.get(namespace, f"{{{namespace}}}") + local if brace else name
