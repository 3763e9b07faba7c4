"""What a provider of a language model offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from ragspine_store.relations import Answer


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model.

    Attributes:
        rules: what the model has to do; no document text.
        text: what it has to do it with.
        subject: hash of the child it is about; recorded answers are found by it.
        schema: JSON schema of the answer.
        max_output_tokens: longest answer.
    """

    rules: str = field(repr=False)
    text: str = field(repr=False)
    subject: str
    schema: Mapping[str, object] = field(repr=False)
    max_output_tokens: int

    @property
    def token_bound(self) -> int:
        """More tokens than question and answer can take: one a byte, and the frame around them."""
        question = len(self.rules.encode()) + len(self.text.encode())
        return question + self.max_output_tokens + 64


class Usage(NamedTuple):
    """What a provider has used since it was made.

    Attributes:
        calls: requests sent, retries and refused ones included.
        input_tokens, output_tokens: as the server reported them.
        unreported: answers that may have been paid for and of which the server reported no tokens;
            the budget counts the most they can have taken.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unreported: int = 0


@runtime_checkable
class Provider(Protocol):
    """A language model behind some server; its methods may be called from several threads."""

    @property
    def model(self) -> str:
        """Name of the model, as it is kept with every edge that comes from it."""
        ...

    @property
    def concurrency(self) -> int:
        """How many calls it takes at once, at least 1."""
        ...

    @property
    def usage(self) -> Usage:
        """What it has used since it was made."""
        ...

    def complete(self, request: ModelRequest) -> Answer:
        """The model's answer.

        Raises:
            BudgetSpentError: no budget is left for the call; nothing was sent.
            ProviderError: there is no answer; retries are over.
        """
        ...

    def close(self) -> None:
        """Release its connections."""
        ...
