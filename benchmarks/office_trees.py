"""Whether Word and PDF files give the same tree as the Markdown they were made from.

Reads `ja_work_rules/{handbook}/*.md`, renders each to HTML, lets LibreOffice (`soffice` on the
PATH, with a Japanese font) make a DOCX and a PDF of it, loads all three and compares: headings with
their paths; items with their heading, depth and first words; labels with their heading and depth.
Bullets are one label, whatever they look like; width and white space do not count. Numbers are
compared as HTML shows them, which counts on where the Markdown has 1. 2. 4. Prints the counts, the
shares that agree in order, and the first differences.

LibreOffice gives a level of a list one look: where one list has numbers and bullets side by side on
a level, the files it makes show one of them, and labels differ through no fault of a loader.
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import tempfile
import time
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragspine_store.loading import load_document, load_text
from ragspine_store.records import BlockKind, LoadedDocument

FORMATS = ("docx", "pdf")
_COMPARED = 12
_NUMBER = re.compile(r"(\s*)\d+")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PAGE = (
    '<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>{title}</title></head>'
    "<body>{body}</body></html>"
)


@dataclass(frozen=True, slots=True)
class Tree:
    """The headings, items and labels of one document, each as one line."""

    headings: tuple[str, ...]
    items: tuple[str, ...]
    labels: tuple[str, ...]


def tree_of(document: LoadedDocument) -> Tree:
    """The comparable tree of a document."""
    outline = document.outline
    paths = [" > ".join(map(_plain, outline.path(s.no))) for s in outline.sections]
    items: list[str] = []
    labels: list[str] = []
    for block in outline.blocks:
        if block.kind is BlockKind.ITEM:
            place = f"{paths[block.section]} | {block.depth}"
            text = _plain(document.text[block.span.start + len(block.label) : block.span.end])
            items.append(f"{place} {text[:_COMPARED]}")
            labels.append(f"{place} {_label(block.label)}")
    return Tree(tuple(paths[1:]), tuple(items), tuple(labels))


def _plain(text: str) -> str:
    return re.sub(r"[\s#*`]+", "", unicodedata.normalize("NFKC", text))


def _label(label: str) -> str:
    return unicodedata.normalize("NFKC", label) if re.search(r"\w", label) else "•"


def read_markdown(path: Path) -> str:
    """A handbook without front matter and comments, its numbers as HTML shows them."""
    text = _COMMENT.sub("", _FRONT_MATTER.sub("", path.read_text(encoding="utf-8")))
    lines = text.split("\n")
    following: list[int] = []
    for token in _parser().parse(text):
        if token.type == "ordered_list_open":
            following.append(int(token.attrs.get("start", 1)))
        elif token.type == "bullet_list_open":
            following.append(-1)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            following.pop()
        elif token.type == "list_item_open" and following[-1] >= 0 and token.map:
            at = token.map[0]
            lines[at] = _NUMBER.sub(rf"\g<1>{following[-1]}", lines[at], count=1)
            following[-1] += 1
    return "\n".join(lines)


def render_html(markdown: str, title: str) -> str:
    """The HTML of a handbook."""
    return _PAGE.format(title=title, body=_parser().render(markdown))


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def convert(pages: Sequence[Path], suffix: str, folder: Path) -> None:
    """Let LibreOffice convert HTML pages, all in one run."""
    target = {"docx": "docx:MS Word 2007 XML", "pdf": "pdf:writer_pdf_Export"}[suffix]
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    # By itself it opens HTML as a web page, and prints some of those without their first heading.
    opening = ["soffice", profile, "--headless", "--infilter=HTML (StarWriter)"]
    command = [*opening, "--convert-to", target, "--outdir", str(folder)]
    subprocess.run([*command, *map(str, pages)], check=True, capture_output=True, timeout=600)


def differences(expected: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    """What one list lacks of the other."""
    for line in difflib.ndiff(expected, found):
        if line[0] in "-+":
            yield line


def shared(expected: Sequence[str], found: Sequence[str]) -> float:
    """The share of all lines that both lists have, in order."""
    return difflib.SequenceMatcher(None, expected, found, autojunk=False).ratio()


def main() -> None:
    """Print the table and the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds ja_work_rules")
    parser.add_argument("--differences", type=int, default=10, help="to print for each file")
    parser.add_argument("--keep", type=Path, help="keep the made files in this folder")
    arguments = parser.parse_args()
    console = Console()
    table = Table("file", "format", *("headings", "same", "items", "same", "labels same"), "CPU s")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sources = {
            f"{path.parent.name}_{path.stem}": path
            for path in sorted((arguments.data / "ja_work_rules").glob("*/*.md"))
        }
        pages = [folder / f"{name}.html" for name in sources]
        for page, path in zip(pages, sources.values(), strict=True):
            page.write_text(render_html(read_markdown(path), path.stem), encoding="utf-8")
        for suffix in FORMATS:
            convert(pages, suffix, folder)
        for name, path in sources.items():
            expected = tree_of(load_text(read_markdown(path), name=path.name))
            for suffix in FORMATS:
                made = folder / f"{name}.{suffix}"
                begun = time.process_time()
                found = tree_of(load_document(made.read_bytes(), name=made.name))
                spent = time.process_time() - begun
                table.add_row(
                    name,
                    suffix,
                    f"{len(expected.headings)}/{len(found.headings)}",
                    f"{shared(expected.headings, found.headings):.1%}",
                    f"{len(expected.items)}/{len(found.items)}",
                    f"{shared(expected.items, found.items):.1%}",
                    f"{shared(expected.labels, found.labels):.1%}",
                    f"{spent:.2f}",
                )
                lines = [
                    *differences(expected.headings, found.headings),
                    *differences(expected.items, found.items),
                    *differences(expected.labels, found.labels),
                ]
                for line in lines[: arguments.differences]:
                    console.print(f"{name}.{suffix} {escape(line)}", highlight=False)
    console.print(table)


if __name__ == "__main__":
    main()
