"""What no reader may see is in no graph that Cypher reads, and changes no byte of any answer."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_graph.errors import GraphError
from ragspine_store.chunking import make_chunker
from ragspine_store.errors import StoreError
from ragspine_store.records import DocumentMeta
from tests.backends import Place
from tests.corpora import READERS, Source, corpora, texts_of
from tests.graphs import PROFILE, Proposal, ScriptedModel, open_knowledge, write_documents

CANARY = "canaryquartz"
TRACES = (CANARY, CANARY.upper(), "朱雀", r"\u6731\u96c0", "hiddenfilename")
EVERYTHING = (
    "MATCH (n) RETURN n ORDER BY n.id",
    "MATCH (a)-[r]->(b) RETURN a.id, type(r) AS type, b.id, r.edge_id, r.quote, r"
    " ORDER BY a.id, type, b.id, r.edge_id, r.quote",
    "MATCH (n) RETURN labels(n) AS labels, count(*) AS n ORDER BY labels",
    "CALL db.labels() YIELD label RETURN label ORDER BY label",
    "CALL db.propertyKeys() YIELD propertyKey AS key RETURN key ORDER BY key",
    "MATCH (a:Ragspine)-[*1..3]-(b:Ragspine) RETURN a.id, count(DISTINCT b.id) AS n ORDER BY a.id",
)


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


def answers(
    knowledge: KnowledgeBase,
    names: Sequence[str],
    parts: Sequence[str],
    readers: Sequence[Reader] = READERS,
) -> list[str]:
    """All that Cypher tells each reader; times are left out."""
    told: list[str] = []
    for reader in readers:
        for text in EVERYTHING:
            told.append(json.dumps(knowledge.cypher.query(text, reader=reader).to_dict()))
        for query in knowledge.cypher.queries():
            for given_values in arguments(
                [parameter.name for parameter in query.parameters], names, parts
            ):
                try:
                    result = knowledge.cypher.run(query.name, given_values, reader=reader)
                    told.append(json.dumps(result.to_dict(), ensure_ascii=False))
                except (StoreError, GraphError) as error:
                    told.append(f"{type(error).__name__}: {error}")
    return [re.sub(r"\d{4}-\d\d-\d\dT[\d:+.]+", "then", text) for text in told]


def arguments(
    parameters: Sequence[str], names: Sequence[str], parts: Sequence[str]
) -> Iterator[dict[str, object]]:
    """Values to call a query with."""
    common: dict[str, object] = {"since": "2000"} if "since" in parameters else {}
    if "unverified" in parameters:
        common["unverified"] = True
    if "source" in parameters:
        for source, target in zip(names, [*names[1:], names[0]], strict=True):
            yield {**common, "source": source, "target": target}
    elif "article" in parameters:
        for part in parts:
            yield {**common, "article": part}
    elif "document" in parameters:
        for part in parts:
            yield {**common, "document": part}
    elif "entity" in parameters:
        for name in names:
            yield {**common, "entity": name}
    else:
        yield common


# --- G1 -----------------------------------------------------------------------------------------

OWNED: Proposal = (f"{CANARY} Ltd", "owns", "Initech", f"{CANARY} Ltd owns Initech")
SECRET = f"""---
title: Title {CANARY}
sensitivity: {{label}}
---
# Heading {CANARY}

みなと（以下「朱雀」という。）は手当を払う。 {CANARY} Ltd owns Initech. 朱雀は税を払う。

## 第1条 朱雀の暗号

1. 第2条および朱雀規程第3条による。 {CANARY}
"""
OPEN = """# 規程

## 第1条 手当

1. 第2条による。みなと（以下「会社」という。）は払う。

## 第2条 範囲

