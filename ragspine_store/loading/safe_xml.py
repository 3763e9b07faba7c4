"""XML that strangers wrote: no document type, hence no entities; bounded depth and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_DEPTH = 200
MAX_ELEMENTS = 3_000_000
_MAX_NAMES = 10_000


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
    prefixes: Mapping[str, str] | None = None,
) -> None:
    """Read XML into a target, piece by piece.

    Args:
        parts: the bytes, in order.
        target: receives elements and text; what it raises ends the reading.
        encoding: overrides the encoding that the XML declares.
        max_elements: most elements.
        prefixes: what stands for each namespace in the names that the target gets, '' for none;
            names of other namespaces keep it whole, as `{namespace}name`. None leaves all out.

    Raises:
        XmlRefusedError: there is a document type, too much nesting, too many elements, or the
            XML is broken.
    """
    parser = expat.ParserCreate(encoding, None if prefixes is None else "}")
    parser.buffer_text = True
    bounds = _Bounds(target, max_elements, prefixes)
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


def parse_tree(
    data: bytes, *, encoding: str | None = None, prefixes: Mapping[str, str] | None = None
) -> Element:
    """Parse XML into a tree of elements; arguments and errors as for `read_xml`.

    >>> parse_tree(b"<a><b/></a>")[0].tag
    'b'
    """
    builder = TreeBuilder()
    read_xml([data], builder, encoding=encoding, prefixes=prefixes)
    return builder.close()


class _Bounds:
    def __init__(
        self, target: XmlTarget, max_elements: int, prefixes: Mapping[str, str] | None
    ) -> None:
        self._target = target
        self._max_elements = max_elements
        self._prefixes = prefixes
        self._names: dict[str, str] = {}
        self._depth = 0
        self._elements = 0

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > MAX_DEPTH:
            raise XmlRefusedError(f"elements nested deeper than {MAX_DEPTH}")
        if self._elements > self._max_elements:
            raise XmlRefusedError(f"more than {self._max_elements:,} elements")
        if self._prefixes is not None:
            attrs = {self._name(key): value for key, value in attrs.items()}
        self._target.start(self._name(tag), attrs)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._target.end(self._name(tag))

    def _name(self, name: str) -> str:
        """The name as the target gets it."""
        if self._prefixes is None:
            return name.rpartition(":")[2] if ":" in name else name
        known = self._names.get(name)
        if known is None:
            namespace, brace, local = name.rpartition("}")
            prefix = self._prefixes.get(namespace, f"{{{namespace}}}") if brace else ""
            known = prefix + local
            if len(self._names) < _MAX_NAMES:
                self._names[name] = known
        return known


def _refuse_document_type(*_: object) -> None:
    raise XmlRefusedError("a document type declaration")
