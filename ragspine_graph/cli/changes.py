"""`relabel`, `delete`, `purge`: an operator's commands."""

from __future__ import annotations

from typing import Annotated

import typer

from ragspine_graph.cli.options import (
    AllowLowerOption,
    ConfigOption,
    JsonOption,
    StoreOption,
    open_store,
)
from ragspine_graph.cli.output import Page, print_json, warn_of_notes, warn_of_rest
from ragspine_graph.results import count


def relabel(
    node_id: Annotated[
        str, typer.Argument(metavar="ID", help="The document, or a section or child of it.")
    ],
    level: Annotated[
        str,
        typer.Argument(metavar="LEVEL", help="PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED."),
    ],
    allow_lower: AllowLowerOption = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Change the label of a document, section or child; it is in force at once.

    Raising it to RESTRICTED removes it from every output and erases what is kept of it.
    """
    with open_store(store, config) as knowledge:
        changed = knowledge.relabel(node_id, level, allow_lower=allow_lower)
    warn_of_rest(erased=changed.erased)
    warn_of_notes(changed.notes)
    if as_json:
        print_json(changed.to_dict())
        return
    page = Page()
    page.line(f"{changed.id}: was {changed.before.name}, is {changed.after.name}.")
    if changed.needs_document:
        page.line("Its text was erased: ingest the file again to bring it back.")


def delete(
    doc_ids: Annotated[
        list[str], typer.Argument(metavar="ID", help="The documents: all go, or none.")
    ],
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Remove documents from the store.

    All that was made of them goes too; the files themselves stay.
    """
    with open_store(store, config) as knowledge:
        removed = knowledge.delete(doc_ids)
    warn_of_rest(erased=removed.erased)
    if as_json:
        print_json(removed.to_dict())
        return
    Page().line(f"{count(removed.documents, 'document')} deleted.")


def purge(
    restricted: Annotated[
        bool,
        typer.Option("--restricted", help="Purge RESTRICTED text; must be said."),
    ] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Erase the RESTRICTED text that the store keeps.

    A whole document is reduced to a stub: keyed hashes, a label and a time.
    """
    if not restricted:
        raise typer.BadParameter(
            "not given; expected it, since RESTRICTED text is all that can be purged",
            param_hint="--restricted",
        )
    with open_store(store, config) as knowledge:
        removed = knowledge.purge()
    warn_of_rest(erased=removed.erased)
    if as_json:
        print_json(removed.to_dict())
        return
    Page().line(f"RESTRICTED text of {count(removed.documents, 'document')} erased.")
