"""`mcp`: the tools for one agent, on stdio."""

from __future__ import annotations

from ragspine_graph.cli.options import (
    ClearanceOption,
    CollectionsOption,
    ConfigOption,
    StoreOption,
    make_reader,
    open_store,
)
from ragspine_graph.errors import ConfigError


def mcp(
    clearance: ClearanceOption = None,
    collections: CollectionsOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Answer one agent by the Model Context Protocol, on stdin and stdout.

    It sees what the reader of these options may see. Agents elsewhere call serve, at /mcp, with a
    key.
    """
    try:
        from ragspine_graph.mcp_server import create_mcp_server  # noqa: PLC0415 the extra mcp
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise ConfigError(
            "mcp given, and what speaks the protocol is not installed; expected the extra mcp: run "
            'pip install "ragspine-graph[mcp]"'
        ) from None
    reader = make_reader(clearance, collections)
    with open_store(store, config) as knowledge:
        create_mcp_server(knowledge, lambda _: reader).run("stdio")
