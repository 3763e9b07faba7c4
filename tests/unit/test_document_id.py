from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.document_id import (
    MAX_LENGTH,
    check_document_id,
    default_root,
    document_id,
    relative_path,
    split_node_id,
)
from ragspine_store.errors import DocumentIdError

FILE_NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"),
    min_size=1,
    max_size=40,
).filter(lambda name: name not in (".", ".."))


def make_file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("text", encoding="utf-8")
    return path


def test_the_default_root_of_a_folder_is_its_parent_and_of_a_file_its_grandparent(
    tmp_path: Path,
) -> None:
    file = make_file(tmp_path / "handbook" / "rules.md")
    assert default_root(file.parent) == tmp_path.resolve()
    assert default_root(file) == tmp_path.resolve()


def test_the_default_root_of_a_relative_path_is_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_file(tmp_path / "handbook" / "rules.md")
    monkeypatch.chdir(tmp_path / "handbook")
    assert default_root(Path()) == tmp_path.resolve()
    assert default_root(Path("rules.md")) == tmp_path.resolve()


def test_a_folder_and_a_file_in_it_give_the_same_id(tmp_path: Path) -> None:
    file = make_file(tmp_path / "handbook" / "rules.md")
    by_folder = document_id(file, default_root(file.parent))
    by_file = document_id(file, default_root(file))
    assert by_folder == by_file == "handbook/rules.md"


def test_the_id_does_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_file(tmp_path / "handbook" / "hr" / "rules.md")
    monkeypatch.chdir(tmp_path / "handbook")
    assert document_id(Path("hr/rules.md"), Path("..")) == document_id(file, tmp_path)


def test_equal_names_in_two_folders_are_two_ids(tmp_path: Path) -> None:
    assert document_id(tmp_path / "a/x.md", tmp_path) != document_id(tmp_path / "b/x.md", tmp_path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("100%.md", "100%25.md"),
        ("#1.md", "%231.md"),
        ("%23.md", "%2523.md"),
        ("か\u3099.md", "が.md"),
        ("\x1b[31m.md", "\x1b[31m.md"),
        ("第4条　諸手当.md", "第4条　諸手当.md"),
    ],
    ids=["percent", "hash", "escaped hash", "NFD", "ESC", "Japanese"],
)
def test_a_file_name_is_escaped_and_composed(name: str, expected: str, tmp_path: Path) -> None:
    assert document_id(tmp_path / name, tmp_path) == expected


@given(FILE_NAMES, FILE_NAMES)
def test_two_names_share_an_id_only_when_they_are_canonically_equal(one: str, other: str) -> None:
    root = Path("root")
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    assert (document_id(root / one, root) == document_id(root / other, root)) == same


@given(FILE_NAMES)
def test_an_id_made_from_a_file_name_passes_the_check_unchanged(name: str) -> None:
    doc_id = document_id(Path("root") / name, Path("root"))
    assert check_document_id(doc_id) == doc_id
    assert "#" not in doc_id


@given(FILE_NAMES, st.sampled_from(["c3", "s2", "s2.1", "para3", "para3-7"]))
def test_a_node_id_splits_into_the_parts_it_was_joined_from(name: str, fragment: str) -> None:
    doc_id = document_id(Path("root") / name, Path("root"))
    assert split_node_id(f"{doc_id}#{fragment}") == (doc_id, fragment)
    assert split_node_id(doc_id) == (doc_id, "")


@pytest.mark.parametrize(
    "node_id",
    ["a.md#x", "a.md#c", "a.md#c１", "a.md#para", "a.md#s2.", "a.md#c1\n", "a#b.md"],
)
def test_what_is_not_a_fragment_stays_in_the_document_id(node_id: str) -> None:
    assert split_node_id(node_id) == (node_id, "")


