"""Which label a document gets.

The strictest of all stated labels wins. A default is not a stated label: it never lowers what a
store already holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragspine_store.errors import LabelError
from ragspine_store.labelling.policy import SensitivityPolicy
from ragspine_store.labelling.sidecar import Sidecar
from ragspine_store.labelling.statement import Statement
from ragspine_store.records import DocumentState
from ragspine_store.sensitivity import Sensitivity, parse_label


@dataclass(frozen=True, slots=True)
class Resolution:
    """The label a document should get, going by what was said of it.

    Attributes:
        level: the label.
        stated: whether somebody stated a label, rather than a default standing in.
        sources: who or what asks for this level, in words for a message.
    """

    level: Sensitivity
    stated: bool
    sources: tuple[str, ...]


def resolve(
    *,
    doc_id: str,
    file_name: str = "",
    title: str,
    text: str,
    argument: str | None,
    given: str | None = None,
    front_matter: str | None,
    sidecar: Sidecar,
    policy: SensitivityPolicy,
) -> Resolution:
    """Find the label a document should get.

    Args:
        doc_id: the document's id, for filename patterns.
        file_name: the name of its file, '' for a text given directly.
        title: its title, for keywords.
        text: the whole decoded file, for keywords.
        argument: the label given on the command line or in a call, None without one.
        given: the label in the metadata given for this document, None without one.
        front_matter: the label the file states itself, None without one.
        sidecar: what the sidecars say.
        policy: the rules of the house.

    Raises:
        LabelError: a stated label is not one of the four.

    >>> resolve(
    ...     doc_id="a.md", title="", text="", argument="public", front_matter="confidential",
    ...     sidecar=Sidecar(), policy=SensitivityPolicy(),
    ... ).level.name
    'CONFIDENTIAL'
    """
    statements = [
        Statement(parse_label(label, source=source), source)
        for label, source in (
            (argument, "the sensitivity argument"),
            (given, f"the metadata given for {doc_id!r}"),
            (front_matter, f"the front matter of {doc_id!r}"),
        )
        if label is not None
    ]
    statements += sidecar.statements
    statements += policy.statements(names=(doc_id, file_name), texts=(title, text))
    weighed = statements or [_default(policy)]
    least = max(statement.level for statement in weighed)
    raising = [statement for statement in sidecar.raising if statement.level > least]
    level = max(statement.level for statement in raising or weighed)
    sources = dict.fromkeys(s.source for s in raising or weighed if s.level == level)
    return Resolution(level, bool(statements or raising), tuple(sources))


def _default(policy: SensitivityPolicy) -> Statement:
    if policy.escalate_unlabelled:
        return Statement(Sensitivity.RESTRICTED, "the policy's escalate_unlabelled")
    return Statement(policy.default_level, "the default level")


def decide(
    resolution: Resolution, stored: DocumentState | None, *, allow_lower: bool
) -> Sensitivity:
    """Choose the label that an ingest writes.

    Args:
        resolution: what was said of the document.
        stored: the document as the store knows it, None when it is new.
        allow_lower: let a stated label lower the stored one.

    Raises:
        LabelError: a stated label is below the stored one and `allow_lower` is off.
    """
    if stored is None or resolution.level >= stored.sensitivity:
        return resolution.level
    if not resolution.stated:
        return stored.sensitivity
    if not allow_lower:
        raise LabelError(
            f"label {resolution.level.name} given by {', '.join(resolution.sources)}, but the "
            f"stored label is {stored.sensitivity.name}; pass --allow-lower to lower it"
        )
    return resolution.level
