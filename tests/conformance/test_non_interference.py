"""Whether RESTRICTED documents are in the store or not, a reader gets the same bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_graph.cli import app
from ragspine_graph.errors import GraphError
from ragspine_graph.retrieval import Shape
from ragspine_store.chunking import make_chunker
from ragspine_store.errors import StoreError
from ragspine_store.records import DocumentMeta
from tests.backends import Place
from tests.corpora import READERS, Source, corpora

pytestmark = pytest.mark.guarantee("G2")

WORDS = (
    "税",
    "手当",
    "通勤手当",
    "休暇の",
    "する",
    "第4条",
    "20,000円",
    "tea",
    "Milk",
    "C++",
    "ｶﾅ",
)
CHUNKERS = ("none", "parent_child", "sentence_window", "hierarchical")
SHAPES: tuple[Shape, ...] = ("window", "merge")


class Answer(Protocol):
    def to_dict(self) -> dict[str, object]: ...


lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).flatmap(
    lambda words: st.sampled_from((" ".join(words), "".join(words) + "。"))
)
parts = st.tuples(st.sampled_from(("", "# ", "## ", "- ")), lines).map("".join)
texts = st.lists(parts, min_size=1, max_size=6).map("\n\n".join)


queries = st.lists(
    st.sampled_from((*WORDS, '"手当 tea"', '"通勤"', "勤", "第4条の")), min_size=1, max_size=3
).map(" ".join)


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


def build(place: Place, sources: Sequence[Source], chunker: str) -> KnowledgeBase:
    """A knowledge base in place of the one before."""
    store = place.scratch_store()
    index = NarrativeIndex(store, chunker=make_chunker(chunker))
    for source in sources:
        index.ingest(source.text, source.meta)
    return KnowledgeBase(store, ServiceConfig(chunker=chunker))


def answers(
    knowledge: KnowledgeBase, query: str, ids: Sequence[str], readers: Sequence[Reader] = READERS
) -> Iterator[str]:
    """All that a reader can ask for, as JSON."""

    def answer(*asked: object, call: Callable[[], object]) -> str:
        try:
            return f"{asked}: {json.dumps(call(), ensure_ascii=False)}"
        except (StoreError, GraphError) as error:
            return f"{asked}: {type(error).__name__}: {error}"

    def as_json(call: Callable[[], Answer]) -> Callable[[], object]:
        return lambda: call().to_dict()

    for reader in readers:
        yield answer(reader, call=as_json(lambda reader=reader: knowledge.status(reader=reader)))
        yield answer(
            reader,
            call=lambda reader=reader: [
                parent.model_dump() for parent in knowledge.parent_contexts(query, reader=reader)
            ],
        )
        for k, filters in (
            (1, {}),
            (3, {}),
            (50, {}),
            (50, {"topic": ["pay"]}),
            (50, {"doc_id": [*ids[:2]]}),
            (50, {"section": ["手当", f"{ids[0]}#s1"]}),
            (50, {"collection": ["x", "y"]}),
            (50, {"author": ["me"]}),
        ):
            for expand in ("none", "window"):
                yield answer(
                    reader,
                    k,
                    filters,
                    expand,
                    call=as_json(
                        lambda reader=reader, k=k, filters=filters, expand=expand: knowledge.search(
                            query, k=k, filters=filters, expand=expand, reader=reader
                        )
                    ),
                )
        for expand in SHAPES:
            for budget, filters in (
                (3_000, {}),
                (8, {}),
                (0, {}),
                (3_000, {"topic": ["pay"]}),
                (3_000, {"doc_id": [*ids[:2]]}),
                (3_000, {"author": ["me"]}),
            ):
                yield answer(
                    reader,
                    expand,
                    budget,
                    filters,
                    call=as_json(
                        lambda reader=reader, expand=expand, budget=budget, filters=filters: (
                            knowledge.context(
                                query,
                                expand=expand,
                                budget=budget,
                                filters=filters,
                                reader=reader,
                            )
                        )
                    ),
                )
        for doc_id in ids:
            for fragment in (
                *("", "#s0", "#s1", "#s2.1", "#i1", "#i2", "#p1", "#w1"),
                *("#c0", "#c1", "#para1", "#para1-3"),
            ):
                node_id = doc_id + fragment
                yield answer(
                    reader,
                    node_id,
                    call=as_json(
                        lambda reader=reader, node_id=node_id: knowledge.show(
                            node_id, reader=reader
                        )
                    ),
                )


def all_answers(
    knowledge: KnowledgeBase, query: str, ids: Sequence[str], readers: Sequence[Reader] = READERS
) -> list[str]:
    """The answers of a store that is closed after them."""
    with knowledge:
        return list(answers(knowledge, query, ids, readers))


def test_restricted_documents_change_no_byte_of_any_answer(place: Place) -> None:
    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        sources=corpora(texts, {"title": ("", "Title"), "topic": ("", "pay")}),
        query=queries,
        chunker=st.sampled_from(CHUNKERS),
        order=st.randoms(),
        reader=st.sampled_from(READERS),
    )
    def check(
        sources: list[Source], query: str, chunker: str, order: random.Random, reader: Reader
    ) -> None:
        readers = [reader] if place.is_server else READERS
        ids = [source.meta.doc_id for source in sources]
        visible = [source for source in sources if not source.is_restricted]
        shuffled = order.sample(sources, len(sources))
        expected = all_answers(build(place, visible, chunker), query, ids, readers)

        assert all_answers(build(place, shuffled, chunker), query, ids, readers) == expected

        unlabelled = [
            replace(s, meta=replace(s.meta, sensitivity=Sensitivity.INTERNAL))
            if s.is_restricted
            else s
            for s in shuffled
        ]
        with build(place, unlabelled, chunker) as raised:
            for source in sources:
                if source.is_restricted:
                    raised.relabel(source.meta.doc_id, "RESTRICTED")
            assert list(answers(raised, query, ids, readers)) == expected

            for source in visible:
                raised.delete(source.meta.doc_id)
            told = list(answers(raised, query, ids, readers))
        assert told == all_answers(build(place, [], chunker), query, ids, readers)

    check()


def test_visible_documents_do_change_the_answers(place: Place) -> None:
    """The comparison above is no comparison of nothing with nothing."""
    sources = [Source(DocumentMeta(f"{n}.md"), f"# 手当\n\ntea {n}") for n in range(3)]
    ids = [source.meta.doc_id for source in sources]
    for chunker in CHUNKERS[-1:] if place.is_server else CHUNKERS:
        one, two = (
            all_answers(build(place, sources[:count], chunker), "tea 手当", ids, READERS[:1])
            for count in (2, 3)
        )
        assert sum(a != b for a, b in zip(one, two, strict=True)) > 5


QUESTIONS = "\n".join(
    json.dumps({"question": question, **gold}, ensure_ascii=False)
    for question in ("手当 tea", "tea", "？")
    for gold in (
        {},
        {"answers": ["支給する", "tea"]},
        {"gold_ids": ["docs/open.md#s2", "docs/secret.md", "docs/raised.md#c0"]},
        {"gold_spans": [{"doc_id": "docs/secret.md", "start": 0, "end": 4}]},
        {"gold_spans": [{"doc_id": "docs/open.md", "start": 16, "end": 20}]},
    )
)
CASES = [
    ("cypher", "--query", "MATCH (n) RETURN n.id, n.text, n.title, n.heading ORDER BY n.id"),
    ("cypher", "--query", "MATCH (n {doc_id: 'docs/secret.md'}) RETURN n"),
    ("cypher", "run", "sections_without_references"),
    ("cypher", "run", "references_out", "--param", "article=docs/secret.md"),
    ("search", "手当"),
    ("search", "手当 tea", "-k", "2", "--expand", "none"),
    ("search", "tea", "--filter", "doc_id=docs/secret.md"),
    ("search", "tea", "--clearance", "PUBLIC"),
    ("context", "手当 tea"),
    ("context", "手当 tea", "--expand", "merge"),
    ("context", "手当 tea", "--expand", "merge", "--budget", "1"),
    ("context", "tea", "--filter", "doc_id=docs/secret.md"),
    ("context", "tea", "--clearance", "PUBLIC"),
    ("eval", "set.jsonl", "--misses", "9", "--html", "page.html"),
    ("eval", "set.jsonl", "--misses", "9", "--expand", "merge", "-k", "1"),
    ("eval", "set.jsonl", "--misses", "9", "--against", "narrow.toml", "--html", "page.html"),
    ("eval", "set.jsonl", "--clearance", "PUBLIC"),
    ("show", "docs/secret.md"),
    ("show", "docs/secret.md#c0"),
    ("show", "docs/open.md"),
    ("show", "docs/open.md#s2"),
    ("show", "docs/open.md#i1"),
    ("status",),
    ("status", "--collection", "default"),
]


def test_the_command_line_prints_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGSPINE_STORE", place.url)
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", place.restricted_at_rest)
    monkeypatch.setenv("RAGSPINE_CHUNKER", "hierarchical")

    def run(*arguments: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, list(arguments))
        return result.exit_code, result.stdout, result.stderr

    (tmp_path / "docs").mkdir()
    (tmp_path / "set.jsonl").write_text(QUESTIONS, encoding="utf-8")
    (tmp_path / "narrow.toml").write_text("max_parents = 1\n", encoding="utf-8")
    documents = {
        "open.md": "# 規程\n\n## 手当\n\n1. 手当を支給する。\n2. With tea.\n",
        "secret.md": "---\nsensitivity: RESTRICTED\n---\n# 手当\n\n手当 tea 手当\n",
        "raised.md": "# tea\n\ntea 手当\n",
    }
    printed: list[dict[tuple[str, ...], tuple[int, str, str]]] = []
    pages: list[list[bytes]] = []
    for names in ([*documents], ["open.md"]):
        place.new_store()
        for name in names:
            (tmp_path / "docs" / name).write_text(documents[name], encoding="utf-8")
            assert run("ingest", f"docs/{name}", "--root", ".")[0] == 0
        if "raised.md" in names:
            assert run("relabel", "docs/raised.md", "RESTRICTED")[0] == 0
        forms = [(*case, *form) for case in CASES for form in (["--json"], [])]
        printed.append({command: run(*command) for command in forms})
        pages.append([page.read_bytes() for page in tmp_path.glob("*.html")])
    assert pages[0] == pages[1] != []
    beside, without = printed
    for command, (_, out, err) in beside.items():
        assert (command, beside[command]) == (command, without[command])
        assert out or err


secrets = st.integers(1, 8).flatmap(
    lambda size: st.tuples(*(st.text("abcd税手", min_size=size, max_size=size) for _ in range(2)))
)


def test_what_a_restricted_section_says_changes_no_byte_of_any_answer(place: Place) -> None:
    """That it is there shows in gaps of the numbering; what it says shows in nothing."""

    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        before=texts,
        after=texts,
        secret=st.lists(secrets, min_size=1, max_size=4),
        query=queries,
        chunker=st.sampled_from(CHUNKERS),
        reader=st.sampled_from(READERS),
    )
    def check(
        before: str,
        after: str,
        secret: list[tuple[str, str]],
        query: str,
        chunker: str,
        reader: Reader,
    ) -> None:
        readers = [reader] if place.is_server else READERS
        told: list[list[str]] = []
        for version in (0, 1):
            lines = [pair[version] for pair in secret]
            heading, paragraphs = f"x{lines[0]}", "\n\n".join(lines)
            text = f"# A\n\n{before}\n\n# {heading}\n\n{paragraphs}\n\n# Z\n\n{after}\n"
            other = Source(DocumentMeta("other.md"), "# 手当\n\ntea 手当 税")
            sources = [Source(DocumentMeta("0.md"), text), other]
            with build(place, sources, chunker) as knowledge:
                sections = knowledge.show("0.md").sections
                (hidden,) = [s.id for s in sections if s.heading == heading]
                knowledge.relabel(hidden, "RESTRICTED")
                ids = ["0.md", "other.md", hidden]
                around = [f"0.md#para{n}" for n in range(3, 9)]
                told.append(
                    [
                        *answers(knowledge, query, ids, readers),
                        *answers(knowledge, "tea 手当 税", around, readers),
                    ]
                )
        assert told[0] == told[1]

    check()
