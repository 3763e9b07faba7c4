"""The routes by their templates: what a path is an instance of, and which methods it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_PARAMETER = re.compile(r"\\\{\w+\\\}")


class Template(NamedTuple):
    """A route.

    Attributes:
        path: as OpenAPI writes it, such as `/v1/jobs/{job_id}`.
        methods: in capitals, sorted.
    """

    path: str
    methods: tuple[str, ...]


class Templates:
    """All routes of an application.

    Args:
        described: its OpenAPI description.

    >>> Templates({"paths": {"/jobs/{job_id}": {"get": {}}}}).find("/jobs/4711")
    Template(path='/jobs/{job_id}', methods=('GET',))
    """

    def __init__(self, described: Mapping[str, Any]) -> None:
        self._known = [
            (
                re.compile(_PARAMETER.sub("[^/]+", re.escape(path))),
                Template(path, tuple(sorted(map(str.upper, methods)))),
            )
            for path, methods in described["paths"].items()
        ]

    def find(self, path: str) -> Template | None:
        """The route that answers a path; None when none does."""
        return next((found for pattern, found in self._known if pattern.fullmatch(path)), None)
