"""Context for generation: windows each once, branches when enough was hit, whole blocks only."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_graph.errors import RequestError
from ragspine_graph.results import ContextResult
from ragspine_graph.retrieval import ContextBlock, ContextSettings, Passage, Shape
from ragspine_store import DocumentMeta, make_chunker
from ragspine_store.errors import FilterError
from ragspine_store.protocols import Store
from ragspine_store.tokens import EstimatedTokenCounter
from tests.backends import SQLiteBackend

SHAPES: tuple[Shape, ...] = ("window", "merge")

SECURITY = """# セキュリティ管理規程

## 第2章　端末・デバイス管理

### 第6条　社有端末

6.1項：会社の端末は、台帳に載せて貸与する。
6.2項：会社の端末を、家族に使わせない。
6.3項：修理は、窓口に頼む。

### 第7条　廃棄

7.1項：記憶装置は、復元できない方法で壊す。
7.2項：廃棄の記録は、五年間残す。
7.3項：譲渡は、禁じる。

### 第8条　私有端末の業務利用（BYOD）

8.1項：ウイルス対策ソフトを常に稼働させる。
8.2項：6桁以上のパスコードを設定する。
8.3項：紛失したときは、緊急連絡先へ知らせる。
"""
ITEM_81, ITEM_82, ITEM_83 = (f"rules.md#c{n}" for n in (6, 7, 8))
ARTICLE_8, CHAPTER_2 = "rules.md#s5", "rules.md#s2"


@pytest.fixture
def store(backend: SQLiteBackend) -> Store:
    return backend.open_store()


def opened(
    store: Store, text: str, chunker: str = "hierarchical", **settings: Any
) -> KnowledgeBase:
    """A knowledge base over one document; every hit counts in its contexts."""
    NarrativeIndex(store, chunker=make_chunker(chunker)).ingest(text, DocumentMeta("rules.md"))
    settings = {"score_floor": 0.0, **settings}
    return KnowledgeBase(store, ServiceConfig(chunker=chunker, **settings))


def ids(result: ContextResult) -> list[str]:
    return [block.node_id for block in result.blocks]


def article(*lines: str, heading: str = "# Rules") -> str:
    return f"{heading}\n\n" + "\n\n".join(lines) + "\n"


# --- windows ----------------------------------------------------------------------------------


def test_twenty_hits_in_one_parent_are_one_window_with_twenty_evidences(store: Store) -> None:
    text = article(*(f"tea {'tea ' * (n % 3)}{n}." for n in range(20)))
    knowledge = opened(store, text)
    (block,) = knowledge.context("tea").blocks
    hits = knowledge.search("tea", k=20).snippets
    assert (block.node_id, block.locator) == ("rules.md#s1", "rules.md#para1-21")
    assert block.text == text.strip()
    assert block.evidence == tuple(hit.chunk_id for hit in hits)
    assert block.citations == tuple(hit.source_locator for hit in hits)
    assert block.score == hits[0].scores.fused
    assert (block.doc_id, block.title, block.heading_path) == ("rules.md", "Rules", ("Rules",))


def test_windows_come_in_the_order_of_their_first_hit_and_four_at_most(store: Store) -> None:
    parts = (article("milk " + "tea " * n, "tea", heading=f"# Part {n}") for n in range(1, 8))
    knowledge = opened(store, "\n".join(parts))
    parents = [f"rules.md#s{s.chunk_id}" for s in knowledge.search("tea", k=20).snippets]
    order = [knowledge.show(s.chunk_id).parent_id for s in knowledge.search("tea", k=20).snippets]
    assert len(parents) == 14
    assert ids(knowledge.context("tea")) == list(dict.fromkeys(order))[:4]
    two = KnowledgeBase(store, ServiceConfig(max_parents=2))
    assert ids(two.context("tea")) == list(dict.fromkeys(order))[:2]
    for asked, beyond in ((knowledge, 3), (two, 5)):
        result = asked.context("tea")
        assert (result.left_out, result.beyond_parents) == (beyond, beyond)
    tight = knowledge.context("tea", budget=1)
    assert (tight.blocks, tight.left_out, tight.beyond_parents) == ((), 7, 3)


def test_children_without_a_window_are_no_parents_to_count(store: Store) -> None:
    for n in range(7):
        NarrativeIndex(store).ingest(f"tea {n}", DocumentMeta(f"{n}.md"))
    result = opened(store, article("tea", heading="# More")).context("tea")
    assert (len(result.blocks), result.left_out) == (8, 0)


class Reversed:
    """A judge that turns the ranking round."""

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        return [passage.chunk_id for passage in reversed(passages)]


def test_a_judge_decides_which_hit_is_first(store: Store) -> None:
    knowledge = opened(store, article("tea") + article("tea tea", heading="# More"))
    judged = KnowledgeBase(store, ServiceConfig(), reranker=Reversed())
    assert ids(judged.context("tea")) == ids(knowledge.context("tea"))[::-1]


def test_a_store_of_sentence_windows_gives_its_own_windows(store: Store) -> None:
    text = article("".join(f"{n}番の文。" for n in range(12)) + "茶。" + "牛乳。" * 12 + "茶。")
    knowledge = opened(store, text, "sentence_window")
    first, second = knowledge.context("茶").blocks
    for block in (first, second):
        (evidence,) = block.evidence
        child = knowledge.show(evidence)
        assert (block.node_id, block.locator) == (evidence, child.parent_locator)
        assert block.text == child.prompt_text
    assert {first.text, second.text} == {
        "9番の文。10番の文。11番の文。茶。" + "牛乳。" * 3,
        "牛乳。" * 3 + "茶。",
    }
    assert knowledge.context("茶", expand="merge").blocks[0].text == "茶。"


def test_children_of_the_default_chunker_stand_by_themselves(store: Store) -> None:
    knowledge = opened(store, article("tea " * 100, "tea"), "none")
    for shape in SHAPES:
        for block in knowledge.context("tea", expand=shape).blocks:
            shown = knowledge.show(block.node_id)
            assert (block.evidence, block.citations) == ((block.node_id,), (block.locator,))
            assert (shown.text, shown.source_locator) == (block.text, block.locator)


# --- merging ----------------------------------------------------------------------------------


@pytest.fixture
def security(store: Store) -> KnowledgeBase:
    return opened(store, SECURITY)


def merged(knowledge: KnowledgeBase, query: str) -> list[str]:
    return ids(knowledge.context(query, expand="merge"))


def test_a_pinpoint_question_gets_its_item_alone(security: KnowledgeBase) -> None:
    (block,) = security.context("ウイルス対策", expand="merge").blocks
    assert (block.node_id, block.text) == (ITEM_81, "8.1項：ウイルス対策ソフトを常に稼働させる。")
    assert block.heading_path[-1] == "第8条　私有端末の業務利用（BYOD）"


def test_a_question_that_hits_all_items_gets_their_article_once(security: KnowledgeBase) -> None:
    query = "ウイルス対策、パスコード、紛失の緊急連絡"
    (block,) = security.context(query, expand="merge").blocks
    assert block.node_id == ARTICLE_8
    assert block.text == SECURITY[SECURITY.index("### 第8条") :].strip()
    assert block.evidence == (ITEM_81, ITEM_82, ITEM_83)
    assert block.citations == ("rules.md#para12", "rules.md#para13", "rules.md#para14")
    assert block.heading_path == (
        "セキュリティ管理規程",
        "第2章　端末・デバイス管理",
        "第8条　私有端末の業務利用（BYOD）",
    )
    assert merged(security, "BYODでの義務") == [ARTICLE_8]


def test_a_chapter_is_given_whole_only_when_its_articles_merge_too(
    security: KnowledgeBase,
) -> None:
    assert sorted(merged(security, "BYOD、台帳")) == ["rules.md#c0", ARTICLE_8]
    both = "BYOD、台帳、家族"
    (block,) = security.context(both, expand="merge").blocks
    assert (block.node_id, len(block.evidence)) == (CHAPTER_2, 5)
    # The document's one heading stands for no more than its chapter, which therefore stays.
    assert block.text == SECURITY[SECURITY.index("## 第2章") :].strip()


@pytest.mark.parametrize(("hits", "expected"), [(1, "rules.md#c0"), (2, "rules.md#s1")])
def test_two_of_four_are_enough_at_one_half(store: Store, hits: int, expected: str) -> None:
    lines = ["tea"] * hits + ["milk"] * (4 - hits)
    assert merged(opened(store, article(*lines)), "tea") == [expected]


def test_the_threshold_is_a_setting(store: Store) -> None:
    opened(store, article("tea", "tea", "milk", "milk"))
    for threshold, expected in ((0.5, 1), (0.51, 2), (1.0, 2), (0.01, 1)):
        strict = KnowledgeBase(store, ServiceConfig(merge_threshold=threshold))
        assert len(merged(strict, "tea")) == expected


DEEP = "\n\n".join(
    f"{'#' * level} {'.'.join(map(str, path))}x\n\n"
    + ("甲の茶。\n\n乙の茶。" if level == 5 else "")
    for level, path in sorted(
        (
            (level, path)
            for level in range(1, 6)
            for path in itertools.product((1, 2), repeat=level - 1)
        ),
        key=lambda pair: pair[1],
    )
)


def test_a_merge_goes_as_far_up_a_tree_of_five_levels_as_enough_was_hit(store: Store) -> None:
    knowledge = opened(store, DEEP, top_k_children=100)
    assert len(knowledge.search("茶", k=100).snippets) == 32
    (whole,) = knowledge.context("茶", expand="merge").blocks
    assert (whole.node_id, len(whole.evidence)) == ("rules.md#s1", 32)
    strict = KnowledgeBase(store, ServiceConfig(top_k_children=100, merge_threshold=1.0))
    assert merged(strict, "茶") == ["rules.md#s1"]
    # 甲 alone is half of each section of the fifth level: all merge at one half, none above.
    assert merged(knowledge, "甲") == ["rules.md#s1"]
    assert len(merged(strict, "甲")) == 16


def test_no_block_stands_inside_another_and_no_evidence_twice(security: KnowledgeBase) -> None:
    for query in ("端末", "端末 BYOD 廃棄", "会社の端末 紛失", "記録と台帳とパスコード"):
        for shape in SHAPES:
            result = security.context(query, expand=shape)
            evidence = [chunk for block in result.blocks for chunk in block.evidence]
            assert sorted(evidence) == sorted(
                s.chunk_id for s in security.search(query, k=20).snippets
            )
            spans = [security.show(block.node_id).span for block in result.blocks]
            for one, other in itertools.combinations(spans, 2):
                assert one is not None
                assert other is not None
                assert not one.overlaps(other)


ARTICLES = """# 規程

