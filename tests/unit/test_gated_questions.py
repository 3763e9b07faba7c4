"""Questions that name a listed party: refused by every call that answers questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.cli import app
from ragspine_graph.errors import QuestionRefusedError
from ragspine_graph.security.gate import Refusal
from ragspine_store.errors import QueryError

pytestmark = pytest.mark.guarantee("G6")

REFUSED = Refusal("listed-name", "北斗重工業")
PROFILE = """
[home.synonyms]
"北斗商会" = "EX"
[external_entities]
"北斗" = "北斗重工業"
Kestrel = "Kestrel Ltd."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# 規程\n\n売上は百億円である。北斗も売る。\n")
    (tmp_path / "profile.toml").write_text(PROFILE)
    return tmp_path


def open_knowledge(folder: Path, *, gate_questions: bool = True) -> KnowledgeBase:
    config = ServiceConfig.load(
        store=f"sqlite:///{folder / 'kb.db'}",
        chunker="parent_child",
        profile=folder / "profile.toml",
        gate_questions=gate_questions,
    )
    return KnowledgeBase.open(config=config)


@pytest.fixture
def knowledge(folder: Path) -> Iterator[KnowledgeBase]:
    with open_knowledge(folder) as knowledge:
        knowledge.ingest(folder / "docs")
        yield knowledge


QUESTIONS = ["北斗の売上", "ﾎｸﾄではなく北\u200b斗の売上", "(株)北斗の売上は？", "売上 北-斗"]


@pytest.mark.parametrize("question", QUESTIONS, ids=ascii)
def test_search_and_context_refuse_with_the_name_as_configured(
    knowledge: KnowledgeBase, question: str
) -> None:
    found = knowledge.search(question)
    assert (found.snippets, found.refused) == ((), REFUSED)
    assert found.to_dict() == {
        "query": question,
        "snippets": [],
        "locators": [],
        "refused": {"rule": "listed-name", "name": "北斗重工業"},
    }
    context = knowledge.context(question)
    assert (context.blocks, context.left_out, context.refused) == ((), 0, REFUSED)
    assert context.to_dict()["refused"] == {"rule": "listed-name", "name": "北斗重工業"}


def test_parents_which_cannot_carry_a_refusal_raise_it(knowledge: KnowledgeBase) -> None:
    with pytest.raises(QuestionRefusedError) as caught:
        knowledge.parent_contexts("北斗の売上")
    assert (caught.value.rule, caught.value.name) == ("listed-name", "北斗重工業")


def test_a_filter_by_entity_asks_about_it_too(knowledge: KnowledgeBase) -> None:
    filters = {"entity": ["EX", "北斗重工業"]}
    assert knowledge.search("売上", filters=filters).refused == REFUSED
    assert knowledge.context("売上", filters=filters).refused == REFUSED


def test_other_questions_are_answered_even_from_texts_that_name_the_party(
    knowledge: KnowledgeBase,
) -> None:
    for question in ("売上", "北斗商会の売上", "kestrels"):
        assert knowledge.search(question).refused is None
    assert "北斗" in knowledge.search("売上").snippets[0].text
    assert knowledge.search("売上").to_dict()["refused"] is None
    assert knowledge.parent_contexts("売上")


def test_without_the_setting_every_question_is_answered(
    knowledge: KnowledgeBase, folder: Path
) -> None:
    with open_knowledge(folder, gate_questions=False) as ungated:
        assert ungated.search("北斗の売上").snippets
        assert ungated.context("北斗の売上").blocks
        assert ungated.parent_contexts("北斗の売上")


def test_a_refused_question_reads_nothing(knowledge: KnowledgeBase) -> None:
    knowledge.close()
    assert knowledge.search("北斗").refused == REFUSED
    assert knowledge.context("北斗").refused == REFUSED


def test_a_question_too_long_to_be_one_is_no_refusal(knowledge: KnowledgeBase) -> None:
    with pytest.raises(QueryError, match="at most"):
        knowledge.search("北斗" * 5_000)


@pytest.mark.parametrize("command", ["search", "context"])
def test_a_refusal_exits_0_and_is_told_in_one_line(
    knowledge: KnowledgeBase, folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_PROFILE", str(folder / "profile.toml"))
    assert _run(command, "北斗の売上", folder) == (
        "Refused (listed-name): the question names 北斗重工業, which the profile lists as "
        "external.\n"
    )
    assert json.loads(_run(command, "北斗の売上", folder, "--json"))["refused"] == REFUSED.to_dict()


def _run(command: str, question: str, folder: Path, *more: str) -> str:
    arguments = [command, question, "--store", f"sqlite:///{folder / 'kb.db'}", *more]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout
