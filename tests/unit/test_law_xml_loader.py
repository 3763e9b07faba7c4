"""Law XML as e-Gov publishes it."""

from __future__ import annotations

import pytest

from ragspine_store.errors import LoadError
from ragspine_store.loading.law_xml import LawXmlLoader
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.records import BlockKind, LoadedDocument

TITLE = "<LawTitle Kana='みほんほう'>見本法</LawTitle>"


def law(body: str, *, title: str = TITLE, attributes: str = 'Lang="ja"') -> str:
    return (
        f"<Law Era='Reiwa' Year='6' {attributes}><LawNum>令和六年法律第一号</LawNum>"
        f"<LawBody>{title}{body}</LawBody></Law>"
    )


def load(body: str) -> LoadedDocument:
    return LawXmlLoader().load(law(body).encode(), name="law.xml")


def main(body: str) -> LoadedDocument:
    return load(f"<MainProvision>{body}</MainProvision>")


def article(number: str, body: str, *, caption: str = "") -> str:
    shown = f"<ArticleCaption>{caption}</ArticleCaption>" if caption else ""
    return f"<Article>{shown}<ArticleTitle>{number}</ArticleTitle>{body}</Article>"


def paragraph(text: str, *, number: str = "", inner: str = "", num: str = "1") -> str:
    return (
        f"<Paragraph Num='{num}'><ParagraphNum>{number}</ParagraphNum><ParagraphSentence>"
        f"<Sentence>{text}</Sentence></ParagraphSentence>{inner}</Paragraph>"
    )


def item(tag: str, label: str, text: str, inner: str = "") -> str:
    return (
        f"<{tag}><{tag}Title>{label}</{tag}Title><{tag}Sentence><Sentence>{text}</Sentence>"
        f"</{tag}Sentence>{inner}</{tag}>"
    )


def headings(document: LoadedDocument) -> list[str]:
    return [section.heading for section in document.outline.sections]


def blocks(document: LoadedDocument, kind: BlockKind) -> list[str]:
    return [
        document.text[block.span.start : block.span.end]
        for block in document.outline.blocks
        if block.kind is kind
    ]


def test_a_law_reads_as_people_cite_it() -> None:
    document = main(
        "<Chapter><ChapterTitle>第一章　総則</ChapterTitle>"
        + article("第一条", paragraph("この法律は、目的を定める。"), caption="（目的）")
        + article(
            "第二条",
            paragraph("次に掲げる者をいう。", inner=item("Item", "一", "役員"))
            + paragraph("前項の者は、届け出る。", number="２", num="2"),
        )
        + "</Chapter>"
    )
    assert document.text == (
        "見本法\n令和六年法律第一号\n\n第一章　総則\n\n"
        "第一条（目的）\nこの法律は、目的を定める。\n\n"
        "第二条\n次に掲げる者をいう。\n一　役員\n２　前項の者は、届け出る。"
    )
    assert document.title == "見本法"
    assert document.offsets is None


def test_groups_nest_by_rank_and_articles_stand_in_the_innermost() -> None:
    inner = article("第一条の二", paragraph("文"))
    for tag, unit in reversed(
        [("Part", "編"), ("Chapter", "章"), ("Section", "節"), ("Subsection", "款")]
    ):
        division = "<Division><DivisionTitle>第一目　甲</DivisionTitle>" if unit == "款" else ""
        closing = "</Division>" if unit == "款" else ""
        title = f"<{tag}Title>第一{unit}　甲</{tag}Title>"
        inner = f"<{tag}>{title}{division}{inner}{closing}</{tag}>"
    outline = main(inner + "<Part><PartTitle>第二編　乙</PartTitle></Part>").outline
    assert outline.path(7) == (
        "見本法",
        "第一編　甲",
        "第一章　甲",
        "第一節　甲",
        "第一款　甲",
        "第一目　甲",
        "第一条の二",
    )
    assert outline.path(8) == ("見本法", "第二編　乙")


