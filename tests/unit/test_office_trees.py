"""Files that LibreOffice made of the sample handbook (its HTML) give the handbook's own tree.

They were made as benchmarks/office_trees.py makes them; tests/data/README.md says how.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.office_trees import read_markdown, tree_of
from ragspine_store.loading import load_document, load_text

_HANDBOOK = Path(__file__).parents[2] / "examples/sample/handbook/就業規則.md"
_MADE = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("suffix", [".docx", ".pdf"])
def test_an_office_file_gives_the_tree_of_its_markdown(suffix: str) -> None:
    expected = load_text(read_markdown(_HANDBOOK), name=_HANDBOOK.name)
    made = _MADE / f"就業規則{suffix}"
    found = load_document(made.read_bytes(), name=made.name)
    assert tree_of(found) == tree_of(expected)
    assert found.title == expected.title
