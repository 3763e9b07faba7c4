from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from pydantic import ValidationError

from ragspine_store.errors import DocumentIdError, LabelError
from ragspine_store.labelling import (
    Resolution,
    SensitivityPolicy,
    Sidecar,
    SidecarReader,
    Statement,
    decide,
    resolve,
)
from ragspine_store.labelling.glob import Glob
from ragspine_store.records import DocumentState
from ragspine_store.sensitivity import Sensitivity

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity
LEVELS = st.sampled_from(Sensitivity)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def state(level: Sensitivity) -> DocumentState:
    return DocumentState(level, fingerprint="f", source_path="/a.md", version=1, is_stub=False)


def resolve_for(
    *,
    doc_id: str = "docs/a.md",
    file_name: str = "a.md",
    title: str = "",
    text: str = "",
    argument: str | None = None,
    front_matter: str | None = None,
    sidecar: tuple[Statement, ...] = (),
    policy: SensitivityPolicy | None = None,
) -> Resolution:
    return resolve(
        doc_id=doc_id,
        file_name=file_name,
        title=title,
        text=text,
        argument=argument,
        front_matter=front_matter,
        sidecar=Sidecar(sidecar),
        policy=policy or SensitivityPolicy(),
    )


# --- policy -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("社外秘", "この文書は社外秘です。"),
        ("社外秘", "社\u200b外\u00ad秘"),
        ("社外秘", "社　外　秘"),
        ("社外秘", "社外\n秘"),
        ("ﾄｯﾌﾟｼｰｸﾚｯﾄ", "トップシークレット"),
        ("Top Secret", "ｔｏｐ　ＳＥＣＲＥＴ"),
        ("top secret", "TOP\n    SECRET"),
        ("STRASSE", "Straße"),
        ("が", "か\u3099"),
        ("社外秘", "<!-- 社外秘 -->"),
        ("葛飾", "葛\U000e0100飾"),
    ],
    ids=[
        "as written",
        "invisible characters",
        "spaced out",
        "broken over lines",
        "half-width keyword",
        "full-width text",
        "wrapped and indented",
        "sharp s",
        "decomposed",
        "in a comment",
        "variation selector",
    ],
)
def test_a_keyword_makes_a_document_restricted_in_text_and_in_title(
    keyword: str, text: str
) -> None:
    policy = SensitivityPolicy(restricted_keywords=(keyword,))
    by_text = resolve_for(text=text, policy=policy)
    assert (by_text.level, by_text.stated) == (RESTRICTED, True)
    assert resolve_for(title=text, policy=policy) == by_text


def test_a_keyword_that_is_absent_states_nothing() -> None:
    policy = SensitivityPolicy(restricted_keywords=("top secret",))
    assert resolve_for(text="topsecret, stop. secret", policy=policy).stated is False


@pytest.mark.parametrize(
    ("pattern", "doc_id", "file_name"),
    [
        ("salary", "hr/Salary_2024.md", "Salary_2024.md"),
        ("hr/", "docs/HR/a.md", "a.md"),
        ("*.secret.md", "docs/x.SECRET.md", "x.SECRET.md"),
        ("hr/*/2024", "docs/hr/pay/2024.md", "2024.md"),
        ("plan-?", "docs/plan-a.md", "plan-a.md"),
        ("[社外秘]", "docs/【社外秘】[社外秘]給与.md", "【社外秘】[社外秘]給与.md"),
        ("人事", "docs/人\u200b事.md", "人\u200b事.md"),
        ("#1", "docs/%231.md", "#1.md"),
    ],
    ids=[
        "part of the name",
        "folder",
        "star",
        "star over a folder",
        "question mark",
        "brackets as they stand",
        "invisible character",
        "name before escaping",
    ],
)
def test_a_filename_pattern_makes_a_document_restricted(
    pattern: str, doc_id: str, file_name: str
) -> None:
    policy = SensitivityPolicy(restricted_filename_patterns=(pattern,))
    resolution = resolve_for(doc_id=doc_id, file_name=file_name, policy=policy)
    assert (resolution.level, resolution.stated) == (RESTRICTED, True)
    assert "restricted_filename_patterns" in resolution.sources[0]


