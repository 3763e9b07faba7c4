"""A driver and sessions of one's own, for a look that uses no store."""

from __future__ import annotations

from typing import Protocol

from neo4j import Driver, GraphDatabase, Session


class _Drivers(Protocol):
    """What is used of `GraphDatabase`, with the types that it leaves open."""

    def driver(
        self, uri: str, *, auth: tuple[str, str], notifications_min_severity: str
    ) -> Driver: ...


class _Sessions(Protocol):
    """What is used of a driver."""

    def session(self) -> Session: ...


def open_driver(uri: str, username: str, password: str) -> Driver:
    """A driver; names that no store uses yet are no reason for a warning."""
    return _drivers().driver(uri, auth=(username, password), notifications_min_severity="OFF")


def session_of(driver: _Sessions) -> Session:
    """A session of a driver's."""
    return driver.session()


def _drivers() -> _Drivers:
    return GraphDatabase
