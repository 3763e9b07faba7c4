"""Contract of links: where names and references lead, for one reader."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from ragspine_store.links import MOST_CHILDREN, MOST_TITLED, Referred, Seed, Titled
from ragspine_store.protocols import Links, Scope, Store
from ragspine_store.relations import Address
from ragspine_store.sensitivity import Reader
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, put
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.testing.relations import (
    CONFIDENTIAL,
    LEAVE,
    LOW,
    PAY,
    RESTRICTED,
    at,
    put_rules,
    refer,
    section,
)


def look(
    store: Store,
    names: Collection[str] = (),
    seeds: Collection[Seed] = (),
    scope: Scope | None = None,
) -> Links:
    """What links give."""
    with store.reading() as transaction:
        return transaction.links(names, list(seeds), scope or Scope(Reader()))


def reached(links: Links) -> list[str]:
    """The ids of the children that are reached, in order."""
    return sorted(child.chunk.chunk_id for child in links.children.values())


def keys(store: Store, doc_id: str, *numbers: int) -> tuple[int, ...]:
    """The keys of some children."""
    found = children_of(store, doc_id)
    return tuple(found[number].key for number in numbers)


class LinkSuite(BackendSuite):
    """Links of names and references."""

    def test_a_name_leads_to_the_children_of_all_documents_of_that_title(
        self, backend: Backend, store: Store
    ) -> None:
        for doc_id in ("b.md", "a.md", "c.md"):
            put(store, make_document(doc_id, PAY, LEAVE))
            put_rules(backend, store, doc_id, titles=["law" if doc_id != "c.md" else "other"])
        links = look(store, ["law", "unknown", ""])
        assert links.titled == {
            "law": [
                Titled("a.md", keys(store, "a.md", 0, 1, 2)),
                Titled("b.md", keys(store, "b.md", 0, 1, 2)),
            ]
        }
        assert reached(links) == [f"{doc}.md#c{n}" for doc in "ab" for n in range(3)]
        assert {child.score for child in links.children.values()} == {0.0}

    def test_a_reference_leads_from_the_child_in_which_it_stands(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE), make_document("z.md", PAY, LEAVE))
        put_rules(
            backend,
            store,
            "z.md",
            titles=["law"],
            addresses=[Address("article 1", section("z.md", 1))],
        )
        put_rules(
            backend,
            store,
            "a.md",
            references=[
                refer(section("a.md", 2), "article 1", at("a.md", 2, quote="Beta"), "law"),
                refer(section("a.md", 1), "article 1", at("a.md", 0), "law"),
                refer(section("a.md", 1), "article 1", at("a.md", 1, 2), "law"),
                refer(section("a.md", 2), "article 9", at("a.md", 2), "law"),
            ],
        )
        links = look(store, seeds=[Seed("a.md", 2), Seed("a.md", 1), Seed("gone.md", 0)])
        assert links.referred == [
            Referred(
                Seed("a.md", 2),
                "section:a.md#s2",
                at("a.md", 2, quote="Beta").span,
                "section:z.md#s1",
                keys(store, "z.md", 0, 1),
            )
        ]
        assert reached(links) == ["z.md#c0", "z.md#c1"]

    @pytest.mark.parametrize("way", ["hidden", "restricted", "other collection", "deleted"])
    def test_a_document_that_is_not_seen_is_neither_reached_nor_counted(
        self, backend: Backend, store: Store, way: str
    ) -> None:
        put(store, make_document("z.md", PAY, LEAVE))
        put_rules(backend, store, "z.md", titles=["law"])
        reader = Reader(LOW.clearance, frozenset({"default"}))
        alone = look(store, ["law"], scope=Scope(reader))
        for no in range(MOST_TITLED + 1):
            doc_id = f"a{no}.md"
            collection = "secret" if way == "other collection" else "default"
            put(store, make_document(doc_id, PAY, described={"collection": collection}))
            put_rules(backend, store, doc_id, titles=["law"])
            with store.writing() as transaction:
                if way == "deleted":
                    transaction.delete(doc_id)
                elif way != "other collection":
                    transaction.relabel(doc_id, CONFIDENTIAL if way == "hidden" else RESTRICTED)
        again = look(store, ["law"], scope=Scope(reader))
        assert again == alone
        assert [titled.doc_id for titled in again.titled["law"]] == ["z.md"]

    def test_a_title_that_many_bear_names_none(self, backend: Backend, store: Store) -> None:
        for no in range(MOST_TITLED + 1):
            put(store, make_document(f"a{no}.md", PAY))
            put_rules(backend, store, f"a{no}.md", titles=["law", f"law {no % 2}"])
        links = look(store, ["law", "law 1"])
        assert list(links.titled) == ["law 1"]

    def test_hidden_parts_take_no_place_among_the_first_children(
        self, backend: Backend, store: Store
    ) -> None:
        long = Part("Long", tuple(f"Line {no}." for no in range(MOST_CHILDREN + 4)))
        put(store, make_document("z.md", PAY, long))
        put_rules(backend, store, "z.md", titles=["law"])
        with store.writing() as transaction:
            transaction.relabel_part("z.md#s1", CONFIDENTIAL)
            transaction.relabel_part("z.md#c4", CONFIDENTIAL)
        (titled,) = look(store, ["law"], scope=Scope(LOW)).titled["law"]
        first = [n for n in range(2, MOST_CHILDREN + 3) if n != 4]
        assert titled.children == keys(store, "z.md", *first)

    def test_filters_hold_for_what_is_reached(self, backend: Backend, store: Store) -> None:
        put(store, make_document("z.md", PAY, LEAVE))
        put_rules(backend, store, "z.md", titles=["law"])
        for filters, found in (
            ({"section": ["Leave"]}, ["z.md#c2"]),
            ({"section": ["z.md#s1"]}, ["z.md#c0", "z.md#c1"]),
            ({"doc_id": ["a.md"]}, []),
            (
                {"collection": ["default"], "section": ["z.md#s0"]},
                ["z.md#c0", "z.md#c1", "z.md#c2"],
            ),
        ):
            assert reached(look(store, ["law"], scope=Scope(Reader(), filters))) == found

    def test_the_number_of_statements_does_not_depend_on_how_much_is_asked(
        self, backend: Backend, store: Store
    ) -> None:
        for no in range(4):
            put(store, make_document(f"a{no}.md", PAY, LEAVE))
            put_rules(
                backend,
                store,
                f"a{no}.md",
                titles=[f"law {no}"],
                addresses=[Address("article 1", section(f"a{no}.md", 1))],
                references=[
                    refer(section(f"a{no}.md", 2), "article 1", at(f"a{no}.md", 2), f"law {n}")
                    for n in range(4)
                ],
            )
        counts: list[int] = []
        for number in (1, 4):
            names = [f"law {no}" for no in range(number)]
            seeds = [Seed(f"a{no}.md", 2) for no in range(number)]
            with store.reading() as transaction:
                transaction.change_counter()
                counts.append(
                    backend.statements(
                        store,
                        lambda t=transaction, n=names, s=seeds: t.links(n, s, Scope(Reader())),
                    )
                )
        assert counts[0] == counts[1]
