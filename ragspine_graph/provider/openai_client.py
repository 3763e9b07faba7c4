"""Requests to any server that speaks OpenAI's API; the only importer of `openai` and `tenacity`.

What is worth another attempt is tried again: 408, 409, 429, 5xx, timeouts, broken connections,
answers that are none. Waits grow with jitter; a Retry-After is honoured. All of it ends with the
deadline: a wait that would pass it is not begun.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

import openai
import tenacity

from ragspine_graph.errors import ProviderError
from ragspine_graph.provider.attempt import AttemptError, parse_retry_after
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits

T = TypeVar("T")

_MAX_BODY_BYTES = 8 << 20
_PASSING_STATUS = frozenset({408, 409, 429})
_FINAL_STATUS = frozenset({401, 404})
_CODE = re.compile(r"[a-z][a-z_]{2,40}")
_NO_CREDIT = "insufficient_quota"
_NAMED = ("temperature", "max_completion_tokens")


class Streamed(Protocol):
    """A response whose body is still to be read."""

    def iter_bytes(self) -> Iterator[bytes]:
        """The body in pieces."""
        ...


Send = Callable[[openai.OpenAI, float], AbstractContextManager[Streamed]]


class OpenAIClient:
    """Sends requests to one model, again where that may help.

    Args:
        model: its name there.
        endpoint: address and key.
        limits: time, attempts and concurrency.
        advice: what to do about a status that lasts, 0 for no answer at all.
    """

    def __init__(
        self, model: str, endpoint: Endpoint, limits: Limits, advice: Mapping[int, str]
    ) -> None:
        self._limits = limits
        self._advice = advice
        self._where = f"model {model!r} at {endpoint.host}"
        self._slots = threading.BoundedSemaphore(limits.concurrency)
        key = endpoint.api_key
        self._client = openai.OpenAI(
            # The client wants a key even where the server asks for none.
            api_key=key.get_secret_value() if key else "none",
            base_url=endpoint.base_url or "https://api.openai.com/v1",
            max_retries=0,
            # A redirect could carry document text to a server that nobody named.
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )

    def retrying(self, attempt: Callable[[float], T]) -> T:
        """The result of the first attempt that does not fail.

        Args:
            attempt: makes one, given the time on the monotonic clock at which all must be over.

        Raises:
            ProviderError: what happened and what to do; no key and no text.
        """
        limits = self._limits
        with self._slots:
            end = time.monotonic() + limits.deadline_s
            retrying = tenacity.Retrying(
                retry=tenacity.retry_if_exception(_is_passing),
                stop=tenacity.stop_any(
                    tenacity.stop_after_attempt(limits.attempts),
                    tenacity.stop_before_delay(limits.deadline_s),
                ),
                wait=self._wait,
                reraise=True,
            )
            try:
                return retrying(attempt, end)
            except AttemptError as fault:
                tries = retrying.statistics.get("attempt_number", 1)
                raise self._error(fault, tries) from None

    def left_s(self, end: float) -> float:
        """Seconds that a request may take.

        Raises:
            AttemptError: none are left.
        """
        left_s = min(self._limits.timeout_s, end - time.monotonic())
        if left_s <= 0:
            raise AttemptError("no answer in time")
        return left_s

    def ask(self, send: Send, left_s: float) -> bytes:
        """The body of the answer to one request.

        Args:
            send: sends it, given the client and its timeout in seconds.
            left_s: seconds for all of it.

        Raises:
            AttemptError: there is none.
        """
        until = time.monotonic() + left_s
        try:
            with send(self._client, left_s) as response:
                return _read(response.iter_bytes(), until)
        except openai.APIStatusError as error:
            raise _refusal(error) from None
        except openai.APITimeoutError:
            raise AttemptError("no answer in time", is_passing=True) from None
        except openai.APIConnectionError:
            raise AttemptError("no connection", is_passing=True) from None
        except openai.OpenAIError as error:
            raise AttemptError(f"the client gave up ({type(error).__name__})") from None

    def close(self) -> None:
        """Release its connections."""
        self._client.close()

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
        advice = fault.advice or self._advice.get(fault.status, "see the log of the server")
        message = f"{self._where}: {fault}{after}; {advice}"
        is_final = fault.status in _FINAL_STATUS or fault.refused == _NO_CREDIT
        is_about_text = 400 <= fault.status < 500 and not fault.is_passing and not is_final
        return ProviderError(message, is_final=is_final, is_about_text=is_about_text)


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, AttemptError) and error.is_passing


def _refusal(error: openai.APIStatusError) -> AttemptError:
    status = error.status_code
    code = error.code if error.code and _CODE.fullmatch(error.code) else ""
    # Of what the server says only these words are used: the rest may repeat a key or a text.
    said = f"{error.param} {error.message}"
    named = next((name for name in _NAMED if name in said), "")
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
