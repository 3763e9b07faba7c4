from __future__ import annotations

from pathlib import Path

import pytest

from ragspine_graph.errors import ConfigError
from ragspine_graph.profile import Profile, load_profile
from ragspine_store.labelling import SensitivityPolicy
from ragspine_store.sensitivity import Sensitivity

WHOLE = """
[home]
company_name = "例示株式会社"
entity_code = "EX"
[home.synonyms]
"例示" = "EX"
example = "EX"
[home.geography]
EX = "JP"
[home.labels]
EX = "Example Inc."
[external_entities]
"他社" = "Other Inc."
[sensitivity]
restricted_keywords = ["社外秘"]
restricted_filename_patterns = ["salary"]
default_level = "confidential"
escalate_unlabelled = true
[synonyms]
"有休" = ["年次有給休暇"]
[[dimensions]]
name = "metric"
kind = "measure"
synonyms = { "売上" = "REVENUE" }
units = { REVENUE = "JPY_M" }
[[dimensions]]
name = "geography"
derived_from = "entity"
derivation = { EX = "JP" }
"""


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "profile.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_whole_profile_is_read(tmp_path: Path) -> None:
    profile = load_profile(write(tmp_path, WHOLE))
    assert profile.home.company_name == "例示株式会社"
    assert profile.home.synonyms == {"例示": "EX", "example": "EX"}
    assert profile.home.geography == {"EX": "JP"}
    assert profile.home.labels == {"EX": "Example Inc."}
    assert profile.external_entities == {"他社": "Other Inc."}
    assert profile.synonyms == {"有休": ("年次有給休暇",)}
    assert [dimension.name for dimension in profile.dimensions] == ["metric", "geography"]
    assert profile.sensitivity == SensitivityPolicy(
        restricted_keywords=("社外秘",),
        restricted_filename_patterns=("salary",),
        default_level=Sensitivity.CONFIDENTIAL,
        escalate_unlabelled=True,
    )


def test_an_empty_profile_is_the_default_one(tmp_path: Path) -> None:
    profile = load_profile(write(tmp_path, ""))
    assert profile == Profile()
    assert profile.sensitivity.default_level is Sensitivity.INTERNAL
    assert profile.sensitivity.escalate_unlabelled is False


def test_a_profile_of_the_predecessor_is_read_with_its_own_spelling(tmp_path: Path) -> None:
    text = "[sensitivity]\nescalate_unknown_to_restricted = true\n"
    assert load_profile(write(tmp_path, text)).sensitivity.escalate_unlabelled is True


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("[hom]\n", "hom", "unknown key; expected one of home, external_entities"),
        ("[home]\nname = 'x'\n", "home.name", "expected one of company_name, entity_code"),
        ("[home.aliases]\n", "home.aliases", "unknown key"),
        ("home = 'x'\n", "home", "'x' given; expected a table"),
        ("[home.synonyms]\nx = 1\n", "home.synonyms.x", "1 given"),
        ("[external_entities]\nx = ['y']\n", "external_entities.x", "['y'] given"),
        ("[synonyms]\nx = 'y'\n", "synonyms.x", "'y' given"),
        ("[dimensions]\nname = 'x'\n", "dimensions", "expected an array"),
        ("[[dimensions]]\nlabel = 'x'\n", "dimensions[0].name", "missing"),
        ("[[dimensions]]\nname = 'x'\nunit = 'y'\n", "dimensions[0].unit", "units"),
        ("[[dimensions]]\nname = 'x'\nkind = 'y'\n", "dimensions[0].kind", "'y' given"),
        (
            "[sensitivity]\nkeywords = []\n",
            "sensitivity.keywords",
            "expected one of restricted_keywords",
        ),
        (
            "[sensitivity]\ndefault_level = 'SECRET'\n",
            "sensitivity.default_level",
            "expected one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED",
        ),
        (
            "[sensitivity]\nrestricted_keywords = ['a', ' ']\n",
            "sensitivity.restricted_keywords[1]",
            "blank",
        ),
        (
            "[sensitivity]\nescalate_unlabelled = 'perhaps'\n",
            "sensitivity.escalate_unlabelled",
            "'perhaps' given; expected true or false",
        ),
    ],
    ids=lambda value: value if "\n" not in value else "",
)
def test_a_fault_is_refused_in_one_line_that_names_file_and_key(
    text: str, key: str, problem: str, tmp_path: Path
) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_profile(file)
    message = str(caught.value)
    assert message.startswith(f"profile {str(file)!r}, key {key}: ")
    assert problem in message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "no such file"), ("[home", "not valid TOML")],
    ids=["missing", "malformed"],
)
def test_a_file_that_cannot_be_read_is_refused(
    content: str | None, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "profile.toml" if content is None else write(tmp_path, content)
    with pytest.raises(ConfigError, match=problem) as caught:
        load_profile(file)
    assert str(file) in str(caught.value)


def test_a_profile_does_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Profile().home = Profile().home
