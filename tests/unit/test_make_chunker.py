"""Choosing a chunker by name, from settings, the environment and other packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragspine_store.chunking import (
    ChildChunk,
    HierarchicalChunker,
    ParentChildChunker,
    ParentChunk,
    SentenceWindowChunker,
    make_chunker,
)
from ragspine_store.errors import ChunkingError
from ragspine_store.records import DocumentMeta

THIRD_PARTY = """
class Lines:
    spec = "lines"

    def __init__(self, *, size=1):
        self.spec = f"lines(size={size})"

    def chunk(self, text, meta, *, outline=None):
        return []


def not_a_chunker():
    return "text"
"""


@pytest.fixture(autouse=True)
def _no_choice_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSPINE_CHUNKER", raising=False)


def install(folder: Path, distribution: str, module: str, entry_points: str) -> None:
    (folder / f"{module}.py").write_text(THIRD_PARTY, encoding="utf-8")
    info = folder / f"{distribution}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        f"[ragspine.chunkers]\n{entry_points}\n", encoding="utf-8"
    )


@pytest.mark.parametrize("spec", [None, "", "  ", "none", "default", "None", " DEFAULT "])
def test_the_default_is_no_chunker(spec: str | None) -> None:
    assert make_chunker(spec) is None


@pytest.mark.parametrize(
    "spec", ["parent_child", "small_to_big", "parent-child", "Small-To-Big", " PARENT_CHILD\n"]
)
def test_parent_child_has_two_names_however_they_are_spelled(spec: str) -> None:
    assert make_chunker(spec) == ParentChildChunker()


def test_settings_reach_the_chunker() -> None:
    assert make_chunker("sentence-window", window_size=5) == SentenceWindowChunker(window_size=5)


@pytest.mark.parametrize(
    "spec",
    [
        "hierarchical(parent=clause, child=sentence, sentences=2)",
        "Hierarchical( parent = clause,child='sentence',sentences=2 ) ",
    ],
)
def test_settings_are_written_into_the_spec_too(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = HierarchicalChunker(parent="clause", child="sentence", sentences=2)
    assert make_chunker(spec) == expected
    monkeypatch.setenv("RAGSPINE_CHUNKER", spec)
    assert make_chunker() == expected


def test_arguments_win_over_settings_in_the_spec() -> None:
    assert make_chunker("parent_child(overlap_tokens=5)", overlap_tokens=6) == ParentChildChunker(
        overlap_tokens=6
    )
    assert make_chunker("parent_child()") == ParentChildChunker()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hierarchical(parent)", "setting 'parent' given"),
        ("hierarchical(parent=)", "setting 'parent=' given"),
        ("hierarchical(pages=1,)", "setting '' given"),
        ("hierarchical(pages=1, pages=2)", "setting 'pages=2' given"),
        ("hierarchical(parent=clause", "expected a name, with settings as in"),
        ("(parent=clause)", "expected a name, with settings as in"),
        ("none(pages=1)", "'none' takes none"),
        ("parent_child(pages=1)", "setting 'pages' given .* expected one of max_child_tokens, "),
        ("hierarchical(counter=words)", "counter='words' given; expected a TokenCounter"),
        ("sentence_window(counter=words)", "counter='words' given; expected a TokenCounter"),
    ],
    ids=["no value", "blank value", "blank", "twice", "unclosed", "no name", "none", "unknown",
         "text for a counter", "text for another counter"],
)  # fmt: skip
def test_a_spec_that_cannot_be_read_is_refused(spec: str, message: str) -> None:
    with pytest.raises(ChunkingError, match=message):
        make_chunker(spec)


@pytest.mark.parametrize("spec", [None, "", " "])
def test_the_environment_chooses_when_nothing_else_does(
    spec: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_CHUNKER", " small-to-big ")
    assert make_chunker(spec) == ParentChildChunker()
    assert make_chunker("none") is None


def test_an_unknown_name_is_a_value_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown chunker 'semantic'") as caught:
        make_chunker("semantic")
    for known in ("none", "default", "parent_child", "small_to_big", "sentence_window"):
        assert known in str(caught.value)


def test_an_unknown_name_in_the_environment_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_CHUNKER", "semantic")
    with pytest.raises(ChunkingError, match="unknown chunker 'semantic'"):
        make_chunker()


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        pytest.param("parent_child", {"sise": 3}, "setting 'sise' given", id="unknown"),
        pytest.param("parent_child", {"counter": 3}, "counter=3 given", id="no counter"),
        pytest.param("parent_child", {"overlap_tokens": 250}, "overlap_tokens=250", id="too large"),
        pytest.param("sentence_window", {"window_size": "3"}, "window_size='3'", id="wrong type"),
        pytest.param("none", {"window_size": 3}, "'none' takes none", id="settings for none"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    spec: str, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ChunkingError, match=message):
        make_chunker(spec, **settings)


def test_a_package_registers_a_chunker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "third", "third_chunkers", "By-Lines = third_chunkers:Lines")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    chunker = make_chunker("by_lines", size=4)
    assert chunker is not None
    assert chunker.spec == "lines(size=4)"
    assert chunker.chunk("text", DocumentMeta("d")) == []
    with pytest.raises(ChunkingError, match="by_lines"):
        make_chunker("semantic")


@pytest.mark.parametrize(
    ("entry_points", "message"),
    [
        pytest.param("x = broken:not_a_chunker", "gave a str", id="not a chunker"),
        pytest.param("x = broken:absent", "cannot be loaded from 'broken:absent'", id="absent"),
        pytest.param("x = no_such_module_at_all:f", "cannot be loaded", id="no module"),
        pytest.param("x = broken:Lines\nX = broken:Lines", "registered twice", id="twice"),
    ],
)
def test_a_package_that_registers_badly_is_named(
    entry_points: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken_dist", "broken", entry_points)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ChunkingError, match=message):
        make_chunker("x")


def test_a_package_cannot_take_a_built_in_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "taker", "taker_chunkers", "parent_child = taker_chunkers:Lines")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert make_chunker("parent_child") == ParentChildChunker()


def test_the_exchange_schemas_have_the_fields_of_their_source() -> None:
    assert list(ParentChunk.model_fields) == [
        "id",
        "doc_id",
        "title",
        "content",
        "child_ids",
        "metadata",
    ]
    assert list(ChildChunk.model_fields) == [
        "id",
        "parent_id",
        "doc_id",
        "content",
        "embedding",
        "metadata",
    ]
    assert all(
        field.description
        for model in (ParentChunk, ChildChunk)
        for name, field in model.model_fields.items()
        if name != "metadata"
    )


def test_a_schema_does_not_show_text_in_its_repr() -> None:
    parent = ParentChunk(id="d#s1", doc_id="d", title="秘", content="秘密")
    child = ChildChunk(id="d#c1", parent_id="d#s1", doc_id="d", content="秘密")
    assert "秘" not in repr(parent) + str(parent) + repr(child) + str(child)
    assert (parent.child_ids, parent.metadata) == ([], {})
    assert (child.embedding, child.metadata) == (None, {})
