"""What the rules find in a text that never changes, held beside the version that finds it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

from ragspine_graph.building import GraphBuilder
from ragspine_graph.building.rules import RULES_VERSION
from ragspine_graph.config import ServiceConfig
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.relations import DocumentRelations
from ragspine_store.sealed import unseal_screened
from ragspine_store.sqlite_store import ChunkStore
from tests.relation_sources import read_source

FOUND = {3: "fbfd53fc76a993ca7cc7ff0799890645b2d609bbee2763f380edbd3a41d9dc8b"}
"""Hashes by version. When the test fails because rules changed: count the version up, and put its
hash in place of the one before."""

JAPANESE = """# 旅費規程

## 第1条（定義）

株式会社みなと（以下「会社」という。）の従業員に適用する。民法第九十条に従う。

## 第2条（手当）

1. 前条の会社は、みなと海運と協議する。第3条第2項及び別表第一による。
2. 前項の手当は就業規則第12条から第14条までの例による。ライバル商事を除く。

## 第3条（雑則）

会社は第99条に定めるところによる。
"""
ENGLISH = """# Master agreement

## Section 1. Definitions

"Affiliate" means Harbour Shipping. This Agreement is under the General Data Act 2016.

## Section 2. Terms

Subject to Section 1 and paragraphs (a) to (c) of Section 9, each Affiliate and Minato shall meet
the operating margin. Rival Trading is no Affiliate; see Article 6(1) of Regulation (EU) 2016/679.
"""
OPENING = """Ada King Harbour (1815 – 1852) drew up the rules of Minato, Springfield.
"""
PROFILE = Profile.model_validate(
    {
        "home": {
            "company_name": "Minato",
            "entity_code": "MINATO",
            "synonyms": {
                "みなと": "MINATO",
                "みなと海運": "SHIPPING",
                "Harbour Shipping": "SHIPPING",
            },
        },
        "external_entities": {"ライバル商事": "Rival Trading"},
        "dimensions": [{"name": "operating margin", "kind": "measure"}],
    }
)


def hash_of(found: DocumentRelations) -> str:
    kept = replace(found, rules="", relations=())
    relations = [asdict(unseal_screened(relation)) for relation in found.relations]
    text = json.dumps([asdict(kept), relations], default=str)
    # The last digits of a logarithm are the machine's.
    rounded = json.loads(text, parse_float=lambda number: f"{float(number):.6f}")
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()


def test_other_finds_in_the_same_text_are_another_version(tmp_path: Path) -> None:
    config = ServiceConfig(
        entity_sources="profile,titles,terms", relation_extractor="deterministic"
    )
    with ChunkStore(tmp_path / "store.db") as store:
        rules = GraphBuilder(store, config, ProfileNodes(PROFILE), SecurityGate(PROFILE))._rules
    found = [
        rules.find(read_source(text, doc_id=doc_id, title=title, chunker="parent_child")).relations
        for doc_id, title, text in (
            ("rules.md", "旅費規程", JAPANESE),
            ("agreement.md", "Master agreement", ENGLISH),
            ("note.md", "Springfield, Illinois", OPENING),
        )
    ]
    assert all(each.relations and each.addresses and each.references for each in found[:2])
    together = hashlib.sha256("".join(map(hash_of, found)).encode()).hexdigest()
    assert {RULES_VERSION: together} == FOUND
