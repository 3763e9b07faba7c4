"""A path that forgets its exit does not type-check, and does not run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragspine_graph.security.exits import clear_document, clear_part
from ragspine_store.protocols import DocumentView
from ragspine_store.sealed import Cleared, Screened, unseal, unseal_screened
from ragspine_store.sensitivity import Reader

ROOT = Path(__file__).parents[2]

# Each line that ends in `# refused: RULE` must be refused by pyright under that rule, no other.
FORGETFUL = """\
from ragspine_graph.retrieval import narrative_link
from ragspine_graph.security.exits import clear_part, clear_window
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.protocols import Candidate, DocumentView, StoreWriter, Window
from ragspine_store.records import StoredChunk
from ragspine_store.relations import DocumentRelations, Relation
from ragspine_store.sealed import Cleared, Screened, unseal, unseal_screened
from ragspine_store.sensitivity import Reader


def forget(raw: Candidate, row: StoredChunk, view: DocumentView, window: Window) -> None:
    unseal(raw)  # refused: reportArgumentType
    unseal(row.text)  # refused: reportArgumentType
    unseal(window)  # refused: reportArgumentType
    narrative_link.without_windows([raw])  # refused: reportArgumentType
    clear_window(raw, window, Reader())  # refused: reportArgumentType
    clear_part(view, [], row.text, Reader())  # refused: reportArgumentType


def forget_the_gate(raw: Relation, cleared: Cleared[Relation], writer: StoreWriter) -> None:
    unseal_screened(raw)  # refused: reportArgumentType
    unseal_screened(cleared)  # refused: reportArgumentType
    writer.put_profile_relations([raw])  # refused: reportArgumentType
    DocumentRelations("a.md", 1, "", [raw])  # refused: reportArgumentType


def write_rejected(raw: Relation, gate: SecurityGate, writer: StoreWriter) -> None:
    writer.put_profile_relations([gate.screen(raw)])  # refused: reportArgumentType


def reach(cleared: Cleared[str]) -> str:
    cleared.value = "other"  # refused: reportAttributeAccessIssue
    return cleared._value  # refused: reportPrivateUsage


def reach_screened(screened: Screened[str]) -> str:
    return screened._value  # refused: reportPrivateUsage


def allowed(cleared: Cleared[str]) -> str:
    return unseal(cleared) + cleared.map(str.upper).value
"""


def test_pyright_refuses_what_has_not_passed_an_exit(tmp_path: Path) -> None:
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (tmp_path / "forgetful.py").write_text(FORGETFUL, encoding="utf-8")

    result = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    found = {
        (fault["range"]["start"]["line"], fault["rule"])
        for fault in json.loads(result.stdout)["generalDiagnostics"]
    }
    assert found == {
        (number, line.partition("# refused: ")[2])
        for number, line in enumerate(FORGETFUL.splitlines())
        if "# refused: " in line
    }


def test_a_seal_cannot_be_made_up() -> None:
    with pytest.raises(TypeError, match="made by an exit"):
        Cleared("text", object())


def test_a_screened_value_cannot_be_made_up() -> None:
    with pytest.raises(TypeError, match="made by the gate"):
        Screened("relation", object())


def _type_name(value: object) -> str:
    return type(value).__name__


class _Lookalike:
    value = "text"


@pytest.mark.parametrize("impostor", ["text", None, _Lookalike(), ["text"]], ids=_type_name)
def test_unseal_opens_nothing_else(impostor: Any) -> None:
    with pytest.raises(TypeError, match="expected a Cleared value"):
        unseal(impostor)


@pytest.mark.parametrize("impostor", ["relation", None, _Lookalike()], ids=_type_name)
def test_unseal_screened_opens_nothing_else(impostor: Any) -> None:
    with pytest.raises(TypeError, match="expected a Screened value"):
        unseal_screened(impostor)


def test_what_an_exit_cleared_has_not_passed_the_gate() -> None:
    view = DocumentView("a.md", "", "default", "PUBLIC", 1, "", "", None, (), (), (), ())
    cleared: Any = clear_document(view, Reader())
    with pytest.raises(TypeError, match="got Cleared"):
        unseal_screened(cleared)


def test_a_sealed_value_shows_its_type_alone() -> None:
    view = DocumentView("a.md", "", "default", "PUBLIC", 1, "", "secret", None, (), (), (), ())
    document = clear_document(view, Reader())
    assert document is not None
    text = clear_part(document, [], "secret", Reader())
    assert text is not None
    assert unseal(text) == "secret"
    assert (repr(text), f"{text}") == ("Cleared(str)", "Cleared(str)")
