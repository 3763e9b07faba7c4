"""The only module that speaks to PDFium: from a file to the glyphs and rules of its pages."""

from __future__ import annotations

import ctypes
import math
import re
import threading
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ragspine_store.errors import LoadError
from ragspine_store.loading.pdf.geometry import Glyph, Page, Rule

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

_MAX_PAGES = 10_000
_MAX_GLYPHS = 20_000_000
_MAX_PAGE_OBJECTS = 50_000
_MAX_FONT_NAME = 256
_MANY_SHAPES = 50
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
            rules = tuple(_rules(page))
            yield Page(width, height, tuple(_glyphs(text_page)), rules, _has_drawing(page))
        finally:
            text_page.close()
            page.close()


def _glyphs(page: PdfTextPage) -> Iterator[Glyph]:
    from pypdfium2 import raw  # noqa: PLC0415

    handle = page.raw
    box = raw.FS_RECTF()
    drawn: dict[int, _Drawn] = {}
    for index in range(page.count_chars()):
        # A space or line end that PDFium puts in itself belongs to no object.
        text_object = raw.FPDFText_GetTextObject(handle, index)
        if not text_object:
            continue
        text = _character(raw.FPDFText_GetUnicode(handle, index))
        if not text:
            continue
        key = ctypes.addressof(text_object.contents)
        how = drawn.get(key)
        if how is None:
            how = drawn[key] = _look_up(page, index)
        raw.FPDFText_GetLooseCharBox(handle, index, box)
        left, right, bottom, top = box.left, box.right, box.bottom, box.top
        yield Glyph(
            text,
            min(left, right),
            min(bottom, top),
            max(left, right),
            max(bottom, top),
            how.base,
            how.size,
            how.is_bold,
            how.angle,
            how.is_readable and not _UNREADABLE.match(text),
        )


class _Drawn(NamedTuple):
    """What the characters of one text object share; names as in `Glyph`."""

    base: float
    size: float
    is_bold: bool
    angle: int
    is_readable: bool


def _look_up(page: PdfTextPage, index: int) -> _Drawn:
    """How a character's text object is drawn."""
    from pypdfium2 import raw  # noqa: PLC0415

    handle = page.raw
    matrix, x, y = raw.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetMatrix(handle, index, matrix)
    raw.FPDFText_GetCharOrigin(handle, index, x, y)
    size = raw.FPDFText_GetFontSize(handle, index) * math.hypot(matrix.c, matrix.d)
    name = ctypes.create_string_buffer(_MAX_FONT_NAME)
    font = raw.FPDFTextObj_GetFont(raw.FPDFText_GetTextObject(handle, index))
    if font:
        raw.FPDFFont_GetBaseFontName(font, name, _MAX_FONT_NAME)
    return _Drawn(
        base=y.value,
        size=size if math.isfinite(size) and size > 0 else 1.0,
        is_bold=_BOLD.search(name.value.decode("utf-8", "replace")) is not None,
        angle=round(math.degrees(math.atan2(matrix.b, matrix.a))),
        is_readable=raw.FPDFText_HasUnicodeMapError(handle, index) != 1,
    )


def _character(code: int) -> str:
    if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return "\ufffd"
    text = chr(code)
    if " " <= text <= "~":
        return text
    if text == _LINE_END_HYPHEN:
        return "-"
    if _LOOK_ALIKE.match(text):
        return unicodedata.normalize("NFKC", text)
    return "" if unicodedata.category(text) == "Cc" else text


def _has_drawing(page: PdfPage) -> bool:
    """Whether pictures are drawn on a page, or so many shapes that they may be letters."""
    from pypdfium2 import raw  # noqa: PLC0415

    shapes = 0
    for index in range(min(raw.FPDFPage_CountObjects(page), _MAX_PAGE_OBJECTS)):
        kind = raw.FPDFPageObj_GetType(raw.FPDFPage_GetObject(page, index))
        shapes += kind == raw.FPDF_PAGEOBJ_PATH
        if kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM) or shapes >= _MANY_SHAPES:
            return True
    return False


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
