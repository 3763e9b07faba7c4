"""Write docs/openapi.json from the application; with `--check`, tell whether it is up to date."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ragspine_graph import KnowledgeBase
from ragspine_graph.api import create_app
from tools.generated import write_or_check

PAGE = Path(__file__).parents[1] / "docs" / "openapi.json"


def render_description() -> str:
    with KnowledgeBase.open(Path(":memory:")) as knowledge:
        described = create_app(knowledge).openapi()
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    return write_or_check(PAGE, render_description(), "the routes", "openapi")


if __name__ == "__main__":
    sys.exit(main())
