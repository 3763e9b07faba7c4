from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ragspine_store.errors import LabelError
from ragspine_store.labelling import (
    Resolution,
    SensitivityPolicy,
    Sidecar,
    Statement,
    decide,
    resolve,
)
from ragspine_store.records import DocumentState
from ragspine_store.sensitivity import Sensitivity

PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED = Sensitivity
LEVELS = st.sampled_from(Sensitivity)


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
