"""A canary stands in every RESTRICTED node; every exit is opened, and it comes out of none."""

from __future__ import annotations

import json
import logging
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
from ragspine_graph.backends import open_backend
from ragspine_graph.cli import app
from ragspine_graph.errors import GraphError
from ragspine_graph.retrieval import Passage, Shape
from ragspine_graph.store_url import parse_store_url
from ragspine_store.chunking import make_chunker
from ragspine_store.errors import StoreError
from ragspine_store.loading import load_document
from ragspine_store.protocols import Place, Scope
from ragspine_store.query import parse_query
from ragspine_store.records import DocumentMeta
from ragspine_store.sensitivity import Reader
from tests.conftest import AtRest

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
2. The salary {CANARY}.
"""
VISIBLE = """# Rules

## Pay

1. The salary is paid monthly.
2. 給与は毎月25日に払う。

## Plan

1. The salary of the plan, {secret}.
2. Last words.
"""
PROFILE = """
[external_entities]
kestrel = "Kestrel Ltd."
[sensitivity]
restricted_keywords = ["社外秘"]
"""
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
    return folder


@pytest.fixture
def config(tmp_path: Path, folder: Path, at_rest: AtRest, store_url: str) -> ServiceConfig:
    return ServiceConfig.load(
        store=store_url,
        chunker="hierarchical",
        restricted_at_rest=at_rest,
        profile=tmp_path / "profile.toml",
        merge_threshold=0.1,
    )


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
        plain.relabel(f"docs/{NAME}-raised.md", "RESTRICTED")
        plain.relabel("docs/parts.md#s3", "RESTRICTED")
        plain.relabel("docs/titled.md#s1", "RESTRICTED")
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
}
OPERATOR_CALLS: dict[str, Callable[[KnowledgeBase, Path], list[Callable[[], object]]]] = {
    "ingest": lambda kb, folder: [
        lambda: kb.ingest(folder, dry_run=True),
        lambda: kb.ingest(folder, root=folder),
        lambda: kb.ingest(folder),
        lambda: kb.ingest(folder, sensitivity="nonsense"),
    ],
    "relabel": lambda kb, _: [
        lambda: kb.relabel(f"docs/{NAME}-front.md", "PUBLIC"),
        lambda: kb.relabel(f"docs/{NAME}-front.md", "nonsense"),
        lambda: kb.relabel("docs/parts.md#s3", "PUBLIC"),
        lambda: kb.relabel("docs/parts.md#c0", Sensitivity.CONFIDENTIAL),
        lambda: kb.relabel("missing.md", "PUBLIC"),
    ],
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
    assert public == {*READER_CALLS, *OPERATOR_CALLS, "open"}


@pytest.mark.parametrize("call", [*READER_CALLS])
def test_no_readers_call_tells_it(
    knowledge: KnowledgeBase,
    recorder: Recorder,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    call: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    said = [told(one) for one in READER_CALLS[call](knowledge)]
    assert any(text for text in said if "Error" not in text)
    for text in (*said, *recorder.seen, caplog.text, *capfd.readouterr()):
        assert_clean(text.replace(f"'docs/{NAME}", ""), NAME)


@pytest.mark.parametrize("call", [*OPERATOR_CALLS])
def test_no_operators_call_tells_it(
    knowledge: KnowledgeBase,
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    call: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    for one in OPERATOR_CALLS[call](knowledge, folder):
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


# What each command is given; {name} stands for each RESTRICTED file's name.
COMMANDS: dict[str, list[list[str]]] = {
    "cypher": [
        *(["--query", text] for text in CYPHER),
        ["list"],
        ["explain", "path"],
        ["run", "sections_without_references"],
        ["run", "references_out", "--param", "article=docs/parts.md#s2"],
    ],
    "ingest": [["docs"], ["docs", "--dry-run"], ["docs", "--sensitivity", "nonsense"]],
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
    "purge": [["--restricted"], []],
    "delete": [["missing.md"], [f"docs/{NAME}-raised.md"]],
}


def test_every_command_is_walked() -> None:
    assert set(getattr(typer.main.get_command(app), "commands", {})) == set(COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS])
def test_no_command_tells_it(
    knowledge: KnowledgeBase,
    config: ServiceConfig,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    command: str,
) -> None:
    knowledge.close()
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("RAGSPINE_STORE", config.store)
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", config.restricted_at_rest)
    monkeypatch.setenv("RAGSPINE_PROFILE", str(config.profile))
    monkeypatch.setenv("RAGSPINE_CHUNKER", "hierarchical")
    monkeypatch.setenv("RAGSPINE_MERGE_THRESHOLD", "0.1")
    is_reader = command in ("search", "context", "show")
    for arguments in COMMANDS[command]:
        for form in ([], ["--json"]):
            result = CliRunner().invoke(app, [command, *arguments, *form])
            said = result.output + result.stderr
            assert said
            # An error repeats the id that it was asked for.
            asked = f"'docs/{NAME}" if command == "show" else ""
            assert_clean(said.replace(asked, ""), *((NAME,) if is_reader else ()))
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
