"""One attempt to get an answer: what went wrong with it, or what it says."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, NonNegativeInt, ValidationError

from ragspine_store.relations import Answer


class AttemptError(Exception):
    """One attempt that failed; its message never repeats what the server said."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        refused: str = "",
        is_passing: bool = False,
        retry_after_s: float = 0.0,
        advice: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.refused = refused
        self.is_passing = is_passing
        self.retry_after_s = retry_after_s
        self.advice = advice


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: object = None


class _Tokens(BaseModel):
    prompt_tokens: NonNegativeInt = 0
    completion_tokens: NonNegativeInt = 0


def parse_completion(body: bytes) -> Answer:
    """The answer in a chat completion.

    Raises:
        AttemptError: there is none.
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        raise AttemptError("an answer that is no chat completion", is_passing=True) from None
    choice = completion.choices[0] if completion.choices else _Choice(message=_Message())
    text = choice.message.content or choice.message.refusal
    if not text and choice.finish_reason == "length":
        raise AttemptError(
            "no room for an answer, maybe after long thoughts",
            advice="raise RAGSPINE_LLM_MAX_OUTPUT_TOKENS",
        )
    if not text:
        raise AttemptError("an empty answer", is_passing=True)
    try:
        tokens = _Tokens.model_validate(completion.usage)
    except ValidationError:
        tokens = _Tokens()
    return Answer(text, tokens.prompt_tokens, tokens.completion_tokens)


def parse_retry_after(header: str) -> float:
    """Seconds to wait as a Retry-After header says; 0 when it says nothing of use."""
    if re.fullmatch(r"\d{1,9}(\.\d+)?", header.strip()):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0
