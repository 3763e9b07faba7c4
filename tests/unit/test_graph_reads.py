"""Reads of the relation graph: lists, neighbours, paths, dangling references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity
from ragspine_graph.errors import RequestError
from ragspine_graph.relations import Relations
from ragspine_graph.relations.edges import ShownEdge
from ragspine_graph.relations.results import EdgeList
from ragspine_graph.security.gate import Refusal
from ragspine_store.errors import NotFoundError
from ragspine_store.relations import Provenance
from tests.graphs import (
    DOCUMENTS,
    OWNS,
    SUPPLIES,
    ScriptedModel,
    open_knowledge,
    write_documents,
)

RIVALS = [
    "entity:MINATO competes_with external:kestrel",
    "entity:MINATO competes_with external:北斗重工業",
]
REFERENCES = [
    "section:docs/pay.md#s2 refers_to section:docs/rules.md#s3",
    "section:docs/rules.md#s2 refers_to section:docs/rules.md#s3",
    "section:docs/rules.md#s3 refers_to section:docs/rules.md#s2",
]
PROPOSED = ["unlisted:acme owns unlisted:globex", "unlisted:globex supplies unlisted:initech"]
RIVAL = Refusal("listed-name", "北斗重工業")


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """One that no test changes."""
    folder = tmp_path_factory.mktemp("graph")
    docs = write_documents(folder, DOCUMENTS)
    with open_knowledge(folder) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations(provider=ScriptedModel(OWNS, SUPPLIES))
        yield knowledge


def shown(edges: tuple[ShownEdge, ...]) -> list[str]:
    return [f"{edge.source.id} {edge.key.kind} {edge.target.id}" for edge in edges]


def test_the_list_holds_trusted_edges_in_order(knowledge: KnowledgeBase) -> None:
    edges = knowledge.relations.list().edges
    assert [edge.key[:3] for edge in edges] == sorted(
        (edge.key[:3] for edge in edges), key=lambda key: (key[1], key[0], key[2])
    )
    kinds = {edge.key.kind for edge in edges}
    assert kinds == {"competes_with", "mentions", "parent_of", "refers_to"}
    assert {edge.key.provenance for edge in edges} == {Provenance.CONTROLLED, Provenance.RULE}


def test_unverified_edges_come_beside_the_others_and_say_so(knowledge: KnowledgeBase) -> None:
    trusted = shown(knowledge.relations.list().edges)
    edges = knowledge.relations.list(unverified=True).edges
    assert sorted(shown(edges)) == sorted([*trusted, *PROPOSED])
    told = {
        f"{e.source.id} {e.key.kind} {e.target.id}": (e.to_dict()["derived"], e.verdict)
        for e in edges
    }
    assert [told[edge] for edge in trusted] == [(None, None)] * len(trusted)
    for edge in PROPOSED:
        derived, verdict = told[edge]
        assert (derived, verdict.value if verdict else None) == ("model-derived", "unverified")


NARROWED: dict[str, tuple[Callable[[Relations], EdgeList], list[str]]] = {
    "kind": (lambda r: r.list(kinds=["competes_with"]), RIVALS),
    "references": (lambda r: r.list(kinds=["refers_to"]), REFERENCES),
    "a model's are not trusted": (lambda r: r.list(provenances=[Provenance.MODEL]), []),
    "a model's": (lambda r: r.list(provenances=[Provenance.MODEL], unverified=True), PROPOSED),
    "document": (lambda r: r.list(doc_ids=["docs/deals.md"], unverified=True), PROPOSED),
    "document and kind": (
        lambda r: r.list(doc_ids=["docs/pay.md"], kinds=["refers_to"]),
        REFERENCES[:1],
    ),
    "no such document": (lambda r: r.list(doc_ids=["docs/none.md"]), []),
    "no such kind": (lambda r: r.list(kinds=["nonsense"]), []),
    "controlled": (
        lambda r: r.list(provenances=[Provenance.CONTROLLED]),
        [*RIVALS, "entity:MINATO parent_of entity:MINATO_LOG"],
    ),
}


@pytest.mark.parametrize(("call", "expected"), NARROWED.values(), ids=NARROWED)
def test_the_list_is_narrowed(
    knowledge: KnowledgeBase, call: Callable[[Relations], EdgeList], expected: list[str]
) -> None:
    assert shown(call(knowledge.relations).edges) == expected


def test_an_id_may_be_given_in_any_unicode_form(tmp_path: Path) -> None:
    docs = write_documents(
        tmp_path, {"が.md": "# 規程\n\n## 第1条\n\n第2条による。\n\n## 第2条\n\n二\n"}
    )
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations()
        assert knowledge.relations.list(doc_ids=["docs/か\u3099.md"]).edges
        assert knowledge.relations.neighbours("section:docs/か\u3099.md#s2").edges


@pytest.mark.parametrize("limit", [1, 2, 5, 1_000])
def test_pages_hold_each_edge_once_and_in_order(knowledge: KnowledgeBase, limit: int) -> None:
    after, seen = "", list[str]()
    while True:
        page = knowledge.relations.list(unverified=True, limit=limit, after=after)
        assert len(page.edges) <= limit
        seen += [edge.id for edge in page.edges]
        after = page.next
        if not after:
            break
        assert after == page.edges[-1].id
    assert seen == [edge.id for edge in knowledge.relations.all(unverified=True)]
    assert len(seen) == len(set(seen)) > 5


def test_a_page_goes_on_after_an_edge_that_its_filter_leaves_out(
    knowledge: KnowledgeBase,
) -> None:
    (rival, *_) = knowledge.relations.list(kinds=["competes_with"]).edges
    page = knowledge.relations.list(kinds=["refers_to"], after=rival.id)
    assert shown(page.edges) == REFERENCES


@pytest.mark.parametrize("after", ["e0000000000000000", "nonsense", "\ud800"], ids=ascii)
def test_a_page_after_no_edge_is_an_error(knowledge: KnowledgeBase, after: str) -> None:
    with pytest.raises(NotFoundError, match="no edge"):
        knowledge.relations.list(after=after)


@pytest.mark.parametrize("limit", [0, -1, 10_001, 10**20])
def test_a_limit_out_of_range_is_an_error(knowledge: KnowledgeBase, limit: int) -> None:
    with pytest.raises(RequestError, match="expected 1 to 10,000"):
        knowledge.relations.list(limit=limit)
    with pytest.raises(RequestError, match="expected 1 to 10,000"):
        knowledge.relations.neighbours("みなと", limit=limit)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("entity:MINATO", ["entity:MINATO"]),
        ("MINATO", ["entity:MINATO"]),
        ("みなと", ["entity:MINATO"]),
        ("ﾐﾅﾄ", []),
        ("株式会社みなと製作所", ["entity:MINATO"]),
        ("みなと製作所（株）", ["entity:MINATO"]),
        ("みなと物流", ["entity:MINATO_LOG"]),
        ("就業規則", ["document:docs/rules.md", "unlisted:就業規則"]),
        ("docs/rules.md", ["document:docs/rules.md"]),
        ("第2条 手当", ["section:docs/rules.md#s3"]),
        ("第２条　手当", ["section:docs/rules.md#s3"]),
        ("第二条", ["section:docs/rules.md#s3"]),
        ("Article 1", ["section:docs/pay.md#s2", "section:docs/rules.md#s2"]),
        ("会社", ["term:会社@docs/pay.md", "term:会社@docs/rules.md"]),
        ("「会社」", ["term:会社@docs/pay.md", "term:会社@docs/rules.md"]),
        ("会社@docs/pay.md", ["term:会社@docs/pay.md"]),
        ("ＧＬＯＢＥＸ", ["unlisted:globex"]),
        ("Globex, Inc.", ["unlisted:globex"]),
    ],
    ids=ascii,
)
def test_a_node_is_found_by_what_people_call_it(
    knowledge: KnowledgeBase, name: str, expected: list[str]
) -> None:
    if not expected:
        with pytest.raises(NotFoundError, match="no node"):
            knowledge.relations.neighbours(name)
        return
    assert [node.id for node in knowledge.relations.neighbours(name).nodes] == expected


def test_a_node_is_found_as_its_evidence_writes_it(tmp_path: Path) -> None:
    """An alias that the profile has lost still stands in what was written with it."""
    docs = write_documents(tmp_path, {"a.md": "# A\n\nWe met Minato Works.\n"})
    profile = '[home]\nentity_code = "MW"\n[home.synonyms]\n"Minato Works" = "MW"\n'
    with open_knowledge(tmp_path, profile=profile) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations()
    with open_knowledge(tmp_path, profile="") as knowledge:
        found = knowledge.relations.neighbours("Minato Works")
        assert [node.id for node in found.nodes] == ["entity:MW"]


@pytest.mark.parametrize(
    "name",
    ["nobody", "", " ", "」", "第99条", "\ud800", "x" * 10_000, "%", "docs/none.md"],
    ids=ascii,
)
def test_a_name_without_a_node_is_an_error_that_repeats_it_alone(
    knowledge: KnowledgeBase, name: str
) -> None:
    for call in (
        lambda: knowledge.relations.neighbours(name),
        lambda: knowledge.relations.path(name, "MINATO"),
        lambda: knowledge.relations.path("MINATO", name),
    ):
        with pytest.raises(NotFoundError) as caught:
            call()
        assert str(caught.value) == (
            f"no node {name!r} in the graph: expected an id or name that `relations list` gives"
        )


def test_neighbours_are_labelled_as_people_read_them(knowledge: KnowledgeBase) -> None:
    found = knowledge.relations.neighbours("第2条")
    assert [node.label for node in found.nodes] == ["第2条 手当"]
    labels = {node.label for e in found.edges for node in (e.source, e.target)}
    assert labels == {"第1条 目的", "第1条 範囲", "第2条 手当", "会社"}


def test_homonyms_are_all_given_and_told_apart(knowledge: KnowledgeBase) -> None:
    found = knowledge.relations.neighbours("会社")
    assert shown(found.edges) == [
        "section:docs/pay.md#s2 mentions term:会社@docs/pay.md",
        "section:docs/rules.md#s2 mentions term:会社@docs/rules.md",
        "section:docs/rules.md#s3 mentions term:会社@docs/rules.md",
    ]


def test_neighbours_come_nearest_first_as_far_as_asked(knowledge: KnowledgeBase) -> None:
    def around(depth: int) -> list[str]:
        return shown(knowledge.relations.neighbours("Acme", depth=depth, unverified=True).edges)

    assert around(1) == PROPOSED[:1]
    assert around(2) == PROPOSED
    assert around(6) == PROPOSED
    near, far = (
        shown(knowledge.relations.neighbours("MINATO_LOG", depth=depth).edges) for depth in (1, 2)
    )
    assert far[: len(near)] == near
    assert set(RIVALS) <= set(far) - set(near)


def test_neighbours_say_what_the_limit_left_out(knowledge: KnowledgeBase) -> None:
    whole = knowledge.relations.neighbours("第2条")
    cut = knowledge.relations.neighbours("第2条", limit=1)
    assert cut.edges == whole.edges[:1]
    assert (cut.left_out, whole.left_out) == (len(whole.edges) - 1, 0)


def test_neighbours_follow_only_the_kinds_asked(knowledge: KnowledgeBase) -> None:
    found = knowledge.relations.neighbours("第2条", kinds=["refers_to"], depth=2)
    assert shown(found.edges) == REFERENCES


def test_unverified_edges_are_not_walked_unless_asked(knowledge: KnowledgeBase) -> None:
    assert knowledge.relations.neighbours("Acme").edges == ()
    assert knowledge.relations.path("Acme", "Initech").nodes == ()
    assert knowledge.relations.path("Acme", "Initech", unverified=True).nodes


@pytest.mark.parametrize("hops", [0, 7])
def test_depth_and_hops_have_bounds(knowledge: KnowledgeBase, hops: int) -> None:
    with pytest.raises(RequestError, match="expected 1 to 6"):
        knowledge.relations.neighbours("Acme", depth=hops)
    with pytest.raises(RequestError, match="expected 1 to 6"):
        knowledge.relations.path("Acme", "Globex", max_hops=hops)


def test_a_path_is_shortest_and_goes_against_arrows_too(knowledge: KnowledgeBase) -> None:
    there = knowledge.relations.path("Acme", "Initech", unverified=True)
    assert [node.label for node in there.nodes] == ["Acme", "Globex", "Initech"]
    assert shown(there.edges) == PROPOSED
    back = knowledge.relations.path("Initech", "Acme", unverified=True)
    assert (back.nodes, back.edges) == (there.nodes[::-1], there.edges[::-1])


def test_a_path_stops_at_its_bound(knowledge: KnowledgeBase) -> None:
    assert not knowledge.relations.path("Acme", "Initech", max_hops=1, unverified=True).nodes
    assert knowledge.relations.path("Acme", "Initech", max_hops=2, unverified=True).nodes


def test_nodes_that_nothing_joins_have_no_path(knowledge: KnowledgeBase) -> None:
    found = knowledge.relations.path("Acme", "みなと物流", unverified=True, max_hops=6)
    assert (found.nodes, found.edges, found.refused) == ((), (), None)


def test_a_path_from_a_node_to_itself_is_that_node(knowledge: KnowledgeBase) -> None:
    found = knowledge.relations.path("みなと", "株式会社みなと製作所")
    assert [node.id for node in found.nodes] == ["entity:MINATO"]
    assert found.edges == ()


def test_of_several_shortest_paths_the_same_is_given_each_time(tmp_path: Path) -> None:
    sentences = [f"Acme owns {name}. {name} owns Zed." for name in ("Kilo", "Echo", "Tango")]
    proposals = [
        (source, "owns", target, f"{source} owns {target}")
        for name in ("Kilo", "Echo", "Tango")
        for source, target in (("Acme", name), (name, "Zed"))
    ]
    paths: list[list[str]] = []
    for number, order in enumerate((sentences, sentences[::-1])):
        folder = tmp_path / str(number)
        docs = write_documents(folder, {f"{n}.md": f"# D\n\n{s}\n" for n, s in enumerate(order)})
        with open_knowledge(folder) as knowledge:
            knowledge.ingest(docs)
            knowledge.build_relations(provider=ScriptedModel(*proposals))
            found = knowledge.relations.path("Acme", "Zed", unverified=True)
            paths.append([node.id for node in found.nodes])
    assert paths == [["unlisted:acme", "unlisted:echo", "unlisted:zed"]] * 2


def test_dangling_references_come_by_place(knowledge: KnowledgeBase) -> None:
    assert [
        (d.source, d.title, d.address, d.evidence.locator, d.evidence.quote)
        for d in knowledge.relations.dangling()
    ] == [
        (
            *("section:docs/pay.md#s2", "労働基準法", "article 39"),
            *("docs/pay.md#para4", "労働基準法第39条"),
        ),
        ("section:docs/rules.md#s3", "", "article 9", "docs/rules.md#para7", "第9条"),
    ]
    (one,) = knowledge.relations.dangling(doc_ids=["docs/rules.md"])
    assert one.address == "article 9"


@pytest.mark.guarantee("G6")
@pytest.mark.parametrize(
    "name", ["北斗重工", "株式会社 北斗重工業", "external:北斗重工業", "北-斗重工"]
)
def test_a_read_that_names_a_listed_party_is_refused(knowledge: KnowledgeBase, name: str) -> None:
    assert knowledge.relations.neighbours(name).refused == RIVAL
    for one, other in ((name, "みなと"), ("みなと", name)):
        found = knowledge.relations.path(one, other)
        assert (found.nodes, found.refused) == ((), RIVAL)
    assert knowledge.relations.neighbours(name).to_dict() == {
        "nodes": [],
        "edges": [],
        "left_out": 0,
        "refused": {"rule": "listed-name", "name": "北斗重工業"},
    }


@pytest.mark.guarantee("G6")
def test_the_home_company_shows_its_rivals(knowledge: KnowledgeBase) -> None:
    found = knowledge.relations.neighbours("MINATO", kinds=["competes_with"])
    assert shown(found.edges) == RIVALS
    assert {edge.key.provenance for edge in found.edges} == {Provenance.CONTROLLED}


def test_without_questions_gated_every_name_is_read(tmp_path: Path) -> None:
    with open_knowledge(tmp_path, gate_questions=False) as knowledge:
        knowledge.build_relations()
        assert knowledge.relations.neighbours("北斗重工").refused is None
        assert shown(knowledge.relations.neighbours("北斗重工").edges) == RIVALS[1:]


ITEMS = """\
# 規程

