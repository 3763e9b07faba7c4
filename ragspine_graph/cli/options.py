"""Options that several commands share, and what they make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from ragspine_graph.config import ServiceConfig
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.retrieval import Shape
from ragspine_store.protocols import FILTER_KEYS
from ragspine_store.sensitivity import Reader, parse_label

T = TypeVar("T")


def _inherit(context: typer.Context, parameter: typer.CallbackParam, value: T) -> T:
    """The value given after the command's name, else the one given before it."""
    above = context.parent
    while value is None and above is not None:
        if (given := above.params.get(str(parameter.name))) is not None:
            return given
        above = above.parent
    return value


StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        callback=_inherit,
        help="The store: sqlite:///file.db (relative), sqlite:////folder/file.db (absolute), or a "
        "Neo4j server such as neo4j://host:7687, with its credentials in NEO4J_USERNAME and "
        "NEO4J_PASSWORD; "
        "RAGSPINE_STORE, by default sqlite:///ragspine.db.",
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        callback=_inherit,
        help="The TOML file of the settings; RAGSPINE_CONFIG, by default none.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document with stable keys.")
]
ClearanceOption = Annotated[
    str | None,
    typer.Option(
        "--clearance",
        metavar="LEVEL",
        help="Answer for a reader who may see PUBLIC, INTERNAL or CONFIDENTIAL text and what is "
        "below; CONFIDENTIAL by default.",
    ),
]
CollectionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        metavar="NAME",
        help="Answer for a reader of this collection alone; repeat it for several.",
    ),
]
AllowLowerOption = Annotated[
    bool, typer.Option("--allow-lower", help="Let the label given be below the stored one.")
]


QueryArgument = Annotated[
    str,
    typer.Argument(
        metavar="QUERY",
        help="A question or some words; quoted text and addresses such as 第38条 are phrases.",
    ),
]
FiltersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="KEY=VALUE",
        help=f"Search only where this holds: {', '.join(FILTER_KEYS)}; a key given twice means "
        "any of its values.",
    ),
]
BudgetOption = Annotated[
    int, typer.Option("--budget", metavar="TOKENS", help="What all blocks together may take.")
]
ShapeOption = Annotated[
    Shape,
    typer.Option(
        "--expand",
        help="The windows of the hits, or the sections and items of which enough was hit.",
    ),
]
DocumentsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--document", metavar="ID", help="With evidence in this document; repeat it for several."
    ),
]
KindsOption = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help="Of this kind; repeat it for several."),
]
UnverifiedOption = Annotated[
    bool,
    typer.Option(
        "--unverified", help="Also take edges of a model that no person has verified yet."
    ),
]
LimitOption = Annotated[
    int, typer.Option("--limit", metavar="N", help="How many edges to give, 1 to 10,000.")
]
AfterOption = Annotated[str, typer.Option("--after", metavar="EDGE", help="Go on after this edge.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write there; by default to stdout.")
]


def parse_filters(filters: Sequence[str]) -> dict[str, list[str]]:
    """Allowed values by key.

    Raises:
        typer.BadParameter: one is not written key=value.

    >>> parse_filters(["topic=pay", "topic=leave", "language=en"])
    {'topic': ['pay', 'leave'], 'language': ['en']}
    """
    allowed: dict[str, list[str]] = {}
    for given in filters:
        key, equals, value = given.partition("=")
        if not equals:
            raise typer.BadParameter(
                f"{given!r} given; expected key=value with a key of {', '.join(FILTER_KEYS)}",
                param_hint="--filter",
            )
        allowed.setdefault(key.strip(), []).append(value)
    return allowed


def make_reader(clearance: str | None, collections: list[str] | None) -> Reader:
    """For whom a command reads.

    Raises:
        LabelError: the clearance is no label, or above every reader's.
    """
    everything = Reader()
    return Reader(
        everything.clearance if clearance is None else parse_label(clearance, source="--clearance"),
        frozenset(collections) if collections else everything.collections,
    )


def open_store(store: str | None, config: Path | None) -> KnowledgeBase:
    """Open a store that exists.

    Raises:
        ConfigError: a setting is wrong, or there is no such store.
    """
    return KnowledgeBase.open(config=ServiceConfig.load(config, store=store), create=False)