def test_items_carry_label_depth_and_parent() -> None:
    deepest = item("Subitem3", "ａ", "乙")
    nested = item("Subitem1", "イ", "丙", item("Subitem2", "（１）", "丁", deepest))
    first = paragraph("次のとおり。", inner=item("Item", "一", "甲", nested))
    document = main(article("第一条", first + paragraph("以上。", number="２", num="2")))
    found = [b for b in document.outline.blocks if b.kind is BlockKind.ITEM]
    assert [(b.label, b.depth) for b in found] == [
        ("", 1),
        ("一", 2),
        ("イ", 3),
        ("（１）", 4),
        ("ａ", 5),
        ("２", 1),
    ]
    index = document.outline.blocks.index
    assert [b.parent for b in found] == [
        None,
        *(index(b) for b in found[:4]),
        None,
    ]


def test_ten_levels_of_subitems_are_kept() -> None:
    inner = ""
    for level in range(10, 0, -1):
        inner = item(f"Subitem{level}", f"層{level}", f"文{level}", inner)
    document = main(article("第一条", paragraph("柱書", inner=item("Item", "一", "号", inner))))
    assert document.outline.blocks[-1].depth == 12
    assert document.text.endswith("層10　文10")


def test_a_paragraph_that_old_laws_leave_unnumbered_has_the_number_that_is_shown() -> None:
    document = main(article("第一条", paragraph("甲") + paragraph("乙", num="2")))
    assert blocks(document, BlockKind.ITEM) == ["甲", "②　乙"]
    assert document.outline.blocks[-1].label == "②"


def test_a_proviso_stays_in_its_paragraph() -> None:
    document = main(
        article(
            "第一条",
            "<Paragraph><ParagraphNum/><ParagraphSentence>\n"
            "  <Sentence Function='main'>拒んではならない。</Sentence>\n"
            "  <Sentence Function='proviso'>但し、変更することができる。</Sentence>\n"
            "</ParagraphSentence></Paragraph>",
        )
    )
    assert blocks(document, BlockKind.ITEM) == ["拒んではならない。但し、変更することができる。"]


def test_columns_of_an_item_are_set_apart() -> None:
    columns = (
        "<Column><Sentence>百時間</Sentence></Column>"
        "<Column><Sentence>未満</Sentence><Sentence>とする。</Sentence></Column>"
    )
    inner = f"<Item><ItemTitle>一</ItemTitle><ItemSentence>{columns}</ItemSentence></Item>"
    document = main(article("第一条", paragraph("表", inner=inner)))
    assert blocks(document, BlockKind.ITEM)[1] == "一　百時間　未満とする。"


def test_ruby_keeps_its_base_and_drops_its_reading() -> None:
    document = main(
        article("第一条", paragraph("<Ruby>哺<Rt>ほ</Rt></Ruby>育<Sup>2</Sup>の<Line>間</Line>"))
    )
    assert blocks(document, BlockKind.ITEM) == ["哺育2の間"]


def test_deleted_articles_and_ranges_are_headings() -> None:
    document = main(article("第八条から第十条まで", paragraph("削除")))
    assert headings(document)[2:] == ["第八条から第十条まで"]
    assert blocks(document, BlockKind.ITEM) == ["削除"]


def test_a_caption_of_a_paragraph_belongs_to_it() -> None:
    captioned = (
        "<SupplProvision><SupplProvisionLabel>附　則</SupplProvisionLabel><Paragraph>"
        "<ParagraphCaption>（施行期日）</ParagraphCaption><ParagraphNum>１</ParagraphNum>"
        "<ParagraphSentence><Sentence>公布の日から施行する。</Sentence></ParagraphSentence>"
        "</Paragraph></SupplProvision>"
    )
    assert blocks(load(captioned), BlockKind.ITEM) == ["（施行期日）\n１　公布の日から施行する。"]


