"""Turning what pydantic and the TOML parser find wrong into one line for a person."""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, SecretStr, ValidationError

from ragspine_graph.errors import ConfigError
from ragspine_store.toml_file import read_toml

# What people call these in TOML, where pydantic speaks of Python.
_EXPECTED = {
    "dict_type": "a table",
    "model_type": "a table",
    "tuple_type": "an array",
    "string_type": "a string",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "path_type": "a path",
}


def read_config_file(path: Path, *, kind: str) -> dict[str, Any]:
    """Parse a TOML file that configures the service.

    Args:
        path: the file.
        kind: what the file is, for the message.

    Raises:
        ConfigError: it is missing, unreadable or malformed.
    """
    try:
        return read_toml(path)
    except ValueError as error:
        raise ConfigError(f"{kind} {error}") from None


def first_fault(
    error: ValidationError, model: type[BaseModel], *, shows_values: bool = True
) -> tuple[str, str]:
    """The key of the first fault, with dots between tables, and what is wrong with its value.

    The value is shown in short, unless `shows_values` is off, the field holds a secret or the key
    is unknown, since a secret may stand under a misspelt key.
    """
    fault = error.errors(include_url=False)[0]
    location = fault["loc"]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    key = key.removeprefix(".")
    if fault["type"] == "extra_forbidden":
        known = ", ".join(_table_at(model, location[:-1]).model_fields)
        return key, f"unknown key; expected one of {known}"
    if fault["type"] == "missing":
        return key, "missing; expected a value"
    if fault["type"] == "value_error":
        return key, str(fault.get("ctx", {}).get("error"))
    expected = _EXPECTED.get(fault["type"], fault["msg"].removeprefix("Input should be "))
    if not shows_values or _holds_secret(model, location):
        return key, f"expected {expected}"
    return key, f"{reprlib.repr(fault['input'])} given; expected {expected}"


def _table_at(model: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel]:
    for part in location:
        if isinstance(part, str):
            annotation = model.model_fields[part].annotation
            model = next(
                kind
                for kind in (annotation, *get_args(annotation))
                if isinstance(kind, type) and issubclass(kind, BaseModel)
            )
    return model


def _holds_secret(model: type[BaseModel], location: tuple[int | str, ...]) -> bool:
    field = model.model_fields.get(str(location[0]))
    return field is not None and SecretStr in (field.annotation, *get_args(field.annotation))
