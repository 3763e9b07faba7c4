from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_store.chunking import ParentChildChunker, make_chunker
from ragspine_store.errors import DocumentIdError, LabelError, LoadError
from ragspine_store.ingest import ingest_narrative, ingest_text
from ragspine_store.ingest_draft import IngestSettings
from ragspine_store.ingest_report import IngestedFile, IngestReport, Outcome
from ragspine_store.labelling import SensitivityPolicy
from ragspine_store.records import DocumentMeta, DocumentState
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.base import children_of, found

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity


@pytest.fixture
def store() -> Iterator[ChunkStore]:
    with ChunkStore(":memory:") as store:
        store.init_schema()
        yield store


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    return docs


def state(store: ChunkStore, doc_id: str) -> DocumentState:
    with store.writing() as transaction:
        found = transaction.find(doc_id)
    assert found is not None
    return found


def only(report: IngestReport) -> IngestedFile:
    (file,) = report.files
    return file


@pytest.mark.parametrize(
    ("argument", "front", "sidecar", "given", "expected"),
    [
        (None, None, None, None, INTERNAL),
        ("PUBLIC", None, None, None, PUBLIC),
        (None, "PUBLIC", None, None, PUBLIC),
        (None, None, "PUBLIC", None, PUBLIC),
        (None, None, None, "PUBLIC", PUBLIC),
        ("CONFIDENTIAL", "PUBLIC", "PUBLIC", "PUBLIC", CONFIDENTIAL),
        ("PUBLIC", "CONFIDENTIAL", "PUBLIC", "PUBLIC", CONFIDENTIAL),
        ("PUBLIC", "PUBLIC", "CONFIDENTIAL", "PUBLIC", CONFIDENTIAL),
        ("PUBLIC", "PUBLIC", "PUBLIC", "CONFIDENTIAL", CONFIDENTIAL),
        ("INTERNAL", None, "RESTRICTED", None, RESTRICTED),
    ],
)
def test_the_strictest_stated_label_wins(
    store: ChunkStore,
    docs: Path,
    argument: str | None,
    front: str | None,
    sidecar: str | None,
    given: str | None,
    expected: Sensitivity,
) -> None:
    head = f"---\nsensitivity: {front}\n---\n" if front else ""
    (docs / "a.md").write_text(f"{head}# Pay\n\ntea\n")
    if sidecar:
        (docs / "labels.toml").write_text(f'["*.md"]\nsensitivity = "{sidecar}"\n')
    report = ingest_narrative(
        docs,
        store,
        sensitivity=argument,
        meta_by_doc={"docs/a.md": {"sensitivity": given}} if given else None,
    )
    assert only(report).label is expected
    assert state(store, "docs/a.md").sensitivity is expected


def test_the_policy_is_one_of_the_voices(store: ChunkStore, docs: Path) -> None:
    (docs / "a.md").write_text("# Pay\n\n<!-- 社外秘 -->\ntea\n", encoding="utf-8")
    (docs / "b-secret.md").write_text("tea\n")
    (docs / "c.md").write_text("tea\n")
    policy = SensitivityPolicy(
        restricted_keywords=("社外秘",),
        restricted_filename_patterns=("*-secret*",),
        default_level=CONFIDENTIAL,
    )
    report = ingest_narrative(docs, store, policy=policy, sensitivity=None)
    assert [file.label for file in report.files] == [RESTRICTED, RESTRICTED, CONFIDENTIAL]
    assert found(store, "tea") == ["docs/c.md#c0"]


def test_unlabelled_documents_can_be_restricted(store: ChunkStore, docs: Path) -> None:
    (docs / "a.md").write_text("tea\n")
    (docs / "b.md").write_text("---\nsensitivity: PUBLIC\n---\ntea\n")
    policy = SensitivityPolicy(escalate_unlabelled=True)
    report = ingest_narrative(docs, store, policy=policy)
    assert [file.label for file in report.files] == [RESTRICTED, PUBLIC]


def test_metadata_is_taken_from_the_nearest_voice(store: ChunkStore, docs: Path) -> None:
    (docs / "labels.toml").write_text('["*.md"]\ntopic = "side"\nperiod = "2024"\nentity = "E"\n')
    (docs / "a.md").write_text("---\nperiod: '2025'\nentity: F\n---\n# Heading\n\ntea\n")
    ingest_narrative(docs, store, meta_by_doc={"docs/a.md": {"entity": "G"}}, collection="hr")
    (child,) = children_of(store, "docs/a.md")
    chunk = child.chunk
    assert (chunk.topic, chunk.period, chunk.entity) == ("side", "2025", "G")
    assert (chunk.title, child.collection) == ("Heading", "hr")


def test_a_title_is_stated_or_the_first_heading_or_the_name(store: ChunkStore, docs: Path) -> None:
    (docs / "a.md").write_text("---\ntitle: Stated\n---\n# Heading\n\ntea\n")
    (docs / "b.md").write_text("# Heading\n\ntea\n")
    (docs / "c.d.md").write_text("tea\n")
    ingest_narrative(docs, store)
    titles = [children_of(store, f"docs/{n}.md")[0].chunk.title for n in ("a", "b", "c.d")]
    assert titles == ["Stated", "Heading", "c.d"]


def test_an_unknown_metadata_key_is_one_line(store: ChunkStore, docs: Path) -> None:
    (docs / "a.md").write_text("tea\n")
    report = ingest_narrative(docs, store, meta_by_doc={"docs/a.md": {"author": "me"}})
    assert only(report).outcome is Outcome.REFUSED
    assert "unknown metadata key author" in only(report).message