def test_supplementary_provisions_hold_their_own_articles() -> None:
    document = load(
        "<MainProvision>" + article("第一条", paragraph("甲")) + "</MainProvision>"
        "<SupplProvision Extract='true'><SupplProvisionLabel>附　則</SupplProvisionLabel>"
        + article("第一条", paragraph("乙"), caption="（施行期日）")
        + "</SupplProvision><SupplProvision AmendLawNum='平成三年法律第二号'>"
        "<SupplProvisionLabel>附　則</SupplProvisionLabel>"
        + paragraph("丙")
        + "<SupplProvisionAppdxTable><SupplProvisionAppdxTableTitle>附則別表"
        "</SupplProvisionAppdxTableTitle></SupplProvisionAppdxTable></SupplProvision>"
    )
    outline = document.outline
    assert [outline.path(no)[1:] for no in range(2, len(outline.sections))] == [
        ("第一条",),
        ("附　則　抄",),
        ("附　則　抄", "第一条（施行期日）"),
        ("附　則　（平成三年法律第二号）",),
        ("附　則　（平成三年法律第二号）", "附則別表"),
    ]


def test_the_table_of_contents_is_left_out() -> None:
    contents = "<TOC><TOCChapter><ChapterTitle>第一章</ChapterTitle></TOCChapter></TOC>"
    document = load(contents + "<MainProvision>" + paragraph("本文") + "</MainProvision>")
    assert "第一章" not in document.text
    assert "第一章" in document.full_text


def test_appendices_are_sections_with_their_tables_items_and_notes() -> None:
    document = load(
        "<AppdxTable><AppdxTableTitle>別表第一</AppdxTableTitle>"
        "<RelatedArticleNum>（第二条関係）</RelatedArticleNum><TableStruct>"
        "<TableStructTitle>補償表</TableStructTitle><Table>"
        "<TableHeaderRow><TableHeaderColumn>等級</TableHeaderColumn>"
        "<TableHeaderColumn>補償</TableHeaderColumn></TableHeaderRow>"
        "<TableRow><TableColumn rowspan='2'><Sentence>甲</Sentence></TableColumn>"
        "<TableColumn><Sentence>一</Sentence></TableColumn></TableRow>"
        "<TableRow><TableColumn><Item><ItemTitle>イ</ItemTitle><ItemSentence>"
        "<Sentence>二</Sentence></ItemSentence></Item></TableColumn></TableRow></Table>"
        "<Remarks><RemarksLabel>備考</RemarksLabel>" + item("Item", "一", "注") + "</Remarks>"
        "</TableStruct></AppdxTable>"
        "<AppdxStyle><AppdxStyleTitle>様式第一号</AppdxStyleTitle><StyleStruct><Style>"
        "<Fig src='./pict/a.jpg'/></Style></StyleStruct></AppdxStyle>"
        "<AppdxNote><NoteStruct><Note><Sentence>記</Sentence><Sentence>す</Sentence></Note>"
        "</NoteStruct></AppdxNote>"
        "<Appdx><ArithFormulaNum>付録第一</ArithFormulaNum><ArithFormula>Ａ×Ｂ</ArithFormula></Appdx>"
    )
    assert headings(document)[2:] == ["別表第一（第二条関係）", "様式第一号", "別記", "付録第一"]
    assert blocks(document, BlockKind.TABLE) == [
        "補償表\n| 等級 | 補償 |\n| 甲 | 一 |\n| 甲 | イ　二 |"
    ]
    assert blocks(document, BlockKind.PARAGRAPH)[1:] == ["備考", "記す", "Ａ×Ｂ"]
    assert blocks(document, BlockKind.ITEM) == ["一　注"]


def test_a_table_in_a_paragraph_belongs_to_it() -> None:
    row = "<TableRow><TableColumn><Sentence>六年</Sentence></TableColumn></TableRow>"
    table = f"<TableStruct><Table>{row}</Table></TableStruct>"
    document = main(article("第一条", paragraph("次の表による。", inner=table)))
    assert document.outline.blocks[-1].kind is BlockKind.TABLE
    assert document.outline.blocks[-1].parent == len(document.outline.blocks) - 2


def test_provisions_that_an_amendment_quotes_are_no_sections() -> None:
    amendment = (
        "<AmendProvision><AmendProvisionSentence><Sentence>次のように改める。</Sentence>"
        "</AmendProvisionSentence><NewProvision>"
        + article("第九条", paragraph("新しい条文"), caption="（新）")
        + "</NewProvision></AmendProvision>"
    )
    document = main(article("第一条", paragraph("一部を改正する。", inner=amendment)))
    assert headings(document)[2:] == ["第一条"]
    assert blocks(document, BlockKind.QUOTE) == ["第九条（新）\n新しい条文"]


