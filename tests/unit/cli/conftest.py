import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ragspine_graph.cli import app

HANDBOOK = """\
# 就業規則

## 第1章 賃金

### 第4条：諸手当

1. 会社は手当を支給する。
2. 正社員に対しては、月額20,000円までの通勤手当を支給する。
3. 試用期間中の昼食手当の適用は、本採用以降とする。
4. 各手当は、毎月25日に支給する。

### 第5条：退職

退職する者は、30日前に届け出る。
"""
POLICY = "# Remote work\n\nEmployees may work remotely two days a week.\n"
SECRET = """\
---
sensitivity: RESTRICTED
---
# Project Kingfisher

The Kingfisher allowance 通勤手当 is secret.
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command line in an empty folder, without settings from outside."""
    for name in list(os.environ):
        if name.startswith("RAGSPINE_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A folder with a Japanese handbook, an English policy and a RESTRICTED plan."""
    folder = tmp_path / "rules"
    folder.mkdir()
    for name, text in (("就業規則", HANDBOOK), ("policy", POLICY), ("plan", SECRET)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def ingested(run: Callable[..., Result], rules: Path) -> Callable[..., Result]:
    """Runs the command line on a store that holds the folder `rules`."""
    assert run("ingest", "rules", "--chunker", "parent_child").exit_code == 0
    return run
