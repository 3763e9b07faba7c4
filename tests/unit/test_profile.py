from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ragspine_graph.errors import ConfigError
from ragspine_graph.profile import Profile, load_profile
from ragspine_graph.profile.checks import find_faults
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


def faulty(text: str) -> dict[str, str]:
    profile = Profile.model_validate(tomllib.loads(text))
    return {fault.key: fault.problem for fault in find_faults(profile)}


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("[home]\ncompany_name = '・'", "home.company_name", "at least one letter"),
        ("[home.synonyms]\n'\u200b' = 'EX'", "home.synonyms.\u200b", "at least one letter"),
        ("[home.synonyms]\nEx = ' '", "home.synonyms.Ex", "expected a code"),
        ('[home.labels]\nEX = "e\\u001b[1mx"', "home.labels.EX", "without control characters"),
        ('[home.synonyms]\nEx = "E\\u0000"', "home.synonyms.Ex", "without control characters"),
        (f"[home]\ncompany_name = '{'x' * 201}'", "home.company_name", "201 characters given"),
        ("[home.labels]\nEX = ''", "home.labels.EX", "expected a name"),
        ("[home.geography]\nEX = ''", "home.geography.EX", "expected a code"),
        (
            "[home.synonyms]\n'㈱例示' = 'EX'\n'例示' = 'EY'",
            "home.synonyms.例示",
            "'例示' means 'EY' here and 'EX' in home.synonyms.㈱例示",
        ),
        (
            "[home]\ncompany_name = 'Ex Inc.'\nentity_code = 'EX'\n[home.synonyms]\nex = 'EY'",
            "home.synonyms.ex",
            "and 'EX' in home.company_name",
        ),
        (
            "[home.synonyms]\nex = 'EX'\n[[dimensions]]\nname='entity'\nsynonyms={ EX='EY' }",
            "dimensions[0].synonyms.EX",
            "and 'EX' in home.synonyms.ex",
        ),
        (
            "[external_entities]\nRival = 'Rival Inc.'\n'RIVAL, Ltd.' = 'Other'",
            "external_entities.RIVAL, Ltd.",
            "and 'Rival Inc.' in external_entities.Rival",
        ),
        (
            "[home.synonyms]\n'キヤノン' = 'EX'\n[external_entities]\n'キャノン' = 'Rival'",
            "external_entities.キャノン",
            "also a name of the profile's own ('キヤノン')",
        ),
        (
            "[home]\ncompany_name = 'Ex Inc.'\n[external_entities]\nrival = 'ＥＸ'",
            "external_entities.rival",
            "also a name of the profile's own",
        ),
        ("[external_entities]\n'Co., Ltd.' = 'R'", "external_entities.Co., Ltd.", "legal form"),
        ("[external_entities]\nRival = '-'", "external_entities.Rival", "at least one letter"),
        ("[synonyms]\n'有休' = []", "synonyms.有休", "expected the terms"),
        ("[synonyms]\n'有休' = ['・']", "synonyms.有休", "expected the terms"),
        (
            "[[dimensions]]\nname = 'a'\n[[dimensions]]\nname = 'a'",
            "dimensions[1].name",
            "'a' given twice",
        ),
        (
            "[[dimensions]]\nname = 'a'\nderived_from = 'b'",
            "dimensions[0].derived_from",
            "'b' given; expected one of a, entity",
        ),
        (
            "[[dimensions]]\nname = 'a'\nderivation = { x = 'y' }",
            "dimensions[0].derivation",
            "without derived_from",
        ),
        (
            "[[dimensions]]\nname='a'\nderived_from='b'\n[[dimensions]]\nname='b'\nderived_from='a'",
            "dimensions[0].derived_from",
            "follows from this one",
        ),
        (
            "[home]\nentity_code='EX'\n[[dimensions]]\nname='g'\nderived_from='entity'\n"
            "derivation={ EY='JP' }",
            "dimensions[0].derivation",
            "from 'EY' given; expected a value of 'entity': EX",
        ),
        (
            "[[dimensions]]\nname='g'\nderived_from='entity'\nderivation={ EX='JP' }\n"
            "labels={ US='America' }",
            "dimensions[0].derivation",
            "to 'JP' given; expected a value of 'g': US",
        ),
        (
            "[[dimensions]]\nname='metric'\nsynonyms={ sales='REVENUE', Sales='UNITS' }",
            "dimensions[0].synonyms.Sales",
            "'Sales' means 'UNITS' here",
        ),
        (
            "[[dimensions]]\nname='metric'\nunits={ '' = 'JPY' }",
            "dimensions[0].units.",
            "expected a code",
        ),
    ],
    ids=lambda value: value if "\n" not in value else "",
)
def test_a_contradiction_is_found_where_it_stands(text: str, key: str, problem: str) -> None:
    assert problem in faulty(text)[key]


def test_what_is_told_apart_by_its_dimension_is_no_contradiction() -> None:
    text = """
    [home]
    company_name = "Example Inc."
    entity_code = "EX"
    [home.synonyms]
    example = "EX"
    EX = "EX"
    [external_entities]
    Exam = "Exam Corp."
    "exam" = "Exam Corp."
    [[dimensions]]
    name = "channel"
    synonyms = { example = "SAMPLE" }
    [[dimensions]]
    name = "geography"
    derived_from = "entity"
    derivation = { EX = "JP" }
    """
    assert faulty(text) == {}


def test_a_contradiction_is_refused_in_one_line(tmp_path: Path) -> None:
    file = write(tmp_path, "[home.synonyms]\nex = 'EX'\nEx = 'EY'\n")
    with pytest.raises(ConfigError) as caught:
        load_profile(file)
    assert str(caught.value) == (
        f"profile {str(file)!r}, key home.synonyms.Ex: 'Ex' means 'EY' here and 'EX' in "
        "home.synonyms.ex; expected one code for one name"
    )


def test_the_example_is_a_profile() -> None:
    profile = load_profile(Path(__file__).parents[2] / "examples" / "profile.toml")
    assert profile.external_entities
    assert profile.dimensions


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
