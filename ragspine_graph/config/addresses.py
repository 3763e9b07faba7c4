"""What may be the address of a server that is sent texts, and its key."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pydantic import SecretStr


def check_address(url: str, *, key_variable: str, example: str) -> str:
    """The URL as given.

    Args:
        url: of the server or of its endpoint.
        key_variable: the environment variable that its key belongs into.
        example: a URL of the expected form.

    Raises:
        ValueError: it is none, or might hold a secret; the message does not repeat it.

    >>> check_address("http://localhost:8080/rerank", key_variable="KEY", example="")
    'http://localhost:8080/rerank'
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not is_plain:
        # It is not repeated: a key may stand in it.
        raise ValueError(
            f"expected a URL such as {example}, without user, query or fragment; "
            f"a key belongs into {key_variable}"
        )
    return url


def check_bearer(key: SecretStr | None) -> SecretStr | None:
    """The key as given.

    Raises:
        ValueError: it cannot be sent in a header; the message does not repeat it.
    """
    # One that cannot be sent would end up in somebody's exception.
    if key is not None and not re.fullmatch(r"[!-~]+", key.get_secret_value()):
        raise ValueError("expected a key of printable ASCII characters without spaces")
    return key
