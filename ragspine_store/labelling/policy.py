"""The sensitivity policy: rules of the house that apply to every document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from ragspine_store.labelling.statement import Statement
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, Sensitivity, parse_label
from ragspine_store.tokenizer import fold

_BLANK_BETWEEN_CJK = re.compile("(?<=[\u3005-\u9fff]) (?=[\u3005-\u9fff])")


def _comparable(text: str) -> str:
    """Text without what a reader does not see: width, case, line breaks, 社　外　秘 spaced out."""
    return _BLANK_BETWEEN_CJK.sub("", " ".join(fold(text).split()))


def _refuse_blank(text: str) -> str:
    if not _comparable(text):
        raise ValueError("a blank keyword or pattern given; expected text to look for")
    return text


def _parse_level(value: object) -> Sensitivity:
    return parse_label(value, source="default_level")


_Term = Annotated[str, AfterValidator(_refuse_blank)]


class SensitivityPolicy(BaseModel):
    """What makes a document RESTRICTED, and what an unlabelled one is.

    Attributes:
        restricted_keywords: a document that holds one of these, in its title or anywhere in its
            file, is RESTRICTED. Width, case, invisible characters and line breaks do not matter.
        restricted_filename_patterns: so is a document with one of these anywhere in its id or file
            name; `*` stands for any characters, `?` for one, nothing else is special.
        default_level: the level of a document that nothing labels.
        escalate_unlabelled: make such a document RESTRICTED instead; the predecessor's spelling
            `escalate_unknown_to_restricted` is read too.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True
    )

    restricted_keywords: tuple[_Term, ...] = ()
    restricted_filename_patterns: tuple[_Term, ...] = ()
    default_level: Annotated[Sensitivity, BeforeValidator(_parse_level)] = DEFAULT_SENSITIVITY
    escalate_unlabelled: bool = Field(
        default=False,
        validation_alias=AliasChoices("escalate_unlabelled", "escalate_unknown_to_restricted"),
    )

    def statements(self, *, names: Iterable[str], texts: Iterable[str]) -> list[Statement]:
        """The labels this policy states for a document; the default level is not among them.

        Args:
            names: the document's id and file name, for the filename patterns.
            texts: its title and its whole decoded file, for the keywords.

        >>> policy = SensitivityPolicy(restricted_keywords=("社外秘",))
        >>> policy.statements(names=[], texts=["【社　外　秘】"])[0].level.name
        'RESTRICTED'
        """
        found: list[Statement] = []
        if any(self._is_restricted_name(name) for name in names):
            found.append(
                Statement(Sensitivity.RESTRICTED, "the policy's restricted_filename_patterns")
            )
        if self.restricted_keywords and any(self._is_restricted_text(text) for text in texts):
            found.append(Statement(Sensitivity.RESTRICTED, "the policy's restricted_keywords"))
        return found

    def _is_restricted_name(self, name: str) -> bool:
        folded = fold(name)
        return any(_glob(pattern).search(folded) for pattern in self.restricted_filename_patterns)

    def _is_restricted_text(self, text: str) -> bool:
        comparable = _comparable(text)
        return any(_comparable(keyword) in comparable for keyword in self.restricted_keywords)


def _glob(pattern: str) -> re.Pattern[str]:
    # Not fnmatch: in it the brackets of a pattern such as [社外秘] would mean any one character.
    escaped = re.escape(fold(pattern)).replace(r"\*", ".*").replace(r"\?", ".")
    return re.compile(escaped, re.DOTALL)
