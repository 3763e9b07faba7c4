"""The same files again change nothing, wherever they are kept."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ragspine_store.ingest_report import Outcome
from tests.backends import Place, all_kept
from tests.graphs import DOCUMENTS, OWNS, RIVAL, ScriptedModel, open_knowledge, write_documents


@pytest.mark.guarantee("G10")
@pytest.mark.parametrize("at_rest", ["stub"])
def test_the_same_bytes_again_change_nothing_and_ask_no_model(
    each_backend: Place, tmp_path: Path
) -> None:
    docs = write_documents(tmp_path, DOCUMENTS)
    (docs / "secret.md").write_text("---\nsensitivity: RESTRICTED\n---\nAcme owns Globex.\n")
    kept: list[list[object]] = []
    for outcome in (Outcome.ADDED, Outcome.UNCHANGED):
        with open_knowledge(tmp_path, store=each_backend.url) as knowledge:
            report = knowledge.ingest(docs, root=docs)
            assert {file.outcome for file in report.files} == {outcome}
            model = ScriptedModel(OWNS, RIVAL)
            knowledge.build_relations(provider=model)
            assert bool(model.asked) == (outcome is Outcome.ADDED)
        with closing(each_backend.open_store()) as store:
            kept.append(all_kept(store))
    assert kept[0] == kept[1]