## 第1条 範囲

1. 甲
2. 乙
3. 第1項および第2項による。
"""


def test_children_are_shown_by_their_section_and_the_end_of_their_id(tmp_path: Path) -> None:
    docs = write_documents(tmp_path, {"a.md": ITEMS, "b.txt": "１．甲\n２．第１項による。\n"})
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations()
        edges = knowledge.relations.list(kinds=["refers_to"]).edges
    assert [(edge.target.id, edge.target.label) for edge in edges] == [
        ("child:docs/a.md#c0", "第1条 範囲 #c0"),
        ("child:docs/a.md#c1", "第1条 範囲 #c1"),
    ]


def test_an_article_stands_for_its_paragraphs_and_items_too(tmp_path: Path) -> None:
    text = f"{ITEMS}\n## 第12条 例\n\n1. 第1条第2項による。\n"
    docs = write_documents(tmp_path, {"a.md": text})
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations()
        assert "section:docs/a.md#s3 refers_to child:docs/a.md#c1" in shown(
            knowledge.relations.neighbours("第1条").edges
        )
        (item,) = knowledge.relations.neighbours("第1条第2項").nodes
        assert item.id == "child:docs/a.md#c1"


@pytest.mark.guarantee("G1")
def test_lower_readers_get_neither_edges_nor_names_nor_counts(tmp_path: Path) -> None:
    """A hidden document may call a node what no visible one calls it."""
    docs = write_documents(
        tmp_path,
        {
            "open.md": "# Open\n\nAcme owns Globex.\n",
            "closed.md": "---\nsensitivity: CONFIDENTIAL\ncollection: board\n---\n"
            "# Closed\n\nACME GmbH owns Globex. Acme owns Hooli.\n",
        },
    )
    model = ScriptedModel(
        OWNS,
        ("ACME GmbH", "owns", "Globex", "ACME GmbH owns Globex"),
        ("Acme", "owns", "Hooli", "Acme owns Hooli"),
    )
    with open_knowledge(tmp_path) as knowledge:
        knowledge.ingest(docs)
        knowledge.build_relations(provider=model)
        whole = knowledge.relations.list(unverified=True, provenances=[Provenance.MODEL])
        assert [len(edge.evidence) for edge in whole.edges] == [2, 1]
        assert "unlisted:acme" in {n.id for n in knowledge.relations.neighbours("ACME GmbH").nodes}
        for reader in (Reader(Sensitivity.INTERNAL), Reader(collections=frozenset({"default"}))):
            page = knowledge.relations.list(
                unverified=True, provenances=[Provenance.MODEL], reader=reader
            )
            assert shown(page.edges) == PROPOSED[:1]
            assert [piece.doc_id for piece in page.edges[0].evidence] == ["docs/open.md"]
            assert page.edges[0].source.label == "Acme"
            assert knowledge.status(reader=reader).relations.unverified == 1
            with pytest.raises(NotFoundError):
                knowledge.relations.neighbours("Hooli", reader=reader)
            with pytest.raises(NotFoundError):
                knowledge.relations.list(after=whole.edges[1].id, reader=reader)
