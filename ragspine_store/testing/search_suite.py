"""Contract of search: what is found, in which order, for whom."""

from __future__ import annotations

import random

import pytest

from ragspine_store.errors import FilterError
from ragspine_store.protocols import FILTER_KEYS, Scope, Store
from ragspine_store.query import parse_query
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, found, put
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.words import find_words_of

DESCRIBED = ("topic", "entity", "geography", "period", "language", "collection")
MANY_TIES = 150


class SearchSuite(BackendSuite):
    """Hits, their order, their filters and their readers."""

    def test_scores_are_positive_and_fall(self, store: Store) -> None:
        put(
            store,
            make_document("a.md", Part("A", ("tax and tea and toast and much else besides",))),
            make_document("b.md", Part("B", ("tax tea",))),
            make_document("c.md", Part("C", ("nothing of the kind",))),
        )
        with store.reading() as transaction:
            hits = transaction.search(parse_query("tax tea"), Scope(Reader()), 10)
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert min(scores) > 0
        assert found(store, "tax tea") == ["b.md#c0", "a.md#c0"]

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("手当", ["a.md#c0"]),
            ("税", ["a.md#c1"]),
            ("ﾊﾟｽﾜｰﾄﾞ", ["a.md#c2"]),
            ("byod", ["a.md#c2"]),
            ("２０，０００", ["a.md#c0"]),
            ("VIỆT", ["a.md#c3"]),
            ("한국어", ["a.md#c3"]),
            ('"通勤手当は月額"', ["a.md#c0"]),
            ('"月額通勤"', []),
            ("第4条", ["a.md#c4"]),
            ("C++", ["a.md#c5"]),
        ],
    )
    def test_width_and_case_never_matter(
        self, store: Store, query: str, expected: list[str]
    ) -> None:
        put(
            store,
            make_document(
                "a.md",
                Part(
                    "規程",
                    (
                        "通勤手当は月額20,000円とする。",
                        "所得税を控除する。",
                        "ＢＹＯＤではパスワードを変える。",
                        "Tiếng Việt, 한국어",
                        "第４条に定める。",
                        "C++ only",
                    ),
                ),
                windows=False,
            ),
        )
        assert found(store, query) == expected

    @pytest.mark.parametrize("letter", ["a", "ł", "𐌰", "7"])
    def test_a_word_of_any_length_is_found_and_no_piece_of_it(
        self, store: Store, letter: str
    ) -> None:
        long, short = letter * 600, letter * 40
        part = Part("h", (f"before {long} after", short, f"x{letter * 254}"))
        put(store, make_document("a.md", part, windows=False))
        assert found(store, long) == ["a.md#c0"]
        assert found(store, f'"before {long} after"') == ["a.md#c0"]
        assert found(store, short) == ["a.md#c1"]
        assert found(store, f"x{letter * 254}") == ["a.md#c2"]
        assert found(store, letter * 60) == []

    def test_a_heading_is_found_through_the_children_below_it(self, store: Store) -> None:
        put(store, make_document("a.md", Part("年次有給休暇", ("六箇月間継続勤務した者。",))))
        assert found(store, "有給休暇") == ["a.md#c0"]

    def test_the_default_chunker_does_not_index_headings(self, store: Store) -> None:
        part = Part("年次有給休暇", ("六箇月間継続勤務した者。",))
        put(store, make_document("a.md", part, windows=False))
        assert found(store, "有給休暇") == []

    @pytest.mark.parametrize("k", [1, 5, 64, 65, 100, MANY_TIES, 1_000])
    def test_ties_order_by_document_then_position_before_the_cut(
        self, store: Store, k: int
    ) -> None:
        documents = [
            make_document(f"{no:03}.md", Part("h", ("same words", "same words")))
            for no in range(MANY_TIES // 2)
        ]
        random.Random(7).shuffle(documents)
        put(store, *documents)
        everything = [f"{no:03}.md#c{seq}" for no in range(MANY_TIES // 2) for seq in (0, 1)]
        assert found(store, "words", k=k) == everything[:k]

    def test_the_order_of_writing_does_not_matter(self, backend: Backend, store: Store) -> None:
        documents = [
            make_document(f"{no}.md", Part("h", (f"tea {'milk ' * no}", "tea", "water")))
            for no in range(6)
        ]
        put(store, *documents)
        before = found(store, "tea milk", k=20)
        for document in reversed(documents):
            put(store, document)
        assert found(store, "tea milk", k=20) == before
        assert len(before) == 12

    @pytest.mark.parametrize("key", DESCRIBED)
    def test_a_filter_keeps_what_has_one_of_its_values(self, store: Store, key: str) -> None:
        part = Part("h", ("tea",))
        for doc_id, value in (("a.md", "x"), ("b.md", "y"), ("c.md", "z")):
            put(store, make_document(doc_id, part, described={key: value}))
        assert found(store, "tea", filters={key: ["x"]}) == ["a.md#c0"]
        assert found(store, "tea", filters={key: ["z", "x", "x"]}) == ["a.md#c0", "c.md#c0"]
        assert found(store, "tea", filters={key: "y"}) == ["b.md#c0"]
        assert found(store, "tea", filters={key: ["X"]}) == []
        assert found(store, "tea", filters={key: []}) == []

    def test_filters_of_several_keys_must_all_match(self, store: Store) -> None:
        part = Part("h", ("tea",))
        put(
            store,
            make_document("a.md", part, described={"topic": "x", "period": "2024"}),
            make_document("b.md", part, described={"topic": "x", "period": "2025"}),
        )
        assert found(store, "tea", filters={"topic": ["x"], "period": ["2025"]}) == ["b.md#c0"]
        assert found(store, "tea", filters={"doc_id": ["a.md"], "period": ["2025"]}) == []
        assert found(store, "tea", filters={"doc_id": ["a.md", "b.md"]}) == ["a.md#c0", "b.md#c0"]

    def test_an_unknown_filter_is_an_error_that_lists_the_keys(self, store: Store) -> None:
        with pytest.raises(FilterError) as caught:
            found(store, "tea", filters={"titel": ["x"], "topic": ["y"]})
        assert "'titel'" in str(caught.value)
        assert all(key in str(caught.value) for key in FILTER_KEYS)

    @pytest.mark.parametrize(
        "section",
        [
            *("a.md#s2", "第４条　諸手当", "第4条 諸手当", " 第4条\u3000\u3000諸手当 "),
            *("第4条\t諸手当", "第四条　諸手当"),
        ],
        ids=["id", "as-written", "half-width", "spaces", "tab", "kanji"],
    )
    def test_a_section_is_named_by_its_id_or_its_heading(self, store: Store, section: str) -> None:
        put(
            store,
            make_document(
                "a.md",
                Part("第３条", ("手当の総則",)),
                Part("第４条　諸手当", ("手当の一覧",)),
                Part("通勤", ("通勤の手当",), level=2),
                Part("第５条", ("手当の支給日",)),
            ),
        )
        assert sorted(found(store, "手当", filters={"section": [section]})) == [
            "a.md#c1",
            "a.md#c2",
        ]

    @pytest.mark.parametrize(
        "heading", ["第三十八条の二", "第38条の2", "第３８条の２"], ids=["kanji", "Arabic", "wide"]
    )
    @pytest.mark.parametrize(
        "section", ["第三十八条の二", "第38条の2", "第３８条の２"], ids=["kanji", "Arabic", "wide"]
    )
    def test_a_section_is_found_by_its_number_in_any_numerals_and_exactly(
        self, store: Store, heading: str, section: str
    ) -> None:
        put(store, make_document("a.md", Part("第38条", ("手当の総則",)), Part(heading, ("手当",))))
        assert found(store, "手当", filters={"section": [section]}) == ["a.md#c1"]

    def test_sections_of_several_values_are_any_of_them(self, store: Store) -> None:
        put(
            store,
            make_document("a.md", Part("A", ("tea",)), Part("B", ("tea",)), Part("C", ("tea",))),
        )
        assert found(store, "tea", filters={"section": ["A", "a.md#s3"]}) == ["a.md#c0", "a.md#c2"]
        assert found(store, "tea", filters={"section": ["D", "b.md#s1"]}) == []

    @pytest.mark.parametrize(
        ("reader", "expected"),
        [
            (Reader(), ["c.md#c0", "i.md#c0", "p.md#c0"]),
            (Reader(Sensitivity.INTERNAL), ["i.md#c0", "p.md#c0"]),
            (Reader(Sensitivity.PUBLIC), ["p.md#c0"]),
            (Reader(collections=frozenset({"x"})), ["c.md#c0"]),
            (Reader(collections=frozenset({"x", "default"})), ["c.md#c0", "i.md#c0", "p.md#c0"]),
            (Reader(collections=frozenset({"'"})), []),
            (Reader(collections=frozenset()), []),
        ],
        ids=["all", "internal", "public", "one", "two", "quote", "none"],
    )
    def test_a_reader_finds_what_clearance_and_collections_allow(
        self, store: Store, reader: Reader, expected: list[str]
    ) -> None:
        part = Part("h", ("tea",))
        put(
            store,
            make_document("p.md", part, label=Sensitivity.PUBLIC),
            make_document("i.md", part),
            make_document(
                "c.md", part, label=Sensitivity.CONFIDENTIAL, described={"collection": "x"}
            ),
            make_document("r.md", part, label=Sensitivity.RESTRICTED),
        )
        assert found(store, "tea", reader=reader) == expected

    def test_ten_thousand_withheld_better_hits_take_no_slot(self, store: Store) -> None:
        better = Part("h", ("tea",) * 10_000)
        worse = Part("h", tuple(f"tea with milk and sugar, cup {no}" for no in range(7)))
        put(
            store,
            make_document(
                "a.md", better, label=Sensitivity.CONFIDENTIAL, described={"collection": "hidden"}
            ),
            make_document("b.md", worse),
        )
        expected = [f"b.md#c{no}" for no in range(5)]
        for reader in (Reader(Sensitivity.INTERNAL), Reader(collections=frozenset({"default"}))):
            assert found(store, "tea", k=5, reader=reader) == expected
        assert found(store, "tea", k=5, filters={"doc_id": ["b.md"]}) == expected

    def test_as_many_hits_come_as_are_asked_for_even_of_one_section(self, store: Store) -> None:
        put(store, make_document("a.md", Part("h", tuple(f"tea {no}" for no in range(1_500)))))
        with store.reading() as transaction:
            hits = transaction.search(parse_query("tea"), Scope(Reader()), 1_000)
            candidates = transaction.candidates(hits)
            windows = transaction.windows(candidates)
        assert [candidate.key for candidate in candidates] == [hit.key for hit in hits]
        assert len({candidate.chunk.chunk_id for candidate in candidates}) == 1_000
        assert windows.keys() <= {candidate.chunk.chunk_id for candidate in candidates}

    def test_every_scope_and_cut_is_a_part_of_the_whole_ranking(self, store: Store) -> None:
        dice = random.Random(11)
        words = ("tea", "milk", "sugar", "cup", "spoon", "a", "the", "of")
        labels: dict[str, Sensitivity] = {}
        topics: dict[str, str] = {}
        documents: list[PreparedDocument] = []
        for no in range(60):
            doc_id = f"{no:02}.md"
            labels[doc_id] = dice.choice([*Sensitivity][:3])
            topics[doc_id] = dice.choice("xyz")
            lines = (" ".join(dice.choices(words, k=dice.randint(1, 9))) for _ in range(20))
            documents.append(
                make_document(
                    doc_id,
                    Part("h", tuple(lines)),
                    label=labels[doc_id],
                    described={"topic": topics[doc_id], "collection": topics[doc_id]},
                )
            )
        put(store, *documents)

        def allowed(chunk_id: str, reader: Reader, wanted: str) -> bool:
            doc_id = chunk_id.partition("#")[0]
            return reader.may_see(labels[doc_id], topics[doc_id]) and topics[doc_id] in wanted

        for query in ("tea", "milk sugar", '"cup of tea"', "spoon a the of"):
            everything = found(store, query, k=10_000)
            assert len(everything) == len(set(everything)) > 0
            for reader in (
                Reader(),
                Reader(Sensitivity.PUBLIC),
                Reader(Sensitivity.INTERNAL, frozenset({"x"})),
            ):
                for wanted in ("xyz", "z", "xy"):
                    expected = [key for key in everything if allowed(key, reader, wanted)]
                    for k in (1, 10, 64, 65, 130, 600, 10_000):
                        hits = found(store, query, k=k, reader=reader, filters={"topic": [*wanted]})
                        assert hits == expected[:k]

    def test_restricted_documents_change_no_score(self, backend: Backend, store: Store) -> None:
        def scores() -> list[float]:
            with store.reading() as transaction:
                hits = transaction.search(parse_query("tea milk"), Scope(Reader()), 10)
            return [hit.score for hit in hits]

        put(store, make_document("a.md", Part("h", ("tea", "milk and tea", "water"))))
        before = scores()
        secret = Part("h", ("tea tea tea", "milk"))
        put(store, make_document("b.md", secret, label=Sensitivity.RESTRICTED))
        assert scores() == before
        put(store, make_document("c.md", secret))
        assert scores() != before
        with store.writing() as transaction:
            transaction.relabel("c.md", Sensitivity.RESTRICTED)
        assert store.erase()
        assert scores() == before

    @pytest.mark.parametrize("label", ["RESTRICTED", " restricted\u200b", "TOP SECRET", ""])
    def test_a_child_with_a_withheld_label_of_its_own_takes_no_slot(
        self, backend: Backend, store: Store, label: str
    ) -> None:
        put(store, make_document("a.md", Part("h", ("tea", "tea and milk", "tea and much milk"))))
        backend.set_chunk_label("a.md#c0", label)
        assert found(store, "tea", k=2) == ["a.md#c1", "a.md#c2"]

    @pytest.mark.parametrize("label", ["RESTRICTED", "ｒestricted", "TOP SECRET"])
    def test_children_below_a_withheld_section_take_no_slot(
        self, backend: Backend, store: Store, label: str
    ) -> None:
        put(
            store,
            make_document(
                "a.md",
                Part("A", ("tea",)),
                Part("B", ("tea",), level=2),
                Part("C", ("tea, served with some milk",)),
            ),
        )
        backend.set_section_label("a.md", 1, label)
        assert found(store, "tea", k=1) == ["a.md#c2"]
        assert found(store, "tea") == ["a.md#c2"]
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (1, 1)

    def test_children_are_scored_for_another_query_as_a_search_scores_them(
        self, store: Store
    ) -> None:
        put(
            store,
            *(make_document(f"{n}.md", Part("A", (f"tea{n} " * n + "第4条",))) for n in (1, 2, 3)),
        )
        query = parse_query("tea1 tea2 第4条")
        with store.reading() as transaction:
            hits = transaction.search(query, Scope(Reader()), 10)
            keys = [hit.key for hit in hits]
            assert transaction.rescore(query, keys[1:]) == pytest.approx(dict(hits[1:]))
            assert transaction.rescore(parse_query("tea1"), keys[:2]).keys() < set(keys)
            assert transaction.rescore(query, []) == {}
            assert transaction.rescore(query, [max(keys) + 1_000]) == {}

    def test_words_are_found_in_any_form_once_the_store_is_indexed_with_them(
        self, store: Store
    ) -> None:
        put(store, make_document("a.md", Part("A", ("賃金を支払った。", "引越をする。"))))
        assert store.words == "none"
        find_words = find_words_of("sudachi")
        assert find_words is not None

        def found_by(text: str) -> list[str]:
            with store.reading() as transaction:
                hits = transaction.search(parse_query(text, find_words), Scope(Reader()), 10)
                return [c.chunk.chunk_id for c in transaction.candidates(hits)]

        assert found_by("引っ越し") == []
        store.index_anew("sudachi")
        assert store.words == "sudachi"
        assert found_by("引っ越し") == ["a.md#c1"]
        assert found_by("支払い") == ["a.md#c0"]
        store.init_schema()
        # What is written and taken out later follows.
        put(store, make_document("b.md", Part("B", ("引越の届出",))))
        assert set(found_by("引っ越し")) == {"a.md#c1", "b.md#c0"}
        with store.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.CONFIDENTIAL)
            transaction.relabel_part("a.md#c1", Sensitivity.RESTRICTED)
            transaction.delete("b.md")
        assert store.erase()
        assert found_by("引っ越し") == []
        assert found_by("支払い") == ["a.md#c0"]
        store.index_anew()
        assert found_by("支払い") == ["a.md#c0"]
        store.index_anew("none")
        assert store.words == "none"
        assert found_by("引っ越し") == []
        assert found(store, "賃金") == ["a.md#c0"]
