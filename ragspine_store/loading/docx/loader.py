"""Word documents: headings by style, lists as Word numbers them, tracked changes accepted."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import groupby

from ragspine_store.errors import LoadError
from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.docx.inline import NoteReference, is_hidden_run
from ragspine_store.loading.docx.numbering import Numbering
from ragspine_store.loading.docx.rendering import render
from ragspine_store.loading.docx.story import StoryReader
from ragspine_store.loading.docx.styles import Styles
from ragspine_store.loading.docx.xml import PREFIXES, Element, children_of, find_child
from ragspine_store.loading.headings import titled
from ragspine_store.loading.notes import left_out
from ragspine_store.loading.office_package import OfficeFormat, OfficePackage
from ragspine_store.records import LoadedDocument

_FORMAT = OfficeFormat("Word document", "Word", ".docx", ".doc", PREFIXES)
_MACROS = "vbaProject.bin"
_NO_CONTENT = frozenset({"separator", "continuationSeparator", "continuationNotice"})
_WRITTEN = frozenset({"w:t", "w:delText", "m:t"})


class DocxLoader:
    """Reads Word documents (.docx); for .doc and .docm it says how to save them."""

    suffixes = (".docx", ".doc", ".docm")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        package = OfficePackage(data, name=name, made_as=_FORMAT)
        if any(part.endswith(_MACROS) for part in package.part_names):
            raise LoadError(
                f"{name} holds macros; expected a document without them: save it as .docx in Word"
            )
        main = _main_part(package, name)
        body = find_child(package.get_tree(main), "w:body")
        if body is None:
            raise LoadError(
                f"{name} is no Word document inside; expected one: open it in the program that "
                "made it and save it as .docx"
            )
        text, outline = render(_story_reader(package, main).read(body))
        if not text.strip():
            raise LoadError(
                f"{name} holds no text; expected a document with text: if it shows pictures of "
                "pages, recognise their text (OCR) first"
            )
        outline = titled(outline, _core_title(package))
        return LoadedDocument(
            text=text,
            offsets=None,
            outline=outline,
            stated={},
            title=outline.sections[0].heading,
            full_text="\n".join(_all_text(package, main)),
            notes=left_out(_dropped(package, main, body)),
        )


def _main_part(package: OfficePackage, name: str) -> str:
    main = package.parts_by_kind("").get("officeDocument")
    if main is None:
        raise LoadError(
            f"{name} is a zip file, but no Word document; expected .docx: unpack it, or save the "
            "document as .docx in Word"
        )
    return main


def _story_reader(package: OfficePackage, main: str) -> StoryReader:
    related = package.parts_by_kind(main)

    def find(kind: str) -> Element | None:
        return package.find_tree(related[kind]) if kind in related else None

    notes: dict[NoteReference, Element] = {}
    for kind in ("footnote", "endnote"):
        root = find(f"{kind}s")
        for element in () if root is None else root.iter(f"w:{kind}"):
            if element.get("w:type") not in _NO_CONTENT:
                notes[NoteReference(kind, element.get("w:id", ""))] = element
    styles = Styles(find("styles"))
    return StoryReader(styles, Numbering(find("numbering"), styles), notes)


def _dropped(package: OfficePackage, main: str, body: Element) -> dict[str, int]:
    """How many passages are no content: deleted by a tracked change, hidden, and comments."""
    comments = package.parts_by_kind(main).get("comments")
    root = None if comments is None else package.find_tree(comments)
    return {
        "deleted passage": sum(1 for element in body.iter("w:del") if _holds_text(element)),
        "hidden passage": sum(
            is_hidden and any(map(_holds_text, runs))
            for paragraph in body.iter("w:p")
            for is_hidden, runs in groupby(children_of(paragraph, "w:r"), key=is_hidden_run)
        ),
        "comment": sum(1 for _ in children_of(root, "w:comment")),
    }


def _holds_text(element: Element) -> bool:
    return any((e.text or "").strip() for e in element.iter() if e.tag in _WRITTEN)


def _core_title(package: OfficePackage) -> str:
    root = _core_properties(package)
    title = find_child(root, "dc:title")
    return "" if title is None else " ".join(canonicalise(title.text or "")[0].split())


def _core_properties(package: OfficePackage) -> Element | None:
    part = package.parts_by_kind("").get("core-properties")
    return None if part is None else package.find_tree(part)


def _all_text(package: OfficePackage, main: str) -> Iterator[str]:
    """All that the file says, for screening: headers, comments and deleted text too."""
    properties = _core_properties(package)
    if properties is not None:
        yield " ".join(text.strip() for text in properties.itertext())
    folder = posixpath.dirname(main)
    for part in package.part_names:
        if posixpath.dirname(part) != folder or not part.endswith(".xml"):
            continue
        root = package.find_tree(part)
        for paragraph in () if root is None else root.iter("w:p"):
            yield "".join(e.text or "" for e in paragraph.iter() if e.tag in _WRITTEN)
