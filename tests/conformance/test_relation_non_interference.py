"""Whether RESTRICTED documents are in the store or not, a reader gets the same graph and audit."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_graph.audit import RULES
from ragspine_graph.cli import app
from ragspine_graph.errors import GraphError
from ragspine_graph.facts import Fact
from ragspine_graph.provider import ModelRequest, Usage
from ragspine_graph.relations.edges import ShownEdge
from ragspine_graph.relations.export import graphml
from ragspine_graph.relations.results import AuditState, entry_to_dict
from ragspine_store.chunking import make_chunker
from ragspine_store.errors import StoreError
from ragspine_store.records import DocumentMeta
from ragspine_store.relations import Answer, Provenance
from tests.backends import Place
from tests.corpora import READERS, Source, corpora, texts_of
from tests.graphs import PROFILE

pytestmark = pytest.mark.guarantee("G2")

CHUNKERS = ("none", "parent_child", "sentence_window", "hierarchical")
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
    "Kestrel owns Acme.",
    "ACME Inc. owns Beta.",
    "みなと物流とみなとは税を払う。",
)
NAMES = ("Acme", "Gamma", "会社", "みなと", "第2条", "規程", "ACME Inc.", "Kestrel")


class Reading:
    """Proposes what each sentence `X owns Y` says, and one thing that none says."""

    model = "reading"
    concurrency = 1
    usage = Usage()

    def complete(self, request: ModelRequest) -> Answer:
        found = [
            {"source": source, "kind": kind, "target": target, "quote": match[0]}
            for match in re.finditer(r"([\w.]+(?: Inc\.)?) owns (\w+)", request.text)
            for source, kind, target in ((match[1], "owns", match[2]), (match[1], "owns", "Zed"))
        ]
        return Answer(json.dumps({"relations": found}, ensure_ascii=False))

    def close(self) -> None:
        pass


texts = texts_of(LINES)
DESCRIBED = {"title": ("", "規程"), "entity": ("", "みなと", "Acme")}


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "profile.toml"
    path.write_text(PROFILE, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two stores get their verdicts at the same instant."""
    for backend in ("sqlite_store", "neo4j_store"):
        monkeypatch.setattr(
            f"ragspine_store.{backend}.relations.verdicts.now", lambda: "2025-01-01T00:00:00+00:00"
        )


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


class Bench:
    """A store whose graph is built over and over, as documents come and change.

    On a server it takes the place of the one before.
    """

    def __init__(self, place: Place, chunker: str, extractor: str, profile: Path) -> None:
        store = place.scratch_store()
        self._index = NarrativeIndex(store, chunker=make_chunker(chunker))
        config = ServiceConfig(
            chunker=chunker,
            profile=profile,
            relation_extractor=extractor,
            entity_sources="profile,titles,terms",
        )
        self.knowledge = KnowledgeBase(store, config)

    def ingest(self, sources: Sequence[Source]) -> None:
        for source in sources:
            self._index.ingest(source.text, source.meta)

    def build(self, sources: Sequence[Source]) -> None:
        self.knowledge.build_relations(facts(sources), provider=Reading())

    def judge(self, edge_ids: Sequence[str]) -> None:
        """Verify every second edge and reject the others."""
        for number, edge_id in enumerate(edge_ids):
            decide = (self.knowledge.audit.verify, self.knowledge.audit.reject)[number % 2]
            decide(edge_id, reviewer="Kim", note=f"{number}")


def facts(sources: Sequence[Source]) -> Iterator[Fact]:
    for source in sources:
        yield Fact(
            metric_code="REVENUE",
            entity=source.meta.doc_id,
            period_type="FY",
            period="2024",
            value=1.0,
            unit="JPY",
            source_doc_id=source.meta.doc_id,
            source_locator="row 1",
        )


def proposed(knowledge: KnowledgeBase) -> list[str]:
    return [edge.id for edge in knowledge.audit.list(limit=1_000).edges]