@pytest.mark.parametrize("spec", ["none", "parent_child", "sentence_window"])
def test_the_report_counts_what_was_made(store: ChunkStore, docs: Path, spec: str) -> None:
    (docs / "a.md").write_text("# A\n\n1. one.\n2. two.\n\n## B\n\nthree. four.\n")
    chunker = make_chunker(spec)
    report = ingest_narrative(docs, store, chunker=chunker)
    file = only(report)
    assert file.chunks == len(children_of(store, "docs/a.md"))
    assert (file.sections, file.blocks) == (2, 3)
    assert report.chunker == (chunker.spec if chunker else "none")
    assert report.count(Outcome.ADDED) == 1


def test_a_section_too_long_for_one_window_is_reported(store: ChunkStore, docs: Path) -> None:
    lines = "\n\n".join(f"Paragraph {n} of words and words and words." for n in range(60))
    (docs / "a.md").write_text(f"# Long\n\n{lines}\n\n# Short\n\ntea\n")
    chunker = ParentChildChunker(parent_cap_tokens=200, max_parent_tokens=150, max_child_tokens=50)
    file = only(ingest_narrative(docs, store, chunker=chunker))
    assert [*file.cut_sections] == ["docs/a.md#s1"]
    assert file.cut_sections["docs/a.md#s1"] > 1


def test_inputs_may_be_one_path_or_several_and_each_file_counts_once(
    store: ChunkStore, docs: Path
) -> None:
    for name in ("a.md", "b.md"):
        (docs / name).write_text("tea\n")
    assert len(ingest_narrative(str(docs), store).files) == 2
    report = ingest_narrative([docs / "b.md", str(docs), docs / "b.md"], store)
    assert [Path(file.source).name for file in report.files] == ["b.md", "a.md"]
    assert report.count(Outcome.UNCHANGED) == 2


def test_ids_are_relative_to_the_root(store: ChunkStore, docs: Path, tmp_path: Path) -> None:
    (docs / "hr").mkdir()
    (docs / "hr" / "a.md").write_text("tea\n")
    for root, doc_id in ((None, "hr/a.md"), (tmp_path, "docs/hr/a.md"), (docs / "hr", "a.md")):
        for given in (docs / "hr", docs / "hr" / "a.md"):
            report = ingest_narrative(given, store, root=root, dry_run=True)
            assert only(report).doc_id == doc_id


def test_a_text_given_directly_is_stored_under_its_id(store: ChunkStore) -> None:
    meta = DocumentMeta("notes/a.md", title="T", topic="x", sensitivity=CONFIDENTIAL)
    for outcome in (Outcome.ADDED, Outcome.UNCHANGED):
        file = only(ingest_text("# A\n\ntea\n", meta, store, IngestSettings()))
        assert (file.source, file.outcome, file.label) == ("notes/a.md", outcome, CONFIDENTIAL)
    (child,) = children_of(store, "notes/a.md")
    assert (child.chunk.title, child.chunk.topic) == ("T", "x")
    assert found(store, "tea", reader=Reader(INTERNAL)) == []


def test_a_text_of_the_default_label_never_lowers_a_stored_one(store: ChunkStore) -> None:
    ingest_text("tea", DocumentMeta("a", sensitivity=RESTRICTED), store, IngestSettings())
    file = only(ingest_text("tea and milk", DocumentMeta("a"), store, IngestSettings()))
    assert file.label is RESTRICTED
    with pytest.raises(LabelError, match="--allow-lower"):
        ingest_text("tea", DocumentMeta("a", sensitivity=PUBLIC), store, IngestSettings())


@pytest.mark.parametrize("doc_id", ["", "/a", "../a", "a#b", "a\0", "a\nb", "\ud800", "x" * 2_000])
def test_a_text_needs_a_valid_id(store: ChunkStore, doc_id: str) -> None:
    with pytest.raises(DocumentIdError):
        ingest_text("tea", DocumentMeta(doc_id), store, IngestSettings())


@pytest.mark.parametrize("text", ["", " \n", "<!-- tea -->", "a\ud800", "---\ntitle: [\n---\nx"])
def test_a_text_has_to_be_one(store: ChunkStore, text: str) -> None:
    with pytest.raises(LoadError):
        ingest_text(text, DocumentMeta("a.md"), store, IngestSettings())


def test_a_text_never_overwrites_a_file(store: ChunkStore, docs: Path) -> None:
    (docs / "a.md").write_text("tea\n")
    ingest_narrative(docs, store)
    with pytest.raises(DocumentIdError, match="a text given directly"):
        ingest_text("milk", DocumentMeta("docs/a.md"), store, IngestSettings())
    assert found(store, "tea") == ["docs/a.md#c0"]


def test_a_file_may_take_the_place_of_a_text(store: ChunkStore, docs: Path) -> None:
    (docs / "a.md").write_text("tea\n")
    ingest_text("milk", DocumentMeta("docs/a.md"), store, IngestSettings())
    assert only(ingest_narrative(docs, store)).outcome is Outcome.UPDATED
    assert found(store, "tea milk") == ["docs/a.md#c0"]


def test_records_of_an_ingest_hide_titles(store: ChunkStore) -> None:
    meta = DocumentMeta("a.md", title="canaryquartz")
    report = ingest_text("canaryquartz", meta, store, IngestSettings())
    assert "canaryquartz" not in repr(report) + repr(meta)
