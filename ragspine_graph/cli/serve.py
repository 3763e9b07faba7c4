"""`serve`: the HTTP API."""

from __future__ import annotations

import ipaddress
from typing import Annotated

import typer

from ragspine_graph.cli.options import ConfigOption, StoreOption, open_store
from ragspine_graph.cli.output import warn
from ragspine_graph.errors import ConfigError


def serve(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port.")
    ] = 8000,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Answer programs over HTTP, until it is interrupted.

    Callers send a key as a bearer token (see keys create). Without any key in the store it listens
    on the loopback address alone, and whoever reaches that may do everything.
    """
    try:
        import uvicorn  # noqa: PLC0415 the extra api

        from ragspine_graph.api import create_app  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in ("uvicorn", "fastapi", "starlette", "structlog", "prometheus_client"):
            raise
        raise ConfigError(
            "serve given, and what serves is not installed; expected the extra api: run "
            'pip install "ragspine-graph[api]"'
        ) from None
    with open_store(store, config) as knowledge:
        if not knowledge.keys.list():
            if not _is_loopback(host):
                raise ConfigError(
                    f"--host {host} given, and the store has no keys; expected a loopback address "
                    "such as 127.0.0.1, or a key: run ragspine-graph keys create"
                )
            warn(
                "warning: the store has no keys: whoever reaches this machine's loopback address "
                "may do everything"
            )
        app = create_app(knowledge)
        uvicorn.run(app, host=host, port=port, access_log=False, server_header=False)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
