"""Where the model's server is, in the variables that OpenAI's own tools read."""

from __future__ import annotations

from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ragspine_graph.config.addresses import check_address, check_bearer
from ragspine_graph.errors import ConfigError
from ragspine_graph.validation import first_fault


def _check_url(url: str | None) -> str | None:
    if url is None:
        return None
    return check_address(url, key_variable="OPENAI_API_KEY", example="https://example.com/v1")


class Endpoint(BaseSettings):
    """`OPENAI_BASE_URL` and `OPENAI_API_KEY`.

    Attributes:
        base_url: of any server that speaks OpenAI's API; None is OpenAI's own.
        api_key: None for a server that asks for none.
    """

    model_config = SettingsConfigDict(
        env_prefix="OPENAI_",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    base_url: Annotated[str | None, AfterValidator(_check_url)] = None
    api_key: Annotated[SecretStr | None, AfterValidator(check_bearer)] = None

    @classmethod
    def load(cls) -> Self:
        """Read the environment.

        Raises:
            ConfigError: address or key is malformed; the message repeats neither.
        """
        try:
            return cls()
        except ValidationError as error:
            field, problem = first_fault(error, cls, shows_values=False)
            raise ConfigError(f"environment variable 'OPENAI_{field.upper()}': {problem}") from None

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.base_url or "https://api.openai.com/v1").netloc
