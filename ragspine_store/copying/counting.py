"""What is counted and hashed of a store, the same for every backend."""

from __future__ import annotations

from ragspine_store.copying.report import Side
from ragspine_store.kept import (
    KeptDocument,
    KeptLogs,
    KeptProfile,
    KeptRelations,
    KeptStub,
    Tally,
    bag,
)

COUNTED = (
    *("documents", "sections", "children", "stubs", "evidence", "references", "rejections"),
    *("answers", "verdicts", "lowered_labels", "vectors"),
)
"""What is counted, in the order in which it is told."""


def tally_logs(tally: Tally, logs: KeptLogs) -> None:
    """Count the logs."""
    tally.add(
        KeptLogs(logs.verdicts, bag(logs.lowered)),
        verdicts=len(logs.verdicts),
        lowered_labels=len(logs.lowered),
    )


def tally_document(tally: Tally, document: KeptDocument) -> None:
    """Count a document, its sections and its children."""
    tally.add(
        document,
        documents=1,
        sections=sum(section.parent is not None for section in document.sections),
        children=len(document.children),
        vectors=len(document.vectors),
    )


def tally_relations(tally: Tally, relations: KeptRelations) -> None:
    """Count what the graph keeps of a document: pieces of evidence, not edges."""
    tally.add(
        relations,
        evidence=len(relations.relations),
        references=len(relations.references),
        rejections=len(relations.rejections),
        answers=len(relations.answers),
    )


def tally_profile(tally: Tally, profile: KeptProfile) -> None:
    """Count what profile and facts say."""
    tally.add(profile, evidence=len(profile.relations))


def side_of(tally: Tally) -> Side:
    """What was counted."""
    return Side({name: tally.counts.get(name, 0) for name in COUNTED}, tally.hash)


def tally_stub(tally: Tally, stub: KeptStub) -> None:
    """Count a stub."""
    tally.add(stub, stubs=1)
