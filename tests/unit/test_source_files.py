from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragspine_store.errors import DocumentIdError
from ragspine_store.source_files import SourceFile, find_files, iter_folders


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "b.md",
        "a.txt",
        "sub/c.md",
        "sub/.hidden.md",
        ".git/d.md",
        "labels.toml",
        "e.png",
    ):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path / "tree"


def names(files: list[SourceFile], tree: Path) -> list[str]:
    return [os.path.relpath(file.path, tree) for file in files]


def test_a_folder_is_walked_in_order_without_what_is_hidden(tree: Path) -> None:
    files = find_files([tree], None)
    assert names(files, tree) == ["a.txt", "b.md", "e.png", "sub/c.md"]
    assert {file.root for file in files} == {tree.parent}
    assert not any(file.is_required for file in files)


def test_what_no_loader_reads_has_a_problem(tree: Path) -> None:
    problems = {file.path.name: file.problem for file in find_files([tree], None)}
    assert [name for name, problem in problems.items() if problem] == ["e.png"]
    assert "no loader reads .png; expected one of" in problems["e.png"]


def test_a_file_named_and_found_is_listed_once(tree: Path) -> None:
    (tree / "link.md").symlink_to(tree / "b.md")
    files = find_files([tree / "b.md", tree, tree / "b.md", tree / "sub" / ".." / "b.md"], None)
    assert names(files, tree) == ["b.md", "a.txt", "e.png", "sub/c.md"]
    assert [file.is_required for file in files] == [True, False, False, False]


def test_the_default_root_lets_a_folder_and_a_file_in_it_agree(tree: Path) -> None:
    assert find_files([tree / "b.md"], None)[0].root == find_files([tree], None)[0].root


def test_a_root_that_is_given_holds_for_all(tree: Path) -> None:
    link = tree.parent / "link"
    link.symlink_to(tree)
    files = find_files([tree, tree / "sub" / "c.md"], link)
    assert {file.root for file in files} == {tree}


def test_a_hidden_file_that_is_required_is_meant(tree: Path) -> None:
    (file,) = find_files([tree / "sub" / ".hidden.md"], None)
    assert (file.is_required, file.problem) == (True, "")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing.md", "does not exist (No such file or directory)"),
        ("b.md/x.md", "does not exist (Not a directory)"),
        ("x" * 300, "does not exist (File name too long)"),
        ("a\0.md", "holds a NUL character"),
    ],
)
def test_what_cannot_be_found_has_a_problem(tree: Path, name: str, problem: str) -> None:
    (file,) = find_files([tree / name], None)
    assert problem in file.problem
    assert "expected a file or folder" in file.problem
    assert file.is_required


def test_a_folder_that_cannot_be_read_has_a_problem(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_folder = os.scandir

    def refuse_one(path: str | Path) -> object:  # root may read every folder
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", str(path))
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", refuse_one)
    *readable, folder = find_files([tree], None)
    assert names(readable, tree) == ["a.txt", "b.md", "e.png"]
    assert (folder.path, folder.is_required) == (tree / "sub", True)
    assert "cannot be read (Permission denied)" in folder.problem
    assert find_files([tree / "sub"], None)[0].path == tree / "sub"


def test_pipes_and_dangling_links_have_a_problem(tree: Path) -> None:
    os.mkfifo(tree / "pipe.md")
    (tree / "dangling.md").symlink_to(tree / "none.md")
    (tree / "loop.md").symlink_to(tree / "loop.md")
    problems = {f.path.name: f.problem for f in find_files([tree], None) if f.problem}
    assert problems.keys() == {"pipe.md", "dangling.md", "loop.md", "e.png"}
    assert "no regular file" in problems["pipe.md"]


def test_links_to_folders_are_not_followed(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("x")
    (tree / "link").symlink_to(tmp_path / "outside")
    (tree / "up").symlink_to(tree)
    assert names(find_files([tree], None), tree) == ["a.txt", "b.md", "e.png", "sub/c.md"]


def test_the_folders_read_are_those_given_and_all_below_them(tree: Path) -> None:
    assert list(iter_folders([tree / "b.md", tree, tree / "none"])) == [tree, tree / "sub"]


def test_what_is_meant_as_a_sidecar_is_no_file_to_ingest(tree: Path) -> None:
    (tree / "Labels.TOML").write_text("")
    assert names(find_files([tree], None), tree) == ["a.txt", "b.md", "e.png", "sub/c.md"]


@pytest.mark.parametrize("root", ["none", "b.md"])
def test_a_root_that_is_no_folder_is_said_to_be_none(tree: Path, root: str) -> None:
    with pytest.raises(DocumentIdError, match=rf"no such folder .*{root}"):
        find_files([tree], tree / root)


def test_nothing_gives_nothing(tmp_path: Path) -> None:
    assert find_files([], None) == []
    assert find_files([tmp_path], None) == []
