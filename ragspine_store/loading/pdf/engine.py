"""The only module that speaks to PDFium: from a file to the glyphs and rules of its pages."""

from __future__ import annotations

import ctypes
import math
import re
import threading
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragspine_store.errors import LoadError
from ragspine_store.loading.pdf.geometry import Glyph, Page, Rule

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

_MAX_PAGES = 10_000
_MAX_GLYPHS = 20_000_000
_MAX_PAGE_OBJECTS = 50_000
_MAX_FONT_NAME = 256
_RULE_WIDTH = 2.5
_RULE_LENGTH = 8.0
_LINE_END_HYPHEN = "\x02"  # how PDFium gives a hyphen at the end of a line
_BOLD = re.compile("bold|black|heavy|demi|太", re.IGNORECASE)
# Glyphs that fonts map to look-alikes of the characters meant: CJK radicals and ligatures.
_LOOK_ALIKE = re.compile("[\u2e80-\u2fdf\ufb00-\ufb06]")
_UNREADABLE = re.compile("[\0\ufffd\ufffe\uffff\ue000-\uf8ff]")

# PDFium keeps global state and may be called by one thread at a time.
_pdfium = threading.Lock()


def read_pdf(data: bytes, *, name: str) -> tuple[list[Page], dict[str, str]]:
    """Read all pages of a file, and what it states about itself.

    Raises:
        LoadError: PDFium is not installed, or it cannot open the file.
    """
    try:
        import pypdfium2  # noqa: PLC0415 an extra, so not needed to import this module
    except ModuleNotFoundError:
        raise LoadError(
            f"{name} is a PDF, and what reads PDFs is not installed; expected the extra docs: "
            'pip install "ragspine-graph[docs]"'
        ) from None
    with _pdfium:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _unopened(name, error.err_code) from None
        try:
            if len(document) > _MAX_PAGES:
                raise LoadError(
                    f"{name} has {len(document)} pages; expected at most {_MAX_PAGES}: split it"
                )
            return list(_pages(document, name)), document.get_metadata_dict(skip_empty=True)
        except pypdfium2.PdfiumError:
            raise _broken(name) from None
        finally:
            document.close()


def _unopened(name: str, code: int | None) -> LoadError:
    from pypdfium2 import raw  # noqa: PLC0415

    if code == raw.FPDF_ERR_PASSWORD:
        return LoadError(
            f"{name} is encrypted; expected a PDF that opens without a password: "
            "save a copy without the password in a PDF viewer"
        )
    return _broken(name)


def _broken(name: str) -> LoadError:
    return LoadError(
        f"{name} cannot be read as a PDF; expected a whole PDF file: open it in a PDF viewer and "
        "save or print it as a new PDF, or leave it out"
    )


def _pages(document: PdfDocument, name: str) -> Iterator[Page]:
    glyphs = 0
    for number in range(len(document)):
        page = document[number]
        text_page = page.get_textpage()
        try:
            glyphs += text_page.count_chars()
            if glyphs > _MAX_GLYPHS:
                raise LoadError(
                    f"{name} holds more than {_MAX_GLYPHS:,} characters; "
                    "expected a document: split it"
                )
            width, height = page.get_size()
            yield Page(width, height, tuple(_glyphs(text_page)), tuple(_rules(page)))
        finally:
            text_page.close()
            page.close()


def _glyphs(page: PdfTextPage) -> Iterator[Glyph]:
    from pypdfium2 import raw  # noqa: PLC0415

    box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
    x, y = ctypes.c_double(), ctypes.c_double()
    bold = _BoldFonts(page)
    for index in range(page.count_chars()):
        if raw.FPDFText_IsGenerated(page, index) == 1:
            continue
        raw.FPDFText_GetLooseCharBox(page, index, box)
        raw.FPDFText_GetMatrix(page, index, matrix)
        raw.FPDFText_GetCharOrigin(page, index, x, y)
        code = raw.FPDFText_GetUnicode(page, index)
        text = _character(code)
        if not text:
            continue
        size = raw.FPDFText_GetFontSize(page, index) * math.hypot(matrix.c, matrix.d)
        yield Glyph(
            text=text,
            left=min(box.left, box.right),
            bottom=min(box.bottom, box.top),
            right=max(box.left, box.right),
            top=max(box.bottom, box.top),
            base=y.value,
            size=size if math.isfinite(size) and size > 0 else 1.0,
            is_bold=bold.at(index),
            angle=round(math.degrees(math.atan2(matrix.b, matrix.a))),
            is_readable=not _UNREADABLE.search(text)
            and raw.FPDFText_HasUnicodeMapError(page, index) != 1,
        )


def _character(code: int) -> str:
    if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return "\ufffd"
    text = chr(code)
    if text == _LINE_END_HYPHEN:
        return "-"
    if _LOOK_ALIKE.match(text):
        return unicodedata.normalize("NFKC", text)
    return "" if unicodedata.category(text) == "Cc" else text


class _BoldFonts:
    """Which characters of a page are set in a bold font, by the font's name."""

    def __init__(self, page: PdfTextPage) -> None:
        self._page = page
        self._by_object: dict[int, bool] = {}

    def at(self, index: int) -> bool:
        from pypdfium2 import raw  # noqa: PLC0415

        text = raw.FPDFText_GetTextObject(self._page, index)
        if not text:
            return False
        key = ctypes.cast(text, ctypes.c_void_p).value or 0
        if key not in self._by_object:
            font = raw.FPDFTextObj_GetFont(text)
            name = ctypes.create_string_buffer(_MAX_FONT_NAME)
            if font:
                raw.FPDFFont_GetBaseFontName(font, name, _MAX_FONT_NAME)
            self._by_object[key] = _BOLD.search(name.value.decode("utf-8", "replace")) is not None
        return self._by_object[key]


def _rules(page: PdfPage) -> Iterator[Rule]:
    """The straight lines of a page, which may be the borders of tables."""
    from pypdfium2 import raw  # noqa: PLC0415

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for index in range(min(raw.FPDFPage_CountObjects(page), _MAX_PAGE_OBJECTS)):
        shape = raw.FPDFPage_GetObject(page, index)
        if raw.FPDFPageObj_GetType(shape) != raw.FPDF_PAGEOBJ_PATH:
            continue
        if not raw.FPDFPageObj_GetBounds(shape, left, bottom, right, top):
            continue
        rule = Rule(left.value, bottom.value, right.value, top.value)
        thickness, length = sorted((rule.right - rule.left, rule.top - rule.bottom))
        if thickness <= _RULE_WIDTH and length >= _RULE_LENGTH:
            yield rule
