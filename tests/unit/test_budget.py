"""A budget is never exceeded, whatever calls take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.errors import BudgetSpentError
from ragspine_graph.provider.budget import Budget
from ragspine_graph.provider.protocol import Usage
from ragspine_store.relations import Answer

CALLS = st.lists(
    st.tuples(st.integers(1, 50), st.integers(0, 50), st.booleans()).map(
        lambda call: (call[0], min(call[0], call[1]), call[2])
    ),
    max_size=20,
)


@given(CALLS, st.none() | st.integers(0, 10), st.none() | st.integers(0, 200))
def test_calls_and_tokens_stay_within_the_budget(
    calls: list[tuple[int, int, bool]], max_calls: int | None, max_tokens: int | None
) -> None:
    budget = Budget(max_calls, max_tokens)
    sent = taken = 0
    for bound, used, paid in calls:
        try:
            budget.set_aside(bound)
        except BudgetSpentError:
            assert sent == max_calls or (max_tokens is not None and taken + bound > max_tokens)
            continue
        sent += 1
        answer = Answer("{}", used, 0) if used else None
        budget.settle(bound, answer, paid=paid)
        taken += used or (bound if paid else 0)
        assert budget.usage.calls == sent
        assert max_calls is None or sent <= max_calls
        assert max_tokens is None or taken <= max_tokens


def test_a_call_that_was_refused_costs_no_tokens() -> None:
    budget = Budget(max_tokens=100)
    for _ in range(5):
        budget.set_aside(100)
        budget.settle(100, paid=False)
    assert budget.usage == Usage(calls=5)


def test_the_error_says_what_is_left_and_what_to_do() -> None:
    budget = Budget(max_tokens=100)
    budget.set_aside(60)
    budget.settle(60, Answer("{}", 50, 10))
    with pytest.raises(
        BudgetSpentError,
        match="60 of the budget of 100 tokens are used, and the next call may take 60; run again",
    ):
        budget.set_aside(60)
