"""PDFs with a text layer: headings by layout and numbering, pages as locators."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence

from ragspine_store.errors import LoadError
from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.headings import titled
from ragspine_store.loading.notes import numbered
from ragspine_store.loading.pdf.engine import read_pdf
from ragspine_store.loading.pdf.geometry import Glyph, Page
from ragspine_store.loading.pdf.layers import Layer, layers_of
from ragspine_store.loading.pdf.paragraphs import Typography, paragraphs_of, typography_of
from ragspine_store.loading.pdf.pieces import columns_of
from ragspine_store.loading.pdf.rendering import render
from ragspine_store.loading.pdf.running_heads import without_running_heads
from ragspine_store.loading.pdf.sizes import with_even_sizes
from ragspine_store.records import LoadedDocument

_MAX_UNREADABLE = 0.3
# What programs write as a title when nobody gave one.
_NO_TITLE = re.compile(
    r"microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|indd|pdf|html?)|untitled.*|無題.*|文書 ?\d+",
    re.IGNORECASE,
)


class PdfLoader:
    """Reads PDFs that hold their text."""

    suffixes = (".pdf",)

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        pages, stated = read_pdf(data, name=name)
        _check_text_layer(pages, name)
        layers = [layer for number, page in enumerate(pages) for layer in layers_of(page, number)]
        full_text = [line.text for layer in layers for line in layer.lines]
        layers = with_even_sizes(layers)
        layers = without_running_heads(layers, _usual(layers))
        usual = _usual(layers)
        columns = columns_of(layers, usual.size)
        parts = list(paragraphs_of(columns, usual))
        text, outline, starts = render(parts, usual, len(pages))
        if not text.strip():
            raise _scanned(name)
        if not outline.sections[0].heading:
            outline = titled(outline, _stated_title(stated))
        return LoadedDocument(
            text=text,
            offsets=None,
            outline=outline,
            stated={},
            title=outline.sections[0].heading,
            full_text="\n".join([*stated.values(), *full_text]),
            pages=starts,
            notes=_notes(pages, {layer.page for layer in layers if layer.lines}),
        )


def _usual(layers: Sequence[Layer]) -> Typography:
    return typography_of(line for layer in layers for line in layer.lines)


def _notes(pages: Sequence[Page], with_text: Collection[int]) -> tuple[str, ...]:
    """Names the pages that look scanned: drawn on, and without text but for running heads."""
    scanned = [
        number
        for number, page in enumerate(pages, 1)
        if page.has_drawing and number - 1 not in with_text
    ]
    if not scanned:
        return ()
    return (
        f"no text on {numbered('page', scanned)}, which may be scanned: recognise the text (OCR) "
        "and ingest the result",
    )


def _check_text_layer(pages: Sequence[Page], name: str) -> None:
    glyphs: list[Glyph] = [
        glyph for glyph in itertools.chain.from_iterable(page.glyphs for page in pages)
        if not glyph.text.isspace()
    ]  # fmt: skip
    if not glyphs:
        raise _scanned(name)
    unreadable = sum(1 for glyph in glyphs if not glyph.is_readable)
    if unreadable > _MAX_UNREADABLE * len(glyphs):
        raise LoadError(
            f"{name} does not say which characters its fonts show; expected readable text: "
            "recognise its text (OCR), or export it again from its source"
        )


def _scanned(name: str) -> LoadError:
    return LoadError(
        f"{name} has no text layer, so it looks scanned; expected a PDF with text: "
        "recognise its text (OCR) and load the result"
    )


def _stated_title(stated: dict[str, str]) -> str:
    title = " ".join(canonicalise(stated.get("Title", ""))[0].split())
    return "" if _NO_TITLE.fullmatch(title) else title