def answers(
    knowledge: KnowledgeBase,
    ids: Sequence[str],
    edge_ids: Sequence[str],
    readers: Sequence[Reader] = READERS,
) -> list[str]:
    """All that a reader can ask of the graph and the audit, as JSON."""
    relations, audit = knowledge.relations, knowledge.audit

    def answer(call: Callable[[], object]) -> str:
        try:
            return json.dumps(call(), ensure_ascii=False)
        except (StoreError, GraphError) as error:
            return f"{type(error).__name__}: {error}"

    def listed(edges: Sequence[ShownEdge]) -> list[object]:
        return [edge.to_dict() for edge in edges]

    told: list[str] = []
    names = [*NAMES, *(f"document:{i}" for i in ids), *(f"section:{i}#s2" for i in ids)]
    for reader in readers:
        calls: list[Callable[[], object]] = [
            lambda reader=reader: knowledge.status(reader=reader).to_dict(),
            lambda reader=reader: graphml(relations.all(unverified=True, reader=reader)),
            lambda reader=reader: [d.to_dict() for d in relations.dangling(reader=reader)],
            lambda reader=reader: [r.to_dict() for r in audit.rejections(reader=reader)],
            lambda reader=reader: [entry_to_dict(entry) for entry in audit.log(reader=reader)],
            lambda reader=reader: listed(audit.export(reader=reader)),
        ]
        calls += [
            lambda reader=reader, u=unverified: pages(knowledge, u, reader)
            for unverified in (False, True)
        ]
        calls += [
            lambda reader=reader, name=name: relations.neighbours(
                name, depth=2, unverified=True, limit=3, reader=reader
            ).to_dict()
            for name in names
        ]
        calls += [
            lambda reader=reader, one=one, other=other: relations.path(
                one, other, unverified=True, reader=reader
            ).to_dict()
            for one, other in pairwise(names[::2])
        ]
        calls += [
            lambda reader=reader, state=state: audit.list(state=state, reader=reader).to_dict()
            for state in (None, *AuditState)
        ]
        calls += [
            lambda reader=reader, rule=rule: audit.list(rule=rule, reader=reader).to_dict()
            for rule in RULES
        ]
        calls += [
            lambda reader=reader, i=i: relations.list(doc_ids=[i], reader=reader).to_dict()
            for i in ids
        ]
        calls += [
            lambda reader=reader, i=i: audit.show(i, reader=reader).to_dict() for i in edge_ids
        ]
        told += map(answer, calls)
    return told


def asking(place: Place) -> Sequence[Reader]:
    """Who asks: on a server the widest reader, and one of other collections."""
    return READERS[::3] if place.is_server else READERS


def pages(knowledge: KnowledgeBase, unverified: bool, reader: Reader) -> list[object]:
    found: list[object] = []
    after = ""
    while True:
        page = knowledge.relations.list(unverified=unverified, limit=2, after=after, reader=reader)
        found.append(page.to_dict())
        after = page.next
        if not after:
            return found


def test_restricted_documents_change_no_byte_of_the_graph(place: Place, profile: Path) -> None:
    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        sources=corpora(texts, DESCRIBED),
        chunker=st.sampled_from(CHUNKERS),
        extractor=st.sampled_from(("llm", "deterministic")),
        order=st.randoms(),
    )
    def check(
        sources: list[Source],
        chunker: str,
        extractor: str,
        order: random.Random,
    ) -> None:
        readers = asking(place)
        ids = [source.meta.doc_id for source in sources]
        visible = [source for source in sources if not source.is_restricted]
        shuffled = order.sample(sources, len(sources))
        unlabelled = [
            replace(s, meta=replace(s.meta, sensitivity=Sensitivity.INTERNAL))
            if s.is_restricted
            else s
            for s in shuffled
        ]

        def bench() -> Bench:
            return Bench(place, chunker, extractor, profile)

        raised = bench()
        raised.ingest(unlabelled)
        raised.build(sources)
        everything = proposed(raised.knowledge)
        raised.knowledge.close()

        without = bench()
        without.ingest(visible)
        without.build(visible)
        judged = proposed(without.knowledge)
        without.judge(judged)
        expected = answers(without.knowledge, ids, everything, readers)
        without.knowledge.close()

        beside = bench()
        beside.ingest(shuffled)
        beside.build(sources)
        beside.judge(judged)
        assert answers(beside.knowledge, ids, everything, readers) == expected
        beside.knowledge.close()

        raised = bench()
        raised.ingest(unlabelled)
        raised.build(sources)
        raised.judge([edge_id for edge_id in everything if edge_id not in judged])
        raised.judge(judged)
        for source in sources:
            if source.is_restricted:
                raised.knowledge.relabel(source.meta.doc_id, "RESTRICTED")
        assert answers(raised.knowledge, ids, everything, readers) == expected
        raised.build(sources)
        assert answers(raised.knowledge, ids, everything, readers) == expected
        raised.knowledge.close()

    check()


