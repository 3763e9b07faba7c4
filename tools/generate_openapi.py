"""Write docs/openapi.json from the application; with `--check`, tell whether it is up to date."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ragspine_graph import KnowledgeBase
from ragspine_graph.api import create_app

PAGE = Path(__file__).parents[1] / "docs" / "openapi.json"


def render_description() -> str:
    with KnowledgeBase.open(Path(":memory:")) as knowledge:
        described = create_app(knowledge).openapi()
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    page = render_description()
    if "--check" in sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page:
            return 0
        print("docs/openapi.json differs from the routes; run `make openapi`", file=sys.stderr)
        return 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
