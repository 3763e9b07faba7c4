"""A canary stands in every RESTRICTED node; every exit is opened, and it comes out of none."""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeGuard

import pytest
import typer
from pydantic import BaseModel
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase, NarrativeJob, Sensitivity, ServiceConfig, run_job
from ragspine_graph.audit import RULES, Audit
from ragspine_graph.backends import open_backend
from ragspine_graph.cli import app
from ragspine_graph.config.store_url import parse_store_url
from ragspine_graph.errors import GraphError
from ragspine_graph.facts import Fact
from ragspine_graph.relations import Relations
from ragspine_graph.relations.export import graphml, node_link
from ragspine_graph.relations.results import AuditState
from ragspine_graph.retrieval import Passage, Shape
from ragspine_store.chunking import make_chunker
from ragspine_store.errors import NotFoundError, StoreError
from ragspine_store.loading import load_document
from ragspine_store.protocols import Place, Scope
from ragspine_store.query import parse_query
from ragspine_store.records import DocumentMeta
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import EdgeKey, Provenance
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import ChunkStore
from tests.conftest import AtRest
from tests.graphs import ScriptedModel

pytestmark = pytest.mark.guarantee("G1")

CANARY = "canaryquartz"
# Folded as the index folds it, cut as the index cuts it, or written as JSON escapes it.
TRACES = (CANARY, CANARY.upper(), "朱雀の暗号", "雀の暗", r"\u6731\u96c0")
NAME = "hiddenfilename"
SECRET = f"""---
title: Title {CANARY}
topic: pay
sensitivity: {{label}}
---
# Heading {CANARY}

The salary of {CANARY} is paid monthly.

## 第1条 朱雀の暗号

1. 給与は朱雀の暗号である。
2. The salary {CANARY}. Kestrel buys {CANARY}.
3. 朱雀商会（以下「朱雀の暗号」という。）は、第9条および「{CANARY}規程」第3条による。

## 第2条 雀の暗い話

1. 前条による。当社は朱雀の暗号を知る。
"""
VISIBLE = """# Rules

## Pay

1. The salary is paid monthly.
2. 給与は毎月25日に払う。当社は第1条および第8条による。

## Plan

1. The salary of the plan, {secret}.
2. Last words.
"""
PROFILE = """
[home]
company_name = "Example"
entity_code = "EX"
[home.synonyms]
"当社" = "EX"
[external_entities]
kestrel = "Kestrel Ltd."
[sensitivity]
restricted_keywords = ["社外秘"]
"""
# What a model proposes where the quote stands.
PROPOSALS = (
    ("salary", "paid", "monthly", "The salary is paid monthly"),
    (CANARY, "paid", "salary", f"The salary of {CANARY} is paid monthly"),
    ("給与", CANARY, "朱雀の暗号", "給与は朱雀の暗号である"),
    ("Kestrel", "buys", CANARY, f"Kestrel buys {CANARY}"),
    ("salary", "sells", CANARY, f"The salary {CANARY}"),
    ("salary", "hides", CANARY, f"The salary of the plan, {CANARY} 朱雀の暗号"),
    ("plan", "hides", "Kestrel", f"The salary of the plan, {CANARY} 朱雀の暗号"),
)
QUESTIONS = "\n".join(
    json.dumps({"question": question, **gold})
    for question in ("salary 給与", "paid monthly", "Kestrel")
    for gold in (
        {},
        {"answers": ["salary"]},
        {"gold_ids": ["docs/parts.md#s3", "docs/parts.md#c1", "docs/titled.md#s1"]},
        {"gold_spans": [{"doc_id": "docs/parts.md", "start": 60, "end": 90}]},
    )
)
SHAPES: tuple[Shape, ...] = ("window", "merge")
QUERIES = (
    "salary",
    "給与",
    "monthly plan",
    "第1条",
    '"paid monthly"',
    "rules title heading",
    "kestrel salary",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents that are RESTRICTED in every way there is, beside visible ones."""
    folder = tmp_path / "docs"
    (folder / "side").mkdir(parents=True)

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    write("visible.md", VISIBLE.format(secret="told to all"))
    write("parts.md", VISIBLE.format(secret=f"{CANARY} 朱雀の暗号"))
    write("titled.md", f"# Heading {CANARY}\n\nThe salary {CANARY} 朱雀の暗号\n")
    write(f"{NAME}-front.md", SECRET.format(label="RESTRICTED"))
    write(f"{NAME}-keyword.md", SECRET.format(label="PUBLIC") + "\n社外秘\n")
    write(f"{NAME}-raised.md", SECRET.format(label="INTERNAL"))
    write(f"side/{NAME}.txt", f"Heading {CANARY}\n\nThe salary {CANARY} 朱雀の暗号\n")
    write("side/labels.toml", '["*.txt"]\nsensitivity = "RESTRICTED"\n')
    write(f"{NAME}-broken.md", f"---\nsensitivity: {CANARY}\n---\n# {CANARY}\n")
    write(f"{NAME}-yaml.md", f"---\ntitle: [{CANARY}\n---\n# {CANARY}\n")
    write(f"{NAME}-empty.md", f"<!-- {CANARY} -->\n")
    (folder / f"{NAME}-bytes.md").write_bytes(f"# {CANARY} 朱雀の暗号".encode() + b"\0\xff\xfe\x81")
    (tmp_path / "profile.toml").write_text(PROFILE, encoding="utf-8")
    (tmp_path / "settings.toml").write_text("max_parents = 1\n", encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(QUESTIONS, encoding="utf-8")
    return folder


@pytest.fixture
def config(tmp_path: Path, folder: Path, at_rest: AtRest, store_url: str) -> ServiceConfig:
    return ServiceConfig.load(
        store=store_url,
        chunker="hierarchical",
        restricted_at_rest=at_rest,
        profile=tmp_path / "profile.toml",
        merge_threshold=0.1,
        relation_extractor="llm",
        entity_sources="profile,titles,terms",
    )


def facts() -> list[Fact]:
    return [
        Fact(
            metric_code=f"REVENUE_{CANARY}",
            entity=CANARY,
            period_type="FY",
            period="2024",
            value=1.0,
            unit="JPY_M",
            source_doc_id=f"docs/{NAME}-{name}.md",
            source_locator=CANARY,
        )
        for name in ("front", "raised")
    ]


class Recorder:
    """A judge and a compressor that keep what they are shown."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        self.seen += [f"{passage!r} {passage.text}" for passage in passages]
        return [passage.chunk_id for passage in reversed(passages)]

    def compress(self, query: str, text: str) -> str:
        self.seen.append(text)
        return text


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def knowledge(config: ServiceConfig, folder: Path, recorder: Recorder) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(config=config) as plain:
        plain.ingest(folder)
        before = ScriptedModel(*PROPOSALS)
        plain.build_relations(facts(), provider=before)
        assert any(CANARY in text for text in before.asked)
        edges = plain.audit.list(limit=100).edges
        assert any(CANARY in edge.source.id for edge in edges)
        assert any(CANARY in rejection.target for rejection in plain.audit.rejections())
        hidden = [edge.id for edge in edges if CANARY in "".join(edge.key[:3])]
        plain.audit.verify(hidden, reviewer="Kim", note=CANARY)
        plain.relabel(f"docs/{NAME}-raised.md", "RESTRICTED")
        plain.relabel("docs/parts.md#s3", "RESTRICTED")
        plain.relabel("docs/titled.md#s1", "RESTRICTED")
        after = ScriptedModel(*PROPOSALS, model="another")
        plain.build_relations(facts(), provider=after)
        assert after.asked
        assert_clean(" ".join(after.asked), NAME)
    store = open_backend(parse_store_url(config.store), config)
    with KnowledgeBase(store, config, reranker=recorder, compressor=recorder) as knowledge:
        yield knowledge


def told(call: Callable[[], object]) -> str:
    """All that a call says: its result in every form, or its error with its traceback."""
    try:
        result = call()
    except (StoreError, GraphError) as error:
        return f"{error!r} {error} {''.join(traceback.format_exception(error))}"
    return " ".join(forms(result))


def forms(result: object) -> Iterator[str]:
    yield repr(result)
    yield str(result)
    to_dict = getattr(result, "to_dict", None)
    if to_dict is not None:
        yield json.dumps(to_dict(), ensure_ascii=False)
    if isinstance(result, BaseModel):
        yield result.model_dump_json()
    if is_several(result):
        for element in result:
            yield from forms(element)


def is_several(result: object) -> TypeGuard[Sequence[object]]:
    return isinstance(result, (list, tuple))


def assert_clean(said: str, *traces: str) -> None:
    assert [trace for trace in (*TRACES, *traces) if trace in said] == []


NODE_IDS = [
    f"docs/{name}{fragment}"
    for name in (
        "visible.md",
        "parts.md",
        "titled.md",
        f"{NAME}-front.md",
        f"{NAME}-raised.md",
        "missing.md",
    )
    for fragment in (
        *("", "#s0", "#s1", "#s2", "#s3", "#i2", "#i4", "#p1", "#w1"),
        *("#c0", "#c2", "#c3", "#para1", "#para1-20", "#para7"),
    )
]

CYPHER = (
    "MATCH (n) RETURN n",
    "MATCH (a)-[r]->(b) RETURN a.id, r, b.id",
    "MATCH (n) WHERE n.text RETURN n",
    f"MATCH (n {{doc_id: 'docs/{NAME}-front.md'}}) RETURN n",
    "LOAD CSV FROM 'file:///etc/hostname' AS row RETURN row",
)
NODE_NAMES = (
    *("salary", "EX", "Example", "monthly", "Rules", "第1条", "第8条"),
    *("document:docs/visible.md", "section:docs/parts.md#s3", "section:docs/titled.md#s1"),
    *(f"document:docs/{NAME}-raised.md", f"section:docs/{NAME}-raised.md#s2"),
    f"document:docs/{NAME}-front.md",
)
# Of a document that was raised after it had been proposed.
HIDDEN_EDGE = EdgeKey(f"unlisted:{CANARY}", "paid", "unlisted:salary", Provenance.MODEL).edge_id

READER_CALLS: dict[str, Callable[[KnowledgeBase], list[Callable[[], object]]]] = {
    "cypher": lambda kb: [
        *(lambda t=t: kb.cypher.query(t) for t in CYPHER),
        *(lambda i=i: kb.cypher.run("references_out", {"article": i}) for i in NODE_IDS),
        lambda: kb.cypher.run("changed_since", {"since": "2000"}),
        lambda: kb.cypher.run("sections_without_references"),
    ],
    "search": lambda kb: [
        lambda q=q, e=e, f=f: kb.search(q, k=50, expand=e, filters=f)
        for q in QUERIES
        for e in ("none", "window")
        for f in ({}, {"topic": ["pay"]}, {"section": ["Plan"]}, {"nonsense": ["x"]})
    ],
    "context": lambda kb: [
        lambda q=q, e=e, b=b, f=f: kb.context(q, expand=e, budget=b, filters=f)
        for q in QUERIES
        for e in SHAPES
        for b in (0, 10, 3_000)
        for f in ({}, {"topic": ["pay"]}, {"section": ["Plan"]}, {"nonsense": ["x"]})
    ],
    "parent_contexts": lambda kb: [lambda q=q: kb.parent_contexts(q) for q in QUERIES],
    "show": lambda kb: [lambda i=i: kb.show(i) for i in NODE_IDS],
    "status": lambda kb: [kb.status],
    "documents": lambda kb: [
        kb.documents,
        lambda: kb.documents(limit=1),
        lambda: kb.documents(after="docs/hidden"),
    ],
    "relations": lambda kb: [
        *(
            lambda u=u, d=d, n=n: kb.relations.list(unverified=u, doc_ids=d, limit=n)
            for u in (False, True)
            for d in ([], [f"docs/{NAME}-raised.md"], ["docs/parts.md"])
            for n in (1, 100)
        ),
        *(
            lambda n=n, d=d: kb.relations.neighbours(n, depth=d, unverified=True, limit=100)
            for n in NODE_NAMES
            for d in (1, 6)
        ),
        *(
            lambda a=a, b=b: kb.relations.path(a, b, unverified=True, max_hops=6)
            for a in NODE_NAMES
            for b in ("salary", "EX", f"document:docs/{NAME}-raised.md")
        ),
        kb.relations.dangling,
        lambda: kb.relations.dangling(doc_ids=[f"docs/{NAME}-raised.md"]),
        lambda: kb.relations.all(unverified=True),
        lambda: list(kb.relations.graph(unverified=True).nodes(data=True)),
        lambda: list(kb.relations.graph(unverified=True).edges(data=True, keys=True)),
        lambda: graphml(kb.relations.all(unverified=True)),
        lambda: node_link(kb.relations.all(unverified=True)),
    ],
    "audit": lambda kb: [
        *(lambda s=s: kb.audit.list(state=s, limit=100) for s in (None, *AuditState)),
        *(lambda r=r: kb.audit.list(rule=r, limit=100) for r in RULES),
        *(lambda s=s: kb.audit.export(state=s) for s in (None, *AuditState)),
        *(
            lambda i=i: kb.audit.show(i)
            for i in (HIDDEN_EDGE, *(edge.id for edge in kb.relations.all(unverified=True)))
        ),
        kb.audit.rejections,
        lambda: kb.audit.rejections(doc_ids=[f"docs/{NAME}-raised.md"]),
        kb.audit.log,
        lambda: kb.audit.log(operator=True),
        lambda: kb.audit.verify(HIDDEN_EDGE, reviewer="Kim"),
        lambda: kb.audit.reject([e.id for e in kb.audit.list().edges], reviewer="Kim"),
    ],
}
OPERATOR_CALLS: dict[str, Callable[[KnowledgeBase, Path], list[Callable[[], object]]]] = {
    "ingest": lambda kb, folder: [
        lambda: kb.ingest(folder, dry_run=True),
        lambda: kb.ingest(folder, root=folder),
        lambda: kb.ingest(folder),
        lambda: kb.ingest(folder, sensitivity="nonsense"),
    ],
    "build_relations": lambda kb, _: [
        lambda: kb.build_relations(facts(), provider=ScriptedModel(*PROPOSALS)),
        lambda: kb.build_relations(facts(), provider=ScriptedModel(*PROPOSALS, model="third")),
        kb.build_relations,
    ],
    "relabel": lambda kb, _: [
        lambda: kb.relabel(f"docs/{NAME}-front.md", "PUBLIC"),
        lambda: kb.relabel(f"docs/{NAME}-front.md", "nonsense"),
        lambda: kb.relabel("docs/parts.md#s3", "PUBLIC"),
        lambda: kb.relabel("docs/parts.md#c0", Sensitivity.CONFIDENTIAL),
        lambda: kb.relabel("missing.md", "PUBLIC"),
    ],
    "reindex": lambda kb, _: [kb.reindex],
    "write_upload": lambda kb, _: [
        lambda d=d: kb.write_upload(b"# New", d, collection="docs", writer=Reader())
        for d in ("docs/new.md", f"docs/{NAME}-front.md", f"docs/{NAME}-raised.md", "../x.md")
    ],
    "keys": lambda kb, _: [lambda: kb.keys.create("Kim"), kb.keys.list],
    "delete": lambda kb, _: [
        lambda: kb.delete("missing.md"),
        lambda: kb.delete([f"docs/{NAME}-raised.md"]),
    ],
    "purge": lambda kb, _: [kb.purge],
    "status": lambda kb, _: [lambda: kb.status(operator=True)],
    "close": lambda kb, _: [kb.close, lambda: kb.search("salary"), lambda: kb.delete("x")],
}


def test_every_public_call_is_walked() -> None:
    public = {name for name in vars(KnowledgeBase) if not name.startswith("_")}
    # `store` is for the service, whose routes and tools have tests of their own.
    assert public == {*READER_CALLS, *OPERATOR_CALLS, "open", "store"}


def test_every_read_of_the_graph_is_walked() -> None:
    reads = {name for name in vars(Relations) if not name.startswith("_")}
    assert reads == {"list", "neighbours", "path", "dangling", "all", "graph"}
    audits = {name for name in vars(Audit) if not name.startswith("_")}
    assert audits == {"list", "export", "show", "verify", "reject", "log", "rejections"}


def test_no_readers_call_tells_it(
    knowledge: KnowledgeBase,
    recorder: Recorder,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, calls in READER_CALLS.items():
        said = [told(one) for one in calls(knowledge)]
        assert any(text for text in said if "Error" not in text), name
        for text in (*said, *recorder.seen, caplog.text, *capfd.readouterr()):
            assert_clean(re.sub(rf"'(\w+:)*docs/{NAME}", "", text), NAME)
        recorder.seen.clear()
        caplog.clear()


def test_no_operators_call_tells_it(
    knowledge: KnowledgeBase,
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for calls in OPERATOR_CALLS.values():
        for one in calls(knowledge, folder):
            assert_clean(told(one))
        for text in (caplog.text, *capfd.readouterr()):
            assert_clean(text)


def test_what_is_visible_comes_out(knowledge: KnowledgeBase, recorder: Recorder) -> None:
    found = [s.chunk_id for s in knowledge.search("salary", k=50).snippets]
    assert sorted(found) == ["docs/parts.md#c0", "docs/visible.md#c0", "docs/visible.md#c2"]
    assert any("salary" in text for text in recorder.seen)
    parents = sorted(parent.id for parent in knowledge.parent_contexts("salary"))
    assert parents == ["docs/parts.md#s2", "docs/visible.md#s2", "docs/visible.md#s3"]
    windows = [block.node_id for block in knowledge.context("salary").blocks]
    assert sorted(windows) == parents
    merged = [block.node_id for block in knowledge.context("salary", expand="merge").blocks]
    assert sorted(merged) == ["docs/parts.md#s2", "docs/visible.md#s1"]
    edges = knowledge.relations.all(unverified=True)
    assert {edge.key.kind for edge in edges} >= {"competes_with", "mentions", "paid"}
    (paid,) = (edge for edge in edges if edge.key.kind == "paid")
    places = {piece.doc_id for piece in paid.evidence}
    assert places == {"docs/parts.md", "docs/visible.md"}
    assert {d.address for d in knowledge.relations.dangling()} == {"article 1", "article 8"}


HIDDEN_NAMES = (
    *(CANARY, f"Heading {CANARY}", f"Title {CANARY}", "朱雀の暗号", "第1条 朱雀の暗号"),
    *(f"unlisted:{CANARY}", f"metric:REVENUE_{CANARY}", f"term:朱雀の暗号@docs/{NAME}-raised.md"),
)


def test_a_name_that_only_hidden_text_holds_is_like_one_that_nothing_holds(
    knowledge: KnowledgeBase,
) -> None:
    reads = knowledge.relations

    def refusals(name: str) -> Iterator[str]:
        for call in (
            lambda: reads.neighbours(name),
            lambda: reads.path(name, "salary"),
            lambda: reads.path("salary", name),
        ):
            with pytest.raises(NotFoundError) as caught:
                call()
            yield str(caught.value).replace(repr(name), "")

    for name in HIDDEN_NAMES:
        assert [*refusals(name)] == [*refusals("no such name")]


STORE = "the store"
# What each command is given; STORE stands for the store's URL.
COMMANDS: dict[str, list[list[str]]] = {
    "copy": [
        [STORE, "copied.db"],
        [STORE, STORE],
        ["missing.db", "copied.db"],
        [STORE, "other.db", "--config", "missing.toml"],
    ],
    "cypher": [
        *(["--query", text] for text in CYPHER),
        ["list"],
        ["explain", "path"],
        ["run", "sections_without_references"],
        ["run", "references_out", "--param", "article=docs/parts.md#s2"],
    ],
    "ingest": [["docs"], ["docs", "--dry-run"], ["docs", "--sensitivity", "nonsense"]],
    "eval": [
        ["questions.jsonl", "--misses", "99"],
        ["questions.jsonl", "--misses", "99", "--expand", "merge", "--html", "page.html"],
        ["questions.jsonl", "--misses", "99", "--against", "profile.toml"],
        ["questions.jsonl", "--misses", "99", "--against", "settings.toml", "--timings"],
        ["questions.jsonl", "--clearance", "RESTRICTED"],
        ["profile.toml"],
    ],
    "search": [
        *([query] for query in QUERIES),
        ["salary", "--expand", "none", "-k", "50"],
        ["salary", "--clearance", "RESTRICTED"],
        ["salary", "--filter", "section=Plan"],
    ],
    "context": [
        *([query, "--expand", shape] for query in QUERIES for shape in SHAPES),
        ["salary", "--budget", "10"],
        ["salary", "--budget", "0"],
        ["salary", "--clearance", "RESTRICTED"],
        ["salary", "--filter", "section=Plan"],
    ],
    "show": [[i] for i in NODE_IDS if i.endswith((".md", "#s1", "#c0"))],
    "status": [[], ["--operator"]],
    "profile": [["check"], ["check", "docs/visible.md"]],
    "relabel": [
        [f"docs/{NAME}-front.md", "PUBLIC"],
        ["docs/parts.md#s2", "CONFIDENTIAL"],
        ["docs/visible.md", "nonsense"],
    ],
    "relations": [
        ["list", "--unverified"],
        ["list", "--document", f"docs/{NAME}-raised.md"],
        ["list", "--clearance", "RESTRICTED"],
        *(["neighbours", name, "--unverified", "--depth", "3"] for name in NODE_NAMES),
        *(["path", name, "salary", "--unverified"] for name in NODE_NAMES),
        ["dangling"],
        ["export", "--unverified"],
        ["export", "--unverified", "--format", "csv"],
        ["build"],
    ],
    "audit": [
        ["list"],
        ["list", "--rule", "mentions"],
        ["show", HIDDEN_EDGE],
        ["verify", HIDDEN_EDGE, "--reviewer", "Kim"],
        ["reject", HIDDEN_EDGE, "--reviewer", "Kim"],
        ["log"],
        ["log", "--operator"],
        ["rejections"],
        ["export"],
    ],
    "reindex": [[], ["--json"]],
    "keys": [["create", "Kim"], ["list"], ["revoke", "none"]],
    "purge": [["--restricted"], []],
    "delete": [["missing.md"], [f"docs/{NAME}-raised.md"]],
}


def test_every_command_is_walked() -> None:
    # What serves has tests of its own: test_api_leaks.
    serving = {"serve", "mcp"}
    assert set(getattr(typer.main.get_command(app), "commands", {})) == {*COMMANDS, *serving}


def test_no_command_tells_it(
    knowledge: KnowledgeBase,
    config: ServiceConfig,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    knowledge.close()
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("RAGSPINE_STORE", config.store)
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", config.restricted_at_rest)
    monkeypatch.setenv("RAGSPINE_PROFILE", str(config.profile))
    monkeypatch.setenv("RAGSPINE_CHUNKER", "hierarchical")
    monkeypatch.setenv("RAGSPINE_MERGE_THRESHOLD", "0.1")
    monkeypatch.setenv("RAGSPINE_RELATION_EXTRACTOR", "llm")
    monkeypatch.setenv("RAGSPINE_ENTITY_SOURCES", "profile,titles,terms")
    for command, asked in COMMANDS.items():
        is_reader = command in ("search", "context", "show", "eval", "relations", "audit")
        for arguments in asked:
            for form in ([], ["--json"]):
                given = [config.store if argument == STORE else argument for argument in arguments]
                result = CliRunner().invoke(app, [command, *given, *form])
                said = result.output + result.stderr
                assert said
                # An error repeats the id that it was asked for.
                for argument in arguments if is_reader else ():
                    said = said.replace(repr(argument), "")
                assert_clean(said, *((NAME,) if is_reader else ()))
                for written in folder.parent.glob("*.html"):
                    assert_clean(written.read_text(encoding="utf-8"), NAME)
    assert_clean(caplog.text)


def test_no_record_tells_it_in_its_repr(
    folder: Path, knowledge: KnowledgeBase, config: ServiceConfig
) -> None:
    data = (folder / f"{NAME}-front.md").read_bytes()
    loaded = load_document(data, name="secret.md")
    meta = DocumentMeta("secret.md", title=loaded.title)
    chunker = make_chunker("parent_child")
    assert chunker is not None
    chunks = chunker.chunk(loaded.text, meta, outline=loaded.outline)
    query = parse_query(f'{CANARY} "{CANARY} 朱雀の暗号"')
    place = parse_store_url(config.store)
    with closing(open_backend(place, config)) as store, store.reading() as transaction:
        ids = [f"docs/{file.relative_to(folder).as_posix()}" for file in folder.rglob("*.*")]
        documents = [view for view in map(transaction.find_document, ids) if view]
        candidates = [child for view in documents for child in view.chunks]
        windows = transaction.windows(candidates)
        branches = transaction.branches(candidates, Sensitivity.CONFIDENTIAL)
        places = [Place(branch.key.doc_id, branch.span) for branch in branches.values()]
        passages = transaction.passages(places)
    assert branches
    assert passages
    records = [
        loaded,
        meta,
        chunks,
        query,
        Scope(Reader()),
        candidates,
        documents,
        windows,
        branches,
        passages,
        Passage("secret.md#c0", CANARY),
        NarrativeJob(path=folder),
    ]
    assert candidates
    assert CANARY in loaded.text
    for record in records:
        assert_clean(repr(record))
        assert_clean(str(record))


def test_no_record_of_the_graph_tells_it_in_its_repr(tmp_path: Path, folder: Path) -> None:
    for name in ("visible", "parts", f"{NAME}-raised"):
        (tmp_path / f"{name}.md").write_bytes((folder / f"{name}.md").read_bytes())
    config = ServiceConfig(
        chunker="hierarchical",
        relation_extractor="llm",
        entity_sources="titles,terms",
        profile=tmp_path / "profile.toml",
    )
    with ChunkStore(tmp_path / "open.db") as store:
        store.init_schema()
        knowledge = KnowledgeBase(store, config)
        knowledge.ingest(tmp_path / f"{NAME}-raised.md", root=tmp_path)
        model = ScriptedModel(*PROPOSALS)
        knowledge.build_relations(facts(), provider=model)
        shown = knowledge.relations.all(unverified=True)
        edge = next(edge for edge in shown if CANARY in edge.source.id)
        results = [
            shown,
            knowledge.relations.dangling(),
            knowledge.relations.neighbours(CANARY, unverified=True),
            knowledge.audit.rejections(),
            knowledge.audit.show(edge.id),
            knowledge.audit.verify(edge.id, reviewer="Kim"),
        ]
        with store.reading() as transaction:
            edges = transaction.edges(EdgeFilter(Reader()))
            records = [
                edges,
                transaction.find_nodes(Reader(), CANARY),
                transaction.dangling(Reader()),
                transaction.rejections(Reader()),
            ]
    assert any(CANARY in e.key.source for e in edges)
    for record in (*results, *records):
        assert record
        for text in (repr(record), str(record)):
            # The lineage of a fact is an id and a locator, whatever its author wrote there.
            assert_clean(text.replace(f"locator='{CANARY}'", ""))


@pytest.mark.parametrize(
    "payload",
    [
        {"path": "docs", "text": CANARY},
        {"path": {"text": CANARY}},
        {"path": "docs", "chunker": CANARY},
        {"text": f"# {CANARY}"},
    ],
    ids=["extra", "nested", "chunker", "no-path"],
)
def test_no_job_tells_what_it_should_not_carry(
    config: ServiceConfig, payload: dict[str, object]
) -> None:
    assert set(NarrativeJob.model_fields) == {
        "path",
        "chunker",
        "root",
        "sensitivity",
        "collection",
        "sync",
    }
    said = told(lambda: run_job(payload, config))
    assert "Error" in said
    if payload.get("chunker") is None:  # an unknown spec is repeated, since it is no text
        assert_clean(said)
