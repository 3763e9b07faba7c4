from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_graph.retrieval.node import ShownNode, ShownSection
from ragspine_store import ChunkStore, DocumentMeta, ParentChildChunker
from ragspine_store.chunking.hierarchical import HierarchicalChunker
from ragspine_store.errors import NotFoundError
from ragspine_store.loading import outline_of
from ragspine_store.records import LoadedDocument, PreparedDocument, Span
from ragspine_store.testing.base import put

TEXT = """# Rules

Opening words.

## Pay

1. The salary is paid monthly.
2. The allowance is extra.

### Tax

It is withheld.

## Leave

Twenty days.
"""


@pytest.fixture
def knowledge() -> Iterator[KnowledgeBase]:
    store = ChunkStore(":memory:")
    store.init_schema()
    meta = DocumentMeta("hr/rules.md", collection="hr", sensitivity=Sensitivity.CONFIDENTIAL)
    NarrativeIndex(store, chunker=ParentChildChunker()).ingest(TEXT, meta)
    with KnowledgeBase(store, ServiceConfig()) as knowledge:
        yield knowledge


def section(no: int, level: int, heading: str) -> ShownSection:
    return ShownSection(f"hr/rules.md#s{no}", level, heading)


def test_a_document_is_its_outline_and_its_text(knowledge: KnowledgeBase) -> None:
    shown = knowledge.show("hr/rules.md")
    assert shown == ShownNode(
        id="hr/rules.md",
        kind="document",
        doc_id="hr/rules.md",
        title="Rules",
        collection="hr",
        sensitivity="CONFIDENTIAL",
        source_locator="hr/rules.md#para1-9",
        text=TEXT,
        span=Span(0, len(TEXT)),
        raw_span=Span(0, len(TEXT)),
        sections=(
            section(1, 1, "Rules"),
            section(2, 2, "Pay"),
            section(3, 3, "Tax"),
            section(4, 2, "Leave"),
        ),
        chunks=tuple(f"hr/rules.md#c{n}" for n in range(5)),
    )


def test_a_section_is_all_that_stands_under_its_heading(knowledge: KnowledgeBase) -> None:
    shown = knowledge.show("hr/rules.md#s2")
    assert shown.text is not None
    assert (shown.kind, shown.heading_path) == ("section", ("Rules", "Pay"))
    assert shown.text.startswith("## Pay")
    assert shown.text.rstrip().endswith("It is withheld.")
    assert shown.sections == (section(2, 2, "Pay"), section(3, 3, "Tax"))
    assert shown.chunks == tuple(f"hr/rules.md#c{n}" for n in (1, 2, 3))
    assert shown.source_locator == "hr/rules.md#para3-7"


def test_a_child_is_shown_with_its_window(knowledge: KnowledgeBase) -> None:
    shown = knowledge.show("hr/rules.md#c1")
    assert shown.raw_span is not None
    assert (shown.kind, shown.text) == ("child", "1. The salary is paid monthly.")
    assert TEXT[slice(*shown.raw_span)] == shown.text
    assert (shown.parent_id, shown.parent_locator) == ("hr/rules.md#s2", "hr/rules.md#para3-5")
    assert shown.prompt_text == (
        "## Pay\n\n1. The salary is paid monthly.\n2. The allowance is extra."
    )
    assert (shown.heading_path, shown.chunks) == (("Rules", "Pay"), ())


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("para2", "Opening words."),
        ("para4-5", "1. The salary is paid monthly.\n2. The allowance is extra."),
        ("para9", "Twenty days."),
    ],
)
def test_paragraphs_are_shown_by_their_numbers(
    knowledge: KnowledgeBase, fragment: str, text: str
) -> None:
    shown = knowledge.show(f"hr/rules.md#{fragment}")
    assert (shown.kind, shown.text) == ("paragraphs", text)


def test_every_id_and_locator_that_is_told_can_be_shown(knowledge: KnowledgeBase) -> None:
    shown = knowledge.show("hr/rules.md")
    told = [*shown.chunks, *(s.id for s in shown.sections), shown.source_locator]
    for snippet in knowledge.search("salary allowance tax days words", k=50).snippets:
        told += [snippet.doc_id, snippet.source_locator, snippet.parent_locator]
    for node_id in told:
        assert knowledge.show(node_id).id == node_id


@pytest.mark.parametrize(
    "node_id",
    [
        "",
        "rules.md",
        "hr/rules.md#",
        "hr/rules.md#s9",
        "hr/rules.md#c9",
        "hr/rules.md#c-1",
        "hr/rules.md#c01",
        "hr/rules.md#s02",
        "hr/rules.md#s2.1",
        "hr/rules.md#para0",
        "hr/rules.md#para10",
        "hr/rules.md#para9-10",
        "hr/rules.md#para0-2",
        "hr/rules.md#para02",
        "hr/rules.md#para5-4",
        f"hr/rules.md#para{'9' * 5_000}",
        f"hr/rules.md#para1-{'9' * 5_000}",
        "hr/rules.md#title",
        "HR/rules.md",
        "hr//rules.md",
    ],
)
def test_what_is_not_there_is_not_found(knowledge: KnowledgeBase, node_id: str) -> None:
    with pytest.raises(NotFoundError, match="nothing of the id"):
        knowledge.show(node_id)


