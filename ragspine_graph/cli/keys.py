"""`keys`: who may call the service."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from ragspine_graph.access import key_to_dict
from ragspine_graph.cli.faults import Command
from ragspine_graph.cli.options import ConfigOption, JsonOption, StoreOption, open_store
from ragspine_graph.cli.output import Page, print_json
from ragspine_store.access import AccessKey, Role
from ragspine_store.sensitivity import Sensitivity, parse_label

keys = typer.Typer(no_args_is_help=True, help="Keys of the service: make, list, revoke.")


@keys.command("create", cls=Command)
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose the key is, or what for.")],
    role: Annotated[Role, typer.Option("--role", help="What it may do.")] = Role.READER,
    clearance: Annotated[
        str | None,
        typer.Option(
            "--clearance",
            metavar="LEVEL",
            help="The highest label it may see: PUBLIC, INTERNAL or CONFIDENTIAL, the default.",
        ),
    ] = None,
    collections: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            metavar="NAME",
            help="A collection it may see and write; repeat it for several, none means all.",
        ),
    ] = None,
    expires: Annotated[
        datetime | None,
        typer.Option(
            "--expires",
            formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"],
            help="From when on it is refused, in UTC; by default never.",
        ),
    ] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Make a key. It is shown this once; the store keeps only its hash."""
    level = (
        Sensitivity.CONFIDENTIAL
        if clearance is None
        else parse_label(clearance, source="--clearance")
    )
    with open_store(store, config) as knowledge:
        made = knowledge.keys.create(
            name,
            role=role,
            clearance=level,
            collections=collections or None,
            expires=None if expires is None else expires.replace(tzinfo=UTC),
        )
    if as_json:
        print_json(made.to_dict())
        return
    page = Page()
    page.line(made.token, style="bold")
    page.line("Keep it now: it is shown this once. Send it as a bearer token.", style="dim")
    _print_key(page, made.key)


@keys.command("list", cls=Command)
def list_keys(
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """All keys, oldest first, without their secrets."""
    with open_store(store, config) as knowledge:
        found = knowledge.keys.list()
    if as_json:
        print_json({"keys": [key_to_dict(key) for key in found]})
        return
    page = Page()
    if not found:
        page.line("No keys: the service answers on the loopback address alone, and anybody there.")
    for key in found:
        _print_key(page, key)


@keys.command("revoke", cls=Command)
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY", help="The id of a key, as list has it.")],
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Refuse a key from now on."""
    with open_store(store, config) as knowledge:
        knowledge.keys.revoke(key_id)
    if as_json:
        print_json({"revoked": key_id})
    else:
        Page().line(f"{key_id} is refused from now on.")


def _print_key(page: Page, key: AccessKey) -> None:
    scope = "all collections" if key.collections is None else ", ".join(key.collections)
    page.line(f"{key.key_id}  {key.name}", style="bold")
    page.line(f"{key.role.value}, up to {key.clearance.name}, {scope}", indent=3)
    times = f"made {key.created_at}"
    times += f", expires {key.expires_at}" if key.expires_at else ""
    times += f", revoked {key.revoked_at}" if key.revoked_at else ""
    page.line(times, style="dim", indent=3)
