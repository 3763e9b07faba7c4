from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.errors import FilterError, LabelError
from ragspine_store.records import DocumentMeta
from ragspine_store.sensitivity import (
    DEFAULT_SENSITIVITY,
    Reader,
    Sensitivity,
    is_known_label,
    parse_label,
    stored_label,
)

LEVELS = st.sampled_from(Sensitivity)
SPELLINGS = [
    "RESTRICTED",
    "restricted",
    "  Restricted\n",
    "ＲＥＳＴＲＩＣＴＥＤ",
    "REST\u200bRICTED",
    "\ufeffRESTRICTED",
    "RESTRICTED\u202e",
    "RESTRICTED\0",
    "\u3000RESTRICTED\u3000",
]
UNKNOWN = [
    "",
    " ",
    "SECRET",
    "TOP SECRET",
    "RESTRICTED!",
    "PUBLIC,INTERNAL",
    "3",
    "機密",
    "RΕSTRICTED",
]


def test_the_levels_are_ordered_from_public_to_restricted() -> None:
    assert sorted(Sensitivity) == [
        Sensitivity.PUBLIC,
        Sensitivity.INTERNAL,
        Sensitivity.CONFIDENTIAL,
        Sensitivity.RESTRICTED,
    ]
    assert DEFAULT_SENSITIVITY is Sensitivity.INTERNAL


@pytest.mark.parametrize("label", SPELLINGS, ids=ascii)
def test_width_case_space_and_invisible_characters_do_not_matter(label: str) -> None:
    assert parse_label(label, source="a test") is Sensitivity.RESTRICTED
    assert stored_label(label) is Sensitivity.RESTRICTED
    assert is_known_label(label)


@pytest.mark.parametrize("level", Sensitivity)
def test_the_name_of_a_level_is_its_label(level: Sensitivity) -> None:
    assert parse_label(level.name, source="a test") is level
    assert stored_label(level.name) is level


@pytest.mark.parametrize("label", UNKNOWN, ids=ascii)
def test_an_unknown_label_is_refused_when_stated_and_restricted_when_stored(label: str) -> None:
    with pytest.raises(LabelError, match=r"labels\.toml"):
        parse_label(label, source="labels.toml")
    assert stored_label(label) is Sensitivity.RESTRICTED
    assert not is_known_label(label)


def test_the_message_lists_the_labels_and_does_not_repeat_what_was_given() -> None:
    with pytest.raises(LabelError) as caught:
        parse_label("the salary of T. is 9", source="the front matter of 'a.md'")
    assert str(caught.value) == (
        "unknown sensitivity label in the front matter of 'a.md'; "
        "expected one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED"
    )


@given(st.text())
def test_a_stored_label_is_either_known_or_restricted(label: str) -> None:
    level = stored_label(label)
    if is_known_label(label):
        assert parse_label(label, source="a test") is level
    else:
        assert level is Sensitivity.RESTRICTED


def test_no_reader_holds_the_restricted_clearance() -> None:
    with pytest.raises(LabelError, match="above every clearance"):
        Reader(clearance=Sensitivity.RESTRICTED)


def test_a_reader_is_cleared_for_confidential_and_all_collections_by_default() -> None:
    reader = Reader()
    assert reader.may_see(Sensitivity.CONFIDENTIAL, "any")
    assert not reader.may_see(Sensitivity.RESTRICTED, "any")


@given(
    st.sampled_from([level for level in Sensitivity if level is not Sensitivity.RESTRICTED]),
    LEVELS,
    st.none() | st.frozensets(st.sampled_from("abc")),
    st.sampled_from("abc"),
)
def test_a_reader_sees_what_both_clearance_and_collections_allow(
    clearance: Sensitivity,
    level: Sensitivity,
    collections: frozenset[str] | None,
    collection: str,
) -> None:
    reader = Reader(clearance, collections)
    in_collection = collections is None or collection in collections
    assert reader.may_see(level, collection) == (level <= clearance and in_collection)
    assert not reader.may_see(Sensitivity.RESTRICTED, collection)


def test_a_reader_of_no_collection_sees_nothing() -> None:
    assert not Reader(collections=frozenset()).may_see(Sensitivity.PUBLIC, "default")


def test_a_clearance_and_collections_are_read_as_they_are_meant() -> None:
    given: dict[str, Any] = {"clearance": "internal", "collections": ["hr", "it"]}
    assert Reader(**given) == Reader(Sensitivity.INTERNAL, frozenset({"hr", "it"}))


@pytest.mark.parametrize("collections", ["my-default-set", "", 3, [""], [" "], ["hr", None]])
def test_collections_that_are_no_names_are_refused(collections: Any) -> None:
    with pytest.raises(FilterError, match="expected"):
        Reader(collections=collections)


@pytest.mark.parametrize("clearance", ["SECRET", "", 1, True, None])
def test_a_clearance_that_is_no_label_is_refused(clearance: Any) -> None:
    with pytest.raises(LabelError, match="the reader's clearance"):
        Reader(clearance=clearance)


def test_metadata_takes_a_label_by_its_name_and_refuses_what_is_none() -> None:
    named: Any = "restricted"
    assert DocumentMeta("a.md", sensitivity=named).sensitivity is Sensitivity.RESTRICTED
    for wrong_one in ("SECRET", 3, None):
        wrong: Any = wrong_one
        with pytest.raises(LabelError, match=r"the metadata of 'a\.md'"):
            DocumentMeta("a.md", sensitivity=wrong)
