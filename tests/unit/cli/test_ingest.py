import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]


def words(result: Result) -> list[list[str]]:
    return [line.split() for line in result.stdout.splitlines() if line]


def test_the_report_counts_outcomes_and_labels(run: Run, rules: Path) -> None:
    (rules / "picture.png").write_bytes(b"\x89PNG")
    result = run("ingest", "rules")
    assert result.exit_code == 0
    rows = words(result)
    assert ["added", "3"] in rows
    assert ["skipped", "1"] in rows
    assert ["INTERNAL", "2", "documents"] in rows
    assert ["RESTRICTED", "1", "document"] in rows
    assert result.stderr.startswith("skipped: rules/picture.png: no loader reads .png")


def test_a_run_without_anything_to_tell_leaves_stderr_empty(run: Run, rules: Path) -> None:
    result = run("ingest", "rules")
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_same_files_again_are_unchanged(ingested: Run) -> None:
    assert ["unchanged", "3"] in words(ingested("ingest", "rules", "--chunker", "small-to-big"))


def test_json_is_one_document_with_stable_keys(run: Run, rules: Path) -> None:
    report = json.loads(run("ingest", "rules", "--json").stdout)
    assert list(report) == [
        "dry_run",
        "sync",
        "chunker",
        "outcomes",
        "labels",
        "unlabelled",
        "files",
        "advice",
        "warnings",
        "erased",
    ]
    assert report["outcomes"] == {
        "added": 3,
        "updated": 0,
        "unchanged": 0,
        "skipped": 0,
        "refused": 0,
        "moved": 0,
        "deleted": 0,
        "kept": 0,
    }
    assert report["labels"] == {"INTERNAL": 2, "RESTRICTED": 1}
    assert list(report["files"][0]) == [
        "source",
        "outcome",
        "doc_id",
        "sensitivity",
        "chunks",
        "sections",
        "blocks",
        "cut_sections",
        "message",
        "chunker_before",
        "moved_from",
        "notes",
    ]
    assert {file["doc_id"] for file in report["files"]} == {
        "rules/就業規則.md",
        "rules/policy.md",
        "rules/plan.md",
    }


def test_one_bad_file_is_refused_in_one_line_and_the_others_are_ingested(
    run: Run, rules: Path
) -> None:
    (rules / "empty.md").write_bytes(b"")
    result = run("ingest", "rules", "absent.md")
    assert result.exit_code == 1
    assert ["added", "3"] in words(result)
    assert ["refused", "2"] in words(result)
    lines = result.stderr.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["refused", "rules/empty.md"],
        ["refused", "absent.md"],
    ]


def test_without_a_chunker_the_report_tells_what_one_would_add(run: Run, rules: Path) -> None:
    report = json.loads(run("ingest", "rules", "--dry-run", "--json").stdout)
    blocks = sum(file["blocks"] for file in report["files"])
    sections = sum(file["sections"] for file in report["files"])
    assert (blocks, sections) == (7, 6)
    assert "--chunker parent_child would search 7 items" in report["advice"]
    assert "(6 sections)" in report["advice"]
    assert report["advice"] in run("ingest", "rules").stdout


def test_one_item_of_one_section_is_told_as_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\none\n", encoding="utf-8")
    told = run("ingest", "a.md", "--root", ".").stdout
    assert "would search 1 item or paragraph one by one" in told
    assert "(1 section)" in told


@pytest.mark.parametrize("chunker", ["parent_child", "sentence_window"])
def test_with_a_chunker_nothing_is_advised(run: Run, rules: Path, chunker: str) -> None:
    report = json.loads(run("ingest", "rules", "--chunker", chunker, "--json").stdout)
    assert (report["advice"], report["chunker"].partition("(")[0]) == ("", chunker)


def test_a_section_too_long_for_one_window_is_reported(run: Run, tmp_path: Path) -> None:
    text = "# Long\n\n" + "A paragraph of the long section tells a little more.\n\n" * 600
    (tmp_path / "long.md").write_text(text, encoding="utf-8")
    result = run("ingest", "long.md", "--root", ".", "--chunker", "parent_child")
    assert re.search(
        r"^long\.md#s1 was too long for one window and has \d+\.$", result.stdout, re.M
    )


def test_a_dry_run_creates_no_store(run: Run, rules: Path, tmp_path: Path) -> None:
    result = run("ingest", "rules", "--dry-run")
    assert result.stdout.startswith("Dry run: nothing was written.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rules"]


def test_a_dry_run_leaves_a_store_as_it_is(ingested: Run, rules: Path) -> None:
    (rules / "new.md").write_text("# New\n\nWords.\n", encoding="utf-8")
    assert ["added", "1"] in words(
        ingested("ingest", "rules", "--dry-run", "--chunker", "parent_child")
    )
    assert ingested("show", "rules/new.md").exit_code == 1


def test_ids_are_relative_to_the_root_given(run: Run, rules: Path) -> None:
    run("ingest", "rules", "--root", "rules")
    assert run("show", "policy.md").exit_code == 0


def test_a_label_and_a_collection_can_be_stated_for_all_files(run: Run, rules: Path) -> None:
    run("ingest", "rules/policy.md", "--sensitivity", "confidential", "--collection", "hr")
    shown = json.loads(run("show", "rules/policy.md", "--json").stdout)
    assert (shown["sensitivity"], shown["collection"]) == ("CONFIDENTIAL", "hr")


def test_a_stated_label_lowers_a_stored_one_only_when_asked_to(run: Run, rules: Path) -> None:
    run("ingest", "rules/policy.md", "--sensitivity", "CONFIDENTIAL")
    lower = ("ingest", "rules/policy.md", "--sensitivity", "PUBLIC")
    refused = run(*lower)
    assert refused.exit_code == 1
    assert "--allow-lower" in refused.stderr
    assert run(*lower, "--allow-lower").exit_code == 0


