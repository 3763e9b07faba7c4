"""What was raised, purged or deleted stands nowhere in the store any more.

Nowhere is in no file, of one in a file; on a server, in no property, label, type or index.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Sensitivity, ServiceConfig
from ragspine_store.errors import StoreFormatError
from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    Address,
    Answer,
    AnswerKey,
    Node,
    NodeType,
    Provenance,
    Relation,
    Verdict,
)
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import ChunkStore, connection
from ragspine_store.testing.relations import (
    at,
    entity,
    fact,
    proposed,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    refer,
    rejection,
    section,
    unlisted,
)
from tests.backends import Place, SQLiteBackend
from tests.conftest import AtRest

pytestmark = pytest.mark.guarantee("G4")

SENTENCE = "The quuxzebra moves to 朱雀の間 in spring."
HEADING = "Plan vroomfondel"
# Words that only this document has, and what the index makes of them.
RARE = ("quuxzebra", "vroomfondel", "朱雀の", "雀の", "zaphodname")
# Words that stand in nothing but what was derived from it.
DERIVED = ("quotedword", "namedword", "rejectedword", "answeredword", "titledword", "referredword")
FILLER = "\n".join(
    f"\n{n}. Ordinary paragraph number {n} about salaries and 手当.\n" for n in range(40)
)
DOCUMENT = f"# {HEADING}\n\n{SENTENCE}\n{FILLER}\n"
ID = "docs/zaphodname.md"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """The document, beside others that fill the pages of a file."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "zaphodname.md").write_text(DOCUMENT, encoding="utf-8")
    for n in range(2):
        (docs / f"other{n}.md").write_text(f"# Other {n}\n{FILLER}", encoding="utf-8")
    return docs


def open_knowledge(place: Place, at_rest: AtRest | None = None) -> KnowledgeBase:
    mode = at_rest or place.restricted_at_rest
    config = ServiceConfig.load(chunker="parent_child", restricted_at_rest=mode)
    return KnowledgeBase.open(place.url, config)


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


@pytest.fixture
def knowledge(place: Place, docs: Path) -> Iterator[KnowledgeBase]:
    with open_knowledge(place) as knowledge:
        knowledge.ingest(docs)
        yield knowledge


def traces(place: Place) -> set[str]:
    """What of the document stands in the store."""
    return place.traces((SENTENCE, HEADING, *RARE, *DERIVED))


def derive(place: Place) -> None:
    """Write relations, a rejection, a cached answer, a title and a reference about a child."""
    quoted, named, rejected, answered, titled, referred = DERIVED
    store = place.open_store()
    where = at(ID, 0, quote=quoted)
    part = section(ID, 1)
    term = Node(NodeType.TERM, f"{named}@{ID}")
    assert put_rules(
        place,
        store,
        ID,
        Relation(term, "is", entity("home"), Provenance.RULE, where),
        rejections=[rejection(where, rejected)],
        titles=[titled],
        addresses=[Address(f"article {referred}", part)],
        references=[refer(part, f"article {referred}", where)],
    )
    put_profile(place, store, fact(ID))
    assert put_model(place, store, ID, 0, proposed(unlisted(named), "joins", term, where))
    (edge,) = read_edges(store, EdgeFilter(Reader(), kinds=["joins"]))
    with store.writing() as transaction:
        key = AnswerKey("m", "p", "hash")
        assert transaction.put_answer(key, ID, 0, 1, Answer(answered))
        transaction.record_verdict(edge.key.edge_id, Verdict.VERIFIED, reviewer="Kim", note="")
    store.close()


def raise_label(knowledge: KnowledgeBase, docs: Path) -> bool:
    return knowledge.relabel(ID, "RESTRICTED").erased


def raise_by_sidecar(knowledge: KnowledgeBase, docs: Path) -> bool:
    (docs / "labels.toml").write_text('["zaphod*"]\nsensitivity = "RESTRICTED"\n')
    return knowledge.ingest(docs).erased


