"""The budget of a provider: calls and tokens that are never exceeded."""

from __future__ import annotations

import threading

from ragspine_graph.errors import BudgetSpentError
from ragspine_graph.provider.protocol import Usage
from ragspine_store.relations import Answer


class Budget:
    """Counts what calls take, and stops before one that might take too much.

    Before a call the most it can take is set aside; after it, what it did not take is given back.
    A call that fits only when others give back waits for them.

    Args:
        max_calls: requests to send at most, None for any number.
        max_tokens: tokens to take at most, question and answer together, None for any number.

    >>> budget = Budget(max_calls=1)
    >>> budget.set_aside(100)
    >>> budget.settle(100, Answer("{}", 40, 2))
    >>> budget.usage
    Usage(calls=1, input_tokens=40, output_tokens=2, unreported=0)
    """

    def __init__(self, max_calls: int | None = None, max_tokens: int | None = None) -> None:
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._changed = threading.Condition()
        self._usage = Usage()
        self._spent = 0
        self._aside = 0

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._usage

    def set_aside(self, tokens: int) -> None:
        """Count one call that takes so many tokens at most.

        Raises:
            BudgetSpentError: it does not fit.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._fits(tokens) or not self._aside)
            if self._max_calls is not None and self._usage.calls >= self._max_calls:
                raise BudgetSpentError(
                    f"the budget of {self._max_calls} calls is used up; run again to go on, "
                    "or raise RAGSPINE_LLM_MAX_CALLS"
                )
            if not self._fits(tokens):
                raise BudgetSpentError(
                    f"{self._spent} of the budget of {self._max_tokens} tokens are used, and the "
                    f"next call may take {tokens}; run again to go on, or raise "
                    "RAGSPINE_LLM_MAX_TOKENS"
                )
            self._usage = self._usage._replace(calls=self._usage.calls + 1)
            self._aside += tokens

    def settle(self, tokens: int, answer: Answer | None = None, *, paid: bool = True) -> None:
        """Give back what a call did not take.

        Args:
            tokens: as set aside for it.
            answer: with its tokens; None when there is none.
            paid: a call without an answer may have been paid for: all of it counts.
        """
        with self._changed:
            self._aside -= tokens
            usage = self._usage
            if answer is not None and answer.input_tokens + answer.output_tokens:
                self._spent += answer.input_tokens + answer.output_tokens
                self._usage = usage._replace(
                    input_tokens=usage.input_tokens + answer.input_tokens,
                    output_tokens=usage.output_tokens + answer.output_tokens,
                )
            elif paid:
                self._spent += tokens
                self._usage = usage._replace(unreported=usage.unreported + 1)
            self._changed.notify_all()

    def _fits(self, tokens: int) -> bool:
        return self._max_tokens is None or self._spent + self._aside + tokens <= self._max_tokens
