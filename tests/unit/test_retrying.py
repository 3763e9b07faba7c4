"""What a server gives up is made again, whatever it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.errors import TransactionAbortedError
from tests.giving_up import GivesUp
from tests.graphs import DOCUMENTS, OWNS, PROFILE, RIVAL, ScriptedModel, write_documents

OFTEN = range(1, 10_000, 3)
ALWAYS = range(1, 10_000)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(tmp_path, DOCUMENTS)


def history(store: GivesUp, docs: Path) -> list[object]:
    """Change a store in every way that there is; what each change says, and what is there then."""
    (docs.parent / "profile.toml").write_text(PROFILE, encoding="utf-8")
    config = ServiceConfig(
        profile=docs.parent / "profile.toml",
        relation_extractor="llm",
        entity_sources="profile,titles,terms",
    )
    knowledge = KnowledgeBase(store, config)
    told: list[object] = [knowledge.ingest(docs, root=docs)]
    built = knowledge.build_relations(provider=ScriptedModel(OWNS, RIVAL))
    told.append(built)
    (edge,) = knowledge.audit.list().edges
    told.append(knowledge.audit.verify(edge.id, reviewer="Kim"))
    told.append(knowledge.relabel("rules.md", "CONFIDENTIAL"))
    told.append(knowledge.relabel("rules.md#s1", "RESTRICTED"))
    (docs / "pay.md").rename(docs / "paid.md")
    (docs / "deals.md").unlink()
    told.append(knowledge.ingest(docs, root=docs, sync=True))
    told.append(knowledge.delete("paid.md"))
    told.append(knowledge.purge())
    told.append(knowledge.status().to_dict())
    return told


def test_every_change_is_made_again_and_says_the_same(tmp_path: Path) -> None:
    told: list[str] = []
    for name, given_up in (("calm", ()), ("busy", OFTEN)):
        folder = tmp_path / name
        folder.mkdir()
        with GivesUp(folder / "kb.db", stub_key=b"key") as store:
            store.init_schema()
            store.begun, store.given_up = 0, given_up
            said = history(store, write_documents(folder, DOCUMENTS))
            assert not given_up or store.begun > 20
        told.append(re.sub(r"\d{4}-\d\d-\d\dT[\d:+.]+", "then", str(said)).replace(name, ""))
    assert told[0] == told[1]


def test_what_is_given_up_again_and_again_is_an_error_and_changes_nothing(
    tmp_path: Path, docs: Path
) -> None:
    with GivesUp(tmp_path / "kb.db") as store:
        store.init_schema()
        knowledge = KnowledgeBase(store, ServiceConfig())
        knowledge.ingest(docs, root=docs)
        before = knowledge.status(operator=True)
        store.given_up = ALWAYS
        for change in (
            lambda: knowledge.relabel("rules.md", "RESTRICTED"),
            lambda: knowledge.delete("rules.md"),
            lambda: knowledge.ingest(docs, root=docs, sensitivity="CONFIDENTIAL"),
            knowledge.build_relations,
        ):
            with pytest.raises(TransactionAbortedError, match="another try"):
                change()
        assert knowledge.status(operator=True) == before
