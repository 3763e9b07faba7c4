"""Loaders of third parties."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from ragspine_store.errors import LoadError
from ragspine_store.loading import load_document, load_text, registry
from ragspine_store.loading.plain_text import PlainTextLoader
from ragspine_store.records import LoadedDocument


class LogLoader:
    """Reads logs, and claims the endings it is told to."""

    suffixes: tuple[str, ...] = (".log", ".log.txt")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        return PlainTextLoader().load(b"log: " + data, name=name)


class GreedyLoader(LogLoader):
    suffixes = (".md",)


class NoLoader:
    pass


@pytest.fixture(autouse=True)
def fresh_registry() -> Iterator[None]:
    registry._loaders.cache_clear()
    yield
    registry._loaders.cache_clear()


def install(monkeypatch: pytest.MonkeyPatch, factory: type[object]) -> None:
    entry_point = EntryPoint("ours", f"{__name__}:{factory.__name__}", registry.ENTRY_POINT_GROUP)

    def installed(*, group: str) -> EntryPoints:
        return EntryPoints([entry_point]).select(group=group)

    monkeypatch.setattr(registry, "entry_points", installed)


def test_an_installed_loader_reads_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, LogLoader)
    assert load_document(b"x", name="a.log").text == "log: x"
    assert load_text("x", name="a.log").text == "log: x"
    assert ".log" in registry.known_suffixes()


def test_the_longest_ending_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, LogLoader)
    assert load_document(b"x", name="a.log.txt").text == "log: x"
    assert load_document(b"x", name="a.txt").text == "x"


def test_two_loaders_of_one_ending_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, GreedyLoader)
    with pytest.raises(LoadError, match=r"two loaders read \.md: MarkdownLoader and GreedyLoader"):
        registry.loader_for("a.md")


def test_an_entry_point_that_makes_no_loader_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, NoLoader)
    with pytest.raises(LoadError, match=r"entry point ours .* makes NoLoader; expected a Loader"):
        registry.known_suffixes()
