"""Answers that were recorded once, replayed without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragspine_graph.errors import ConfigError, ProviderError
from ragspine_graph.provider.budget import Budget
from ragspine_graph.provider.protocol import ModelRequest, Usage
from ragspine_graph.validation import first_fault
from ragspine_store.relations import Answer

RECORDED = "recorded/"


class _RecordedAnswer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    text: str
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class _Recording(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    model: str = Field(min_length=1)
    note: str = ""
    answers: dict[str, _RecordedAnswer]


class RecordedProvider:
    """Replays answers from a JSON file; `model` says that they are recorded.

    The file holds one object: `model`, `note` (how the answers were made) and `answers`, from the
    hash of a child's text (`extraction.llm.hash_chunk`) to `text`, `input_tokens`, `output_tokens`.

    Args:
        model: name of the model that answered, or of who wrote the answers.
        answers: by hash of the child's text.
    """

    def __init__(self, model: str, answers: dict[str, Answer]) -> None:
        self._model = RECORDED + model
        self._answers = answers
        self._budget = Budget()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a recording.

        Raises:
            ConfigError: the file is missing or malformed.
        """
        try:
            recording = _Recording.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ConfigError(
                f"recorded answers {str(path)!r}: {error.strerror}; expected a JSON file"
            ) from None
        except ValidationError as error:
            key, problem = first_fault(error, _Recording, shows_values=False)
            raise ConfigError(f"recorded answers {str(path)!r}, key {key!r}: {problem}") from None
        answers = {
            chunk: Answer(kept.text, kept.input_tokens, kept.output_tokens)
            for chunk, kept in recording.answers.items()
        }
        return cls(recording.model, answers)

    @property
    def model(self) -> str:
        """`recorded/` and the model's name, so that no edge passes as freshly made."""
        return self._model

    @property
    def concurrency(self) -> int:
        """One: there is nothing to wait for."""
        return 1

    @property
    def usage(self) -> Usage:
        """Replayed calls, with the tokens they took when they were recorded."""
        return self._budget.usage

    def complete(self, request: ModelRequest) -> Answer:
        """The recorded answer about the request's subject.

        Raises:
            ProviderError: none was recorded.
        """
        answer = self._answers.get(request.subject)
        if answer is None:
            raise ProviderError(
                f"model {self._model!r}: no answer was recorded about this text; "
                "record one, or use a server"
            )
        self._budget.set_aside(0)
        self._budget.settle(0, answer, paid=False)
        return answer

    def close(self) -> None:
        """Nothing to release."""
