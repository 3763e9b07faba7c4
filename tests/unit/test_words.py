"""Words of Japanese text: what they are, and that index and settings agree about them."""

from __future__ import annotations

import importlib.metadata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store import words
from ragspine_store.errors import QueryError, WordsError
from ragspine_store.query import parse_query
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.tokenizer import index_tokens, tokens
from ragspine_store.words import MARK, agreed_words, describe_words, find_words_of


def words_in(text: str) -> list[str]:
    find_words = find_words_of("sudachi")
    assert find_words is not None
    return find_words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("賃金を支払った", ["賃金", "支払う"]),
        ("引越と引っ越し", ["引っ越し", "引っ越し"]),
        ("ﾊﾟｽﾜｰﾄﾞ", ["パスワード"]),
        ("38日の3日", []),
        ("qwxz 3 vbnm", []),
        ("", []),
    ],
    ids=["forms", "spellings", "width", "no numbers", "English", "empty"],
)
def test_content_words_in_their_one_form(text: str, expected: list[str]) -> None:
    assert words_in(text) == [MARK + word for word in expected]


def test_a_word_is_no_token_of_any_text() -> None:
    assert not any(token.startswith(MARK) for token in tokens("+賃金 C++ +1 #3 ＋税"))


def test_words_stand_behind_the_tokens_and_are_asked_for_beside_them() -> None:
    find_words = find_words_of("sudachi")
    assert index_tokens("賃金", (), "", find_words) == ["賃", "賃金", "金", "+賃金"]
    asked = parse_query("賃金は", find_words)
    assert [term.tokens for term in asked.terms] == [("賃金",), ("金は",), ("+賃金",)]
    with pytest.raises(QueryError, match="nothing to search for"):
        parse_query("?", find_words)


def test_long_texts_and_many_threads_are_served() -> None:
    text = "賃金を支払う。" * 5_000
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(words_in, [text] * 4))
    assert all(result == results[0] for result in results)
    assert len(results[0]) >= 2 * 5_000


def test_settings_and_index_have_to_agree(tmp_path: Path) -> None:
    path, file = tmp_path / "store.db", tmp_path / "docs" / "a.md"
    file.parent.mkdir()
    file.write_text("引越の届出", encoding="utf-8")
    with KnowledgeBase.open(path, ServiceConfig.load(words="sudachi")) as knowledge:
        knowledge.ingest(file)
        assert [s.doc_id for s in knowledge.search("引っ越し").snippets] == ["docs/a.md"]
    # Whoever says nothing asks as the store is indexed.
    with KnowledgeBase.open(path, ServiceConfig.load()) as knowledge:
        assert [s.doc_id for s in knowledge.search("引っ越し").snippets] == ["docs/a.md"]
    with pytest.raises(WordsError, match="reindex"):
        KnowledgeBase.open(path, ServiceConfig.load(words="none"))
    with ChunkStore(path) as store:
        store.index_anew("none")
    with KnowledgeBase.open(path, ServiceConfig.load(words="none")) as knowledge:
        assert knowledge.search("引っ越し").snippets == ()


def test_another_dictionary_indexes_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, file = tmp_path / "store.db", tmp_path / "a.md"
    file.write_text("引越の届出", encoding="utf-8")
    with KnowledgeBase.open(path, ServiceConfig.load(words="sudachi")) as knowledge:
        knowledge.ingest(file)

    def other(name: str) -> str:
        return "99"

    monkeypatch.setattr(importlib.metadata, "version", other)
    with KnowledgeBase.open(path) as knowledge:
        assert len(knowledge.search("引っ越し").snippets) == 1
        knowledge.delete(f"{tmp_path.name}/a.md")
        assert knowledge.search("引越").snippets == ()
    assert describe_words("sudachi") == "sudachi 99 99"


def test_a_missing_package_is_an_error_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(words.importlib.metadata, "version", missing)
    for ask in (describe_words, find_words_of):
        with pytest.raises(WordsError, match=r"ragspine-graph\[ja\]"):
            ask("sudachi")
    assert describe_words("none") == ""
    assert find_words_of("none") is None
    with pytest.raises(WordsError, match="extra ja"):
        agreed_words("sudachi 1 1", None, is_empty=True)
