"""Any server that speaks OpenAI's chat completions; the only importer of `openai` and `tenacity`.

What is worth another attempt is tried again: 408, 409, 429, 5xx, timeouts, broken connections,
answers that are none. Waits grow with jitter; a Retry-After is honoured. All of it ends with the
deadline: a wait that would pass it is not begun.

Settings that a server refuses (a JSON schema, a temperature, the name of the output limit) are left
out or renamed, each once, and for good once that has helped.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

import openai
import tenacity

from ragspine_graph.errors import ProviderError
from ragspine_graph.provider.attempt import (
    AttemptError,
    parse_completion,
    parse_retry_after,
)
from ragspine_graph.provider.budget import Budget
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.protocol import ModelRequest, Usage
from ragspine_store.relations import Answer

_MAX_BODY_BYTES = 8 << 20
_PASSING_STATUS = frozenset({408, 409, 429})
_FINAL_STATUS = frozenset({401, 404})
_SCHEMA_STATUS = frozenset({400, 422, 501})
_CODE = re.compile(r"[a-z][a-z_]{2,40}")
_NO_CREDIT = "insufficient_quota"
_ADVICE = {
    0: "check OPENAI_BASE_URL, the server, and RAGSPINE_LLM_TIMEOUT_S",
    401: "check OPENAI_API_KEY",
    403: "check what the key allows",
    404: "check OPENAI_BASE_URL and RAGSPINE_LLM_MODEL",
    429: "wait, or lower RAGSPINE_LLM_CONCURRENCY",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How a provider calls; fields as the settings `llm_…` of `ServiceConfig`."""

    timeout_s: float = 60.0
    deadline_s: float = 180.0
    attempts: int = 4
    retry_wait_s: float = 1.0
    concurrency: int = 4
    max_calls: int | None = None
    max_tokens: int | None = None


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
        self._where = f"model {model!r} at {endpoint.host}"
        self._budget = Budget(self._limits.max_calls, self._limits.max_tokens)
        self._slots = threading.BoundedSemaphore(self._limits.concurrency)
        self._form = _Form()
        key = endpoint.api_key
        self._client = openai.OpenAI(
            # The client wants a key even where the server asks for none.
            api_key=key.get_secret_value() if key else "none",
            base_url=endpoint.base_url or "https://api.openai.com/v1",
            max_retries=0,
            # A redirect could carry document text to a server that nobody named.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )

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
        with self._slots:
            end = time.monotonic() + self._limits.deadline_s
            retrying = tenacity.Retrying(
                retry=tenacity.retry_if_exception(_is_passing),
                stop=tenacity.stop_any(
                    tenacity.stop_after_attempt(self._limits.attempts),
                    tenacity.stop_before_delay(self._limits.deadline_s),
                ),
                wait=self._wait,
                reraise=True,
            )
            try:
                return retrying(self._attempt, request, end)
            except AttemptError as fault:
                tries = retrying.statistics.get("attempt_number", 1)
                raise self._error(fault, tries) from None

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
        left_s = min(self._limits.timeout_s, end - time.monotonic())
        if left_s <= 0:
            raise AttemptError("no answer in time")
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
        until = time.monotonic() + left_s
        try:
            with self._client.chat.completions.with_streaming_response.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": request.rules},
                    {"role": "user", "content": request.text},
                ],
                extra_body=options,
                timeout=left_s,
            ) as response:
                body = _read(response.iter_bytes(), until)
        except openai.APIStatusError as error:
            raise _refusal(error) from None
        except openai.APITimeoutError:
            raise AttemptError("no answer in time", is_passing=True) from None
        except openai.APIConnectionError:
            raise AttemptError("no connection", is_passing=True) from None
        except openai.OpenAIError as error:
            raise AttemptError(f"the client gave up ({type(error).__name__})") from None
        return parse_completion(body)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        first = self._limits.retry_wait_s
        growing = tenacity.wait_exponential(first, max=60 * first) + tenacity.wait_random(0, first)
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.retry_after_s if isinstance(fault, AttemptError) else 0.0
        return max(asked, growing(state))

    def _error(self, fault: AttemptError, tries: int) -> ProviderError:
        after = f" after {tries} attempts" if tries > 1 else ""
        if fault.retry_after_s > self._limits.deadline_s:
            after += f"; it asks to wait for {fault.retry_after_s:.0f} s"
        advice = fault.advice or _ADVICE.get(fault.status, "see the log of the server")
        message = f"{self._where}: {fault}{after}; {advice}"
        is_final = fault.status in _FINAL_STATUS or fault.refused == _NO_CREDIT
        is_about_text = 400 <= fault.status < 500 and not fault.is_passing and not is_final
        return ProviderError(message, is_final=is_final, is_about_text=is_about_text)


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, AttemptError) and error.is_passing


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


def _refusal(error: openai.APIStatusError) -> AttemptError:
    status = error.status_code
    code = error.code if error.code and _CODE.fullmatch(error.code) else ""
    # Of what the server says only these words are used: the rest may repeat a key or a text.
    said = f"{error.param} {error.message}"
    named = next((name for name in ("temperature", "max_completion_tokens") if name in said), "")
    return AttemptError(
        f"HTTP {status}" + (f" ({code})" if code else ""),
        status=status,
        refused=code if code == _NO_CREDIT else named,
        is_passing=(status in _PASSING_STATUS or status >= 500) and code != _NO_CREDIT,
        retry_after_s=parse_retry_after(error.response.headers.get("retry-after", "")),
    )


def _read(pieces: Iterable[bytes], until: float) -> bytes:
    """A whole body; the client's own timeout is for each piece of it."""
    body = bytearray()
    try:
        for piece in pieces:
            body += piece
            if time.monotonic() > until:
                raise AttemptError("no answer in time", is_passing=True)
            if len(body) > _MAX_BODY_BYTES:
                raise AttemptError(f"an answer of more than {_MAX_BODY_BYTES} bytes")
    except AttemptError:
        raise
    except Exception as error:  # whichever HTTP library the client uses, it only reads here
        raise AttemptError(
            f"the answer broke off ({type(error).__name__})", is_passing=True
        ) from None
    return bytes(body)