def test_brackets_in_a_filename_pattern_are_not_a_choice_of_characters() -> None:
    policy = SensitivityPolicy(restricted_filename_patterns=("[機密]",))
    assert resolve_for(file_name="機械.md", policy=policy).stated is False


def test_the_predecessors_spelling_of_the_escalation_is_read() -> None:
    policy = SensitivityPolicy.model_validate({"escalate_unknown_to_restricted": True})
    assert policy.escalate_unlabelled is True


@pytest.mark.parametrize(
    "values",
    [
        {"default_level": "SECRET"},
        {"default_level": 3},
        {"restricted_keywords": ["\u200b "]},
        {"restricted_filename_patterns": [""]},
        {"restricted_keyword": ["x"]},
        {"escalate_unlabelled": True, "escalate_unknown_to_restricted": False},
    ],
    ids=["unknown level", "number", "blank keyword", "blank pattern", "unknown key", "both names"],
)
def test_a_policy_that_cannot_be_meant_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SensitivityPolicy.model_validate(values)


# --- sidecars ---------------------------------------------------------------------------------


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
    resolution = resolve_for(sidecar=sidecar.statements)
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


# --- resolution -------------------------------------------------------------------------------


def test_nothing_stated_is_internal_and_not_stated() -> None:
    assert resolve_for() == Resolution(INTERNAL, False, ("the default level",))


@pytest.mark.parametrize(
    ("policy", "level"),
    [
        (SensitivityPolicy(default_level=PUBLIC), PUBLIC),
        (SensitivityPolicy(default_level=CONFIDENTIAL), CONFIDENTIAL),
        (SensitivityPolicy(escalate_unlabelled=True), RESTRICTED),
        (SensitivityPolicy(default_level=PUBLIC, escalate_unlabelled=True), RESTRICTED),
    ],
    ids=["default below", "default above", "escalated", "escalated over a default"],
)
def test_a_default_and_an_escalation_are_not_stated_labels(
    policy: SensitivityPolicy, level: Sensitivity
) -> None:
    resolution = resolve_for(policy=policy)
    assert (resolution.level, resolution.stated) == (level, False)


@pytest.mark.parametrize(
    ("argument", "above", "policy", "level", "stated"),
    [
        (None, PUBLIC, SensitivityPolicy(), INTERNAL, False),
        (None, CONFIDENTIAL, SensitivityPolicy(), CONFIDENTIAL, True),
        (None, INTERNAL, SensitivityPolicy(escalate_unlabelled=True), RESTRICTED, False),
        ("PUBLIC", INTERNAL, SensitivityPolicy(), INTERNAL, True),
        ("RESTRICTED", PUBLIC, SensitivityPolicy(), RESTRICTED, True),
    ],
    ids=[
        "below the default",
        "above it",
        "below an escalation",
        "above a stated",
        "below a stated",
    ],
)
def test_a_label_from_above_the_root_only_raises(
    argument: str | None,
    above: Sensitivity,
    policy: SensitivityPolicy,
    level: Sensitivity,
    stated: bool,
) -> None:
    resolution = resolve(
        doc_id="a.md",
        title="",
        text="",
        argument=argument,
        front_matter=None,
        sidecar=Sidecar(raising=(Statement(above, "above"),)),
        policy=policy,
    )
    assert (resolution.level, resolution.stated) == (level, stated)
    assert ("above" in resolution.sources) == (level is above)


def test_a_stated_label_is_not_raised_by_default_or_escalation() -> None:
    policy = SensitivityPolicy(default_level=CONFIDENTIAL, escalate_unlabelled=True)
    resolution = resolve_for(argument="PUBLIC", policy=policy)
    assert (resolution.level, resolution.stated) == (PUBLIC, True)


@pytest.mark.parametrize("levels", list(itertools.permutations(list(Sensitivity), 3)), ids=str)
def test_the_strictest_of_argument_front_matter_and_sidecar_wins(
    levels: tuple[Sensitivity, Sensitivity, Sensitivity],
) -> None:
    argument, front_matter, sidecar = levels
    resolution = resolve_for(
        argument=argument.name,
        front_matter=front_matter.name,
        sidecar=(Statement(sidecar, "the sidecar"),),
    )
    assert resolution.level is max(levels)
    names = ("the sensitivity argument", "the front matter of 'docs/a.md'", "the sidecar")
    assert resolution.sources == (names[levels.index(max(levels))],)


