"""How a model's server is called: time, attempts, requests at once, budgets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of calls; fields as the settings `llm_…` of `ServiceConfig`."""

    timeout_s: float = 60.0
    deadline_s: float = 180.0
    attempts: int = 4
    retry_wait_s: float = 1.0
    concurrency: int = 4
    max_calls: int | None = None
    max_tokens: int | None = None
