"""Excel workbooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ragspine_store.loading.notes import left_out
from ragspine_store.loading.office_package import OfficeFormat, OfficePackage, Relation
from ragspine_store.loading.rendering import MAX_RENDERED_CHARS, Rendering
from ragspine_store.loading.sheets import MAX_ROWS, Row, add_rows
from ragspine_store.loading.xlsx.cells import CellStyles, SharedStrings, SheetReader, SheetRow
from ragspine_store.loading.xlsx.number_formats import BUILT_IN
from ragspine_store.records import BlockKind, LoadedDocument

_FORMAT = OfficeFormat("workbook", "Excel", ".xlsx", ".xls")
_MAX_REPEATED_ROWS = 1_000
_MAX_REPEATED_CHARS = 100


class XlsxLoader:
    """Reads workbooks (.xlsx, .xlsm): a sheet is a section, a row a block; says what to do of .xls.

    Formulas are their last results, numbers and dates what their format shows. Hidden sheets,
    rows and columns, and comments, are not content, but are screened, and counted in the notes.
    """

    suffixes = (".xlsx", ".xlsm", ".xls")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        package = OfficePackage(data, name=name, made_as=_FORMAT)
        office = package.parts_by_kind("")
        book_part = office.get("officeDocument", "xl/workbook.xml")
        book = package.get_tree(book_part)
        related = package.related(book_part)
        styles = _read_styles(package, book, package.parts_by_kind(book_part))
        rendering = Rendering(name=name)
        screened: list[str] = []
        hidden: Counter[str] = Counter()
        room = MAX_RENDERED_CHARS
        for sheet in book.iter("sheet"):
            # Taken out, so that no part is read twice.
            kind, part = related.pop(_attribute(sheet, "id"), Relation("", ""))
            if kind != "worksheet":
                continue
            reader = SheetReader(styles, room=room, name=name)
            package.read(part, reader)
            room = reader.room
            shapes = _shape_texts(package, part)
            comments = _comment_texts(package, part)
            hidden["comment"] += len(comments)
            screened += (sheet.get("name", ""), *_all_texts(reader), *shapes, *comments)
            if sheet.get("state", "visible") == "visible":
                hidden += _hidden_parts(reader)
                _add_sheet(rendering, sheet.get("name", ""), reader, shapes)
            elif shapes or any(row.cells for row in reader.rows):
                hidden["hidden sheet"] += 1
        return rendering.finish(
            title=_title(package, office.get("core-properties", "")),
            stated={},
            full_text="\n".join(screened),
            notes=left_out(hidden),
        )


def _read_styles(package: OfficePackage, book: Element, parts: dict[str, str]) -> CellStyles:
    strings = SharedStrings()
    package.read(parts.get("sharedStrings", ""), strings)
    codes: list[str] = []
    root = package.find_tree(parts.get("styles", ""))
    if root is not None:
        own = {
            element.get("numFmtId", ""): element.get("formatCode", "")
            for element in root.iter("numFmt")
        }
        for formats in root.iter("cellXfs"):
            for style in formats:
                number = style.get("numFmtId", "0")
                codes.append(own.get(number) or BUILT_IN.get(number, ""))
    properties = next(book.iter("workbookPr"), None)
    from_1904 = properties is not None and properties.get("date1904") in ("1", "true")
    return CellStyles(strings.strings, codes, from_1904)


def _add_sheet(rendering: Rendering, title: str, reader: SheetReader, shapes: list[str]) -> None:
    _repeat_merged(reader)
    rows = [_shown_cells(row, reader.hidden_columns) for row in reader.rows if not row.is_hidden]
    if not shapes and not any(rows):
        return
    rendering.add_heading(title, level=1)
    add_rows(rendering, rows)
    for text in shapes:
        rendering.add_block(BlockKind.PARAGRAPH, text)


def _hidden_parts(reader: SheetReader) -> Counter[str]:
    """How many hidden rows and columns of a sheet hold anything."""
    columns = {column for row in reader.rows if not row.is_hidden for column in row.cells}
    return Counter(
        {
            "hidden row": sum(1 for row in reader.rows if row.is_hidden and row.cells),
            "hidden column": len(columns & reader.hidden_columns),
        }
    )


def _repeat_merged(reader: SheetReader) -> None:
    """Write a short cell that is merged over several rows into each, so that each reads alone."""
    rows = {row.number: row for row in reader.rows}
    repeats = 0
    for left, top, _, bottom in reader.merged:
        text = rows[top].cells.get(left, "") if top in rows else ""
        if not text or len(text) > _MAX_REPEATED_CHARS or bottom - top > _MAX_REPEATED_ROWS:
            continue
        repeats += bottom - top
        if repeats > MAX_ROWS:
            return
        for number in range(top + 1, bottom + 1):
            if number in rows and rows[number].cells:
                rows[number].cells.setdefault(left, text)


def _shown_cells(row: SheetRow, hidden: set[int]) -> Row:
    return {column: cell for column, cell in row.cells.items() if column not in hidden}


def _all_texts(reader: SheetReader) -> Iterator[str]:
    for row in reader.rows:
        yield " ".join(row.cells.values())


def _shape_texts(package: OfficePackage, sheet: str) -> list[str]:
    """The texts of boxes and shapes that lie on a sheet."""
    texts: list[str] = []
    for root in _parts_of(package, sheet, "drawing"):
        for body in root.iter("txBody"):
            lines = ["".join(text.text or "" for text in line.iter("t")) for line in body.iter("p")]
            texts.append("\n".join(filter(None, lines)))
    return [text for text in texts if text.strip()]


def _comment_texts(package: OfficePackage, sheet: str) -> list[str]:
    """The texts of the comments on a sheet."""
    texts: list[str] = []
    for root in _parts_of(package, sheet, "comments"):
        for comment in root.iter("comment"):
            texts.append("".join(text.text or "" for text in comment.iter("t")))
    return texts


def _parts_of(package: OfficePackage, sheet: str, kind: str) -> Iterator[Element]:
    for relation in package.related(sheet).values():
        root = package.find_tree(relation.part) if relation.kind == kind else None
        if root is not None:
            yield root


def _title(package: OfficePackage, part: str) -> str:
    root = package.find_tree(part)
    titles = () if root is None else root.iter("title")
    return next((element.text or "" for element in titles), "")


def _attribute(element: Element, local: str) -> str:
    """An attribute by its name without prefix."""
    for name, value in element.attrib.items():
        if ":" in name and name.rpartition(":")[2] == local:
            return value
    return ""
