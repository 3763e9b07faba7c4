"""XML that strangers wrote: no document type, hence no entities; bounded depth and size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_DEPTH = 200
MAX_ELEMENTS = 3_000_000


class XmlRefusedError(Exception):
    """The XML is broken, or holds what no document needs; the message names it."""


class XmlTarget(Protocol):
    """Receives what stands in the XML, in document order; names without their namespace."""

    def start(self, tag: str, attrs: dict[str, str], /) -> object:
        """An element opens."""
        ...

    def end(self, tag: str, /) -> object:
        """An element closes."""
        ...

    def data(self, data: str, /) -> object:
        """Text stands here; one run may come in pieces."""
        ...


def read_xml(
    parts: Iterable[bytes],
    target: XmlTarget,
    *,
    encoding: str | None = None,
    max_elements: int = MAX_ELEMENTS,
) -> None:
    """Read XML into a target, piece by piece.

    Args:
        parts: the bytes, in order.
        target: receives elements and text; what it raises ends the reading.
        encoding: overrides the encoding that the XML declares.
        max_elements: most elements.

    Raises:
        XmlRefusedError: there is a document type, too much nesting, too many elements, or the
            XML is broken.
    """
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    bounds = _Bounds(target, max_elements)
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.StartElementHandler = bounds.start
    parser.EndElementHandler = bounds.end
    parser.CharacterDataHandler = target.data
    try:
        for part in parts:
            parser.Parse(part, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError):
        raise XmlRefusedError("broken XML") from None


def parse_tree(data: bytes, *, encoding: str | None = None) -> Element:
    """Parse XML into a tree of elements; arguments and errors as for `read_xml`.

    >>> parse_tree(b"<a><b/></a>")[0].tag
    'b'
    """
    builder = TreeBuilder()
    read_xml([data], builder, encoding=encoding)
    return builder.close()


class _Bounds:
    def __init__(self, target: XmlTarget, max_elements: int) -> None:
        self._target = target
        self._max_elements = max_elements
        self._depth = 0
        self._elements = 0

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > MAX_DEPTH:
            raise XmlRefusedError(f"elements nested deeper than {MAX_DEPTH}")
        if self._elements > self._max_elements:
            raise XmlRefusedError(f"more than {self._max_elements:,} elements")
        self._target.start(_local(tag), attrs)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._target.end(_local(tag))


def _refuse_document_type(*_: object) -> None:
    raise XmlRefusedError("a document type declaration")


def _local(name: str) -> str:
    return name.rpartition(":")[2] if ":" in name else name