@pytest.mark.parametrize(
    "reader", [Reader(Sensitivity.INTERNAL), Reader(collections=frozenset({"default"}))]
)
@pytest.mark.parametrize("fragment", ["", "#s1", "#c0", "#para1", "#s99"])
def test_what_a_reader_may_not_see_is_not_found_either(
    knowledge: KnowledgeBase, reader: Reader, fragment: str
) -> None:
    with pytest.raises(NotFoundError) as hidden:
        knowledge.show(f"hr/rules.md{fragment}", reader=reader)
    with pytest.raises(NotFoundError) as missing:
        knowledge.show(f"hr/none.md{fragment}", reader=reader)
    assert str(hidden.value).replace("rules", "none") == str(missing.value)


def test_a_part_of_a_long_section_is_shown_by_its_window_id() -> None:
    store = ChunkStore(":memory:")
    store.init_schema()
    chunker = ParentChildChunker(
        parent_cap_tokens=60, max_parent_tokens=50, max_child_tokens=20, overlap_tokens=5
    )
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n} of some words." for n in range(20))
    NarrativeIndex(store, chunker=chunker).ingest(text, DocumentMeta("long.md"))
    with KnowledgeBase(store, ServiceConfig()) as knowledge:
        child = knowledge.show("long.md#c9")
        assert child.parent_id.startswith("long.md#s1.")
        window = knowledge.show(child.parent_id)
        assert (window.kind, window.text) == ("section", child.prompt_text)
        assert child.id in window.chunks
        assert len(window.chunks) < 20


ITEMS = """# 規則

## 第1条

1. 次の義務を負う。
   - 甲を守る。
   - 乙を守る。
2. 他は別に定める。
"""


@pytest.fixture
def items() -> Iterator[KnowledgeBase]:
    store = ChunkStore(":memory:")
    store.init_schema()
    NarrativeIndex(store, chunker=HierarchicalChunker()).ingest(ITEMS, DocumentMeta("a.md"))
    with KnowledgeBase(store, ServiceConfig()) as knowledge:
        yield knowledge


def test_an_item_that_holds_others_is_shown_with_them(items: KnowledgeBase) -> None:
    shown = items.show("a.md#i3")
    assert (shown.kind, shown.source_locator) == ("item", "a.md#para3-5")
    assert shown.text == "1. 次の義務を負う。\n   - 甲を守る。\n   - 乙を守る。"
    assert shown.heading_path == ("規則", "第1条")
    assert shown.chunks == ("a.md#c0", "a.md#c1", "a.md#c2")
    assert shown.sections == ()


@pytest.mark.parametrize("fragment", ["i0", "i2", "i4", "i03", "i3.1", "p1", "w1"])
def test_a_branch_that_is_not_there_is_not_found(items: KnowledgeBase, fragment: str) -> None:
    with pytest.raises(NotFoundError, match="nothing of the id"):
        items.show(f"a.md#{fragment}")


@pytest.mark.guarantee("G5")
def test_an_item_that_holds_what_is_withheld_is_not_found(items: KnowledgeBase) -> None:
    items.relabel("a.md#c2", "CONFIDENTIAL")
    low = Reader(Sensitivity.INTERNAL)
    assert items.show("a.md#i3").text
    with pytest.raises(NotFoundError, match="nothing of the id"):
        items.show("a.md#i3", reader=low)
    items.relabel("a.md#c2", "RESTRICTED")
    with pytest.raises(NotFoundError, match="nothing of the id"):
        items.show("a.md#i3")


@pytest.mark.parametrize("fragment", ["i3", "p1", "w1", "s2.1", "para3"])
def test_what_has_no_label_of_its_own_is_not_relabelled(
    items: KnowledgeBase, fragment: str
) -> None:
    with pytest.raises(NotFoundError, match=r"ID#s2 or ID#c3.* have no label but that of what"):
        items.relabel(f"a.md#{fragment}", "CONFIDENTIAL")


def test_pages_and_windows_are_shown_as_they_are_merged() -> None:
    text = "# 題\n\n" + "\n\n".join(f"{n}頁目の{m}。" for n in "一二三" for m in "一二") + "\n"
    outline, starts = outline_of(text), (0, text.index("二頁目の一"), text.index("三頁目の一"))
    store = ChunkStore(":memory:")
    store.init_schema()
    with KnowledgeBase(store, ServiceConfig(top_k_children=10)) as knowledge:
        for doc_id, chunker in (
            ("page.pdf", HierarchicalChunker(parent="page")),
            (
                "slide.md",
                HierarchicalChunker(
                    8, 20, 30, 0, parent="sliding", window_tokens=20, window_overlap_tokens=7
                ),
            ),
        ):
            meta = DocumentMeta(doc_id)
            document = PreparedDocument(
                meta=meta,
                loaded=LoadedDocument(text, None, outline, {}, "題", text, starts),
                chunks=chunker.chunk(text, meta, outline=outline, pages=starts),
                chunker=chunker.spec,
                source_path="",
                fingerprint="",
                nodes=chunker.tree(text, outline, pages=starts),
            )
            put(store, document)
        page, window = knowledge.show("page.pdf#p2"), knowledge.show("slide.md#w2")
        assert (page.kind, page.text) == ("page", "二頁目の一。\n\n二頁目の二。\n\n")
        assert page.chunks == ("page.pdf#c2", "page.pdf#c3")
        assert window.kind == "window"
        for node in (page, window):
            query = " ".join(f'"{knowledge.show(child).text}"' for child in node.chunks)
            (block,) = knowledge.context(
                query, expand="merge", filters={"doc_id": [node.doc_id]}
            ).blocks
            assert (block.node_id, block.text) == (node.id, (node.text or "").strip())
