"""Reading a TOML file that a person wrote."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file in UTF-8, with or without a byte order mark.

    Raises:
        ValueError: it cannot be read or is malformed; the message is one line that names the file
            and holds no value from it.
    """
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        problem = "no such file"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        problem = "not UTF-8; save it as UTF-8"
    except ValueError as error:
        problem = f"not valid TOML: {error}"
    except RecursionError:
        problem = "nested too deeply"
    raise ValueError(f"{str(path)!r}: {problem}")