def test_lists_preambles_notes_and_unknown_elements_are_kept() -> None:
    listed = "<List><ListSentence><Sentence>列記</Sentence></ListSentence></List>"
    document = load(
        "<EnactStatement>朕は、裁可する。</EnactStatement>"
        "<Preamble>"
        + paragraph("前文である。")
        + "</Preamble><MainProvision>"
        + article("第一条", paragraph("柱書", inner=listed) + "<SupplNote>付記</SupplNote>")
        + "<Unheard><Of>未知</Of></Unheard></MainProvision>"
    )
    for text in ("朕は、裁可する。", "前文である。", "列記", "付記", "未知"):
        assert document.text.count(text) == 1


def test_the_outline_is_the_one_that_the_text_alone_would_give() -> None:
    document = load(
        "<MainProvision><Chapter><ChapterTitle>第一章　総則</ChapterTitle>"
        + article("第一条", paragraph("甲は、乙とする。"), caption="（目的）")
        + article("第二条の二", paragraph("丙とする。"))
        + "</Chapter></MainProvision><SupplProvision AmendLawNum='平成三年法律第二号'>"
        "<SupplProvisionLabel>附　則</SupplProvisionLabel>"
        + article("第一条", paragraph("丁とする。"))
        + "</SupplProvision>"
    )
    plain = outline_of_plain_text(document.text)
    assert [s.heading for s in plain.sections[1:]] == headings(document)[2:]


ENVELOPE = "<DataRoot><ApplData><LawFullText>{}</LawFullText></ApplData></DataRoot>"


def test_the_envelope_of_the_first_api_is_read_through() -> None:
    data = ENVELOPE.format(law("<MainProvision/>")).encode()
    document = LawXmlLoader().load(data, name="a.xml")
    assert document.stated == {"language": "ja"}
    assert document.text == "見本法\n令和六年法律第一号"


def test_the_second_api_states_the_day_the_text_is_in_force() -> None:
    revision = "<amendment_enforcement_date>2024-04-01</amendment_enforcement_date>"
    data = (
        f"<law_data_response><revision_info>{revision}</revision_info>{law('')}</law_data_response>"
    )
    assert LawXmlLoader().load(data.encode(), name="a.xml").stated["valid_as_of"] == "2024-04-01"


def test_the_file_name_of_a_bulk_download_states_the_day_too() -> None:
    name = "322AC0000000049_20240401_505AC0000000001.xml"
    document = LawXmlLoader().load(law("").encode(), name=name)
    assert document.stated["valid_as_of"] == "2024-04-01"


def test_the_declared_encoding_does_not_matter() -> None:
    text = '<?xml version="1.0" encoding="Shift_JIS"?>' + law("")
    for encoding in ("cp932", "utf-8", "utf-8-sig", "utf-16"):
        document = LawXmlLoader().load(text.encode(encoding), name="a.xml")
        assert document.title == "見本法"


BOMB = '<!DOCTYPE Law [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' + law(
    "", title="<LawTitle>&b;</LawTitle>"
)
EXTERNAL = '<!DOCTYPE Law [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + law(
    "", title="<LawTitle>&a;</LawTitle>"
)
REFUSED = {
    "entity bomb": (BOMB, "a document type declaration"),
    "external entity": (EXTERNAL, "a document type declaration"),
    "bare document type": ("<!DOCTYPE Law>" + law(""), "a document type declaration"),
    "other XML": ("<note><to>甲</to></note>", "0 Law elements; expected law XML"),
    "two laws": (f"<r>{law('')}{law('')}</r>", "2 Law elements"),
    "cut off": (law("")[:-5], "broken XML"),
    "nothing": (" ", "no text"),
    "deep nesting": ("<a>" * 300 + "</a>" * 300, "nested deeper than 200"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_statute_is_refused(text: str, reason: str) -> None:
    with pytest.raises(LoadError, match=reason) as caught:
        LawXmlLoader().load(text.encode(), name="a.xml")
    assert str(caught.value).startswith("a.xml ")
    assert "甲" not in str(caught.value)
