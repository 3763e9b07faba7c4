"""The elements of a page as a browser would build them, without what it does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragspine_store.errors import LoadError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_DEPTH = 256
MAX_ELEMENTS = 1_000_000
_MAX_ATTRIBUTES = 2_000
# The parser takes time that grows with the square of nesting; more than a page ever needs.
_MAX_OPEN_TAGS = 1_000

_NOT_SHOWN = re.compile(
    "script|style|template|noscript|head|iframe|object|embed|canvas|audio|video|select|datalist"
    "|rt|rp|rtc|title|desc|metadata|defs|annotation|annotation-xml"
)
_HIDING_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)((?:[^\"'>]|\"[^\"]*\"|'[^']*')*+)")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_SEPARATOR = re.compile(r"[\s\"']+")
# Elements whose end tags are left out, or that have none.
_SELF_CLOSING = re.compile(
    "p|li|dt|dd|t[dhr]|thead|tbody|tfoot|colgroup|option|optgroup|area|base|br|col|embed|hr|img"
    "|input|link|meta|param|source|track|wbr|html|head|body"
)


@dataclass(slots=True)
class HtmlElement:
    """An element and what is shown of it, text and elements in order."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    children: list[HtmlElement | str] = field(default_factory=list["HtmlElement | str"], repr=False)

    def iter(self) -> Iterator[HtmlElement]:
        """The element and all below it, in document order."""
        stack: list[HtmlElement] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(
                child for child in reversed(element.children) if isinstance(child, HtmlElement)
            )

    def elements(self) -> Iterator[HtmlElement]:
        """The elements right below it."""
        return (child for child in self.children if isinstance(child, HtmlElement))


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is read.

    Attributes:
        body: what it shows.
        title: of its head.
        language: as stated.
        hidden: how many elements with text it does not show, outermost ones.
    """

    body: HtmlElement
    title: str = field(repr=False)
    language: str
    hidden: int


def parse_page(text: str, *, name: str) -> Page:
    """Parse a page as browsers do, whatever is missing or misplaced in it.

    Raises:
        LoadError: the parser is not installed, or the page nests or holds more than pages do.

    >>> parse_page("<title>a</title><p>b", name="a.html").title
    'a'
    """
    try:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  # of the extra, so not above
    except ImportError:
        raise LoadError(
            f"{name} is HTML, whose parser is not installed; expected the extra docs: "
            'run pip install "ragspine-graph[docs]"'
        ) from None
    _check_bounds(text, name)
    tree = LexborHTMLParser(text)
    root = tree.root
    if root is None:
        return Page(HtmlElement("html"), "", "", 0)
    title = tree.css_first("head > title")
    body, hidden = _shown(root, name)
    return Page(
        body=body,
        title="" if title is None else title.text(),
        language=root.attributes.get("lang") or "",
        hidden=hidden,
    )


def _check_bounds(text: str, name: str) -> None:
    """Refuse what would keep the parser busy for minutes."""
    open_tags = 0
    for closing, tag, attributes in _TAG.findall(text):
        if not _SELF_CLOSING.fullmatch(tag.lower()):
            open_tags = max(open_tags + (-1 if closing else 1), 0)
        if open_tags > _MAX_OPEN_TAGS:
            raise _too_much(name, f"more than {_MAX_OPEN_TAGS} open elements")
        if len(attributes) > _MAX_ATTRIBUTES:
            bare = _QUOTED.sub('"', attributes)
            if sum(1 for _ in _SEPARATOR.finditer(bare)) > _MAX_ATTRIBUTES:
                raise _too_much(name, f"an element of more than {_MAX_ATTRIBUTES} attributes")


def _shown(root: LexborNode, name: str) -> tuple[HtmlElement, int]:
    """Copy what is shown, and count what is hidden; without recursion, strangers choose depth."""
    page = HtmlElement("html")
    hidden = 0
    stack: list[tuple[LexborNode | None, HtmlElement]] = [(root.first_child, page)]
    elements = 0
    while stack:
        node, parent = stack.pop()
        if node is None:
            continue
        stack.append((node.next, parent))
        tag = node.tag or ""
        if tag == "-text":
            parent.children.append(node.text_content or "")
            continue
        if tag.startswith("-") or _NOT_SHOWN.fullmatch(tag):
            continue
        element = HtmlElement(tag, {key: value or "" for key, value in node.attributes.items()})
        if _is_hidden(element):
            hidden += bool(node.text().strip())
            continue
        elements += 1
        if elements > MAX_ELEMENTS:
            raise _too_much(name, f"more than {MAX_ELEMENTS:,} elements")
        if len(stack) > MAX_DEPTH:
            raise _too_much(name, f"elements nested deeper than {MAX_DEPTH}")
        if tag == "img":
            element.children.append(element.attributes.get("alt", ""))
        parent.children.append(element)
        stack.append((node.first_child, element))
    return page, hidden


def _is_hidden(element: HtmlElement) -> bool:
    attributes = element.attributes
    return (
        "hidden" in attributes
        or (element.tag == "dialog" and "open" not in attributes)
        or _HIDING_STYLE.search(attributes.get("style", "")) is not None
    )


def _too_much(name: str, what: str) -> LoadError:
    return LoadError(f"{name} has {what}; expected a page that people read: leave it out")
