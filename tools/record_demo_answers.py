"""Writes `examples/recorded_answers.json`: what the demo replays in the place of a language model.

No model was asked: the relations below stand in the sample's texts, and are written in the form of
a model's answers. Run it again when a text of the sample changes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.provider import ModelRequest, Usage
from ragspine_store.relations import Answer

ROOT = Path(__file__).parents[1]
FILE = ROOT / "examples" / "recorded_answers.json"
CHUNKER = "hierarchical"
NOTE = (
    "Written by hand in the form of a model's answers, for the demo: no model was asked. Keys are "
    "hashes of the texts of children; see tools/record_demo_answers.py."
)
PROPOSED = (
    {
        "source": "IT desk",
        "kind": "takes_reports_of",
        "target": "lost or stolen device",
        "quote": "Report a lost or stolen device to the IT desk",
        "polarity": "affirmed",
    },
    # Named as the profile lists it, and nowhere in the text: thrown out by grounding.
    {
        "source": "IT desk",
        "kind": "reports_to",
        "target": "Kestrel",
        "quote": "Report a lost or stolen device to the IT desk",
        "polarity": "affirmed",
    },
)


class Scribe:
    """Answers each text with what is proposed of it, and keeps the answers by their text's hash."""

    model = "by-hand"
    concurrency = 1
    usage = Usage()

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, str]] = {}

    def complete(self, request: ModelRequest) -> Answer:
        found = [item for item in PROPOSED if item["quote"] in request.text]
        answer = json.dumps({"relations": found}, ensure_ascii=False)
        self.answers[request.subject] = {"text": answer}
        return Answer(answer)

    def close(self) -> None:
        pass


def render_recording() -> str:
    """The recording, for every child of the sample that a model would be asked about."""
    scribe = Scribe()
    config = ServiceConfig(chunker=CHUNKER, relation_extractor="llm")
    with (
        tempfile.TemporaryDirectory() as folder,
        KnowledgeBase.open(Path(folder) / "sample.db", config) as knowledge,
    ):
        knowledge.ingest(ROOT / "examples" / "sample")
        knowledge.build_relations(provider=scribe)
    recording = {
        "model": scribe.model,
        "note": NOTE,
        "answers": dict(sorted(scribe.answers.items())),
    }
    return json.dumps(recording, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(render_recording(), encoding="utf-8")
    print(f"wrote {FILE.relative_to(ROOT)}", file=sys.stderr)
