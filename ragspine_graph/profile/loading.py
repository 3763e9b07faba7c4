"""Reading a profile from its file."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from ragspine_graph.errors import ConfigError
from ragspine_graph.profile.checks import find_faults
from ragspine_graph.profile.model import Profile
from ragspine_graph.validation import first_fault, read_config_file


def load_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        ConfigError: the file is missing or malformed, a table or key is unknown, a value is not of
            its documented form, or tables contradict each other; the message names file and key.
    """
    values = read_config_file(path, kind="profile")
    try:
        profile = Profile.model_validate(values)
    except ValidationError as error:
        key, problem = first_fault(error, Profile)
        raise ConfigError(f"profile {str(path)!r}, key {key}: {problem}") from None
    for fault in find_faults(profile):
        raise ConfigError(f"profile {str(path)!r}, key {fault.key}: {fault.problem}")
    return profile
