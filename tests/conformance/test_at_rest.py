"""What was raised, purged or deleted stands in no file of the store any more."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Sensitivity, ServiceConfig
from ragspine_store.errors import StoreFormatError
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
from tests.backends import SQLiteBackend
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
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "zaphodname.md").write_text(DOCUMENT, encoding="utf-8")
    for n in range(5):
        (docs / f"other{n}.md").write_text(f"# Other {n}\n{FILLER}", encoding="utf-8")
    return docs


def open_knowledge(docs: Path, at_rest: AtRest) -> KnowledgeBase:
    config = ServiceConfig.load(chunker="parent_child", restricted_at_rest=at_rest)
    return KnowledgeBase.open(store_file(docs), config)


def store_file(docs: Path) -> Path:
    folder = docs.parent / "store"
    folder.mkdir(exist_ok=True)
    return folder / "kb.db"


@pytest.fixture
def knowledge(docs: Path, at_rest: AtRest) -> Iterator[KnowledgeBase]:
    with open_knowledge(docs, at_rest) as knowledge:
        knowledge.ingest(docs)
        yield knowledge


def traces(docs: Path) -> set[str]:
    """What of the document stands in any file of the store's folder, in any likely encoding."""
    needles = {
        text: [text.encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be")]
        for text in (SENTENCE, HEADING, *RARE, *DERIVED)
    }
    content = [path.read_bytes() for path in store_file(docs).parent.iterdir()]
    return {
        text
        for text, codes in needles.items()
        for file in content
        for code in codes
        if code in file
    }


def derive(docs: Path) -> None:
    """Write relations, a rejection, a cached answer, a title and a reference about a child."""
    quoted, named, rejected, answered, titled, referred = DERIVED
    backend = SQLiteBackend(store_file(docs), "stub")
    store = backend.open_store()
    where = at(ID, 0, quote=quoted)
    part = section(ID, 1)
    term = Node(NodeType.TERM, f"{named}@{ID}")
    assert put_rules(
        backend,
        store,
        ID,
        Relation(term, "is", entity("home"), Provenance.RULE, where),
        rejections=[rejection(where, rejected)],
        titles=[titled],
        addresses=[Address(f"article {referred}", part)],
        references=[refer(part, f"article {referred}", where)],
    )
    put_profile(backend, store, fact(ID))
    assert put_model(backend, store, ID, 0, proposed(unlisted(named), "joins", term, where))
    (edge,) = read_edges(store, EdgeFilter(Reader(), kinds=["joins"], trusted=False))
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


def test_the_document_stands_in_the_files_before(knowledge: KnowledgeBase, docs: Path) -> None:
    assert traces(docs) == {SENTENCE, HEADING, *RARE}


@pytest.mark.parametrize("way", [*WAYS, delete])
def test_what_was_derived_from_a_document_goes_with_it(
    docs: Path, at_rest: AtRest, way: Callable[[KnowledgeBase, Path], bool]
) -> None:
    with open_knowledge(docs, at_rest) as knowledge:
        knowledge.ingest(docs)
        derive(docs)
        assert {*DERIVED, *RARE} <= traces(docs)
        assert way(knowledge, docs)
        assert traces(docs) & set(DERIVED) == set()
        if at_rest == "stub" and way is not raise_section:
            assert traces(docs) == set()


@pytest.mark.parametrize("way", WAYS)
def test_a_raised_label_leaves_no_trace_in_any_file(
    knowledge: KnowledgeBase,
    docs: Path,
    at_rest: AtRest,
    way: Callable[[KnowledgeBase, Path], bool],
) -> None:
    assert way(knowledge, docs)
    if at_rest == "text":
        assert SENTENCE in traces(docs)
        assert knowledge.purge().erased
    # A section's document keeps its name: the label is the section's alone.
    kept = {"zaphodname"} if way is raise_section else set[str]()
    assert traces(docs) == kept
    knowledge.close()
    assert traces(docs) == kept


def test_with_text_kept_a_raised_label_still_leaves_the_index(docs: Path, tmp_path: Path) -> None:
    with open_knowledge(docs, "text") as knowledge:
        knowledge.ingest(docs)
        knowledge.relabel(ID, "RESTRICTED")
        backend = SQLiteBackend(store_file(docs), "text")
        assert [word for word in RARE if backend.occurrences(word)] == []
        assert backend.occurrences("ordinary") > 0


def test_a_deleted_document_leaves_no_trace(knowledge: KnowledgeBase, docs: Path) -> None:
    assert knowledge.delete(ID).erased
    assert traces(docs) == set()
    knowledge.close()
    assert traces(docs) == set()


def test_a_document_restricted_from_the_start_never_stands_in_a_stub_store(docs: Path) -> None:
    with open_knowledge(docs, "stub") as knowledge:
        report = knowledge.ingest(docs / "zaphodname.md", sensitivity="RESTRICTED")
        assert report.files[0].label is Sensitivity.RESTRICTED
        assert traces(docs) == set()
        assert knowledge.status(operator=True).withheld == []


def test_what_text_mode_kept_is_purged_by_a_store_in_stub_mode(docs: Path) -> None:
    with open_knowledge(docs, "text") as knowledge:
        knowledge.ingest(docs)
        knowledge.relabel(ID, "RESTRICTED")
    with open_knowledge(docs, "stub") as knowledge:
        assert knowledge.status(operator=True).withheld == [(ID, Sensitivity.RESTRICTED)]
        removed = knowledge.purge()
        assert (removed.documents, removed.erased) == (1, True)
    assert traces(docs) == set()


@pytest.fixture
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOCK_TIMEOUT_S", 0.05)


@pytest.mark.usefixtures("short_wait")
@pytest.mark.parametrize("remedy", ["purge", "open"])
def test_an_erasure_that_another_reader_holds_up_is_said_and_completed_later(
    docs: Path, remedy: str
) -> None:
    with open_knowledge(docs, "stub") as knowledge:
        knowledge.ingest(docs)
        with closing(ChunkStore(store_file(docs))) as other, other.reading() as transaction:
            assert transaction.find_document(ID) is not None
            assert not knowledge.relabel(ID, "RESTRICTED").erased
            assert knowledge.search("quuxzebra").snippets == ()
            warnings = knowledge.status(operator=True).warnings()
            assert any("erased text may still stand" in warning for warning in warnings)
            assert transaction.find_document(ID) is not None
        if remedy == "purge":
            assert knowledge.purge().erased
        else:
            open_knowledge(docs, "stub").close()
        assert traces(docs) == set()
        assert knowledge.status(operator=True).warnings() == []


def test_an_erasure_that_was_cut_short_is_completed_by_opening(docs: Path) -> None:
    with open_knowledge(docs, "stub") as knowledge:
        knowledge.ingest(docs)
    with closing(ChunkStore(store_file(docs))) as store, store.writing() as transaction:
        transaction.relabel(ID, Sensitivity.RESTRICTED)
    assert traces(docs) != set()
    open_knowledge(docs, "stub").close()
    assert traces(docs) == set()


def test_an_erasure_misses_nothing_that_another_process_raises_meanwhile(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_knowledge(docs, "stub") as knowledge:
        knowledge.ingest(docs)
    with closing(ChunkStore(store_file(docs))) as one, closing(ChunkStore(store_file(docs))) as two:
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
        assert traces(docs) == set()


def test_the_key_of_the_stubs_is_the_owners_alone(docs: Path) -> None:
    before = os.umask(0)
    try:
        with open_knowledge(docs, "stub") as knowledge:
            knowledge.ingest(docs, sensitivity="RESTRICTED")
    finally:
        os.umask(before)
    key = store_file(docs).with_name("kb.db.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(bytes.fromhex(key.read_text())) == 32
    assert {path.name for path in key.parent.iterdir()} == {"kb.db", "kb.db.key"}


def test_a_key_given_is_kept_in_no_file(docs: Path) -> None:
    config = ServiceConfig.load(stub_key="given by hand")
    with KnowledgeBase.open(store_file(docs), config) as knowledge:
        knowledge.ingest(docs, sensitivity="RESTRICTED")
    assert [path.name for path in store_file(docs).parent.iterdir()] == ["kb.db"]
    assert b"given by hand" not in store_file(docs).read_bytes()


def test_a_lost_or_spoilt_key_is_an_error_that_says_where_it_was(docs: Path) -> None:
    with open_knowledge(docs, "stub") as knowledge:
        knowledge.ingest(docs, sensitivity="RESTRICTED")
    key = store_file(docs).with_name("kb.db.key")
    for content in (None, "", "no key"):
        key.unlink(missing_ok=True)
        if content is not None:
            key.write_text(content)
        with open_knowledge(docs, "stub") as knowledge:
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