def raise_by_front_matter(knowledge: KnowledgeBase, docs: Path) -> bool:
    front = "---\nsensitivity: restricted\n---\n"
    (docs / "zaphodname.md").write_text(front + DOCUMENT, encoding="utf-8")
    return knowledge.ingest(docs).erased


def raise_section(knowledge: KnowledgeBase, docs: Path) -> bool:
    return knowledge.relabel(f"{ID}#s1", "RESTRICTED").erased


def delete(knowledge: KnowledgeBase, docs: Path) -> bool:
    return knowledge.delete(ID).erased


WAYS = [raise_label, raise_by_sidecar, raise_by_front_matter, raise_section]


@pytest.mark.parametrize("way", WAYS)
def test_a_raised_label_leaves_no_trace(
    place: Place,
    knowledge: KnowledgeBase,
    docs: Path,
    way: Callable[[KnowledgeBase, Path], bool],
) -> None:
    assert traces(place) == {SENTENCE, HEADING, *RARE}
    derive(place)
    assert traces(place) == {SENTENCE, HEADING, *RARE, *DERIVED}
    assert way(knowledge, docs)
    assert traces(place) & set(DERIVED) == set()
    if place.restricted_at_rest == "text":
        assert SENTENCE in traces(place)
        assert knowledge.purge().erased
    # A section's document keeps its name: the label is the section's alone.
    kept = {"zaphodname"} if way is raise_section else set[str]()
    assert traces(place) == kept
    knowledge.close()
    assert traces(place) == kept


def test_a_deleted_document_leaves_no_trace(place: Place, knowledge: KnowledgeBase) -> None:
    derive(place)
    assert knowledge.delete(ID).erased
    assert traces(place) == set()
    knowledge.close()
    assert traces(place) == set()


@pytest.mark.parametrize("at_rest", ["text"])
def test_with_text_kept_a_raised_label_still_leaves_the_index(
    place: Place, knowledge: KnowledgeBase
) -> None:
    knowledge.relabel(ID, "RESTRICTED")
    assert [word for word in RARE if place.occurrences(word)] == []
    assert place.occurrences("ordinary") > 0


@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_document_restricted_from_the_start_never_stands_in_a_stub_store(
    place: Place, docs: Path
) -> None:
    with open_knowledge(place) as knowledge:
        report = knowledge.ingest(docs / "zaphodname.md", sensitivity="RESTRICTED")
        assert report.files[0].label is Sensitivity.RESTRICTED
        assert traces(place) == set()
        assert knowledge.status(operator=True).withheld == []


@pytest.mark.parametrize("at_rest", ["text"])
def test_what_text_mode_kept_is_purged_by_a_store_in_stub_mode(
    place: Place, knowledge: KnowledgeBase
) -> None:
    knowledge.relabel(ID, "RESTRICTED")
    knowledge.close()
    with open_knowledge(place, "stub") as stubs:
        assert stubs.status(operator=True).withheld == [(ID, Sensitivity.RESTRICTED)]
        removed = stubs.purge()
        assert (removed.documents, removed.erased) == (1, True)
    assert traces(place) == set()


@pytest.mark.parametrize("at_rest", ["stub"])
def test_an_erasure_that_was_cut_short_is_completed_by_opening(
    place: Place, knowledge: KnowledgeBase
) -> None:
    knowledge.close()
    with closing(place.open_store()) as store:
        with store.writing() as transaction:
            transaction.relabel(ID, Sensitivity.RESTRICTED)
        assert erasure_is_pending(store)
    with open_knowledge(place):
        assert traces(place) == set()
    with closing(place.open_store()) as store:
        assert not erasure_is_pending(store)


def erasure_is_pending(store: Store) -> bool:
    with store.reading() as transaction:
        return transaction.census().erasure_pending


# --- what only a file has -----------------------------------------------------------------------


@pytest.fixture
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOCK_TIMEOUT_S", 0.05)


