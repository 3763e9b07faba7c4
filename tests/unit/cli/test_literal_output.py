import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

NAME = "evil\x1b[31m[red]<b>=1+1\u202e.md"
SHOWN_NAME = r"evil\x1b[31m[red]<b>=1+1\u202e.md"
TEXT = """\
# Title \x1b[2J[bold red]x[/] \u202egnp <script>alert(1)</script>

=1+1 \x07bell :smile: [link=file:///etc]word[/link] zero\u200bwidth
"""


@pytest.fixture
def hostile(run: Run, tmp_path: Path) -> Run:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / NAME).write_text(TEXT, encoding="utf-8")
    assert run("ingest", "docs", "--chunker", "parent_child").exit_code == 0
    return run


def assert_nothing_acts(output: str) -> None:
    for char in output.replace("\n", ""):
        assert unicodedata.category(char) not in {"Cc", "Cf", "Zl", "Zp"}, ascii(char)


@pytest.mark.parametrize(
    "command",
    [
        ("search", "word"),
        ("search", "word", "--json"),
        ("context", "word"),
        ("context", "word", "--expand", "merge", "--json"),
        ("show", f"docs/{NAME}"),
        ("show", f"docs/{NAME}", "--json"),
        ("show", f"docs/{NAME}#c0"),
        ("show", f"docs/{NAME}#s9"),
        ("show", f"docs/{NAME}#s1"),
        ("relabel", f"docs/{NAME}", "CONFIDENTIAL"),
        ("relabel", f"docs/{NAME}", "PUBLIC"),
        ("delete", f"docs/{NAME}x"),
        ("ingest", "docs", "--json"),
        ("ingest", f"docs/{NAME}x"),
        ("status", "--store", "sqlite:///\x1b[31m.db"),
        ("ingest", "docs", "--chunker", "\x1b[31m\u202e"),
        ("search", "word", "--filter", "\x1b[31m=x"),
    ],
    ids=lambda command: ascii(" ".join(command)),
)
def test_no_command_lets_a_document_or_a_name_act(hostile: Run, command: tuple[str, ...]) -> None:
    result = hostile(*command)
    assert result.output
    assert_nothing_acts(result.output)


def test_titles_headings_ids_and_text_are_shown_as_they_are(hostile: Run) -> None:
    shown = hostile("search", "word").stdout
    assert r"Title \x1b[2J[bold red]x[/] \u202egnp <script>alert(1)</script>" in shown
    assert f"docs/{SHOWN_NAME}#para2" in shown
    assert r"=1+1 \x07bell :smile: [link=file:///etc]word[/link] zero\u200bwidth" in shown


def test_the_report_names_files_literally(hostile: Run, tmp_path: Path) -> None:
    (tmp_path / "docs" / f"bad{NAME}").write_bytes(b"")
    result = hostile("ingest", "docs")
    assert f"refused: docs/bad{SHOWN_NAME}: " in result.stderr
    assert_nothing_acts(result.output)


def test_json_escapes_what_acts_and_keeps_the_content(hostile: Run) -> None:
    printed = hostile("search", "word", "--json").stdout
    assert json.loads(printed)["snippets"][0]["text"] == TEXT.splitlines()[2]


def test_a_line_break_in_a_name_forges_no_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a\nadded 99.md").write_text("# A\n\nWords.\n", encoding="utf-8")
    result = run("ingest", "docs")
    assert result.exit_code == 1
    assert result.stderr.startswith(r"refused: docs/a\x0aadded 99.md: ")
    assert result.stderr.count("\n") == 1


def test_a_file_name_that_is_not_unicode_is_named_by_its_bytes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    try:
        Path(str(tmp_path / "docs") + "/\udcff.md").write_text("# A\n\nWords.\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes Unicode names only")  # no file to show: APFS, NTFS
    result = run("ingest", "docs", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["files"][0]["source"] == "docs/\udcff.md"