1. {secret}
2. 前条による。Initech owns Acme.
"""
NAMES = (
    *("entity:MINATO", "unlisted:initech", f"unlisted:{CANARY} ltd", "朱雀", "term:朱雀@parts.md"),
    *("document:parts.md", "document:hiddenfilename.md", "section:parts.md#s3", f"Title {CANARY}"),
)
PARTS = ("parts.md", "parts.md#s3", "hiddenfilename.md", "hiddenfilename.md#s1", "open.md")


@pytest.fixture
def knowledge(tmp_path: Path, place: Place) -> Iterator[KnowledgeBase]:
    """A canary stands in every RESTRICTED node; some were open when the graph was built."""
    secret = f"朱雀 {CANARY} Ltd owns Initech. 第1条および朱雀第9条による。"
    documents = {
        "open.md": OPEN.format(secret="told to all"),
        "parts.md": OPEN.format(secret=secret),
        "titled.md": f"# Heading {CANARY}\n\n朱雀 {CANARY} Ltd owns Initech.\n",
        "hiddenfilename.md": SECRET.format(label="INTERNAL"),
        "hiddenfilename-front.md": SECRET.format(label="RESTRICTED"),
    }
    docs = write_documents(tmp_path, documents)
    settings = {"store": place.url, "restricted_at_rest": place.restricted_at_rest}
    with open_knowledge(tmp_path, **settings) as knowledge:
        model = ScriptedModel(OWNED, ("Initech", "owns", "Acme", "Initech owns Acme"))
        knowledge.ingest(docs, root=docs)
        knowledge.build_relations(provider=model)
        before = json.dumps(knowledge.cypher.query(EVERYTHING[0]).to_dict(), ensure_ascii=False)
        assert CANARY in before
        assert "朱雀" in before
        knowledge.relabel("hiddenfilename.md", "RESTRICTED")
        knowledge.relabel("parts.md#s3", "RESTRICTED")
        knowledge.relabel("titled.md#s1", "RESTRICTED")
        yield knowledge


@pytest.mark.guarantee("G1")
def test_no_answer_tells_what_is_restricted(knowledge: KnowledgeBase) -> None:
    told = answers(knowledge, NAMES, PARTS)
    assert any("Initech" in text for text in told)
    for text in told:
        assert [trace for trace in TRACES if trace in text] == []
    knowledge.build_relations(provider=ScriptedModel(OWNED))
    for text in answers(knowledge, NAMES, PARTS):
        assert [trace for trace in TRACES if trace in text] == []


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) WHERE n.text = 1 / 0 RETURN n",
        "MATCH (n) WHERE n.text RETURN n",
        "MATCH (n) RETURN date(n.text)",
        "MATCH (n) RETURN toInteger(n.text) + n.heading - n.title",
        "MATCH (n) RETURN n.text[0] / n.clearance",
        "MATCH (n) WHERE n.title CONTAINS 1 RETURN n.title",
        "MATCH (n) RETURN range(1, n.text)",
    ],
)
def test_no_error_tells_what_is_restricted(
    knowledge: KnowledgeBase, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        said = repr(knowledge.cypher.query(text).rows)
    except (StoreError, GraphError) as error:
        said = f"{error!r} {error.__cause__!r} {error.__context__!r}"
    for one in (said, *capfd.readouterr()):
        assert [trace for trace in TRACES if trace in one] == []


@pytest.mark.guarantee("G2")
def test_what_is_above_a_clearance_has_no_id_text_or_count(tmp_path: Path) -> None:
    documents = {
        "open.md": OPEN.format(secret="told to all"),
        "hiddenfilename.md": SECRET.format(label="CONFIDENTIAL"),
    }
    docs = write_documents(tmp_path, documents)
    told: list[list[str]] = []
    for names in (["open.md", "hiddenfilename.md"], ["open.md"]):
        with open_knowledge(tmp_path, store=f"{len(names)}.db") as knowledge:
            knowledge.ingest([docs / name for name in names], root=docs)
            knowledge.build_relations(provider=ScriptedModel(OWNED))
            reader = Reader(Sensitivity.INTERNAL)
            found = [knowledge.cypher.query(text, reader=reader) for text in EVERYTHING]
            told.append([re.sub(r"\d{4}-\d\d-\d\dT[\d:+.]+", "", repr(f.rows)) for f in found])
    assert told[0] == told[1]


# --- G2 -----------------------------------------------------------------------------------------

LINES = (
    "# 規程",
    "## 第1条 手当",
    "## 第2条 範囲",
    "1. 第2条による。",
    "2. 前条および第9条による。",
    "規程第1条による。",
    "みなと（以下「会社」という。）は税を払う。",
    "会社は手当を払う。",
    "Acme owns Beta.",
    "Beta owns Gamma. Acme owns Gamma.",
    "みなと物流とみなとは税を払う。",
)
CHUNKERS = ("none", "parent_child", "hierarchical")
PROPOSALS: tuple[Proposal, ...] = (
    ("Acme", "owns", "Beta", "Acme owns Beta"),
    ("Beta", "owns", "Gamma", "Beta owns Gamma"),
)


texts = texts_of(LINES)
DESCRIBED = {"title": ("", "規程"), "entity": ("", "みなと", "Acme")}


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "profile.toml"
    path.write_text(PROFILE, encoding="utf-8")
    return path


def built(sources: Sequence[Source], place: Place, chunker: str, profile: Path) -> KnowledgeBase:
    """A knowledge base; on a server in place of the one before."""
    store = place.scratch_store()
    index = NarrativeIndex(store, chunker=make_chunker(chunker))
    for source in sources:
        index.ingest(source.text, source.meta)
    config = ServiceConfig(
        chunker=chunker,
        profile=profile,
        relation_extractor="llm",
        entity_sources="profile,titles,terms",
    )
    knowledge = KnowledgeBase(store, config)
    knowledge.build_relations(provider=ScriptedModel(*PROPOSALS))
    return knowledge


def all_answers(
    knowledge: KnowledgeBase, ids: Sequence[str], readers: Sequence[Reader] = READERS
) -> list[str]:
    names = ["acme", "gamma", "会社", "entity:MINATO", *(f"document:{i}" for i in ids)]
    return answers(knowledge, names, [*ids, *(f"{i}#s2" for i in ids)], readers)


@pytest.mark.guarantee("G2")
def test_restricted_documents_change_no_byte_of_any_answer(place: Place, profile: Path) -> None:
    @place.examples(settings().max_examples // 10, on_server=2)
    @given(
        sources=corpora(texts, DESCRIBED),
        chunker=st.sampled_from(CHUNKERS),
        order=st.randoms(),
        reader=st.sampled_from(READERS),
    )
    def check(sources: list[Source], chunker: str, order: random.Random, reader: Reader) -> None:
        readers = [reader] if place.is_server else READERS
        ids = [source.meta.doc_id for source in sources]
        visible = [source for source in sources if not source.is_restricted]
        shuffled = order.sample(sources, len(sources))
        with built(visible, place, chunker, profile) as without:
            expected = all_answers(without, ids, readers)
        with built(shuffled, place, chunker, profile) as beside:
            assert all_answers(beside, ids, readers) == expected
        unlabelled = [
            replace(s, meta=replace(s.meta, sensitivity=Sensitivity.INTERNAL))
            if s.is_restricted
            else s
            for s in shuffled
        ]
        with built(unlabelled, place, chunker, profile) as raised:
            for source in sources:
                if source.is_restricted:
                    raised.relabel(source.meta.doc_id, "RESTRICTED")
            assert all_answers(raised, ids, readers) == expected

    check()


def test_visible_documents_do_change_the_answers(place: Place, profile: Path) -> None:
    """The comparison above is no comparison of nothing with nothing."""
    sources = [Source(DocumentMeta(f"{n}.md"), "\n\n".join(LINES)) for n in range(2)]
    readers = READERS[:1] if place.is_server else READERS
    for chunker in CHUNKERS[-1:] if place.is_server else CHUNKERS:
        told: list[list[str]] = []
        for count in (1, 2):
            with built(sources[:count], place, chunker, profile) as knowledge:
                told.append(all_answers(knowledge, ["0.md", "1.md"], readers))
        assert sum(a != b for a, b in zip(*told, strict=True)) > 5 * len(readers)