@pytest.mark.usefixtures("short_wait")
@pytest.mark.parametrize("remedy", ["purge", "open"])
@pytest.mark.parametrize("at_rest", ["stub"])
def test_an_erasure_that_another_reader_holds_up_is_said_and_completed_later(
    backend: SQLiteBackend, docs: Path, remedy: str
) -> None:
    with open_knowledge(backend) as knowledge:
        knowledge.ingest(docs)
        with closing(ChunkStore(backend.path)) as other, other.reading() as transaction:
            assert transaction.find_document(ID) is not None
            assert not knowledge.relabel(ID, "RESTRICTED").erased
            assert knowledge.search("quuxzebra").snippets == ()
            warnings = knowledge.status(operator=True).warnings()
            assert any("erased text may still stand" in warning for warning in warnings)
            assert transaction.find_document(ID) is not None
        if remedy == "purge":
            assert knowledge.purge().erased
        else:
            open_knowledge(backend).close()
        assert traces(backend) == set()
        assert knowledge.status(operator=True).warnings() == []


@pytest.mark.parametrize("at_rest", ["stub"])
def test_an_erasure_misses_nothing_that_another_process_raises_meanwhile(
    backend: SQLiteBackend, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_knowledge(backend) as knowledge:
        knowledge.ingest(docs)
    with closing(ChunkStore(backend.path)) as one, closing(ChunkStore(backend.path)) as two:
        rewrite = one._connection.erase_free_space

        def rewrite_while_another_raises() -> bool:
            with two.writing() as transaction:
                transaction.relabel(ID, Sensitivity.RESTRICTED)
            return rewrite()

        monkeypatch.setattr(one._connection, "erase_free_space", rewrite_while_another_raises)
        with one.writing() as transaction:
            transaction.delete("docs/other1.md")
        assert one.erase()
        with two.reading() as reading:
            assert reading.census().erasure_pending
        assert two.erase()
        assert traces(backend) == set()


@pytest.mark.parametrize("at_rest", ["stub"])
def test_the_key_of_the_stubs_is_the_owners_alone(backend: SQLiteBackend, docs: Path) -> None:
    before = os.umask(0)
    try:
        with open_knowledge(backend) as knowledge:
            knowledge.ingest(docs, sensitivity="RESTRICTED")
    finally:
        os.umask(before)
    key = backend.path.with_name("kb.db.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(bytes.fromhex(key.read_text())) == 32
    assert {path.name for path in key.parent.iterdir()} == {"kb.db", "kb.db.key"}


@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_key_given_is_kept_in_no_file(backend: SQLiteBackend, docs: Path) -> None:
    config = ServiceConfig.load(stub_key="given by hand")
    with KnowledgeBase.open(backend.url, config) as knowledge:
        knowledge.ingest(docs, sensitivity="RESTRICTED")
    assert [path.name for path in backend.path.parent.iterdir()] == ["kb.db"]
    assert b"given by hand" not in backend.path.read_bytes()


@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_lost_or_spoilt_key_is_an_error_that_says_where_it_was(
    backend: SQLiteBackend, docs: Path
) -> None:
    with open_knowledge(backend) as knowledge:
        knowledge.ingest(docs, sensitivity="RESTRICTED")
    key = backend.path.with_name("kb.db.key")
    for content in (None, "", "no key"):
        key.unlink(missing_ok=True)
        if content is not None:
            key.write_text(content)
        with open_knowledge(backend) as knowledge:
            assert knowledge.search("ordinary").snippets == ()
            with pytest.raises(StoreFormatError, match=r"kb\.db\.key"):
                knowledge.relabel(ID, "PUBLIC", allow_lower=True)


def test_stubs_of_two_stores_name_one_document_differently(docs: Path, tmp_path: Path) -> None:
    names: list[tuple[str]] = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "kb.db"
        with KnowledgeBase.open(path, ServiceConfig()) as knowledge:
            knowledge.ingest(docs / "zaphodname.md", sensitivity="RESTRICTED")
        with SQLiteBackend(path, "stub").raw() as db:
            names += db.execute("SELECT id_hash FROM stub").fetchall()
    assert len(set(names)) == 2
