"""`relations` on the command line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import Result

Run = Callable[..., Result]

RULES = """\
# 規程

## 第1条 目的

1. みなと（以下「会社」という。）は、第2条による。
2. 第9条による。

## 第2条 手当

1. 会社は前条による。
"""
PROFILE = """\
[home]
company_name = "みなと"
[home.labels]
BRANCH = "支店"
[external_entities]
"北斗" = "北斗重工業"
"""


@pytest.fixture
def built(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line on a store with a graph."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text(RULES, encoding="utf-8")
    (tmp_path / "profile.toml").write_text(PROFILE, encoding="utf-8")
    monkeypatch.setenv("RAGSPINE_PROFILE", "profile.toml")
    monkeypatch.setenv("RAGSPINE_ENTITY_SOURCES", "profile,terms")
    run("ingest", "docs", "--chunker", "parent_child")
    assert run("relations", "build").exit_code == 0
    return run


def output(result: Result) -> str:
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_a_build_says_what_it_did_and_what_more_there_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text(RULES, encoding="utf-8")
    run("ingest", "docs", "--chunker", "parent_child")
    shown = output(run("relations", "build"))
    assert "documents built       1\n" in shown
    assert "references            3\n" in shown
    assert "--profile FILE" in shown
    again = json.loads(output(run("relations", "build", "--json")))
    assert (again["rules"]["documents"], again["rules"]["unchanged"]) == (0, 1)
    assert (again["model"], again["gap"]) == (None, None)
    assert "--extractor deterministic" in again["advice"]


def test_options_of_a_build_win_over_settings(built: Run) -> None:
    report = json.loads(
        output(built("relations", "build", "--entities", "none", "--extractor", "rule", "--json"))
    )
    assert report["rules"]["documents"] == 1
    kinds = {e["kind"] for e in json.loads(output(built("relations", "list", "--json")))["edges"]}
    assert kinds == {"competes_with", "parent_of", "refers_to"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--extractor", "nonsense"), "expected one of none, deterministic"),
        (("--entities", "nonsense"), "expected some of"),
        (("--profile", "none.toml"), "none.toml"),
        (("--facts", "none.csv"), "none.csv"),
    ],
    ids=["extractor", "entities", "profile", "facts"],
)
def test_a_wrong_option_of_a_build_is_one_line(
    built: Run, arguments: tuple[str, str], message: str
) -> None:
    result = built("relations", "build", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_facts_become_mentions(built: Run, tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text(
        "metric_code,entity,period_type,period,value,unit,source_doc_id,source_locator\n"
        "REVENUE,BRANCH,FY,2024,1.5,JPY_M,docs/rules.md,docs/rules.md#para3\n",
        encoding="utf-8",
    )
    built("relations", "build", "--facts", "facts.csv")
    edges = json.loads(output(built("relations", "list", "--kind", "mentions", "--json")))["edges"]
    controlled = [e["target"] for e in edges if e["provenance"] == "controlled"]
    assert controlled == ["entity:BRANCH", "metric:REVENUE"]


def test_the_list_shows_ends_provenance_and_words(built: Run) -> None:
    shown = output(built("relations", "list", "--kind", "refers_to"))
    assert "第1条 目的 —refers_to→ 第2条 手当\n" in shown
    assert "section:docs/rules.md#s2 → section:docs/rules.md#s3\n" in shown
    assert "   rule\n" in shown
    assert "   docs/rules.md#para3\n   | 第2条\n" in shown


def test_the_list_goes_on_where_its_last_line_says(built: Run) -> None:
    page = output(built("relations", "list", "--limit", "1"))
    assert "More follow: relations list --after e" in page
    after = page.split("--after ")[1].split()[0]
    one, other = (
        json.loads(output(built("relations", "list", "--limit", "1", *more, "--json")))
        for more in ((), ("--after", after))
    )
    assert one["next"] == after == one["edges"][0]["id"]
    assert other["edges"][0]["id"] != after


def test_an_empty_list_says_so(built: Run) -> None:
    assert "No edges" in output(built("relations", "list", "--kind", "nonsense"))
    assert json.loads(output(built("relations", "list", "--kind", "nonsense", "--json"))) == {
        "edges": [],
        "next": None,
    }


def test_neighbours_of_an_article_are_its_references(built: Run) -> None:
    shown = output(built("relations", "neighbours", "第2条", "--kind", "refers_to"))
    assert shown.startswith("第2条 手当 (section:docs/rules.md#s3)\n")
    assert "第1条 目的 —refers_to→ 第2条 手当\n" in shown
    assert "第2条 手当 —refers_to→ 第1条 目的\n" in shown
    cut = output(built("relations", "neighbours", "第2条", "--limit", "1"))
    assert "2 edges left out: --limit gives more.\n" in cut


def test_a_path_is_shown_with_its_edges(built: Run) -> None:
    shown = output(built("relations", "path", "第2条", "支店", "--json"))
    assert json.loads(shown)["nodes"] == []
    assert "No path of at most 4 edges" in output(built("relations", "path", "第2条", "支店"))
    shown = output(built("relations", "path", "支店", "みなと"))
    assert shown.startswith("支店 – みなと\n")
    assert "みなと —parent_of→ 支店\n" in shown


@pytest.mark.guarantee("G6")
@pytest.mark.parametrize(
    "arguments", [("neighbours", "北斗"), ("path", "北斗", "みなと"), ("path", "みなと", "北 斗")]
)
def test_a_read_that_names_a_rival_is_refused_and_exits_0(
    built: Run, arguments: tuple[str, ...]
) -> None:
    assert output(built("relations", *arguments)).startswith("Refused (listed-name)")
    told = json.loads(output(built("relations", *arguments, "--json")))
    assert told["refused"] == {"rule": "listed-name", "name": "北斗重工業"}


def test_dangling_references_are_shown_with_their_words(built: Run) -> None:
    shown = output(built("relations", "dangling"))
    assert shown == "article 9\n   docs/rules.md#para4\n   | 第9条\n"
    (one,) = json.loads(output(built("relations", "dangling", "--json")))["dangling"]
    assert (one["source"], one["title"], one["address"]) == (
        "section:docs/rules.md#s2",
        None,
        "article 9",
    )
    none = output(built("relations", "dangling", "--document", "docs/none.md"))
    assert none.startswith("No dangling references")


def test_the_export_is_read_by_other_programs(built: Run, tmp_path: Path) -> None:
    built("relations", "export", "--out", "graph.graphml")
    graph = nx.read_graphml(tmp_path / "graph.graphml")
    assert graph.nodes["section:docs/rules.md#s3"]["label"] == "第2条 手当"
    assert output(built("relations", "export")) == (tmp_path / "graph.graphml").read_text("utf-8")
    written = output(built("relations", "export", "--format", "csv"))
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    data = json.loads(output(built("relations", "export", "--json")))
    assert {row["id"] for row in rows} == {edge["key"] for edge in data["edges"]}
    assert data["multigraph"] is True


@pytest.mark.parametrize(
    "arguments",
    [
        ("neighbours", "nobody"),
        ("path", "nobody", "みなと"),
        ("list", "--after", "e0123456789abcdef"),
        ("list", "--limit", "0"),
        ("neighbours", "みなと", "--depth", "7"),
    ],
    ids=" ".join,
)
def test_a_read_that_cannot_be_answered_is_one_line(built: Run, arguments: tuple[str, ...]) -> None:
    result = built("relations", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "expected" in result.stderr


HOSTILE = "=1+1 \x1b[31m\u202e[red]"


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("neighbours", "第1条"),
        ("path", "第1条", "第2条"),
        ("dangling",),
        ("export",),
        ("export", "--format", "csv"),
    ],
    ids=" ".join,
)
def test_nothing_in_a_document_acts(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], form: tuple[str, ...]
) -> None:
    text = (
        f"# 規程\n\n## 第1条 {HOSTILE}\n\n第2条および「{HOSTILE}」第3条による。\n\n## 第2条\n\n二\n"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(text, encoding="utf-8")
    run("ingest", "docs", "--chunker", "parent_child")
    run("relations", "build", "--entities", "terms,titles")
    shown = output(run("relations", *arguments, *form))
    assert "第" in shown
    assert not {"\x1b", "\u202e"} & set(shown)
    for line in shown.splitlines() if "csv" in arguments and not form else ():
        assert not any(cell.startswith(("=", "@")) for cell in line.split(","))
