"""Plain text: headings and items by the line grammar alone; a # is no heading there."""

from __future__ import annotations

from ragspine_store.loading.assembly import assemble
from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.encoding import decode
from ragspine_store.loading.front_matter import split_front_matter
from ragspine_store.loading.lines import LineReader
from ragspine_store.loading.numbering import refine
from ragspine_store.loading.outline import Draft, build_outline
from ragspine_store.records import LoadedDocument, Outline, Span


class PlainTextLoader:
    """Reads plain text."""

    suffixes = (".txt", ".text")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        raw = decode(data, name=name)
        stated, start = split_front_matter(raw, name=name)
        return assemble(
            raw,
            name=name,
            canonical=canonicalise(raw, [Span(0, start)]),
            read_outline=outline_of_plain_text,
            stated=stated,
        )


def outline_of_plain_text(text: str) -> Outline:
    r"""Read the outline of a canonical text that has no markup.

    >>> outline = outline_of_plain_text("第1条　目的\n\n一　甲\n二　乙\n")
    >>> outline.path(1), [block.label for block in outline.blocks]
    (('第1条　目的',), ['一', '二'])
    """
    drafts: list[Draft] = []
    LineReader(text, drafts, splits_paragraphs=True).read(0, len(text))
    return build_outline(text, refine(text, drafts))
