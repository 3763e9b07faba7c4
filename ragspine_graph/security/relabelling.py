"""Changing a label: nothing is lowered unless that is asked for.

A part is never less strict than what it stands under.
"""

from __future__ import annotations

from typing import NamedTuple

from ragspine_store.errors import LabelError, NotFoundError
from ragspine_store.protocols import StoreWriter
from ragspine_store.sensitivity import Sensitivity


class LabelChange(NamedTuple):
    """What a label was, and what its new one needs.

    Attributes:
        before: the label until now.
        needs_document: whether the text was erased, so that the document has to be ingested again
            before it is seen.
    """

    before: Sensitivity
    needs_document: bool


def relabel_document(
    transaction: StoreWriter, doc_id: str, level: Sensitivity, *, allow_lower: bool
) -> LabelChange:
    """Change the label of a document.

    Raises:
        LabelError: the label is below the present one, and `allow_lower` is False.
        NotFoundError: no such document.
    """
    state = transaction.find(doc_id)
    if state is None:
        raise no_document(doc_id)
    _refuse_lowering(doc_id, state.sensitivity, level, allow_lower)
    after = transaction.relabel(doc_id, level)
    return LabelChange(state.sensitivity, after.is_stub and level < Sensitivity.RESTRICTED)


def relabel_part(
    transaction: StoreWriter, node_id: str, level: Sensitivity, *, allow_lower: bool
) -> LabelChange:
    """Change the label of a section or child.

    Raises:
        LabelError: the label is below that of what it stands under, or below the present one and
            `allow_lower` is False.
        NotFoundError: no such section or child.
    """
    part = transaction.find_part(node_id)
    if part is None:
        raise NotFoundError(
            f"no section or child {node_id!r}: expected an id such as ID#s2 or ID#c3, as show "
            "gives it; items, pages and windows have no label but that of what they are made of"
        )
    if level < part.inherited:
        raise LabelError(
            f"{level.name} given for {node_id!r}, which stands under a label of "
            f"{part.inherited.name}; expected at least that: relabel what it stands under"
        )
    _refuse_lowering(node_id, part.label, level, allow_lower)
    transaction.relabel_part(node_id, level)
    return LabelChange(part.label, part.is_erased and level < part.label)


def no_document(doc_id: str) -> NotFoundError:
    """That there is no such document."""
    return NotFoundError(f"no document {doc_id!r}: expected an id that was ingested")


def _refuse_lowering(
    node_id: str, before: Sensitivity, level: Sensitivity, allow_lower: bool
) -> None:
    if level < before and not allow_lower:
        raise LabelError(
            f"{level.name} given for {node_id!r}, which is {before.name}; expected the same or a "
            "higher label: pass --allow-lower to lower it"
        )
