"""Sidecars: which files their globs match, how their labels add up, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from ragspine_store.errors import DocumentIdError, LabelError
from ragspine_store.labelling import SensitivityPolicy, Sidecar, SidecarReader, resolve
from ragspine_store.labelling.glob import Glob
from ragspine_store.sensitivity import Sensitivity

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sidecar_labels_the_files_its_globs_match(tmp_path: Path) -> None:
    write(
        tmp_path / "labels.toml",
        '["hr/*.md"]\nsensitivity = "Confidential"\ntopic = "personnel"\n',
    )
    reader = SidecarReader()
    inside = reader.read(write(tmp_path / "hr" / "a.md", ""), tmp_path)
    assert [statement.level for statement in inside.statements] == [CONFIDENTIAL]
    assert "labels.toml" in inside.statements[0].source
    assert "hr/*.md" in inside.statements[0].source
    assert inside.metadata == {"topic": "personnel"}
    assert reader.read(write(tmp_path / "it" / "a.md", ""), tmp_path) == Sidecar()


@pytest.mark.parametrize(
    ("glob", "matched"),
    [
        ("*.md", {"a.md", "hr/b.md", "hr/pay/c.md"}),
        ("/*.md", {"a.md"}),
        ("hr/*.md", {"hr/b.md"}),
        ("hr/**", {"hr/b.md", "hr/pay/c.md"}),
        ("hr/", {"hr/b.md", "hr/pay/c.md"}),
        ("pay", {"hr/pay/c.md"}),
        ("**/c.md", {"hr/pay/c.md"}),
    ],
)
def test_a_glob_has_the_meaning_it_has_in_gitignore(
    glob: str, matched: set[str], tmp_path: Path
) -> None:
    write(tmp_path / "labels.toml", f'["{glob}"]\nsensitivity = "PUBLIC"\n')
    reader = SidecarReader()
    names = ("a.md", "hr/b.md", "hr/pay/c.md")
    assert {name for name in names if reader.read(tmp_path / name, tmp_path).statements} == matched


@pytest.mark.parametrize(
    ("glob", "name"),
    [
        ("hr/*.md", "HR/Pay.MD"),
        ("HR/*.MD", "hr/pay.md"),
        ("Ｈｒ/＊計画.md", "hr/＊計画.md"),
        ("機密［社外秘］.md", "機密［社外秘］.MD"),
        ("[[]x].md", "[x].md"),
        ("[!Ａ].md", "A.md"),
        ("社外秘*.md", "社\u200b外秘1.md"),
        ("/*.md", "a／b.md"),
        ("ＡＢ／*.md", "ab／c.md"),
    ],
    ids=[
        "upper-case name",
        "upper-case glob",
        "full-width",
        "full-width brackets",
        "brackets",
        "a class as written",
        "invisible character",
        "full-width slash in a name",
        "full-width slash in both",
    ],
)
def test_a_glob_matches_whatever_the_width_and_case(glob: str, name: str, tmp_path: Path) -> None:
    write(tmp_path / "labels.toml", f'["{glob}"]\nsensitivity = "RESTRICTED"\n')
    sidecar = SidecarReader().read(tmp_path / name, tmp_path)
    assert [statement.level for statement in sidecar.statements] == [RESTRICTED]


@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@given(st.text("aAｂ*?[!]/#＊［]", min_size=1, max_size=6), st.text("aAｂB*[]＊［", min_size=1))
def test_folding_takes_no_match_of_a_glob_away(glob: str, name: str) -> None:
    try:
        folding = Glob(glob)
        plain = GitIgnoreSpec.from_lines([glob])
    except ValueError:
        return
    assert folding.matches(name) or not plain.match_file(name)


def test_a_full_width_star_is_no_wildcard(tmp_path: Path) -> None:
    write(tmp_path / "labels.toml", '["＊.md"]\nsensitivity = "RESTRICTED"\n')
    assert SidecarReader().read(tmp_path / "a.md", tmp_path) == Sidecar()


@pytest.mark.parametrize(
    ("glob", "name"),
    [("ガイド*.md", "カ\u3099イト\u30991.md"), ("カ\u3099イト\u3099*.md", "ガイド1.md")],
    ids=["composed glob", "decomposed glob"],
)
def test_a_glob_matches_whatever_the_unicode_form_of_glob_and_name(
    glob: str, name: str, tmp_path: Path
) -> None:
    write(tmp_path / "labels.toml", f'["{glob}"]\nsensitivity = "RESTRICTED"\n')
    sidecar = SidecarReader().read(tmp_path / name, tmp_path)
    assert sidecar.statements[0].level is RESTRICTED


def test_the_nearest_folder_and_then_the_later_table_wins_for_metadata_but_labels_add_up(
    tmp_path: Path,
) -> None:
    write(
        tmp_path / "labels.toml",
        '["*.md"]\nsensitivity = "RESTRICTED"\ntopic = "far"\nentity = "far"\nperiod = "far"\n',
    )
    write(
        tmp_path / "hr" / "labels.toml",
        '["*.md"]\nsensitivity = "PUBLIC"\ntopic = "near"\nentity = "near"\n'
        '["a*"]\nsensitivity = "INTERNAL"\ntopic = "later"\n',
    )
    sidecar = SidecarReader().read(tmp_path / "hr" / "a.md", tmp_path)
    assert sidecar.metadata == {"topic": "later", "entity": "near", "period": "far"}
    assert {statement.level for statement in sidecar.statements} == {PUBLIC, INTERNAL, RESTRICTED}
    resolution = resolve(
        doc_id="docs/a.md",
        file_name="a.md",
        title="",
        text="",
        argument=None,
        front_matter=None,
        sidecar=Sidecar(sidecar.statements),
        policy=SensitivityPolicy(),
    )
    assert resolution.level is RESTRICTED
    assert resolution.sources == (sidecar.statements[0].source,)


def test_above_the_root_labels_are_read_and_other_keys_are_not(tmp_path: Path) -> None:
    write(
        tmp_path / "labels.toml",
        '["hr/board/*.md"]\nsensitivity = "RESTRICTED"\ntopic = "board"\n',
    )
    file = write(tmp_path / "hr" / "board" / "plan.md", "")
    for root in (tmp_path / "hr", tmp_path / "hr" / "board"):
        sidecar = SidecarReader().read(file, root)
        assert [statement.level for statement in sidecar.raising] == [RESTRICTED]
        assert (sidecar.statements, sidecar.metadata) == ((), {})


def test_a_faulty_sidecar_above_the_root_refuses_too(tmp_path: Path) -> None:
    write(tmp_path / "labels.toml", "not toml")
    file = write(tmp_path / "root" / "a.md", "")
    with pytest.raises(LabelError, match="not valid TOML"):
        SidecarReader().read(file, tmp_path / "root")


@pytest.mark.parametrize("name", ["Labels.toml", "labels.TOML", "ｌabels.toml"])
def test_a_sidecar_under_another_spelling_of_its_name_is_refused(name: str, tmp_path: Path) -> None:
    write(tmp_path / name, '["*"]\nsensitivity = "RESTRICTED"\n')
    with pytest.raises(LabelError, match=r"rename it") as caught:
        SidecarReader().read(write(tmp_path / "sub" / "a.md", ""), tmp_path)
    assert name in str(caught.value)


def test_a_folder_that_cannot_be_listed_still_has_its_sidecar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "labels.toml", '["*"]\nsensitivity = "RESTRICTED"\n')

    def refuse(_: Path) -> None:  # what the superuser never meets
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refuse)
    sidecar = SidecarReader().read(tmp_path / "a.md", tmp_path)
    assert [statement.level for statement in sidecar.statements] == [RESTRICTED]


def test_every_metadata_key_is_accepted(tmp_path: Path) -> None:
    metadata = {
        key: f"some {key}"
        for key in (
            "title",
            "topic",
            "entity",
            "geography",
            "period",
            "language",
            "collection",
            "valid_as_of",
        )
    }
    lines = "\n".join(f'{key} = "{value}"' for key, value in metadata.items())
    write(tmp_path / "labels.toml", f"['*']\n{lines}\n")
    assert SidecarReader().read(tmp_path / "a.md", tmp_path).metadata == metadata


def test_a_sidecar_may_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    write(tmp_path / "labels.toml", '\ufeff["*"]\nsensitivity = "PUBLIC"\n')
    assert SidecarReader().read(tmp_path / "a.md", tmp_path).statements[0].level is PUBLIC


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[x", "not valid TOML"),
        ('sensitivity = "PUBLIC"', "expected a table"),
        ('["x"]\nsensitivty = "PUBLIC"', "unknown key 'sensitivty'"),
        ('["x"]\ndoc_id = "y"', "unknown key 'doc_id'"),
        ('[x.md]\nsensitivity = "PUBLIC"', "needs quotes"),
        ('["x"]\nsensitivity = "TOP SECRET"', "unknown sensitivity label"),
        ('["x"]\nsensitivity = ""', "unknown sensitivity label"),
        ('["x"]\nsensitivity = 3', "not a string"),
        ('["x"]\nvalid_as_of = 2024-04-01', "not a string"),
        ('["!x"]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('["# x"]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('[""]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('["a["]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('["\\\\"]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('["./a.md"]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('["../*.md"]\nsensitivity = "RESTRICTED"', "matches no file"),
        ('["hr/../a.md"]\nsensitivity = "RESTRICTED"', "matches no file"),
    ],
    ids=[
        "malformed",
        "value outside of a table",
        "misspelt key",
        "id",
        "unquoted glob",
        "unknown label",
        "empty label",
        "number as label",
        "date",
        "negation",
        "comment",
        "empty glob",
        "open bracket",
        "lone backslash",
        "this folder",
        "the folder above",
        "up and down",
    ],
)
def test_a_faulty_sidecar_refuses_every_file_below_it_and_is_named(
    content: str, problem: str, tmp_path: Path
) -> None:
    sidecar = write(tmp_path / "labels.toml", content)
    reader = SidecarReader()
    for name in ("other.md", "deep/below.md"):
        with pytest.raises(LabelError, match=problem) as caught:
            reader.read(tmp_path / name, tmp_path)
        message = str(caught.value)
        assert str(sidecar.resolve()) in message
        assert "\n" not in message
        assert "SECRET" not in message


def test_a_sidecar_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.toml").write_bytes('["人事*"]\nsensitivity = "RESTRICTED"'.encode("cp932"))
    with pytest.raises(LabelError, match="UTF-8"):
        SidecarReader().read(tmp_path / "a.md", tmp_path)


def test_a_sidecar_that_cannot_be_read_is_not_an_absent_one(tmp_path: Path) -> None:
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "labels.toml").symlink_to(tmp_path / "missing.toml")
    with pytest.raises(LabelError, match="no such file"):
        SidecarReader().read(tmp_path / "link" / "a.md", tmp_path)
    (tmp_path / "folder" / "labels.toml").mkdir(parents=True)
    with pytest.raises(LabelError, match="cannot be read"):
        SidecarReader().read(tmp_path / "folder" / "a.md", tmp_path / "folder")


def test_a_link_gets_the_labels_of_the_file_it_points_to(tmp_path: Path) -> None:
    target = write(tmp_path / "hr" / "salaries.md", "")
    write(tmp_path / "hr" / "labels.toml", '["*"]\nsensitivity = "RESTRICTED"\n')
    link = tmp_path / "link.md"
    link.symlink_to(target)
    assert SidecarReader().read(link, tmp_path).statements[0].level is RESTRICTED


def test_a_link_gets_the_labels_of_its_own_path_too_when_they_are_stricter(tmp_path: Path) -> None:
    target = write(tmp_path / "store" / "salaries.md", "")
    write(tmp_path / "store" / "labels.toml", '["*"]\nsensitivity = "CONFIDENTIAL"\n')
    write(tmp_path / "docs" / "labels.toml", '["hr/*"]\nsensitivity = "RESTRICTED"\ntopic = "t"\n')
    (tmp_path / "docs" / "hr").symlink_to(target.parent)
    sidecar = SidecarReader().read(tmp_path / "docs" / "hr" / "salaries.md", tmp_path / "store")
    assert [statement.level for statement in sidecar.statements] == [CONFIDENTIAL]
    assert RESTRICTED in {statement.level for statement in sidecar.raising}
    assert sidecar.metadata == {}


def test_steps_up_in_a_path_read_no_sidecar_on_the_way(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "labels.toml", '["*"]\nsensitivity = "RESTRICTED"\n')
    write(tmp_path / "a.md", "")
    assert SidecarReader().read(tmp_path / "sub" / ".." / "a.md", tmp_path) == Sidecar()


def test_tables_that_state_a_label_and_matched_nothing_are_named(tmp_path: Path) -> None:
    write(
        tmp_path / "labels.toml",
        '["a.md"]\nsensitivity = "PUBLIC"\n["hrr/*"]\nsensitivity = "RESTRICTED"\n'
        '["b.md"]\ntopic = "no label"\n',
    )
    write(tmp_path / "sub" / "Labels.toml", "")
    reader = SidecarReader()
    reader.read(tmp_path / "a.md", tmp_path)
    (unmatched,) = reader.unmatched([tmp_path, tmp_path / "sub", tmp_path / "none"])
    assert "'hrr/*'" in unmatched
    assert str(tmp_path / "labels.toml") in unmatched


def test_a_file_outside_of_the_root_has_no_sidecar(tmp_path: Path) -> None:
    with pytest.raises(DocumentIdError, match="outside of the root"):
        SidecarReader().read(tmp_path / "a.md", tmp_path / "root")


def test_one_reader_reads_each_sidecar_once(tmp_path: Path) -> None:
    sidecar = write(tmp_path / "labels.toml", '["*"]\nsensitivity = "PUBLIC"\n')
    reader = SidecarReader()
    first = reader.read(tmp_path / "a.md", tmp_path)
    sidecar.unlink()
    assert reader.read(tmp_path / "a.md", tmp_path) == first
    assert SidecarReader().read(tmp_path / "a.md", tmp_path) == Sidecar()


def test_metadata_does_not_show_in_a_repr() -> None:
    assert "quiet" not in repr(Sidecar(metadata={"title": "quiet"}))