@given(
    st.lists(LEVELS, min_size=1, max_size=5).flatmap(
        lambda x: st.tuples(st.just(x), st.permutations(x))
    )
)
def test_the_order_of_statements_does_not_matter(
    orders: tuple[list[Sensitivity], list[Sensitivity]],
) -> None:
    one, other = (
        resolve_for(sidecar=tuple(Statement(level, level.name) for level in order))
        for order in orders
    )
    assert one.level is other.level is max(orders[0])
    assert set(one.sources) == set(other.sources) == {max(orders[0]).name}


@pytest.mark.parametrize("label", ["SECRET", "", "INTERNALL", "内部", "3"])
def test_an_unknown_label_is_refused_even_beside_a_stricter_one(label: str) -> None:
    with pytest.raises(LabelError, match="the sensitivity argument"):
        resolve_for(argument=label, front_matter="RESTRICTED")
    with pytest.raises(LabelError, match=r"front matter of 'docs/a\.md'"):
        resolve_for(argument="RESTRICTED", front_matter=label)


# --- decision ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "stated", "stored", "allow_lower", "expected"),
    [
        (INTERNAL, False, None, False, INTERNAL),
        (RESTRICTED, True, None, False, RESTRICTED),
        (INTERNAL, False, CONFIDENTIAL, False, CONFIDENTIAL),
        (INTERNAL, False, CONFIDENTIAL, True, CONFIDENTIAL),
        (PUBLIC, False, RESTRICTED, True, RESTRICTED),
        (RESTRICTED, False, INTERNAL, False, RESTRICTED),
        (CONFIDENTIAL, True, INTERNAL, False, CONFIDENTIAL),
        (CONFIDENTIAL, True, CONFIDENTIAL, False, CONFIDENTIAL),
        (PUBLIC, True, CONFIDENTIAL, True, PUBLIC),
    ],
    ids=[
        "new, unlabelled",
        "new, stated",
        "a default keeps the stored label",
        "a default does not lower even when lowering is allowed",
        "a lower default does not lower either",
        "an escalation raises",
        "a stated label raises",
        "a stated label confirms",
        "a stated label lowers when asked to",
    ],
)
def test_the_label_written_follows_from_what_was_stated_and_stored(
    level: Sensitivity,
    stated: bool,
    stored: Sensitivity | None,
    allow_lower: bool,
    expected: Sensitivity,
) -> None:
    resolution = Resolution(level, stated, ("somebody",))
    known = None if stored is None else state(stored)
    assert decide(resolution, known, allow_lower=allow_lower) is expected


def test_lowering_without_the_flag_is_refused_naming_both_labels_and_the_flag() -> None:
    resolution = resolve_for(argument="internal", front_matter="PUBLIC")
    with pytest.raises(LabelError) as caught:
        decide(resolution, state(RESTRICTED), allow_lower=False)
    assert str(caught.value) == (
        "label INTERNAL given by the sensitivity argument, but the stored label is RESTRICTED; "
        "pass --allow-lower to lower it"
    )


@given(LEVELS, st.booleans(), LEVELS)
def test_a_label_is_never_lowered_without_the_flag(
    level: Sensitivity, stated: bool, stored: Sensitivity
) -> None:
    resolution = Resolution(level, stated, ("somebody",))
    try:
        decided = decide(resolution, state(stored), allow_lower=False)
    except LabelError:
        assert stated
        assert level < stored
    else:
        assert decided is max(level, stored)


@given(LEVELS, LEVELS)
def test_the_flag_lets_a_stated_label_through_and_no_default(
    level: Sensitivity, stored: Sensitivity
) -> None:
    known = state(stored)
    assert decide(Resolution(level, True, ("x",)), known, allow_lower=True) is level
    assert decide(Resolution(level, False, ("x",)), known, allow_lower=True) >= stored
