"""Word documents, each made here part by part."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

import pytest

from ragspine_store.errors import LoadError
from ragspine_store.loading.docx import DocxLoader
from ragspine_store.records import BlockKind, LoadedDocument

_NS = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def docx(body: str, **parts: str) -> bytes:
    """A Word document of a body and further parts by their kind, such as `styles`."""
    files = {
        "_rels/.rels": _relations({"officeDocument": "word/document.xml"})
        if "core" not in parts
        else _relations(
            {"officeDocument": "word/document.xml", "core-properties": "docProps/core.xml"}
        ),
        "word/document.xml": f"<w:document {_NS}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _relations(
            {kind: f"{kind}.xml" for kind in parts if kind != "core"}
        ),
    }
    for kind, content in parts.items():
        if kind == "core":
            files["docProps/core.xml"] = (
                f'<c xmlns:dc="http://purl.org/dc/elements/1.1/">{content}</c>'
            )
        else:
            files[f"word/{kind}.xml"] = f"<w:{kind} {_NS}>{content}</w:{kind}>"
    return zipped(files)


def _relations(targets: dict[str, str]) -> str:
    relations = "".join(
        f'<Relationship Id="r{i}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(targets.items())
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'


def zipped(files: dict[str, str] | dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(content: str, *, style: str = "", properties: str = "") -> str:
    """A paragraph of text, or of runs when the content begins with a tag."""
    runs = content if content.startswith("<") else run(content)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{runs}</w:p>"


def listed(text: str, level: int = 0, list_id: int = 1, left: int | None = None) -> str:
    indent = "" if left is None else f'<w:ind w:left="{left}" w:hanging="200"/>'
    place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return p(text, properties=place + indent)


def numbering(*levels: tuple[str, str], extra: str = "", num: str = "") -> str:
    """One list, its levels given as (format, text)."""
    written = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/>'
        f'<w:lvlText w:val="{text}"/>{extra}</w:lvl>'
        for i, (number_format, text) in enumerate(levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="5">{written}</w:abstractNum>'
        f'<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num>{num}'
    )


def style(style_id: str, name: str, *, based_on: str = "", properties: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>{base}'
        f"<w:pPr>{properties}</w:pPr></w:style>"
    )


def load(body: str, **parts: str) -> LoadedDocument:
    return DocxLoader().load(docx(body, **parts), name="rules.docx")


def headings(document: LoadedDocument) -> list[tuple[int, str]]:
    return [(section.level, section.heading) for section in document.outline.sections[1:]]


def blocks(document: LoadedDocument) -> list[str]:
    return [document.text[b.span.start : b.span.end] for b in document.outline.blocks]


def items(document: LoadedDocument) -> list[tuple[int, str]]:
    found = document.outline.blocks
    return [(b.depth, b.label) for b in found if b.kind is BlockKind.ITEM]


@pytest.mark.parametrize(
    ("defined", "level"),
    [
        (style("1", "heading 1"), 1),
        (style("X", "見出し 1"), 1),
        (style("X", "Überschrift 1"), 1),
        (style("X", "Ｈｅａｄｉｎｇ １"), 1),
        (style("X", "社内見出し", properties='<w:outlineLvl w:val="0"/>'), 1),
        (style("X", "社内見出し", based_on="B") + style("B", "heading 1"), 1),
        (style("X", "Title"), 1),
        (style("X", "TOC Heading", based_on="B", properties='<w:outlineLvl w:val="9"/>')
         + style("B", "heading 1"), None),
        (style("X", "Heading Comment"), None),
        (style("X", "loop", based_on="Y") + style("Y", "loop too", based_on="X"), None),
    ],
    ids=[
        "localised id", "Japanese name", "German name", "full-width name", "outline level",
        "inherited", "title", "outline level of body text", "other name", "styles in a circle",
    ],
)  # fmt: skip
def test_a_heading_is_what_its_style_says(defined: str, level: int | None) -> None:
    style_id = "1" if 'styleId="1"' in defined else "X"
    document = load(p("服務の心得", style=style_id) + p("本文。"), styles=defined)
    assert headings(document) == ([] if level is None else [(level, "服務の心得")])


def test_headings_nest_by_level_and_a_paragraph_may_state_its_own() -> None:
    styles = style("H1", "heading 1") + style("H3", "heading 3")
    body = (
        p("規程", style="H1")
        + p("細則", style="H3")
        + p("附記", properties='<w:outlineLvl w:val="1"/>')
        + p("規程でない", style="H1", properties='<w:outlineLvl w:val="9"/>')
    )
    document = load(body, styles=styles)
    assert headings(document) == [(1, "規程"), (2, "細則"), (2, "附記")]
    assert blocks(document) == ["規程でない"]


def test_plain_paragraphs_are_read_by_the_line_grammar() -> None:
    body = (
        p("第１章　総則") + p("（目的）") + p("第１条　この規則は、必要な事項を定める。")
        + p("２　細目は別に定める。") + p("（１）様式") + p("（２）期限")
    )  # fmt: skip
    document = load(body)
    assert headings(document) == [(1, "第１章　総則"), (2, "第１条（目的）")]
    assert items(document) == [(1, "２"), (2, "（１）"), (2, "（２）")]


def test_a_number_that_word_counts_makes_a_heading_too() -> None:
    lists = numbering(("decimalFullWidth", "第%1条"))
    document = load(
        listed("（目的）この規則は…") + p("本文。") + listed("（定義）"), numbering=lists
    )
    assert [heading for _, heading in headings(document)] == ["第１条 （目的）", "第２条 （定義）"]


@pytest.mark.parametrize(
    ("levels", "at", "labels"),
    [
        ([("decimal", "%1."), ("decimal", "%1.%2")], [0, 1, 1, 0, 1],
         ["1.", "1.1", "1.2", "2.", "2.1"]),
        ([("upperRoman", "%1"), ("lowerLetter", "(%2)")], [0, 0, 1, 1], ["I", "II", "(a)", "(b)"]),
        ([("japaneseCounting", "第%1"), ("aiueoFullWidth", "%2"), ("irohaFullWidth", "(%3)")],
         [0, 1, 1, 2], ["第一", "ア", "イ", "(イ)"]),
        ([("decimalEnclosedCircle", "%1"), ("bullet", "\uf0b7")], [0, 0, 1], ["①", "②", "•"]),
        ([("decimal", "%1"), ("decimal", "%1の%2")], [1, 1], ["1の1", "1の2"]),
    ],
    ids=["restart below", "roman and letters", "Japanese", "circles and bullets", "from level two"],
)  # fmt: skip
def test_lists_are_numbered_as_word_shows_them(
    levels: list[tuple[str, str]], at: list[int], labels: list[str]
) -> None:
    body = "".join(listed("とする。", level) for level in at)
    assert [label for _, label in items(load(body, numbering=numbering(*levels)))] == labels


@pytest.mark.parametrize(
    ("template", "suffix", "shown"),
    [
        ("第%1章\u3000", "nothing", "第一章\u3000総則"),
        ("第%1章\u3000", "tab", "第一章\u3000総則"),
        ("第%1章", "nothing", "第一章総則"),
        ("第%1章", "space", "第一章 総則"),
    ],
    ids=["own space", "own space and a tab", "none", "space"],
)
def test_what_separates_a_number_from_its_text_is_kept(
    template: str, suffix: str, shown: str
) -> None:
    lists = numbering(("taiwaneseCountingThousand", template), extra=f'<w:suff w:val="{suffix}"/>')
    document = load(listed("総則") + p("本文。"), numbering=lists)
    assert document.text.splitlines()[0] == shown


def test_legal_numbering_writes_the_levels_above_in_digits() -> None:
    lists = numbering(("upperRoman", "%1."), ("decimal", "%1.%2"), extra="<w:isLgl/>")
    document = load(listed("a") + listed("b", 1), numbering=lists)
    assert items(document) == [(1, "I."), (2, "1.1")]


def test_a_second_list_of_one_definition_counts_on_unless_it_restarts() -> None:
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    num = (
        '<w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num>'
        f'<w:num w:numId="3"><w:abstractNumId w:val="5"/>{restart}</w:num>'
    )
    lists = numbering(("decimal", "%1."), num=num)
    body = listed("a") + listed("b", list_id=2) + listed("c", list_id=3) + listed("d", list_id=3)
    assert [label for _, label in items(load(body, numbering=lists))] == ["1.", "2.", "1.", "2."]


def test_numbering_comes_from_styles_and_zero_takes_it_away() -> None:
    place = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    lists = numbering(("decimal", "第%1章"), ("decimal", "第%2条"), extra='<w:pStyle w:val="H2"/>')
    styles = style("H1", "heading 1", properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/>'
                   "</w:numPr>") + style("H2", "heading 2")  # fmt: skip
    styles = styles.replace("<w:pPr></w:pPr>", f"<w:pPr>{place}</w:pPr>")
    lists = lists.replace('<w:pStyle w:val="H2"/>', "", 1)
    none = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = p("総則", style="H1") + p("目的", style="H2") + p("別記", style="H1", properties=none)
    document = load(body, styles=styles, numbering=lists)
    assert headings(document) == [(1, "第1章 総則"), (2, "第1条 目的"), (1, "別記")]


def test_a_list_indented_below_another_is_nested_in_it() -> None:
    second = (
        '<w:abstractNum w:abstractNumId="6"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="(%1)"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num>'
    )
    lists = numbering(("decimal", "%1."), num=second)
    body = (
        listed("a", left=200)
        + listed("b", list_id=2, left=600)
        + p("続き", properties='<w:ind w:left="600"/>')
        + p("（ア）手入力", properties='<w:ind w:left="800"/>')
        + listed("c", left=200)
        + p("本文")
    )
    document = load(body, numbering=lists)
    assert [(b.depth, b.label, b.parent) for b in document.outline.blocks] == [
        (1, "1.", None),
        (2, "(1)", 0),
        (2, "", 1),
        (3, "（ア）", 1),
        (1, "2.", None),
        (0, "", None),
    ]


def test_tracked_changes_are_accepted() -> None:
    mark = "<w:rPr><w:del/></w:rPr>"
    body = (
        p(run("日当は") + f"<w:del><w:r><w:delText>千円</w:delText></w:r>{run('x')}</w:del>"
          + f"<w:ins>{run('二千円')}</w:ins>" + run("とする。"))
        + p(f"<w:moveFrom>{run('旧')}</w:moveFrom><w:moveTo>{run('移動先。')}</w:moveTo>")
        + p("前段と", properties=mark) + p("後段。")
        + f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>{p('消えた行')}</w:tc></w:tr>"
        + f"<w:tr><w:tc>{p('残る')}</w:tc><w:tc>{p('行')}</w:tc></w:tr></w:tbl>"
    )  # fmt: skip
    document = load(body)
    assert blocks(document) == ["日当は二千円とする。", "移動先。", "前段と後段。", "| 残る | 行 |"]
    assert "千円" in document.full_text
    assert "消えた行" in document.full_text


@pytest.mark.parametrize(
    ("runs", "shown"),
    [
        (f'<w:hyperlink w:anchor="x">{run("別紙")}</w:hyperlink>', "別紙"),
        (f"<w:ruby><w:rt>{run('かんじ')}</w:rt><w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby>",
         "漢字"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF _1</w:instrText>'
         '</w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run("第3条")
         + '<w:r><w:fldChar w:fldCharType="end"/></w:r>', "第3条"),
        (f'<w:fldSimple w:instr="PAGE">{run("7")}</w:fldSimple>', "7"),
        ("<w:r><w:t>一行</w:t><w:br/><w:t>二行</w:t><w:tab/><w:t>欄</w:t></w:r>", "一行\n二行\t欄"),
        ("<w:r><w:t>co\xadop</w:t><w:softHyphen/><w:noBreakHyphen/><w:t>x</w:t></w:r>", "coop-x"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>隠し</w:t></w:r>" + run("見え"), "見え"),
        (f'<w:r><w:commentReference w:id="0"/></w:r>{run("本文")}', "本文"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{run('欄の値')}</w:sdtContent></w:sdt>", "欄の値"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + run("同意"), "☑同意"),
        (run("か\u3099き"), "がき"),
    ],
    ids=[
        "hyperlink", "ruby", "field", "simple field", "breaks", "hyphens", "hidden", "comment",
        "content control", "symbol", "combining mark",
    ],
)  # fmt: skip
def test_runs_are_read_as_shown(runs: str, shown: str) -> None:
    assert load(p(runs)).text == shown


def test_what_is_no_content_is_counted() -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>隠し</w:t></w:r>"
    deleted = "<w:del><w:r><w:delText>消し</w:delText></w:r></w:del>"
    marks = "<w:rPr><w:del/></w:rPr>"  # of the end of a paragraph: no text of its own
    body = p(hidden + hidden + run("見え") + hidden) + p(deleted + run("残り"), properties=marks)
    comments = f'<w:comment w:id="0">{p("意見")}</w:comment>'
    document = load(body, comments=comments)
    assert document.notes == ("left out: 1 deleted passage, 2 hidden passages, 1 comment",)
    assert load(p("本文")).notes == ()


def test_a_field_that_never_ends_hides_nothing_after_its_paragraph() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    assert load(p(begin + run("code")) + p("本文")).text == "本文"


def test_text_boxes_come_once_and_after_their_paragraph() -> None:
    box = f"<w:txbxContent>{p('囲み')}</w:txbxContent>"
    drawing = (
        f"<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert blocks(load(p(drawing + run("本文")) + p("次"))) == ["本文", "囲み", "次"]


def test_a_table_gives_a_line_for_each_row_that_reads_alone() -> None:
    def cell(content: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"

    nested = f"<w:tbl><w:tr>{cell(p('内'))}{cell(p('表'))}</w:tr></w:tbl>"
    rows = (
        cell(p("区分"), '<w:gridSpan w:val="2"/>'),
        cell(p("甲") + p("乙"), '<w:vMerge w:val="restart"/>') + cell(p("25%") + nested),
        cell(p(""), "<w:vMerge/>") + cell(p("30%")),
    )
    body = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    document = load(body)
    assert document.text.split("\n") == [
        "| 区分 |  |",
        "| 甲 乙 | 25% |",
        "| 内 | 表 |",
        "| 甲 乙 | 30% |",
    ]
    assert [block.kind for block in document.outline.blocks] == [BlockKind.TABLE]


def test_a_table_of_one_cell_is_a_frame_around_text() -> None:
    body = f"<w:tbl><w:tr><w:tc>{p('第1条　目的')}{p('本文。')}</w:tc></w:tr></w:tbl>"
    assert headings(load(body)) == [(1, "第1条　目的")]


def test_notes_stand_in_the_section_that_refers_to_them() -> None:
    reference = '<w:r><w:footnoteReference w:id="7"/></w:r>'
    notes = (
        f'<w:footnote w:type="separator" w:id="0">{p("線")}</w:footnote>'
        f'<w:footnote w:id="7">{p("毎年見直す。")}</w:footnote>'
    )
    end = f'<w:endnote w:id="7">{p("出典。")}</w:endnote>'
    body = (
        p("第1条　手当")
        + p(run("額は別表") + reference + run("による。"))
        + p(run("以上") + '<w:r><w:endnoteReference w:id="7"/></w:r>')
        + p("第2条　旅費")
    )
    document = load(body, footnotes=notes, endnotes=end)
    found = [(b.section, b.kind.name, document.text[b.span.start : b.span.end])
             for b in document.outline.blocks]  # fmt: skip
    assert found == [
        (1, "PARAGRAPH", "額は別表[^1]による。"),
        (1, "FOOTNOTE", "[^1]: 毎年見直す。"),
        (1, "PARAGRAPH", "以上[^e1]"),
        (1, "FOOTNOTE", "[^e1]: 出典。"),
    ]


def test_a_note_that_refers_to_itself_is_read_once() -> None:
    reference = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    notes = f'<w:footnote w:id="1">{p(run("注") + reference)}</w:footnote>'
    assert load(p(run("本文") + reference), footnotes=notes).text.count("注") == 1


def test_contents_and_code_stay_together_and_are_no_headings() -> None:
    styles = style("T", "toc 1") + style("C", "HTML Preformatted") + style("Q", "Quote")
    body = (
        p("目次") + p("第1章　総則\t1", style="T") + p("第2章　服務\t2", style="T")
        + p("第1章　総則") + p("x = 1", style="C") + p("y = 2", style="C") + p("引用", style="Q")
    )  # fmt: skip
    document = load(body, styles=styles)
    assert headings(document) == [(1, "第1章　総則")]
    kinds = [block.kind for block in document.outline.blocks]
    assert kinds == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.QUOTE]
    assert blocks(document)[2] == "x = 1\ny = 2"


def test_typed_items_below_an_automatic_one_are_its_items_unless_they_stand_further_out() -> None:
    lists = numbering(("decimal", "%1."))
    typed = p(run("(a) 役員")) + p(run("(b) 社員"))
    document = load(listed("次に掲げる者") + typed + listed("以上"), numbering=lists)
    assert items(document) == [(1, "1."), (2, "(a)"), (2, "(b)"), (1, "2.")]
    indented = listed("次に掲げる者", left=800) + typed
    assert items(load(indented, numbering=lists)) == [(1, "1."), (1, "(a)"), (1, "(b)")]


def test_plain_text_that_a_program_opened_is_read_as_text() -> None:
    styles = style("C", "Preformatted Text")
    lines = ("第1条　目的", "1. この規則は、手当を定める。", "2. 細則は別に定める。")
    document = load("".join(p(run(line), style="C") for line in lines), styles=styles)
    assert headings(document) == [(1, "第1条　目的")]
    assert items(document) == [(1, "1."), (1, "2.")]
    quoted = load(p(run("例を示す。" * 20)) + p(run("第1条　目的"), style="C"), styles=styles)
    assert headings(quoted) == []
    assert [block.kind.name for block in quoted.outline.blocks] == ["PARAGRAPH", "CODE"]


def test_headers_and_comments_are_screened_but_not_kept() -> None:
    files = docx(p("本文"), header1=p("社外秘"), comments=p("要確認"))
    document = DocxLoader().load(files, name="rules.docx")
    assert document.text == "本文"
    assert "社外秘" in document.full_text
    assert "要確認" in document.full_text


@pytest.mark.parametrize(
    ("core", "title"),
    [("<dc:title> 就業規則 </dc:title>", "就業規則"), ("<dc:title/>", "見出し"), ("", "見出し")],
    ids=["stated", "empty", "none"],
)
def test_the_title_is_the_files_own_or_its_first_heading(core: str, title: str) -> None:
    parts = {"core": core} if core else {}
    document = load(p("見出し", style="H"), styles=style("H", "heading 1"), **parts)
    assert document.title == title


def test_the_strict_namespaces_are_read_alike() -> None:
    transitional = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f"<w:document {_NS}><w:body>{p('本文')}</w:body></w:document>"
    files = {
        "_rels/.rels": _relations({"officeDocument": "word/document.xml"}),
        "word/document.xml": body.replace(transitional, strict),
    }
    assert DocxLoader().load(zipped(files), name="a.docx").text == "本文"


_BOMB = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>"


def _only_document(xml: str) -> bytes:
    return zipped(
        {
            "_rels/.rels": _relations({"officeDocument": "word/document.xml"}),
            "word/document.xml": xml,
        }
    )


@pytest.mark.parametrize(
    ("data", "remedy"),
    [
        (_OLE + bytes(600), "save it as .docx in Word"),
        (_OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le"), "remove the password"),
        (zipped({"word/vbaProject.bin": "x"}), "save it as .docx in Word"),
        (b"not a zip", "save it as .docx"),
        (zipped({"a.txt": "x"}), "save the document as .docx"),
        (docx(p("本文"))[:-40], "save it as .docx"),
        (docx(""), "recognise their text"),
        (_only_document(f"{_BOMB}<x>&b;</x>"), "save it again in Word"),
        (_only_document("<!DOCTYPE x SYSTEM 'file:///etc/passwd'><x/>"), "save it again in Word"),
        (_only_document("<a>" * 300 + "</a>" * 300), "save it again in Word"),
        (_only_document("<a>"), "save it again in Word"),
        (_only_document("<a/>"), "save it as .docx"),
        (_only_document("<a>" + " " * (65 * 2**20) + "</a>"), "more than 200 times its size"),
        (zipped({f"a{i}": "" for i in range(10_001)}), "more than 10,000 parts"),
    ],
    ids=[
        "old binary", "encrypted", "macros", "no zip", "other zip", "cut off", "no text",
        "entities", "external entity", "deep", "broken", "no document", "zip bomb", "many parts",
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_its_remedy(data: bytes, remedy: str) -> None:
    with pytest.raises(LoadError, match=r"^rules\.docx ") as caught:
        DocxLoader().load(data, name="rules.docx")
    assert remedy in str(caught.value)
    assert "\n" not in str(caught.value)
