"""The classes and functions that stand directly in a part of a syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = frozenset(
    {
        "abstract_class_declaration",
        "annotation_type_declaration",
        "class",
        "class_declaration",
        "class_definition",
        "class_specifier",
        "enum_declaration",
        "enum_item",
        "impl_item",
        "interface_declaration",
        "mod_item",
        "record_declaration",
        "struct_item",
        "struct_specifier",
        "trait_item",
        "union_item",
    }
)
_FUNCTIONS = frozenset(
    {
        "compact_constructor_declaration",
        "constructor_declaration",
        "function_declaration",
        "function_definition",
        "function_item",
        "generator_function_declaration",
        "method_declaration",
        "method_definition",
    }
)
# What holds classes and functions without being a place of its own.
_CONTAINERS = frozenset(
    {
        "declaration_list",
        "enum_body_declarations",
        "internal_module",
        "linkage_specification",
        "module",
        "namespace_definition",
        "preproc_else",
        "preproc_elif",
        "preproc_if",
        "preproc_ifdef",
        "statement_block",
    }
)
_WRAPPERS = frozenset(
    {
        "ambient_declaration",
        "decorated_definition",
        "export_statement",
        "expression_statement",
        "template_declaration",
    }
)
_MAY_LACK_BODY = frozenset({"class_specifier", "mod_item", "struct_specifier"})
# What may bind a name to a function.
_BINDINGS = frozenset(
    {
        "field_definition",
        "lexical_declaration",
        "public_field_definition",
        "variable_declaration",
        "variable_declarator",
    }
)
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_LEADING = frozenset({"attribute_item", "block_comment", "comment", "line_comment"})
_RECEIVER = re.compile(rb"(\w+)\s*(?:\[[^\]]*\])?\s*\)\s*\Z")
# Namespaces in namespaces; deeper ones are text.
_MAX_CONTAINERS = 20


@dataclass(frozen=True, slots=True)
class Member:
    """A class or function.

    Attributes:
        is_class: whether it is a class rather than a function.
        start: the byte it begins at, the comments right above it and its decorators included.
        end: the byte it ends before.
        node: what defines it.
        name: its name; '' for one without.
        owner: the type that a method of Go belongs to; '' for any other.
    """

    is_class: bool
    start: int
    end: int
    node: Node
    name: str
    owner: str


def iter_members(node: Node, source: bytes, depth: int = 0) -> Iterator[Member]:
    """The classes and functions directly in a node, in order."""
    leading: Node | None = None
    before: Node | None = None
    for child in node.children:
        if before is not None and not _is_right_below(source, before, child):
            leading = None
        if child.type in _LEADING:
            is_beside = before is not None and before.end_point.row == child.start_point.row
            if leading is None and not is_beside:
                leading = child
            before = child
            continue
        inner = _unwrapped(child)
        start = (leading or child).start_byte
        leading, before = None, child
        if inner.type in _CONTAINERS and depth < _MAX_CONTAINERS:
            yield from iter_members(inner.child_by_field_name("body") or inner, source, depth + 1)
        elif _is_class(inner):
            yield Member(True, start, child.end_byte, inner, _name(inner), "")
        elif _is_function(inner):
            yield Member(False, start, child.end_byte, inner, _name(inner), _owner(inner))


def _is_right_below(source: bytes, above: Node, child: Node) -> bool:
    return source.count(b"\n", max(above.end_byte - 1, 0), child.start_byte) <= 1


def _unwrapped(node: Node) -> Node:
    """What a decorated, exported or templated definition defines."""
    if node.type not in _WRAPPERS:
        return node
    for child in node.named_children:
        if child.type in _WRAPPERS or child.type in _CONTAINERS or _is_defining(child):
            return child if child.type not in _WRAPPERS else _unwrapped(child)
    return node


def _is_defining(node: Node) -> bool:
    return _is_class(node) or _is_function(node)


def _is_class(node: Node) -> bool:
    if node.type == "type_declaration":
        return any(_is_go_type(child) for child in node.named_children)
    if node.type not in _CLASSES or not node.is_named:
        return False
    return node.type not in _MAY_LACK_BODY or node.child_by_field_name("body") is not None


def _is_go_type(node: Node) -> bool:
    defined = node.child_by_field_name("type")
    return defined is not None and defined.type in ("struct_type", "interface_type")


def _is_function(node: Node) -> bool:
    return node.type in _FUNCTIONS or _value(node).type in _FUNCTION_VALUES


def _value(node: Node) -> Node:
    """What a variable or field is bound to; the node itself for anything else."""
    while node.type in _BINDINGS:
        bound = node.child_by_field_name("value") or next(iter(node.named_children), None)
        if bound is None:
            break
        node = bound
    return node


def _name(node: Node) -> str:
    if node.type in ("type_declaration", "lexical_declaration", "variable_declaration"):
        node = next(iter(node.named_children), node)
    for field in ("name", "property", "declarator", "type"):
        if (named := node.child_by_field_name(field)) is not None:
            while (inner := named.child_by_field_name("declarator")) is not None:
                named = inner
            return (named.text or b"").decode(errors="replace")
    return ""


def _owner(node: Node) -> str:
    receiver = node.child_by_field_name("receiver")
    match = _RECEIVER.search((receiver.text or b"") if receiver is not None else b"")
    return match[1].decode() if match else ""
