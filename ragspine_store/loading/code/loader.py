"""Source files: sections are classes; blocks are functions, methods and what is between them."""

from __future__ import annotations

from ragspine_store.errors import LoadError
from ragspine_store.loading.assembly import assemble
from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.code.grammars import GRAMMAR_OF_SUFFIX, parser_for
from ragspine_store.loading.code.outline import read_code_outline
from ragspine_store.loading.encoding import decode
from ragspine_store.records import LoadedDocument

_MAX_BYTES = 5_000_000


class CodeLoader:
    """Reads source code: Python, JavaScript, TypeScript, Java, Go, Rust, C and C++."""

    suffixes = tuple(GRAMMAR_OF_SUFFIX)

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        if len(data) > _MAX_BYTES:
            raise LoadError(
                f"{name} has {len(data):,} bytes; expected at most {_MAX_BYTES:,} of source code: "
                "split it, or leave it out if it was generated"
            )
        parser = parser_for(name)
        raw = decode(data, name=name)
        return assemble(
            raw,
            name=name,
            canonical=canonicalise(raw),
            read_outline=lambda text: read_code_outline(
                text, parser.parse(text.encode()).root_node
            ),
            stated={},
        )
