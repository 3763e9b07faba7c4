"""A store with something of all that a store can keep, and all that it says of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from ragspine_store.kept import (
    KeptDocument,
    KeptLogs,
    KeptProfile,
    KeptRelations,
    KeptStub,
    bag,
)
from ragspine_store.protocols import Candidate, Scope, Store
from ragspine_store.query import parse_query
from ragspine_store.records import Origin, PreparedDocument
from ragspine_store.relations import Address, Node, NodeType, Verdict
from ragspine_store.sensitivity import Reader, Sensitivity, spelled_label
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import put
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.testing.relations import (
    ACME,
    LEAVE,
    PAY,
    RESTRICTED,
    at,
    beside,
    document,
    fact,
    fill,
    judge,
    mention,
    model_edge,
    parent,
    pays,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    refer,
    section,
)
from ragspine_store.testing.vectors import MODEL, OTHER, embedded, near
from ragspine_store.vectors import VectorKind

DETAIL = Part("Detail", ("Beta pays in cash.",), level=2)
READERS = (Reader(), Reader(Sensitivity.INTERNAL), Reader(collections=frozenset({"hr"})))
QUERIES = ("acme", "pays beta", "leave", "cash", "rules")


def made(
    doc_id: str,
    *parts: Part,
    label: Sensitivity = Sensitivity.INTERNAL,
    windows: bool = True,
    described: Mapping[str, str] | None = None,
) -> PreparedDocument:
    """A document of a file below `/srv`, with all that an ingest notes of it."""
    prepared = make_document(
        doc_id,
        *parts,
        label=label,
        windows=windows,
        fingerprint=f"fingerprint of {doc_id}",
        source_path=f"/srv/{doc_id}",
        described=described,
    )
    pages = (0, 3) if windows else ()
    origin = Origin(f"bytes of {doc_id}", f"inputs of {doc_id}", is_stated=windows)
    loaded = dataclasses.replace(prepared.loaded, pages=pages)
    chunks = prepared.chunks
    if windows and len(chunks) > 1:
        last = dataclasses.replace(chunks[-1], lead_in=chunks[-2].span)
        chunks = (*chunks[:-1], last)
    return dataclasses.replace(prepared, loaded=loaded, chunks=chunks, origin=origin)


def fill_store(backend: Backend, store: Store) -> None:
    """Write documents, parts, relations, verdicts and stubs, and change some of them."""
    hr = {"title": "Rules", "topic": "hr", "collection": "hr", "valid_as_of": "2026-04-01"}
    hr |= {"entity": "HQ", "geography": "JP", "period": "2026", "language": "en"}
    put(store, made("a.md", PAY, LEAVE, described=hr), embedded(made("b.md", PAY, DETAIL)))
    put(store, made("plain.md", PAY, windows=False), made("empty.md"))
    put(store, made("secret.md", PAY, label=RESTRICTED))
    put(store, embedded(made("parts.md", PAY, DETAIL, LEAVE), MODEL, OTHER))
    put(store, made("raised.md", LEAVE), made("lowered.md", LEAVE, label=Sensitivity.CONFIDENTIAL))
    put(store, made("full.md", PAY, LEAVE))
    fill(backend, store, "parts.md")
    fill(backend, store, "a.md")
    fill(backend, store, "full.md")
    missing = [parent(ACME, Node(NodeType.EXTERNAL, "rival", "Rival"))]
    put_profile(backend, store, fact("a.md"), fact("missing.md"), *missing)
    judge(store, model_edge(store).key.edge_id, Verdict.VERIFIED)
    # New to the verdict; one of those that it knew of becomes stale.
    put_model(backend, store, "b.md", 1, pays(doc_id="b.md"))
    put_rules(
        backend,
        store,
        "b.md",
        mention(ACME, at("b.md", 0, 1)),
        beside(ACME, Node(NodeType.EXTERNAL, "rival"), at("b.md", 0)),
        addresses=[
            Address("article 2", section("b.md", 2)),
            Address("article 1", section("b.md", 1)),
        ],
        references=[
            refer(section("b.md", 1), "article 1", at("b.md", 0), title="rules"),
            refer(section("b.md", 2), "article 9", at("b.md", 2)),
        ],
    )
    put_rules(backend, store, "plain.md", mention(document("b.md"), at("plain.md", 0)))
    put(store, made("a.md", LEAVE, DETAIL, described=hr))
    with store.writing() as transaction:
        transaction.relabel_part("parts.md#s2", RESTRICTED)
        transaction.relabel_part("b.md#c1", Sensitivity.CONFIDENTIAL)
        transaction.relabel("raised.md", RESTRICTED)
        transaction.relabel("lowered.md", Sensitivity.PUBLIC)
        transaction.note_build("rules of the build")
    assert store.erase()


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """All that a store keeps."""

    documents: tuple[KeptDocument, ...]
    relations: tuple[KeptRelations, ...]
    stubs: tuple[KeptStub, ...]
    profile: KeptProfile
    logs: KeptLogs


def read_kept(store: Store) -> Kept:
    """All that a store keeps."""
    with store.reading() as transaction:
        kept = transaction.kept
        documents = [kept.document(doc_id) for doc_id in kept.document_ids()]
        verdicts, lowered = kept.logs()
        return Kept(
            tuple(one for one in documents if one is not None),
            tuple(kept.relations(doc_id) for doc_id in kept.document_ids()),
            tuple(kept.stubs()),
            kept.profile(),
            KeptLogs(verdicts, bag(lowered)),
        )


def reads(store: Store) -> Iterator[object]:
    """What readers and operators are told, keys and scores aside."""
    yield read_edges(store)
    with store.reading() as transaction:
        for reader in READERS:
            yield transaction.verdict_log(reader)
            yield transaction.dangling(reader)
            yield transaction.rejections(reader)
            yield transaction.relation_census(reader)
            yield transaction.visible_counts(reader)
            yield [transaction.find_nodes(reader, name) for name in ("acme", "article 1", "beta")]
            for query in QUERIES:
                hits = transaction.search(parse_query(query), Scope(reader), 50)
                candidates = transaction.candidates(hits)
                windows = transaction.windows(candidates)
                yield sorted(map(_told, candidates), key=lambda one: one.chunk.chunk_id)
                yield [list(near(store, query, kind=kind, reader=reader)) for kind in VectorKind]
                yield {key: (w.text, sorted(w.labels)) for key, w in sorted(windows.items())}
        yield transaction.verdict_log(None)
        yield transaction.relation_states()
        yield transaction.built_rules()
        yield transaction.census()
        yield transaction.vector_counts()
        yield transaction.withheld_documents()
        for doc_id in transaction.kept.document_ids():
            view = transaction.find_document(doc_id)
            assert view is not None
            yield dataclasses.replace(view, chunks=tuple(map(_told, view.chunks)))


def _told(candidate: Candidate) -> Candidate:
    label = spelled_label(candidate.chunk.sensitivity)
    chunk = dataclasses.replace(candidate.chunk, sensitivity=label)
    return dataclasses.replace(candidate, key=0, score=0.0, chunk=chunk)
