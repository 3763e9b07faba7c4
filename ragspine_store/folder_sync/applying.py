"""Moving and deleting what a plan says."""

from __future__ import annotations

import dataclasses

from ragspine_store.folder_sync.plan import SyncPlan
from ragspine_store.ingest_report import IngestedFile, Outcome
from ragspine_store.protocols import Store
from ragspine_store.retrying import retried


@retried
def move_documents(store: Store, plan: SyncPlan, *, dry_run: bool) -> SyncPlan:
    """Move what was moved.

    Returns:
        The plan, with floors for what a dry run did not move and what could not be moved, since
        something else changed the store meanwhile.
    """
    if not plan.moves:
        return plan
    moves = plan.moves
    floors = {doc_id: kept.label if dry_run else kept.strictest for doc_id, kept in moves.items()}
    if not dry_run:
        with store.writing() as transaction:
            moves = {
                doc_id: kept
                for doc_id, kept in moves.items()
                if transaction.move(kept, doc_id, plan.paths[doc_id])
            }
        floors = {doc_id: floor for doc_id, floor in floors.items() if doc_id not in moves}
    return dataclasses.replace(plan, moves=moves, floors={**plan.floors, **floors})


@retried
def remove_gone(store: Store, plan: SyncPlan, *, dry_run: bool) -> list[IngestedFile]:
    """Delete what is gone; one line each, without a name where only a stub was kept."""
    gone = list(plan.gone)
    if gone and not dry_run:
        with store.writing() as transaction:
            gone = [kept for kept in gone if transaction.remove(kept)]
    return [
        IngestedFile(kept.source_path, Outcome.DELETED, kept.doc_id, kept.label) for kept in gone
    ]
