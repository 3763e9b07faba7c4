"""What is asked of a knowledge base: ids in any Unicode form, and arguments that mean nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragspine_graph import KnowledgeBase, Reader
from ragspine_graph.errors import ConfigError, RequestError
from ragspine_store.errors import FilterError, LabelError

NFC, NFD = (unicodedata.normalize(form, "ガイド/パリ.md") for form in ("NFC", "NFD"))


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[KnowledgeBase]:
    file = tmp_path / NFD
    file.parent.mkdir()
    file.write_text("# 章\n\n支店を移す。\n", encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "kb.db") as knowledge:
        knowledge.ingest(file.parent)
        yield knowledge


@pytest.mark.parametrize("doc_id", [NFC, NFD], ids=["NFC", "NFD"])
def test_an_id_is_one_in_every_unicode_form(knowledge: KnowledgeBase, doc_id: str) -> None:
    assert NFC != NFD
    assert knowledge.show(doc_id).doc_id == NFC
    assert knowledge.show(f"{doc_id}#c0").id == f"{NFC}#c0"
    for filters in ({"doc_id": doc_id}, {"doc_id": [doc_id]}, {"section": [f"{doc_id}#s1"]}):
        assert len(knowledge.search("支店", filters=filters).snippets) == 1
    assert knowledge.relabel(doc_id, "CONFIDENTIAL").id == NFC
    assert knowledge.delete([doc_id, NFC, NFD]).documents == 1


WRONG: dict[str, tuple[type[Exception], Callable[[Any], object]]] = {
    "k as text": (RequestError, lambda kb: kb.search("支店", k="5")),
    "k as a fraction": (RequestError, lambda kb: kb.search("支店", k=2.5)),
    "k as a truth value": (RequestError, lambda kb: kb.search("支店", k=True)),
    "no filter value": (FilterError, lambda kb: kb.search("支店", filters={"topic": None})),
    "no value in a list": (FilterError, lambda kb: kb.search("支店", filters={"topic": [None]})),
    "a number as label": (LabelError, lambda kb: kb.relabel(NFC, 3)),
    "no label": (LabelError, lambda kb: kb.relabel(NFC, None)),
    "a number as id": (RequestError, lambda kb: kb.show(3)),
    "no id": (RequestError, lambda kb: kb.delete([None])),
    "a blank collection": (RequestError, lambda kb: kb.ingest([], collection=" ")),
    "a number as label of files": (LabelError, lambda kb: kb.ingest([], sensitivity=3)),
}


@pytest.mark.parametrize("name", [*WRONG])
def test_an_argument_of_the_wrong_kind_is_told_in_one_line(
    knowledge: KnowledgeBase, name: str
) -> None:
    error, call = WRONG[name]
    with pytest.raises(error, match="expected") as caught:
        call(knowledge)
    assert "\n" not in str(caught.value)


def test_a_collection_that_is_not_the_readers_is_never_searched(knowledge: KnowledgeBase) -> None:
    part_of_the_name = frozenset({"my-default-set"})
    found = knowledge.search("支店", reader=Reader(collections=part_of_the_name)).snippets
    assert found == ()


def test_a_store_is_opened_by_path_and_by_url(knowledge: KnowledgeBase, tmp_path: Path) -> None:
    knowledge.close()
    for store in (tmp_path / "kb.db", str(tmp_path / "kb.db"), f"sqlite:///{tmp_path / 'kb.db'}"):
        with KnowledgeBase.open(store, create=False) as opened:
            assert opened.status().documents == 1


@pytest.mark.parametrize("store", ["", "postgres://host/db"])
def test_a_store_that_cannot_be_meant_is_refused(store: str) -> None:
    with pytest.raises(ConfigError, match="expected"):
        KnowledgeBase.open(store)
