"""The grammars of tree-sitter: one small wheel for each language, nothing fetched at run time."""

from __future__ import annotations

import functools
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ragspine_store.errors import LoadError

if TYPE_CHECKING:
    from tree_sitter import Parser

GRAMMAR_OF_SUFFIX = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "tsx",
    ".java": "java",
    ".go": "go",
    ".rs": "rust",
    ".c": "c",
    ".h": "cpp",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".hpp": "cpp",
}


def parser_for(name: str) -> Parser:
    """The parser for a file name, by its ending.

    Raises:
        LoadError: no grammar reads such files, or the extra `code` is not installed.
    """
    grammar = GRAMMAR_OF_SUFFIX.get(PurePosixPath(name.casefold()).suffix)
    if grammar is None:
        raise LoadError(
            f"{name} has no ending of source code; expected one of {', '.join(GRAMMAR_OF_SUFFIX)}"
        )
    try:
        return parser_of(grammar)
    except ImportError:
        raise LoadError(
            f"{name} is {grammar} source code, and its grammar is not installed; expected the "
            'extra code: run pip install "ragspine-graph[code]"'
        ) from None


@functools.cache
def parser_of(grammar: str) -> Parser:
    """The parser of a grammar of `GRAMMAR_OF_SUFFIX`, made once."""
    from tree_sitter import Language, Parser

    return Parser(Language(_grammar(grammar)))


def _grammar(grammar: str) -> object:
    match grammar:
        case "python":
            import tree_sitter_python

            return tree_sitter_python.language()
        case "javascript":
            import tree_sitter_javascript

            return tree_sitter_javascript.language()
        case "typescript":
            import tree_sitter_typescript

            return tree_sitter_typescript.language_typescript()
        case "tsx":
            import tree_sitter_typescript

            return tree_sitter_typescript.language_tsx()
        case "java":
            import tree_sitter_java

            return tree_sitter_java.language()
        case "go":
            import tree_sitter_go

            return tree_sitter_go.language()
        case "rust":
            import tree_sitter_rust

            return tree_sitter_rust.language()
        case "c":
            import tree_sitter_c

            return tree_sitter_c.language()
        case _:
            import tree_sitter_cpp

            return tree_sitter_cpp.language()
