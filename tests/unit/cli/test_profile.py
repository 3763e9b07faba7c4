import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

PROFILE = """
[home]
company_name = "例示株式会社"
entity_code = "EX"
[home.synonyms]
"例示" = "EX"
"\\u202e例示" = "EX"
[home.geography]
EX = "JP"
[external_entities]
"競合" = "競合商事"
rival = "競合商事"
[[dimensions]]
name = "metric"
synonyms = { sales = "REVENUE" }
units = { REVENUE = "JPY_M" }
[sensitivity]
escalate_unlabelled = true
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "house.toml"
    file.write_text(PROFILE, encoding="utf-8")
    return file


def test_a_profile_is_shown_as_it_is_understood(run: Run, file: Path) -> None:
    result = run("profile", "check", str(file))
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["external_entities", "競合商事", "競合,", "rival"] in rows
    assert ["dimensions.metric", "REVENUE", "sales", "JPY_M"] in rows
    assert ["sensitivity", "unlabelled", "RESTRICTED"] in rows
    assert "例示, \\u202e例示" in result.stdout


def test_json_has_the_same(run: Run, file: Path) -> None:
    result = run("profile", "check", str(file), "--json")
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert list(shown) == ["profile", "tables", "warnings"]
    assert shown["profile"] == str(file)
    assert list(shown["tables"]) == [
        "home",
        "external_entities",
        "dimensions.metric",
        "sensitivity",
    ]
    assert shown["tables"]["home"] == [
        {"code": "EX", "label": "例示株式会社", "aliases": ["例示", "\u202e例示"], "note": "JP"}
    ]


@pytest.mark.parametrize("how", ["environment", "configuration"])
def test_without_a_file_the_one_of_the_settings_is_checked(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "environment":
        monkeypatch.setenv("RAGSPINE_PROFILE", str(file))
        result = run("profile", "check", "--json")
    else:
        Path("service.toml").write_text('profile = "house.toml"\n', encoding="utf-8")
        result = run("--config", "service.toml", "profile", "check", "--json")
    assert result.exit_code == 0
    assert Path(json.loads(result.stdout)["profile"]).name == "house.toml"


def test_without_any_profile_one_line_says_what_is_expected(run: Run) -> None:
    result = run("profile", "check")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: no profile given; expected a FILE")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[home.synonyms]\nex = 'EX'\nEX = 'EY'\n", "home.synonyms.EX"),
        ("[external_entities]\nx = 1\n", "external_entities.x"),
    ],
    ids=["contradiction", "form"],
)
def test_a_faulty_profile_exits_1_with_one_line_that_names_file_and_key(
    run: Run, file: Path, text: str, key: str
) -> None:
    file.write_text(text, encoding="utf-8")
    result = run("profile", "check", str(file))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: profile {str(file)!r}, key {key}: ")
    assert result.stderr.count("\n") == 1


def test_what_is_hardly_meant_is_warned_of(run: Run, file: Path) -> None:
    file.write_text("[external_entities]\nX = 'X Corp.'\n[home]\ncompany_name = 'Ex'\n")
    result = run("profile", "check", str(file))
    assert result.exit_code == 0
    assert "warning: external_entities: 'X' (X Corp.) is a single character" in result.stdout
    assert "warning: home: no entity_code" in result.stdout


def test_a_file_that_is_not_there_is_an_error(run: Run) -> None:
    result = run("profile", "check", "nowhere.toml")
    assert result.exit_code == 1
    assert "nowhere.toml" in result.stderr
