"""A model's relations over a store, with a real store and a real server."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ragspine_graph.errors import BudgetSpentError, ProviderError
from ragspine_graph.extraction.llm import LLMRelationExtractor
from ragspine_graph.model_build import ModelBuildReport, ModelProgress, build_model_relations
from ragspine_graph.model_build.build import GIVE_UP_AFTER
from ragspine_graph.profile import Profile
from ragspine_graph.provider import ModelRequest, Provider, Usage
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits
from ragspine_graph.provider.openai_provider import OpenAIProvider
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import Answer, Provenance, Verdict
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.documents import Part, make_document
from tests.openai_server import OpenAIServer, Received, Script, Step, refusal, relations, reply

PROFILE = Profile.model_validate(
    {
        "home": {"entity_code": "EX", "company_name": "Example"},
        "external_entities": {"トヨタ": "トヨタ", "Toyota": "トヨタ", "meta": "Meta"},
    }
)
LIMITS = Limits(5.0, 10.0, attempts=2, retry_wait_s=0.001, concurrency=3)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def store(tmp_path: Path) -> Generator[ChunkStore]:
    with ChunkStore(tmp_path / "store.db") as store:
        store.init_schema()
        yield store


def put(
    store: ChunkStore,
    doc_id: str,
    *paragraphs: str,
    label: Sensitivity = Sensitivity.INTERNAL,
) -> None:
    document = make_document(doc_id, Part("Deals", paragraphs), label=label)
    with store.writing() as transaction:
        transaction.put(document)


def text_of(request: Received) -> str:
    return "\n".join(request.text.splitlines()[1:-1])


def obliging(request: Received) -> Step:
    """Proposes what each sentence `X owns Y.` of the text says."""
    sentences = [part.split() for part in text_of(request).rstrip(".").split(". ")]
    return relations(
        *(
            {"source": s[0], "kind": s[1], "target": s[2], "quote": " ".join(s[:3])}
            for s in sentences
            if len(s) > 2
        )
    )


class Bench:
    """A store, a scripted server, and runs between them."""

    def __init__(self, store: ChunkStore, server: OpenAIServer) -> None:
        self.store = store
        self.server = server
        self.progress: list[ModelProgress] = []

    def build(
        self,
        *,
        max_relations: int = 1000,
        reader: Reader | None = None,
        doc_ids: list[str] | None = None,
        model: str = "some-model",
        **limits: int,
    ) -> ModelBuildReport:
        provider = OpenAIProvider(
            model, Endpoint(base_url=self.server.base_url), replace(LIMITS, **limits)
        )
        extractor = LLMRelationExtractor(provider, PROFILE, max_relations=max_relations)
        try:
            return build_model_relations(
                self.store,
                extractor,
                SecurityGate(PROFILE),
                reader=reader,
                doc_ids=doc_ids,
                progress=self.progress.append,
            )
        finally:
            provider.close()


@contextmanager
def serving(store: ChunkStore, *script: Step | Script) -> Generator[Bench]:
    with OpenAIServer(*script) as server:
        yield Bench(store, server)


def edges(store: ChunkStore, reader: Reader | None = None) -> list[tuple[str, str, str, int]]:
    """Source, kind, target and pieces of evidence of every edge of a model."""
    wanted = EdgeFilter(reader or Reader(), provenances=[Provenance.MODEL])
    with store.reading() as transaction:
        found = transaction.edges(wanted)
    return [(e.key.source, e.key.kind, e.key.target, len(e.evidence)) for e in found]


def rejections(store: ChunkStore) -> list[str]:
    with store.reading() as transaction:
        return [each.rejection.rule for each in transaction.rejections(Reader())]


ACME = ("unlisted:acme", "owns", "unlisted:globex", 1)
HOOLI = ("unlisted:hooli", "owns", "unlisted:initech", 1)


def test_what_a_model_proposes_is_written_as_its_own(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.", "Nothing here.")
    put(store, "b.md", "Hooli owns Initech.")
    with serving(store, obliging) as bench:
        report = bench.build()
    assert edges(store) == [ACME, HOOLI]
    assert (report.documents, report.children, report.answered) == (2, 3, 3)
    assert (report.relations, report.edges) == (2, 2)
    assert report.usage == Usage(3, 300, 60, 0)
    assert (report.stopped, report.failed, report.all_failed) == ("", 0, False)
    with store.reading() as transaction:
        edge = transaction.edges(EdgeFilter(Reader(), provenances=[Provenance.MODEL]))[0]
    (stored,) = edge.evidence
    assert stored.evidence.doc_id == "a.md"
    assert stored.evidence.quote == "Acme owns Globex"
    assert (stored.evidence.model, stored.evidence.prompt) == (report.model, report.prompt)


def test_an_edge_of_a_model_is_not_trusted(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    with serving(store, obliging) as bench:
        bench.build()
    with store.reading() as transaction:
        wanted = EdgeFilter(Reader(), verdicts=[Verdict.VERIFIED])
        assert transaction.edges(wanted) == []


def test_running_again_costs_nothing_and_changes_nothing(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    with serving(store, obliging) as bench:
        bench.build()
        before = edges(store)
        report = bench.build()
        assert len(bench.server.received) == 2
    assert edges(store) == before
    assert (report.cached, report.answered, report.usage) == (2, 0, Usage())


def test_another_model_is_asked_anew(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    with serving(store, obliging) as bench:
        bench.build()
        bench.build(model="other-model")
    assert len(bench.server.received) == 2
    assert edges(store) == [(*ACME[:3], 2)]


def test_one_text_in_many_places_is_paid_for_once(store: ChunkStore) -> None:
    put(store, "a.md", *["Acme owns Globex."] * 4)
    put(store, "b.md", *["Acme owns Globex."] * 4)
    with serving(store, obliging) as bench:
        report = bench.build()
    assert len(bench.server.received) == 1
    assert (report.answered, report.cached) == (1, 7)
    assert edges(store) == [(*ACME[:3], 8)]


@pytest.mark.guarantee("G10")
def test_a_budget_of_five_calls_stops_at_five_and_the_next_run_goes_on(store: ChunkStore) -> None:
    put(store, "a.md", *(f"A{n} owns B{n}." for n in range(4)))
    put(store, "b.md", *(f"C{n} owns D{n}." for n in range(8)))
    with serving(store, obliging) as bench:
        first = bench.build(max_calls=5)
        assert len(bench.server.received) == 5
        assert (first.answered, first.unasked, first.failed) == (5, 7, 0)
        assert first.is_over_budget
        assert first.stopped.startswith("the budget of 5 calls is used up; run again to go on")
        assert len(edges(store)) == 5
        second = bench.build(max_calls=5)
        third = bench.build(max_calls=5)
        assert len(bench.server.received) == 12
    assert (second.cached, second.answered, second.unasked) == (5, 5, 2)
    assert (third.cached, third.answered, third.stopped) == (10, 2, "")
    assert len({text_of(request) for request in bench.server.received}) == 12
    assert len(edges(store)) == 12


def test_a_budget_of_no_calls_asks_nothing(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    with serving(store, obliging) as bench:
        report = bench.build(max_calls=0)
    assert (report.unasked, bench.server.received) == (1, [])
    assert not report.all_failed


FAULTS: dict[str, Callable[[], Step]] = {
    "400": lambda: refusal(400),
    "401": lambda: refusal(401),
    "500": lambda: refusal(500),
    "429": lambda: refusal(429),
    "closed": lambda: Step(closes=True),
    "empty choices": lambda: Step(body=b'{"choices": []}'),
    "garbage": lambda: Step(body=b"garbage"),
}


@pytest.mark.parametrize("make_step", FAULTS.values(), ids=FAULTS.keys())
def test_when_every_call_fails_the_report_says_so(
    store: ChunkStore, make_step: Callable[[], Step]
) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    with serving(store, make_step()) as bench:
        report = bench.build()
    assert report.all_failed
    assert report.failed + report.unasked == 2
    assert sum(report.failures.values()) == report.failed
    assert edges(store) == []


def test_a_server_that_is_not_there_is_given_up(store: ChunkStore) -> None:
    put(store, "a.md", *(f"A{n} owns B{n}." for n in range(40)))
    with serving(store, obliging) as bench:
        pass
    report = bench.build()
    assert report.all_failed
    assert GIVE_UP_AFTER <= report.failed < GIVE_UP_AFTER + LIMITS.concurrency
    assert report.failed + report.unasked == 40
    assert "no connection" in report.stopped


def test_texts_that_are_refused_do_not_end_the_asking(store: ChunkStore) -> None:
    refused = [f"Refused text {n}." for n in range(GIVE_UP_AFTER + 5)]
    put(store, "a.md", *refused, "Acme owns Globex.")

    def script(request: Received) -> Step:
        return refusal(403) if "Refused" in request.text else obliging(request)

    with serving(store, script) as bench:
        report = bench.build()
    assert (report.failed, report.answered, report.stopped) == (len(refused), 1, "")
    assert edges(store) == [ACME]


def test_what_failed_is_asked_again_by_the_next_run_and_nothing_else(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    fails = [True]

    def script(request: Received) -> Step:
        return refusal(500) if fails[0] and "Hooli" in request.text else obliging(request)

    with serving(store, script) as bench:
        first = bench.build()
        assert (first.answered, first.failed, first.all_failed) == (1, 1, False)
        assert edges(store) == [ACME]
        fails[0] = False
        second = bench.build()
    assert (second.cached, second.answered) == (1, 1)
    assert edges(store) == [ACME, HOOLI]


def test_a_useless_answer_is_counted_and_not_paid_for_twice(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    with serving(store, reply("I found nothing.")) as bench:
        first, second = bench.build(), bench.build()
    assert first.rejected == second.rejected == {"malformed": 1}
    assert len(bench.server.received) == 1
    assert rejections(store) == ["malformed"]


TOYOTA = ["トヨタ", "ﾄﾖﾀ", "Ｔｏｙｏｔａ", "ト\u200bヨタ", "トヨタ自動車㈱", "ト・ヨタ", "TOYOTA"]


@pytest.mark.guarantee("G6")
@pytest.mark.parametrize("name", TOYOTA, ids=ascii)
@pytest.mark.parametrize("end", ["source", "target", "kind"])
def test_a_listed_party_is_dropped_in_whatever_spelling(
    store: ChunkStore, name: str, end: str
) -> None:
    put(store, "a.md", f"Acme owns {name} and Globex.")
    proposed = {"source": "Acme", "target": "Globex", "kind": "owns"}
    proposed |= {end: f"{name}_rival" if end == "kind" else name}
    quoted = {**proposed, "quote": f"Acme owns {name} and Globex"}
    with serving(store, relations(quoted)) as bench:
        report = bench.build()
    assert edges(store) == []
    assert report.rejected == {"listed-name": 1}


@pytest.mark.guarantee("G6")
def test_a_name_that_only_holds_a_listed_one_is_kept(store: ChunkStore) -> None:
    put(store, "a.md", "Acme stores metadata.")
    proposed = {"source": "Acme", "target": "metadata", "kind": "stores"}
    with serving(store, relations({**proposed, "quote": "Acme stores metadata"})) as bench:
        bench.build()
    assert edges(store) == [("unlisted:acme", "stores", "unlisted:metadata", 1)]


@pytest.mark.guarantee("G7")
@pytest.mark.parametrize(
    "kind",
    ["parent_of", "Parent Of", "derives", "mentions", "competes-with", "coOccursWith", "REFERS_TO"],
)
def test_a_reserved_kind_is_never_a_model_s(store: ChunkStore, kind: str) -> None:
    put(store, "a.md", "Acme owns Globex.")
    proposed = {"source": "Acme", "target": "Globex", "kind": kind, "quote": "Acme owns Globex"}
    with serving(store, relations(proposed)) as bench:
        report = bench.build()
    assert edges(store) == []
    assert report.rejected == {"reserved-kind": 1}


def test_two_hundred_children_with_one_relation_are_one_edge(store: ChunkStore) -> None:
    put(store, "a.md", *(f"Acme owns Globex. Note {n}." for n in range(200)))
    proposed = {"source": "Acme", "target": "Globex", "kind": "owns", "quote": "Acme owns Globex"}
    with serving(store, relations(proposed)) as bench:
        report = bench.build(max_relations=1)
    assert edges(store) == [(*ACME[:3], 200)]
    assert (report.relations, report.edges, report.left_out) == (200, 1, 0)


def test_edges_beyond_the_bound_are_left_out_and_counted(store: ChunkStore) -> None:
    put(store, "a.md", *(f"A{n} owns B{n}." for n in range(5)))
    with serving(store, obliging) as bench:
        report = bench.build(max_relations=3)
    assert [edge[0] for edge in edges(store)] == ["unlisted:a0", "unlisted:a1", "unlisted:a2"]
    assert (report.edges, report.left_out) == (3, 2)


def test_a_rejected_edge_takes_no_place_within_the_bound(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Toyota.", "Acme owns Globex.")
    with serving(store, obliging) as bench:
        report = bench.build(max_relations=1)
    assert edges(store) == [ACME]
    assert report.left_out == 0


@pytest.mark.guarantee("G1")
def test_what_is_restricted_is_not_sent(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    put(store, "secret.md", "Acme secretly owns Hooli.", label=Sensitivity.RESTRICTED)
    with serving(store, obliging) as bench:
        report = bench.build()
    assert report.children == 1
    assert "secretly" not in json.dumps([received.body for received in bench.server.received])


def test_what_the_reader_may_not_see_is_not_sent(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    put(store, "b.md", "Hooli owns Initech.", label=Sensitivity.CONFIDENTIAL)
    with serving(store, obliging) as bench:
        bench.build(reader=Reader(Sensitivity.INTERNAL))
    assert [text_of(request) for request in bench.server.received] == ["Acme owns Globex."]


def test_only_the_documents_asked_for_are_read(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.")
    put(store, "b.md", "Hooli owns Initech.")
    with serving(store, obliging) as bench:
        bench.build(doc_ids=["b.md", "none.md"])
    assert edges(store) == [HOOLI]


@pytest.mark.guarantee("G3")
def test_a_label_raised_during_a_call_keeps_the_rest_unsent_and_nothing_is_written(
    store: ChunkStore, tmp_path: Path
) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.", "B owns C.")

    def raising(request: Received) -> Step:
        with ChunkStore(tmp_path / "store.db") as other, other.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.RESTRICTED)
        return obliging(request)

    with serving(store, raising) as bench:
        report = bench.build(concurrency=1)
    assert len(bench.server.received) == 1
    assert (report.outdated, report.relations) == (3, 0)
    assert edges(store) == []
    with store.reading() as transaction:
        assert transaction.rejections(Reader()) == []


@pytest.mark.guarantee("G3")
def test_a_child_restricted_during_a_call_is_not_written_and_the_others_are(
    store: ChunkStore, tmp_path: Path
) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")

    def raising(request: Received) -> Step:
        if "Acme" in request.text:
            with ChunkStore(tmp_path / "store.db") as other, other.writing() as transaction:
                transaction.relabel_part("a.md#c0", Sensitivity.RESTRICTED)
        return obliging(request)

    with serving(store, raising) as bench:
        bench.build(concurrency=1)
    assert ACME not in edges(store)


@pytest.mark.guarantee("G3")
def test_a_text_changed_during_a_call_is_not_written(store: ChunkStore, tmp_path: Path) -> None:
    put(store, "a.md", "Acme owns Globex.")

    def changing(request: Received) -> Step:
        with ChunkStore(tmp_path / "store.db") as other:
            put(other, "a.md", "Acme sold Globex.")
        return obliging(request)

    with serving(store, changing) as bench:
        report = bench.build()
    assert edges(store) == []
    assert report.outdated == 1


def test_a_document_deleted_during_a_call_leaves_nothing(store: ChunkStore, tmp_path: Path) -> None:
    put(store, "a.md", "Acme owns Globex.")

    def deleting(request: Received) -> Step:
        with ChunkStore(tmp_path / "store.db") as other, other.writing() as transaction:
            transaction.delete("a.md")
        return obliging(request)

    with serving(store, deleting) as bench:
        report = bench.build()
    assert edges(store) == []
    assert report.outdated == 1


def test_an_edited_document_is_asked_about_its_new_children_only(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    with serving(store, obliging) as bench:
        bench.build()
        put(store, "a.md", "Acme owns Globex.", "B owns C.", "Hooli owns Initech.")
        report = bench.build()
    assert (report.cached, report.answered) == (2, 1)
    assert [text_of(request) for request in bench.server.received][2:] == ["B owns C."]
    assert edges(store) == [ACME, ("unlisted:b", "owns", "unlisted:c", 1), HOOLI]


def test_progress_counts_every_child_once(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    put(store, "b.md", "B owns C.")
    with serving(store, obliging) as bench:
        bench.build()
    assert [each.done for each in bench.progress] == [1, 2, 3]
    assert {each.total for each in bench.progress} == {3}


class _Interrupted:
    """A provider whose second answer never comes: the person stops the run."""

    model = "some-model"
    concurrency = 1

    def __init__(self, inner: Provider, error: BaseException) -> None:
        self._inner = inner
        self._error = error

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def complete(self, request: ModelRequest) -> Answer:
        if self._inner.usage.calls:
            raise self._error
        return self._inner.complete(request)

    def close(self) -> None:
        self._inner.close()


@pytest.mark.guarantee("G10")
def test_a_run_that_is_stopped_keeps_what_was_paid_for(store: ChunkStore) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    with serving(store, obliging) as bench:
        endpoint = Endpoint(base_url=bench.server.base_url)
        provider = _Interrupted(OpenAIProvider("some-model", endpoint), KeyboardInterrupt())
        extractor = LLMRelationExtractor(provider, PROFILE)
        with pytest.raises(KeyboardInterrupt):
            build_model_relations(store, extractor, SecurityGate(PROFILE))
        provider.close()
        report = bench.build()
    assert (report.cached, report.answered) == (1, 1)
    assert edges(store) == [ACME, HOOLI]


@pytest.mark.parametrize("error", [RuntimeError("Acme"), ProviderError("no"), OSError()], ids=repr)
def test_whatever_a_provider_raises_is_counted(store: ChunkStore, error: Exception) -> None:
    put(store, "a.md", "Acme owns Globex.", "Hooli owns Initech.")
    with serving(store, obliging) as bench:
        endpoint = Endpoint(base_url=bench.server.base_url)
        provider = _Interrupted(OpenAIProvider("some-model", endpoint), error)
        report = build_model_relations(
            store, LLMRelationExtractor(provider, PROFILE), SecurityGate(PROFILE)
        )
        provider.close()
    assert (report.answered, report.failed) == (1, 1)
    assert "Acme" not in json.dumps(report.to_dict())


def test_the_report_as_json_has_stable_keys() -> None:
    report = ModelBuildReport("m", "p", failed=2, usage=Usage(2, 3, 4, 5))
    assert report.to_dict() == {
        "model": "m",
        "prompt": "p",
        "documents": 0,
        "children": 0,
        "answered": 0,
        "cached": 0,
        "failed": 2,
        "unasked": 0,
        "outdated": 0,
        "relations": 0,
        "edges": 0,
        "rejected": {},
        "left_out": 0,
        "usage": {"calls": 2, "input_tokens": 3, "output_tokens": 4, "unreported": 5},
        "stopped": "",
        "is_over_budget": False,
        "failures": {},
        "all_failed": True,
    }


def test_a_spent_budget_is_final() -> None:
    assert BudgetSpentError("no").is_final