def test_a_file_outside_of_the_root_is_refused_naming_both_and_the_option(tmp_path: Path) -> None:
    file = make_file(tmp_path / "elsewhere" / "a.md")
    with pytest.raises(DocumentIdError, match="--root") as caught:
        document_id(file, tmp_path / "root")
    assert str(file) in str(caught.value)
    assert str(tmp_path / "root") in str(caught.value)


@pytest.mark.parametrize("path", ["root/../a.md", "root", "root2/a.md", "."])
def test_a_path_that_leaves_the_root_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentIdError, match="outside of the root"):
        document_id(tmp_path / path, tmp_path / "root")


def test_a_link_that_points_outside_of_the_root_is_refused(tmp_path: Path) -> None:
    target = make_file(tmp_path / "outside" / "secret.md")
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "link.md").symlink_to(target)
    (folder / "links").symlink_to(target.parent, target_is_directory=True)
    for inside in (folder / "link.md", folder / "links" / "secret.md"):
        with pytest.raises(DocumentIdError, match="outside of the root"):
            document_id(inside, folder)


def test_a_link_inside_the_root_is_the_file_it_points_to(tmp_path: Path) -> None:
    target = make_file(tmp_path / "hr" / "salaries.md")
    (tmp_path / "link.md").symlink_to(target)
    assert document_id(tmp_path / "link.md", tmp_path) == "hr/salaries.md"


def test_a_root_given_through_a_link_gives_the_same_ids(tmp_path: Path) -> None:
    file = make_file(tmp_path / "real" / "docs" / "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert document_id(file, tmp_path / "link") == "docs/a.md"
    assert document_id(tmp_path / "link" / "docs" / "a.md", tmp_path / "real") == "docs/a.md"
    assert default_root(tmp_path / "link") == tmp_path.resolve()


def test_a_relative_path_keeps_the_spelling_of_the_file_system(tmp_path: Path) -> None:
    assert relative_path(tmp_path / "か\u3099#.md", tmp_path).as_posix() == "か\u3099#.md"


@pytest.mark.parametrize(
    ("doc_id", "problem"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("..", "'..' segment"),
        ("a/../b.md", "'..' segment"),
        ("a#b.md", "%23"),
        ("a\0.md", "NUL"),
        ("a\n.md", "line break"),
        ("a.md\n", "line break"),
        ("a\u2028b.md", "line break"),
        ("a\udcff.md", "Unicode"),
        ("x" * (MAX_LENGTH + 1), "longer than 1024"),
        ("\u0958" * MAX_LENGTH, "longer than 1024"),
    ],
    ids=[
        "empty",
        "absolute",
        "only parent",
        "parent segment",
        "hash",
        "NUL",
        "newline",
        "trailing newline",
        "line separator",
        "surrogate",
        "too long",
        "too long once composed",
    ],
)
def test_a_bad_id_is_refused_in_one_printable_line(doc_id: str, problem: str) -> None:
    with pytest.raises(DocumentIdError, match=problem) as caught:
        check_document_id(doc_id)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 300


@pytest.mark.parametrize(
    "doc_id",
    ["x" * MAX_LENGTH, "a..b.md", "...", "100%.md", "\x1b[0m.md", "a b/ｃ.md"],
    ids=["longest", "dots in a name", "three dots", "percent", "ESC", "width"],
)
def test_an_unusual_id_is_accepted_as_it_stands(doc_id: str) -> None:
    assert check_document_id(doc_id) == doc_id


def test_a_given_id_is_composed() -> None:
    assert check_document_id("か\u3099.md") == "が.md"


def test_a_path_that_holds_nul_is_refused_in_our_own_words() -> None:
    with pytest.raises(DocumentIdError, match="NUL"):
        default_root(Path("a\0b/c.md"))
    with pytest.raises(DocumentIdError, match="NUL"):
        document_id(Path("a\0b/c.md"), Path())


def test_a_file_name_with_a_newline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentIdError, match="line break"):
        document_id(tmp_path / "a\nb.md", tmp_path)
