"""Which nodes of the graph are a document or part of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ragspine_store.document_id import split_node_id
from ragspine_store.errors import RelationError
from ragspine_store.relations import Node, NodeType

OF_A_DOCUMENT = frozenset({NodeType.DOCUMENT, NodeType.SECTION, NodeType.CHILD, NodeType.TERM})
"""Types of nodes that are a document or part of one: hidden where it is."""

_LETTERS = {NodeType.SECTION: "s", NodeType.CHILD: "c"}


class NodePlace(NamedTuple):
    """The document that a node is or belongs to, and the number of the part that it is."""

    doc_id: str
    section: int | None = None
    child: int | None = None


def place_of_node(node: Node, doc_id: str) -> NodePlace:
    """Where a node of a document is.

    Args:
        node: of a type in `OF_A_DOCUMENT`.
        doc_id: of the document that its evidence stands in.

    Raises:
        RelationError: its key names no section or child.

    >>> place_of_node(Node(NodeType.SECTION, "a.md#s3"), "b.md")
    NodePlace(doc_id='a.md', section=3, child=None)
    """
    if node.type is NodeType.TERM:
        # A name may hold an @ as well as an id may; terms are the evidence's document's.
        own = node.key.endswith(f"@{doc_id}")
        return NodePlace(doc_id if own else node.key.partition("@")[2])
    if node.type is NodeType.DOCUMENT:
        return NodePlace(node.key)
    owner, fragment = split_node_id(node.key)
    letter = _LETTERS[node.type]
    if not (fragment.startswith(letter) and fragment[1:].isdecimal()):
        raise RelationError(
            f"a {node.type.value} with id {node.key!r}; expected an id such as 'a.md#{letter}3'"
        )
    number = int(fragment[1:])
    if node.type is NodeType.SECTION:
        return NodePlace(owner, section=number)
    return NodePlace(owner, child=number)


def parts_of_nodes(node_ids: Iterable[str]) -> Iterator[tuple[str, str, str, int]]:
    """Of each node that is a section or child: its id, its document's, `s` or `c`, its number.

    >>> list(parts_of_nodes(["section:a.md#s3", "metric:M"]))
    [('section:a.md#s3', 'a.md', 's', 3)]
    """
    for node_id in node_ids:
        kind, _, key = node_id.partition(":")
        for type_, letter in _LETTERS.items():
            owner, fragment = split_node_id(key)
            if kind == type_.value and fragment[:1] == letter and fragment[1:].isdecimal():
                yield node_id, owner, letter, int(fragment[1:])


def moved_node(node_id: str, old_id: str, doc_id: str) -> str:
    """The id of a node of a document after the document has got another id.

    >>> moved_node("term:employer@a.md", "a.md", "b.md")
    'term:employer@b.md'
    """
    kind, _, key = node_id.partition(":")
    if kind == NodeType.TERM.value:
        return f"{kind}:{key.removesuffix(old_id)}{doc_id}"
    return f"{kind}:{doc_id}{key.removeprefix(old_id)}"