## 第1条　飲料

茶は社が用意する。

### 注

茶は一日二杯までとする。

## 第2条　食事

牛乳も飲める。
"""


@pytest.mark.parametrize(
    ("chunker", "expand", "path"),
    [
        ("hierarchical", "window", ["規程", "第1条　飲料"]),
        ("hierarchical(parent=clause)", "window", ["規程", "第1条　飲料"]),
        (
            "hierarchical(parent=clause, max_child_tokens=12, overlap_tokens=0, "
            "max_parent_tokens=20, parent_cap_tokens=20)",
            "window",
            ["規程", "第1条　飲料"],
        ),
        ("hierarchical(parent=sliding)", "window", ["規程"]),
        ("hierarchical(parent=sliding)", "merge", ["規程"]),
        ("hierarchical", "merge", ["規程"]),
    ],
    ids=["section", "clause", "part of a clause", "sliding", "merged window", "merged section"],
)
def test_the_path_of_a_block_names_the_headings_that_hold_all_of_it(
    store: Store, chunker: str, expand: Shape, path: list[str]
) -> None:
    knowledge = opened(store, ARTICLES, chunker)
    block = knowledge.context("茶", expand=expand).blocks[0]
    assert list(block.heading_path) == path
    assert knowledge.show(block.node_id).heading_path == block.heading_path


def test_every_node_of_a_context_can_be_shown_with_the_same_text(store: Store) -> None:
    text = article("1. 茶を守る。\n   - 甲の茶。\n   - 乙の茶。\n2. 水。", "麦。", "米。")
    knowledge = opened(store, text)
    (block,) = knowledge.context("甲 乙", expand="merge").blocks
    shown = knowledge.show(block.node_id)
    assert (shown.kind, shown.id) == ("item", "rules.md#i2")
    assert (shown.text or "").strip() == block.text == "1. 茶を守る。\n   - 甲の茶。\n   - 乙の茶。"
    assert shown.source_locator == block.locator == "rules.md#para2-4"
    assert shown.heading_path == block.heading_path == ("Rules",)
    assert shown.chunks == ("rules.md#c0", *block.evidence)


# --- what is withheld, and what is damaged ----------------------------------------------------

SIBLINGS = article("tea a", "tea b", "tea c")


@pytest.mark.guarantee("G1", "G5")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("query", ["tea a c", "tea c a", "tea c c a"])
@pytest.mark.parametrize("label", ["RESTRICTED", "SECRET?", ""])
def test_the_parent_of_a_withheld_sibling_is_no_block_and_the_others_stay(
    backend: SQLiteBackend, store: Store, shape: Shape, query: str, label: str
) -> None:
    knowledge = opened(store, SIBLINGS)
    if label == "RESTRICTED":
        knowledge.relabel("rules.md#c1", label)
    else:
        backend.set_chunk_label("rules.md#c1", label)
    blocks = knowledge.context(query, expand=shape).blocks
    assert sorted((b.node_id, b.text, b.evidence) for b in blocks) == [
        ("rules.md#c0", "tea a", ("rules.md#c0",)),
        ("rules.md#c2", "tea c", ("rules.md#c2",)),
    ]


@pytest.mark.guarantee("G5")
def test_what_another_program_labelled_withholds_the_branches_above_it_and_no_other(
    backend: SQLiteBackend, store: Store
) -> None:
    lines = ("tea a", "tea b")
    text = "# Rules\n\n" + "\n".join(article(*lines, heading=f"## {n}") for n in range(3))
    knowledge = opened(store, text)
    assert merged(knowledge, "tea") == ["rules.md#s1"]
    backend.set_chunk_label("rules.md#c5", "SECRET?")
    assert merged(knowledge, "tea") == ["rules.md#s2", "rules.md#s3", "rules.md#c4"]


@pytest.mark.guarantee("G5")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_lower_reader_gets_no_block_around_a_stricter_child(store: Store, shape: Shape) -> None:
    knowledge = opened(store, SIBLINGS)
    knowledge.relabel("rules.md#c1", "CONFIDENTIAL")
    low = Reader(Sensitivity.INTERNAL)
    assert ids(knowledge.context("tea", expand=shape)) == ["rules.md#s1"]
    assert len(knowledge.context("tea", expand=shape, reader=low).blocks) == 2


def test_a_missing_branch_leaves_its_children_and_is_counted(
    backend: SQLiteBackend, store: Store
) -> None:
    knowledge = opened(store, SIBLINGS)
    assert merged(knowledge, "tea") == ["rules.md#s1"]
    backend.lose_node("rules.md", 1)
    assert merged(knowledge, "tea") == ["rules.md#c0", "rules.md#c1", "rules.md#c2"]
    (warning,) = knowledge.status(operator=True).warnings()
    assert warning.startswith("3 children or branches have lost the branch above them")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_lost_text_leaves_the_children_and_is_counted(
    backend: SQLiteBackend, store: Store, shape: Shape
) -> None:
    knowledge = opened(store, SIBLINGS)
    backend.lose_text("rules.md")
    result = knowledge.context("tea", expand=shape)
    assert ids(result) == ["rules.md#c0", "rules.md#c1", "rules.md#c2"]
    (warning,) = knowledge.status(operator=True).warnings()
    assert "3 children have lost their window" in warning


# --- the budget, the result -------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_a_budget_takes_whole_blocks_in_order_and_counts_the_others(
    security: KnowledgeBase, shape: Shape
) -> None:
    everything = security.context("五年間 パスコード 台帳", expand=shape)
    assert everything.left_out == 0
    assert len(everything.blocks) > 2
    count = EstimatedTokenCounter().count
    for budget in range(1, 200, 7):
        result = security.context("五年間 パスコード 台帳", expand=shape, budget=budget)
        kept: list[ContextBlock] = []
        for block in everything.blocks:
            if sum(count(b.text) for b in (*kept, block)) <= budget:
                kept.append(block)
        assert list(result.blocks) == kept
        assert result.left_out == len(everything.blocks) - len(kept)


def test_a_window_over_the_budget_is_left_out_and_not_swapped_for_its_child(
    security: KnowledgeBase,
) -> None:
    result = security.context("ウイルス対策", budget=30)
    assert (result.blocks, result.left_out) == ((), 1)
    needed = result.needed_budget
    assert security.context("ウイルス対策", budget=needed - 1).blocks == ()
    held = security.context("ウイルス対策", budget=needed)
    assert (len(held.blocks), held.left_out, held.needed_budget) == (1, 0, 0)
    assert len(security.context("ウイルス対策", budget=30, expand="merge").blocks) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_hits_far_below_the_best_add_nothing(store: Store, shape: Shape) -> None:
    text = article("alpha beta gamma delta", heading="# One") + article("alpha", heading="# Two")
    loose = opened(store, text + article(*["alpha."] * 9, heading="# Three"))
    strict = KnowledgeBase(store, ServiceConfig(score_floor=0.9))
    query = "alpha beta gamma delta"
    best, *others = loose.context(query, expand=shape).blocks
    assert others
    assert all(block.score < 0.9 * best.score for block in others)
    assert strict.context(query, expand=shape).blocks == (best,)
    assert strict.context("alpha", expand=shape).left_out == 0


def test_what_a_judge_puts_before_a_good_hit_counts_whatever_its_score(store: Store) -> None:
    text = article("alpha beta gamma delta", heading="# One") + article("alpha", heading="# Two")
    opened(store, text)
    judged = KnowledgeBase(store, ServiceConfig(score_floor=0.9), reranker=Reversed())
    assert len(judged.context("alpha beta gamma delta").blocks) == 2


def test_a_branch_that_would_fill_the_budget_takes_nobodys_place(store: Store) -> None:
    items = [f"{n}. tea {'milk ' * 20}" for n in range(6)]
    knowledge = opened(store, article(*items))
    whole = knowledge.context("tea", expand="merge").blocks
    size = EstimatedTokenCounter().count(whole[0].text)
    assert ids(knowledge.context("tea", expand="merge")) == ["rules.md#s1"]
    held = knowledge.context("tea", expand="merge", budget=2 * size - 20)
    assert {block.node_id.partition("#")[2][0] for block in held.blocks} == {"c"}
    assert len(held.blocks) == 6


@pytest.mark.parametrize("chunker", ["hierarchical", "sentence_window", "parent_child"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_block_says_where_its_text_stands(store: Store, chunker: str, shape: Shape) -> None:
    knowledge = opened(store, SECURITY, chunker)
    text = knowledge.show("rules.md").text or ""
    for block in knowledge.context("端末 パスコード 五年間", expand=shape).blocks:
        assert block.span is not None
        assert text[slice(*block.span)] == block.text
        assert block.to_dict()["span"] == list(block.span)


OVERLAPPING = {
    "sentences": ("sentence_window(window_size=2)", "window"),
    "sliding": (
        "hierarchical(parent=sliding, child=sentence, max_child_tokens=20, overlap_tokens=4, "
        "window_tokens=40, window_overlap_tokens=20)",
        "window",
    ),
    "pieces": ("hierarchical(max_child_tokens=20, overlap_tokens=8)", "merge"),
}


@pytest.mark.parametrize("name", [*OVERLAPPING])
def test_no_text_is_given_twice(store: Store, name: str) -> None:
    chunker, shape = OVERLAPPING[name]
    expand: Shape = "merge" if shape == "merge" else "window"
    text = article("".join(f"茶は{n}番の棚にある。" for n in range(40)))
    knowledge = opened(store, text, chunker, max_parents=50)
    canonical = knowledge.show("rules.md").text or ""
    result = knowledge.context("茶 棚", expand=expand, budget=300)
    assert len(result.blocks) > 1
    given = [at for block in result.blocks if block.span for at in range(*block.span)]
    assert len(given) == len(set(given))
    for block in result.blocks:
        assert block.span is not None
        assert canonical[slice(*block.span)] == block.text
    evidence = [chunk for block in result.blocks for chunk in block.evidence]
    assert len(evidence) == len(set(evidence))


def test_nothing_found_is_an_empty_context(security: KnowledgeBase) -> None:
    for shape in SHAPES:
        assert security.context("zzz", expand=shape).to_dict() == {
            "query": "zzz",
            "blocks": [],
            "left_out": 0,
            "refused": None,
        }


def test_a_context_is_one_json_object_and_its_repr_tells_no_text(security: KnowledgeBase) -> None:
    result = security.context("ウイルス対策")
    (block,) = result.blocks
    assert list(block.to_dict()) == [
        "node_id",
        "doc_id",
        "title",
        "heading_path",
        "locator",
        "text",
        "evidence",
        "citations",
        "score",
        "span",
    ]
    assert not [word for word in ("ウイルス", "第8条", "規程") if word in repr(result)]


def test_filters_choose_what_is_hit(store: Store) -> None:
    knowledge = opened(store, SIBLINGS)
    NarrativeIndex(store, chunker=make_chunker("hierarchical")).ingest(
        SIBLINGS, DocumentMeta("other.md", topic="x")
    )
    for shape in SHAPES:
        result = knowledge.context("tea", expand=shape, filters={"topic": ["x"]})
        assert ids(result) == ["other.md#s1"]
        assert len(knowledge.context("tea", expand=shape).blocks) == 2


def test_requests_that_mean_nothing_are_errors(security: KnowledgeBase) -> None:
    unknown: dict[str, Any] = {"expand": "none"}
    with pytest.raises(RequestError, match="expected one of window, merge"):
        security.context("端末", **unknown)
    with pytest.raises(RequestError, match="budget_tokens = 0 given; expected at least 1"):
        security.context("端末", budget=0)
    with pytest.raises(FilterError, match="expected one of topic"):
        security.context("端末", filters={"author": ["me"]})
    for settings in ({"max_parents": 0}, {"merge_threshold": 0}, {"merge_threshold": 1.5}):
        values: dict[str, Any] = settings
        with pytest.raises(RequestError, match="given; expected"):
            ContextSettings(**values)
