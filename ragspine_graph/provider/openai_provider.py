"""Any language model behind a server that speaks OpenAI's chat completions.

Settings that a server refuses (a JSON schema, a temperature, the name of the output limit) are left
out or renamed, each once, and for good once that has helped.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragspine_graph.provider.attempt import AttemptError, parse_completion
from ragspine_graph.provider.budget import Budget
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits
from ragspine_graph.provider.openai_client import OpenAIClient
from ragspine_graph.provider.protocol import ModelRequest, Usage
from ragspine_store.relations import Answer

_SCHEMA_STATUS = frozenset({400, 422, 501})
_ADVICE = {
    0: "check OPENAI_BASE_URL, the server, and RAGSPINE_LLM_TIMEOUT_S",
    401: "check OPENAI_API_KEY",
    403: "check what the key allows",
    404: "check OPENAI_BASE_URL and RAGSPINE_LLM_MODEL",
    429: "wait, or lower RAGSPINE_LLM_CONCURRENCY",
}


@dataclass(frozen=True, slots=True)
class _Form:
    """Which settings a server takes; the fields name what is sent."""

    schema: bool = True
    temperature: bool = True
    limit: str = "max_completion_tokens"


class OpenAIProvider:
    """A model behind an OpenAI-compatible server.

    Args:
        model: its name there.
        endpoint: address and key.
        limits: time, attempts, concurrency and budgets.
    """

    def __init__(self, model: str, endpoint: Endpoint, limits: Limits | None = None) -> None:
        self._model = model
        self._limits = limits or Limits()
        self._budget = Budget(self._limits.max_calls, self._limits.max_tokens)
        self._form = _Form()
        self._client = OpenAIClient(model, endpoint, self._limits, _ADVICE)

    @property
    def model(self) -> str:
        """Its name at the server."""
        return self._model

    @property
    def concurrency(self) -> int:
        """How many calls it takes at once; more wait."""
        return self._limits.concurrency

    @property
    def usage(self) -> Usage:
        """What it has used since it was made."""
        return self._budget.usage

    def complete(self, request: ModelRequest) -> Answer:
        """The model's answer.

        Raises:
            BudgetSpentError: no budget is left for the call or for another attempt.
            ProviderError: what happened and what to do; no key and no text.
        """
        return self._client.retrying(lambda end: self._attempt(request, end))

    def close(self) -> None:
        """Release its connections."""
        self._client.close()

    def _attempt(self, request: ModelRequest, end: float) -> Answer:
        """One answer, with as many requests as it takes to find out what the server accepts."""
        form = self._form
        while True:
            try:
                answer = self._send(request, form, end)
            except AttemptError as fault:
                simpler = _simplify(form, fault)
                if simpler is None:
                    raise
                form = simpler
            else:
                self._form = form
                return answer

    def _send(self, request: ModelRequest, form: _Form, end: float) -> Answer:
        left_s = self._client.left_s(end)
        bound = request.token_bound
        self._budget.set_aside(bound)
        try:
            answer = self._ask(request, form, left_s)
        except AttemptError as fault:
            self._budget.settle(bound, paid=not fault.status)
            raise
        except BaseException:
            self._budget.settle(bound)
            raise
        self._budget.settle(bound, answer)
        return answer

    def _ask(self, request: ModelRequest, form: _Form, left_s: float) -> Answer:
        options: dict[str, object] = {form.limit: request.max_output_tokens}
        if form.temperature:
            options["temperature"] = 0
        if form.schema:
            schema = {"name": "answer", "strict": True, "schema": request.schema}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        body = self._client.ask(
            lambda client, timeout_s: client.chat.completions.with_streaming_response.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": request.rules},
                    {"role": "user", "content": request.text},
                ],
                extra_body=options,
                timeout=timeout_s,
            ),
            left_s,
        )
        return parse_completion(body)


def _simplify(form: _Form, fault: AttemptError) -> _Form | None:
    """What to send instead of a form that was refused; None when it was not the form."""
    if fault.status not in _SCHEMA_STATUS:
        return None
    if fault.refused == "temperature" and form.temperature:
        return _Form(form.schema, False, form.limit)
    if fault.refused == "max_completion_tokens" and form.limit == fault.refused:
        return _Form(form.schema, form.temperature, "max_tokens")
    if form.schema:
        return _Form(False, form.temperature, form.limit)
    return None
