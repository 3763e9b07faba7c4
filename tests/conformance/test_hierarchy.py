"""Whatever parents and children `hierarchical` has: what is found, read, cited and withheld."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, ServiceConfig
from ragspine_graph.retrieval import NarrativeIndex, Shape
from ragspine_store import DocumentMeta, make_chunker
from ragspine_store.chunking.hierarchical import CHILDREN_OF
from ragspine_store.ingest_report import Outcome
from ragspine_store.protocols import Store
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.tokens import EstimatedTokenCounter
from tests.backends import Place, SQLiteBackend

SPECS = [
    f"hierarchical(parent={parent}, child={child})"
    for parent, children in CHILDREN_OF.items()
    for child in children
    if child != "passage"  # goes over the ends of blocks; these are about children of one block
]
PARENTS = [f"hierarchical(parent={parent})" for parent in CHILDREN_OF]
PDF = Path(__file__).parents[1] / "data" / "就業規則.pdf"
SHAPES: tuple[Shape, ...] = ("window", "merge")

ARTICLE = """# 第4条：諸手当および福利厚生

1. 会社は、次の手当を支給する。
2. 通勤手当は、月額20,000円を上限とする。
3. 昼食手当は、試用期間の満了後に支給する。
4. 各手当は、給与とともに支払う。
"""
ITEM = "3. 昼食手当は、試用期間の満了後に支給する。"


@pytest.fixture
def store(backend: SQLiteBackend) -> Store:
    return backend.open_store()


def opened(store: Store, chunker: str, *texts: str) -> KnowledgeBase:
    index = NarrativeIndex(store, chunker=make_chunker(chunker))
    for no, text in enumerate(texts):
        index.ingest(text, DocumentMeta(f"{no}.md"))
    return KnowledgeBase(store, ServiceConfig(chunker=chunker, top_k_children=100))


@pytest.mark.parametrize("chunker", SPECS)
@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_hit_on_an_item_is_read_in_its_article_and_cited_as_the_item(
    each_backend: Place, chunker: str
) -> None:
    knowledge = opened(each_backend.open_store(), chunker, ARTICLE)
    snippet = knowledge.search("試用期間中の昼食手当").snippets[0]
    assert (snippet.text, snippet.source_locator) == (ITEM, "0.md#para4")
    assert (snippet.prompt_text, snippet.parent_locator) == (ARTICLE.strip(), "0.md#para1-5")
    (block,) = knowledge.context("試用期間中の昼食手当").blocks
    assert block.text == ARTICLE.strip()
    assert "0.md#para4" in block.citations
    assert len(set(block.citations)) == 4


@pytest.mark.parametrize("chunker", SPECS)
def test_twenty_hits_in_one_parent_are_one_window(store: Store, chunker: str) -> None:
    text = "# Rules\n\n" + "\n\n".join(f"Tea is served on day {no}." for no in range(20)) + "\n"
    knowledge = opened(store, chunker, text)
    for shape in SHAPES:
        (block,) = knowledge.context("tea", expand=shape).blocks
        assert block.text == text.strip()
        assert len(block.evidence) == 20


@pytest.mark.guarantee("G1", "G5")
@pytest.mark.parametrize("chunker", SPECS)
@pytest.mark.parametrize("order", ["tea a c", "tea c a"])
def test_a_withheld_sibling_withholds_their_parent_and_not_the_others(
    store: Store, chunker: str, order: str
) -> None:
    text = "# Rules\n\nTea a at 1.\n\nTea b quartz at 2.\n\nTea c at 3.\n"
    knowledge = opened(store, chunker, text)
    (hidden,) = (s.chunk_id for s in knowledge.search("quartz").snippets)
    knowledge.relabel(hidden, "RESTRICTED")
    assert [s.prompt_text for s in knowledge.search(order).snippets] == ["", ""]
    for shape in SHAPES:
        blocks = knowledge.context(order, expand=shape).blocks
        assert sorted(block.text for block in blocks) == ["Tea a at 1.", "Tea c at 3."]


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize("chunker", PARENTS)
def test_no_block_holds_what_its_reader_may_not_see_wherever_windows_overlap(
    store: Store, chunker: str
) -> None:
    words = [f"Tea number {no} is poured into a cup of its own." for no in range(300)]
    words[150] += " quartz"
    knowledge = opened(store, chunker, "# Rules\n\n" + "\n\n".join(words) + "\n")
    (hidden,) = (s.chunk_id for s in knowledge.search("quartz").snippets)
    knowledge.relabel(hidden, "CONFIDENTIAL")
    low = Reader(clearance=Sensitivity.INTERNAL)
    seen = knowledge.search("tea", k=300, reader=low).snippets
    assert len(seen) == 299
    assert "quartz" not in "".join(s.text + s.prompt_text for s in seen)
    for shape in SHAPES:
        blocks = knowledge.context("tea", expand=shape, budget=100_000, reader=low).blocks
        assert blocks
        assert "quartz" not in "".join(block.text for block in blocks)
    held = [b.text for b in knowledge.context("quartz", budget=100_000).blocks]
    assert any("quartz" in text for text in held)


@pytest.mark.parametrize("chunker", ["hierarchical", "hierarchical(parent=sliding)"])
def test_a_megabyte_without_a_heading_has_capped_windows_and_is_stored_once(
    tmp_path: Path, chunker: str
) -> None:
    count = EstimatedTokenCounter().count
    lines = (
        f"第{n}の定めは、社員の手当と休暇の届出について{n * 7}日とする。" for n in range(20_000)
    )
    (tmp_path / "long.md").write_text("\n".join(lines), encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "kb.db", ServiceConfig.load(chunker=chunker)) as knowledge:
        knowledge.ingest(tmp_path / "long.md")
        snippets = knowledge.search("第19999の定め").snippets
        assert all(0 < count(s.prompt_text) <= 3000 for s in snippets)
    size = (tmp_path / "long.md").stat().st_size
    assert size > 1_100_000
    assert (tmp_path / "kb.db").stat().st_size <= 5 * size


@pytest.mark.parametrize("chunker", [*SPECS, "hierarchical(child=passage)", "auto"])
def test_the_same_file_twice_changes_nothing(tmp_path: Path, chunker: str) -> None:
    (tmp_path / "rules.md").write_text(ARTICLE, encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "kb.db", ServiceConfig.load(chunker=chunker)) as knowledge:
        outcomes = [knowledge.ingest(tmp_path / "rules.md").files[0].outcome for _ in range(2)]
    assert outcomes == [Outcome.ADDED, Outcome.UNCHANGED]


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize("at_rest", ["stub"])
@pytest.mark.parametrize("pages", [1, 2])
def test_a_page_with_a_withheld_child_is_withheld_and_no_other(
    each_backend: Place, pages: int
) -> None:
    chunker = f"hierarchical(parent=page, pages={pages})"
    with KnowledgeBase.open(each_backend.url, ServiceConfig.load(chunker=chunker)) as knowledge:
        knowledge.ingest(PDF)
        hits = knowledge.search("従業員", k=100).snippets
        parents = {knowledge.show(hit.chunk_id).parent_id for hit in hits}
        assert all(hit.prompt_text for hit in hits)
        assert len(parents) > 1
        hidden = hits[0].chunk_id
        withheld = knowledge.show(hidden).parent_id
        siblings = {h.chunk_id for h in hits if knowledge.show(h.chunk_id).parent_id == withheld}
        knowledge.relabel(hidden, "RESTRICTED")
        left = knowledge.search("従業員", k=100).snippets
        assert {h.chunk_id for h in left} == {h.chunk_id for h in hits} - {hidden}
        assert {h.chunk_id for h in left if not h.prompt_text} == siblings - {hidden}
        blocks = knowledge.context("従業員", expand="merge", budget=100_000).blocks
        assert withheld not in {block.node_id for block in blocks}
        assert not any(hits[0].text in block.text for block in blocks)
