"""Small knowledge bases with a relation graph, and a model that answers as a test tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.provider import ModelRequest, Usage
from ragspine_store.relations import Answer

PROFILE = """
[home]
company_name = "株式会社みなと製作所"
entity_code = "MINATO"
[home.synonyms]
"みなと" = "MINATO"
"みなと物流" = "MINATO_LOG"
[home.labels]
MINATO_LOG = "みなと物流"
[external_entities]
"北斗重工" = "北斗重工業"
Kestrel = "Kestrel Ltd."
"""
RULES = """\
# 就業規則

## 第1条 目的

1. みなと製作所（以下「会社」という。）の従業員に適用する。
2. 第2条による。

## 第2条 手当

1. 会社は手当を支給する。
2. 前条および第9条による。
"""
PAY = """\
# 賃金規程

## 第1条 範囲

1. 就業規則第2条による。
2. みなと物流（以下「会社」という。）は、労働基準法第39条による。
3. みなと製作所とみなと物流は倉庫を共有する。
"""
DEALS = """\
# Deals

Acme owns Globex. Minato knows Acme.

Globex supplies Initech. Acme buys Kestrel.
"""
DOCUMENTS = {"rules.md": RULES, "pay.md": PAY, "deals.md": DEALS}

Proposal = tuple[str, str, str, str]
"""Source, kind, target and quote."""

OWNS = ("Acme", "owns", "Globex", "Acme owns Globex")
SUPPLIES = ("Globex", "supplies", "Initech", "Globex supplies Initech")
RIVAL = ("Acme", "buys", "Kestrel", "Acme buys Kestrel")
MADE_UP = ("Acme", "sells", "Hooli", "Acme owns Globex")


class ScriptedModel:
    """Proposes, about each text, those of its proposals whose quote stands in it.

    Attributes:
        proposals: may be changed between two runs.
        asked: the texts it was asked about.
    """

    concurrency = 1
    usage = Usage()

    def __init__(self, *proposals: Proposal, model: str = "scripted") -> None:
        self.model = model
        self.proposals: Sequence[Proposal] = proposals
        self.asked: list[str] = []

    def complete(self, request: ModelRequest) -> Answer:
        self.asked.append(request.text)
        found = [
            {"source": source, "kind": kind, "target": target, "quote": quote}
            for source, kind, target, quote in self.proposals
            if quote in request.text
        ]
        return Answer(json.dumps({"relations": found}, ensure_ascii=False))

    def close(self) -> None:
        pass


def write_documents(folder: Path, documents: Mapping[str, str]) -> Path:
    """Write files below `docs` in a folder; gives `docs`."""
    docs = folder / "docs"
    for name, text in documents.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, encoding="utf-8")
    return docs


def open_knowledge(
    folder: Path, *, profile: str = PROFILE, store: str = "kb.db", **settings: Any
) -> KnowledgeBase:
    """A knowledge base in a folder, by default with everything that rules find."""
    (folder / "profile.toml").write_text(profile, encoding="utf-8")
    given: dict[str, Any] = {
        "store": store if "://" in store else f"sqlite:///{folder / store}",
        "chunker": "hierarchical",
        "profile": folder / "profile.toml" if profile else None,
        "entity_sources": "profile,titles,terms",
        "relation_extractor": "llm",
        **settings,
    }
    return KnowledgeBase.open(config=ServiceConfig.load(**given))
