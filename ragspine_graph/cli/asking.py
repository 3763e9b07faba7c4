"""What every command that reads is asked alike: for whom, of which store, in which form."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate

from ragspine_graph.cli.options import (
    ClearanceOption,
    CollectionsOption,
    ConfigOption,
    JsonOption,
    StoreOption,
    make_reader,
    open_store,
)
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_store.sensitivity import Reader


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that every read has.

    Attributes:
        clearance, collections: of the reader.
        as_json: print JSON, not text for people.
        store, config: where the store and its settings are.
    """

    clearance: str | None
    collections: list[str] | None
    as_json: bool
    store: str | None
    config: Path | None

    @contextmanager
    def open(self) -> Generator[tuple[KnowledgeBase, Reader]]:
        """The store and the reader that are asked for.

        Raises:
            LabelError: the clearance is no label, or above every reader's.
            ConfigError: a setting is wrong, or there is no such store.
        """
        reader = make_reader(self.clearance, self.collections)
        with open_store(self.store, self.config) as knowledge:
            yield knowledge, reader


def _ask(
    clearance: ClearanceOption = None,
    collections: CollectionsOption = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> Asked:
    return Asked(clearance, collections, as_json, store, config)


def reads(command: Callable[Concatenate[Asked, ...], None]) -> Callable[..., None]:
    """A command with the options that every read has, behind its own."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    shared = inspect.signature(_ask, eval_str=True).parameters

    @wraps(command)
    def run(**given: Any) -> None:
        asked = _ask(**{name: given.pop(name) for name in shared})
        command(asked, **given)

    signature = inspect.Signature([*own, *shared.values()])
    setattr(run, "__signature__", signature)  # noqa: B010 no type checker knows it of functions
    return run
