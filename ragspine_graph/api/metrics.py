"""Counters for Prometheus: by route and status, never by what was asked."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

UNKNOWN_ROUTE = "unknown"


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "ragspine_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "ragspine_request_seconds",
            "Seconds to an answer",
            ("method", "route"),
            registry=self._registry,
        )

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; `route` is its template."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def render(self) -> bytes:
        """The text that Prometheus scrapes."""
        return generate_latest(self._registry)