@pytest.mark.guarantee("G1")
def test_what_is_above_a_readers_clearance_or_elsewhere_changes_no_byte_either(
    place: Place, profile: Path
) -> None:
    """The graph has no statistic over documents, so this holds for every clearance."""

    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        sources=corpora(texts, DESCRIBED),
        chunker=st.sampled_from(CHUNKERS),
        extractor=st.sampled_from(("llm", "deterministic")),
        reader=st.sampled_from(READERS[1:]),
    )
    def check(
        sources: list[Source],
        chunker: str,
        extractor: str,
        reader: Reader,
    ) -> None:
        ids = [source.meta.doc_id for source in sources]
        seen = [s for s in sources if reader.may_see(s.meta.sensitivity, s.meta.collection)]
        told: list[list[str]] = []
        judged: list[str] = []
        for present in (seen, sources):
            bench = Bench(place, chunker, extractor, profile)
            bench.ingest(present)
            bench.build(sources)
            if present is seen:
                judged = proposed(bench.knowledge)
            bench.judge(judged)
            told.append(answers(bench.knowledge, ids, judged, [reader]))
            bench.knowledge.close()
        assert told[0] == told[1]

    check()


def test_visible_documents_do_change_the_graph(place: Place, profile: Path) -> None:
    """The comparison above is no comparison of nothing with nothing."""
    sources = [Source(DocumentMeta(f"{n}.md"), "\n\n".join(LINES)) for n in range(2)]
    for chunker in CHUNKERS[-1:] if place.is_server else CHUNKERS:
        told: list[list[str]] = []
        for number in (1, 2):
            bench = Bench(place, chunker, "llm", profile)
            bench.ingest(sources[:number])
            bench.build(sources[:number])
            edge_ids = proposed(bench.knowledge)
            bench.judge(edge_ids)
            assert bench.knowledge.audit.rejections()
            assert len(bench.knowledge.audit.log()) == len(edge_ids) > 2
            kinds = {edge.key.kind for edge in bench.knowledge.relations.all()}
            assert kinds >= {"mentions", "owns", "competes_with"}
            told.append(answers(bench.knowledge, ["0.md", "1.md"], edge_ids, asking(place)))
            bench.knowledge.close()
        assert sum(a != b for a, b in zip(*told, strict=True)) > 10


# Of equal length, so that all that may be seen of the section, where it ends, is the same.
SECRETS = [
    ("Acme owns Beta.", "Beta owns Acme."),
    ("Acme owns Zeta.", "Acme said nil ."),
    ("第2条による。", "第3条による。"),
    ("（以下「会社」という。）", "（以下「本社」という。）"),
    ("規程第1条による。", "第1条は規程である"),
    ("会社は手当", "会杜は手当"),
    ("みなと物流", "みだれ物流"),
    ("Kestrel owns Acme.", "Kettles owns Acme."),
]


def test_what_a_restricted_section_says_changes_no_byte_of_the_graph(
    place: Place, profile: Path
) -> None:
    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        before=texts,
        after=texts,
        secret=st.lists(st.sampled_from(SECRETS), min_size=1, max_size=4),
        chunker=st.sampled_from(CHUNKERS),
        extractor=st.sampled_from(("llm", "deterministic")),
        is_built_first=st.booleans(),
    )
    def check(
        before: str,
        after: str,
        secret: list[tuple[str, str]],
        chunker: str,
        extractor: str,
        is_built_first: bool,
    ) -> None:
        told: list[list[str]] = []
        hidden: list[str] = []
        for version in (0, 1):
            bench = Bench(place, chunker, extractor, profile)
            paragraphs = "\n\n".join(pair[version] for pair in secret)
            text = f"# A\n\n{before}\n\n# Hidden\n\n{paragraphs}\n\n# Z\n\n{after}\n"
            sources = [
                Source(DocumentMeta("0.md", title="就業規程"), text),
                Source(DocumentMeta("other.md", title="規程"), "\n\n".join(LINES)),
            ]
            bench.ingest(sources)
            if is_built_first:
                bench.build(sources)
            sections = bench.knowledge.show("0.md").sections
            (node_id,) = [s.id for s in sections if s.heading == "Hidden"]
            bench.knowledge.relabel(node_id, "RESTRICTED")
            bench.build(sources)
            edge_ids = proposed(bench.knowledge)
            bench.judge(edge_ids)
            hidden = hidden or edge_ids
            told.append(answers(bench.knowledge, ["0.md", "other.md"], hidden, asking(place)))
            bench.knowledge.close()
        assert told[0] == told[1]

    check()