def test_the_policy_of_a_profile_labels_documents(run: Run, rules: Path, tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text(
        '[sensitivity]\nrestricted_keywords = ["remotely"]\n', encoding="utf-8"
    )
    report = json.loads(run("ingest", "rules", "--profile", "profile.toml", "--json").stdout)
    assert report["labels"] == {"INTERNAL": 1, "RESTRICTED": 2}


def test_an_empty_folder_is_said_to_be_empty(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run("ingest", "empty")
    assert (result.exit_code, result.stdout) == (0, "Nothing to ingest: no files there.\n")


def test_an_empty_path_is_a_wrong_use_and_not_the_current_folder(run: Run, rules: Path) -> None:
    result = run("ingest", "")
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_root_that_does_not_exist_is_said_to_be_none(run: Run, rules: Path) -> None:
    for root in ("nowhere", "rules/policy.md"):
        result = run("ingest", "rules", "--root", root)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"no such folder '{root}'" in result.stderr


def test_a_label_that_matches_no_file_is_warned_of(run: Run, rules: Path) -> None:
    (rules / "labels.toml").write_text('["rules/*.md"]\nsensitivity = "RESTRICTED"\n')
    result = run("ingest", "rules", "--json")
    (warning,) = json.loads(result.stdout)["warnings"]
    assert (result.exit_code, result.stderr) == (0, f"warning: {warning}\n")
    assert "rules/*.md" in warning


def test_another_chunker_than_before_is_warned_of(ingested: Run) -> None:
    result = ingested("ingest", "rules")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: 2 of the documents, cut with the chunker parent_c")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [("ingest", "rules"), ("search", "手当"), ("status",)])
def test_a_blank_collection_is_refused(ingested: Run, command: tuple[str, ...]) -> None:
    result = ingested(*command, "--collection", "")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: a ")
    assert "blank" in result.stderr


def test_a_sync_names_what_it_moved_and_deleted_and_what_has_no_stated_label(
    ingested: Run, rules: Path
) -> None:
    (rules / "plan.md").unlink()
    (rules / "policy.md").rename(rules / "remote.md")
    sync = ("ingest", "--sync", "rules", "--chunker", "parent_child")
    for dry_run in (["--dry-run"], []):
        result = ingested(*sync, *dry_run)
        assert (result.exit_code, result.stderr) == (0, "")
        rows = words(result)
        assert ["moved", "1"] in rows
        assert ["deleted", "1"] in rows
        assert "  rules/policy.md is now rules/remote.md\n" in result.stdout
        assert "deleted:\n  a document of which a stub was kept\n" in result.stdout
        assert "plan" not in result.stdout
    unlabelled = result.stdout.partition("without a stated label:\n")[2]
    assert sorted(unlabelled.split()[:2]) == ["rules/remote.md", "rules/就業規則.md"]
    assert ingested("show", "rules/policy.md").exit_code == 1
    report = json.loads(ingested(*sync, "--json").stdout)
    assert (report["sync"], report["outcomes"]["unchanged"]) == (True, 2)


def test_long_lists_of_a_sync_are_cut_short(run: Run, rules: Path) -> None:
    for number in range(30):
        (rules / f"{number}.md").write_text(f"tea {number}\n", encoding="utf-8")
    result = run("ingest", "--sync", "rules")
    assert "\n  and 12 more; --json names all\n" in result.stdout


def test_what_a_loader_left_out_is_noted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>tea<p hidden>milk", encoding="utf-8")
    result = run("ingest", "a.html", "--json")
    assert result.stderr == "note: a.html: left out: 1 hidden element\n"
    (file,) = json.loads(result.stdout)["files"]
    assert file["notes"] == ["left out: 1 hidden element"]


def test_a_sync_names_what_it_did_not_dare_to_delete(ingested: Run, rules: Path) -> None:
    (rules / "plan.md").unlink()
    (rules / "policy.md").unlink()
    for name in ("plan.md", "policy.md"):
        (rules / name).symlink_to(rules / "unmounted" / name)
    result = ingested("ingest", "--sync", "rules")
    assert ["kept", "2"] in words(result)
    lines = [line.split(": ")[:2] for line in result.stderr.splitlines() if "kept" in line[:5]]
    assert lines == [
        ["kept", str(rules / "policy.md")],
        ["kept", "a document of which a stub was kept"],
    ]


def test_a_sync_notes_that_bytes_are_known(ingested: Run, rules: Path) -> None:
    (rules.parent / "more").mkdir()
    (rules.parent / "more" / "plan.md").write_bytes((rules / "plan.md").read_bytes())
    result = ingested("ingest", "--sync", "more")
    assert ["RESTRICTED", "1", "document"] in words(result)
    assert result.stderr.startswith("note: more/plan.md: the store knows the same bytes as")


def test_a_sync_refuses_an_empty_folder_where_documents_were(ingested: Run, rules: Path) -> None:
    for path in rules.iterdir():
        path.unlink()
    result = ingested("ingest", "--sync", "rules")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: 'rules' is empty, and documents were ingested from")
    assert ingested("show", "rules/policy.md").exit_code == 0


def test_a_file_that_takes_too_long_is_one_line(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_LOAD_TIMEOUT_S", "0.0001")
    (rules / "slow.csv").write_text("a,b\n" * 50_000, encoding="utf-8")
    result = run("ingest", "rules")
    assert result.exit_code == 1
    assert ["added", "3"] in words(result)
    (line,) = result.stderr.splitlines()
    assert line.startswith("refused: rules/slow.csv: slow.csv took longer than 0.0001 seconds")
