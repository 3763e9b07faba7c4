"""A folder of many kinds of files, sound and broken, as people have them.

Each sound file holds a word of its own, so that a search tells whether it can be found.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

from openpyxl import Workbook

DATA = Path(__file__).parent / "data"

# What stands in for the word of each file.
_WORD = "WORD"
_MARKDOWN = "# 規則 WORD\n\n第1条 この規則を定める。\n\n1. 通勤手当 WORD\n2. 昼食手当\n"
_TEXT = "第1章　総則\n\n第1条　この規則 WORD を定める。\n２　手当は次のとおりとする。\n"
_HTML = "<title>Rules</title><h1>Rules</h1><ol><li>pay WORD<li>leave</ol><table><tr><td>a</table>"
_CSV = "名前,金額\nWORD,20000\nlunch,10000\n"
_LAW = (
    "<Law><LawNum>一</LawNum><LawBody><LawTitle>見本法</LawTitle><MainProvision><Article>"
    "<ArticleTitle>第一条</ArticleTitle><Paragraph><ParagraphNum/><ParagraphSentence><Sentence>"
    "WORD を定める。</Sentence></ParagraphSentence></Paragraph></Article></MainProvision>"
    "</LawBody></Law>"
)
_PYTHON = 'class Pay:\n    """WORD"""\n\n    def total(self):\n        return 1\n'
_BOMB = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><l>&b;</l>'

_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONSHIP = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_WORD_PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
        f'PartName="/word/document.xml" ContentType="{_TYPES}.document.main+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r" Type="{_RELATIONSHIP}" Target="word/document.xml"/></Relationships>'
    ),
    "word/document.xml": (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>この規則 WORD を定める。</w:t></w:r></w:p></w:body></w:document>"
    ),
}


def docx(word: str) -> bytes:
    """The smallest Word document that holds the word."""
    return _zipped({name: text.replace(_WORD, word) for name, text in _WORD_PARTS.items()})


def xlsx(word: str) -> bytes:
    """A workbook of two sheets, the word in the second."""
    book = Workbook()
    book.worksheets[0].append(["name", "amount"])
    book.create_sheet("手当").append([word, 20_000])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def pdf(word: str) -> bytes:
    """A PDF of one page with one line."""
    content = f"BT /F1 12 Tf 72 720 Td (The allowance {word} is paid monthly.) Tj ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    text, starts = "%PDF-1.4\n", list[int]()
    for number, written in enumerate(objects, start=1):
        starts.append(len(text))
        text += f"{number} 0 obj\n{written}\nendobj\n"
    rows = "".join(f"{start:010} 00000 n \n" for start in starts)
    size = len(objects) + 1
    text += f"xref\n0 {size}\n0000000000 65535 f \n{rows}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{text}startxref\n{text.index('xref')}\n%%EOF\n".encode()


def _zipped(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def _template(text: str, encoding: str = "utf-8") -> Callable[[str], bytes]:
    return lambda word: text.replace(_WORD, word).encode(encoding)


SOUND: tuple[tuple[str, Callable[[str], bytes]], ...] = (
    (".md", _template(_MARKDOWN)),
    (".txt", _template(_TEXT)),
    (".html", _template(_HTML)),
    (".csv", _template(_CSV)),
    (".xlsx", xlsx),
    (".docx", docx),
    (".pdf", pdf),
    (".xml", _template(_LAW)),
    (".py", _template(_PYTHON)),
    (".md", _template(_MARKDOWN, "cp932")),
    (".txt", _template(_TEXT, "euc_jp")),
    (".tsv", _template(_CSV.replace(",", "\t"), "utf-16")),
)


def _broken() -> Iterator[tuple[str, bytes]]:
    """Files that hold no document, by name."""
    yield "picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    yield "archive.zip", _zipped({"a.txt": "tea"})
    yield "no-suffix", b"tea"
    yield "old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
    yield "old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
    yield "renamed.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
    yield "encrypted.pdf", (DATA / "pdf" / "encrypted.pdf").read_bytes()
    yield "scanned.pdf", pdf("x").replace(b"Tj", b"  ")
    yield "bomb.xml", _BOMB.encode()
    yield "other.xml", b"<note><to>you</to></note>"
    yield "open-table.toml.xml", b"<Law><LawBody>"
    yield "bomb.docx", _zipped({**_WORD_PARTS, "word/document.xml": " " * 70_000_000})
    yield "deep.html", b"<div>" * 100_000 + b"tea"
    yield "surrogate.md", b'---\ntitle: "\\ud800"\n---\ntea\n'
    yield "title.md", b"---\ntitle: [open\n---\ntea\n"
    yield "label.md", b"---\nsensitivity: TOP SECRET\n---\ntea\n"
    for suffix, make in SOUND[:9]:
        yield f"empty{suffix}", b""
        yield f"binary{suffix}", bytes(range(256)) * 8
        yield f"cut{suffix}", make("cut")[: len(make("cut")) // 3]


def write_files(folder: Path, count: int) -> dict[str, str]:
    """Write so many files below a folder: all broken ones, the others sound.

    Returns:
        The word of each sound file, by its path below the folder.
    """
    broken = list(_broken())
    words: dict[str, str] = {}
    for number, (suffix, make) in enumerate(islice(cycle(SOUND), count - len(broken))):
        name = f"{'abc'[number % 3]}/{number}{suffix}"
        words[name] = f"term{number}end"
        _write(folder / name, make(words[name]))
    for name, data in broken:
        _write(folder / "broken" / name, data)
    return words


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
