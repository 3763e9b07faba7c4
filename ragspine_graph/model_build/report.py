"""What a run of a language model over a store says it did: an operator's output, without text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from ragspine_graph.provider.protocol import Usage


class ModelProgress(NamedTuple):
    """How far a run is.

    Attributes:
        done, total: children.
        failed: of those done, without an answer.
    """

    done: int
    total: int
    failed: int


@dataclass(frozen=True, slots=True)
class ModelBuildReport:
    """What a run did.

    Attributes:
        model, prompt: name of the model and hash of the prompt.
        documents, children: looked at.
        answered: children that the model answered about in this run.
        cached: children whose answer was kept from before.
        failed: children without an answer, since the provider failed.
        unasked: children left for another run, since the run stopped asking.
        outdated: children that were changed, withheld or deleted meanwhile; nothing of them is
            written.
        relations: occurrences written.
        edges: distinct edges among them.
        rejected: what was not written, by rule; `malformed` are items of no use.
        left_out: distinct edges beyond the bound of their document.
        usage: requests and tokens of this run.
        stopped: why the run stopped asking, '' when it did not.
        is_over_budget: a spent budget is why.
        failures: how often each error came.
    """

    model: str
    prompt: str
    documents: int = 0
    children: int = 0
    answered: int = 0
    cached: int = 0
    failed: int = 0
    unasked: int = 0
    outdated: int = 0
    relations: int = 0
    edges: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    left_out: int = 0
    usage: Usage = field(default_factory=Usage)
    stopped: str = ""
    is_over_budget: bool = False
    failures: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def all_failed(self) -> bool:
        """Whether the model was asked and never answered."""
        return self.failed > 0 and self.answered == 0

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {**asdict(self), "usage": self.usage._asdict(), "all_failed": self.all_failed}