CASES = [
    ("relations", "list"),
    ("relations", "list", "--unverified", "--limit", "2"),
    ("relations", "list", "--document", "docs/secret.md"),
    ("relations", "list", "--clearance", "PUBLIC"),
    ("relations", "neighbours", "第1条", "--unverified", "--depth", "3"),
    ("relations", "neighbours", "docs/secret.md"),
    ("relations", "neighbours", "document:docs/raised.md"),
    ("relations", "neighbours", "会社"),
    ("relations", "path", "第1条", "第2条"),
    ("relations", "path", "第1条", "docs/secret.md"),
    ("relations", "dangling"),
    ("relations", "dangling", "--document", "docs/raised.md"),
    ("relations", "export"),
    ("relations", "export", "--format", "csv", "--unverified"),
    ("audit", "list"),
    ("audit", "list", "--rule", "refers_to"),
    ("audit", "list", "--document", "docs/secret.md"),
    ("audit", "show", "e0123456789abcdef"),
    ("audit", "log"),
    ("audit", "rejections"),
    ("audit", "export"),
    ("status",),
]
DOCUMENTS = {
    "open.md": "# 規程\n\n## 第1条 手当\n\n1. みなと（以下「会社」という。）は、第2条による。\n"
    "2. 第9条および「給与規程」第1条による。\n\n## 第2条 税\n\n1. 会社は前条による。\n",
    "secret.md": "---\nsensitivity: RESTRICTED\ntitle: 給与規程\n---\n# 給与規程\n\n## 第1条\n\n"
    "1. みなと（以下「会社」という。）は、規程第2条による。\n",
    "raised.md": "# 給与規程\n\n## 第1条 会社\n\n1. みなとは、規程第1条および第5条による。\n",
}


def test_the_command_line_prints_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place, profile: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGSPINE_STORE", place.url)
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", place.restricted_at_rest)
    monkeypatch.setenv("RAGSPINE_CHUNKER", "hierarchical")
    monkeypatch.setenv("RAGSPINE_PROFILE", str(profile))
    monkeypatch.setenv("RAGSPINE_ENTITY_SOURCES", "profile,titles,terms")

    def run(*arguments: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, list(arguments))
        return result.exit_code, result.stdout, result.stderr

    (tmp_path / "docs").mkdir()
    printed: list[dict[tuple[str, ...], tuple[int, str, str]]] = []
    for names in ([*DOCUMENTS], ["open.md"]):
        place.new_store()
        for name in names:
            (tmp_path / "docs" / name).write_text(DOCUMENTS[name], encoding="utf-8")
            assert run("ingest", f"docs/{name}", "--root", ".")[0] == 0
        assert run("relations", "build")[0] == 0
        if "raised.md" in names:
            assert run("relabel", "docs/raised.md", "RESTRICTED")[0] == 0
        forms = [(*case, *form) for case in CASES for form in (["--json"], [])]
        printed.append({command: run(*command) for command in forms})
    beside, without = printed
    for command, (_, out, err) in beside.items():
        assert (command, beside[command]) == (command, without[command])
        assert out or err


def test_the_cases_of_the_command_line_name_something(profile: Path, tmp_path: Path) -> None:
    with KnowledgeBase.open(
        tmp_path / "kb.db",
        ServiceConfig(chunker="hierarchical", profile=profile, entity_sources="profile,terms"),
    ) as knowledge:
        for name, text in DOCUMENTS.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        knowledge.ingest(tmp_path / "open.md")
        knowledge.build_relations()
        found = knowledge.relations.list(provenances=[Provenance.RULE]).edges
        assert {edge.key.kind for edge in found} == {"mentions", "refers_to"}
        assert len(knowledge.relations.dangling()) == 2
        assert len(knowledge.relations.neighbours("会社").edges) == 2
