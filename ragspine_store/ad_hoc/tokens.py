"""Cypher as a row of tokens.

Engines do not read Cypher alike: where a comment ends, what an escape means and what counts as a
space differ between versions. So what could be read in two ways is refused, and what is sent is
written anew from the tokens: without comments, each literal in one spelling.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from ragspine_store.errors import CypherError

MAX_QUERY_CHARS = 20_000


class TokenKind(enum.Enum):
    """What a token is."""

    WORD = "word"
    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: a keyword or bare name is a WORD, one in backticks a NAME; a MARK is one character of
            punctuation.
        text: a word, number or mark as written; what a string, name or parameter holds, without its
            quotes, its escapes resolved.
        gap: white space or a comment stands before it.
    """

    kind: TokenKind
    text: str
    gap: bool = False

    @property
    def is_word(self) -> bool:
        """Whether an engine may take it for a keyword: a bare name, or one in backticks."""
        return self.kind in (TokenKind.WORD, TokenKind.NAME)

    @property
    def folded(self) -> str:
        """A word as the loosest of engines compares it; '' for what is none."""
        if not self.is_word:
            return ""
        return unicodedata.normalize("NFKC", self.text).upper().casefold()

    def render(self) -> str:
        """The token in its one spelling."""
        if self.kind is TokenKind.STRING:
            text = self.text.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{text}'"
        if self.kind is TokenKind.NAME:
            return f"`{self.text}`"
        return f"${self.text}" if self.kind is TokenKind.PARAMETER else self.text


_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t"}
# Letters and digits of any script, and what joins them.
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "Pc"})


def read_tokens(text: str) -> list[Token]:
    r"""Read a query.

    Raises:
        CypherError: it is too long, or something in it could be read in two ways.

    >>> [token.text for token in read_tokens("RETURN /* one */ 'it\\'s' AS `x y`")]
    ['RETURN', "it's", 'AS', 'x y']
    """
    if len(text) > MAX_QUERY_CHARS:
        _refuse(f"a query of {len(text)} characters", f"at most {MAX_QUERY_CHARS}")
    text = text.replace("\r\n", "\n")
    for at, char in enumerate(text):
        if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            _refuse(
                f"the invisible character U+{ord(char):04X} at {_place(text, at)}",
                "visible ones: give such a value as a parameter",
            )
    return _Scanner(text).scan()


def render_tokens(tokens: Sequence[Token]) -> str:
    """The query that the tokens are.

    >>> render_tokens(read_tokens('MATCH (n) /* all */ RETURN "n"'))
    "MATCH (n) RETURN 'n'"
    """
    return "".join(f"{' ' if token.gap else ''}{token.render()}" for token in tokens).strip()


class _Scanner:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def scan(self) -> list[Token]:
        tokens: list[Token] = []
        while True:
            gap = self._skip_gap()
            if self._at == len(self._text):
                return tokens
            kind, text = self._next()
            tokens.append(Token(kind, text, gap))

    def _skip_gap(self) -> bool:
        start = self._at
        while self._at < len(self._text):
            if self._text.startswith("//", self._at):
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif self._text.startswith("/*", self._at):
                end = self._text.find("*/", self._at + 2)
                if end < 0:
                    self._fail("a comment without an end", "`*/`")
                self._at = end + 2
            elif self._text[self._at] in " \n\t":
                self._at += 1
            else:
                break
        return self._at > start

    def _next(self) -> tuple[TokenKind, str]:
        char = self._text[self._at]
        if char in "'\"":
            return TokenKind.STRING, self._string(char)
        if char == "`":
            return TokenKind.NAME, self._name()
        if char == "$":
            self._at += 1
            name = self._word()
            if not name:
                self._fail("`$` without a name", "a parameter such as $name")
            return TokenKind.PARAMETER, name
        if char.isascii() and char.isdigit():
            return TokenKind.NUMBER, self._word()
        if word := self._word():
            return TokenKind.WORD, word
        if not char.isascii() or char == "\\":
            self._fail(f"the character {char!r}", "it inside of quotes alone")
        self._at += 1
        return TokenKind.MARK, char

    def _word(self) -> str:
        start = self._at
        while (
            self._at < len(self._text)
            and unicodedata.category(self._text[self._at]) in _WORD_CATEGORIES
        ):
            self._at += 1
        return self._text[start : self._at]

    def _string(self, quote: str) -> str:
        start = self._at
        found: list[str] = []
        self._at += 1
        while True:
            if self._at == len(self._text):
                self._at = start
                self._fail("a string without an end", f"a closing {quote}")
            char = self._text[self._at]
            self._at += 1
            if char == quote:
                return "".join(found)
            if char == "\\":
                escaped = self._text[self._at : self._at + 1]
                if escaped not in _ESCAPES or not escaped:
                    self._fail(
                        f"the escape \\{escaped}", "the character itself, or a parameter for it"
                    )
                char = _ESCAPES[escaped]
                self._at += 1
                # Some engines resolve `\\u0027` before they look for the end of the string.
                if char == "\\" and self._text[self._at : self._at + 1] in ("u", "U"):
                    self._fail("a backslash before u", "a parameter for such a value")
            found.append(char)

    def _name(self) -> str:
        end = self._text.find("`", self._at + 1)
        name = self._text[self._at + 1 : end]
        if end < 0 or not name:
            self._fail("a name in backticks without an end or without a letter", "`name`")
        if "\\" in name or self._text.startswith("`", end + 1):
            self._fail("a backslash or backtick inside a name", "a name without")
        self._at = end + 1
        return name

    def _fail(self, given: str, expected: str) -> NoReturn:
        _refuse(f"{given} at {_place(self._text, self._at)}", expected)


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at)
    return f"line {line + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _refuse(given: str, expected: str) -> NoReturn:
    raise CypherError(f"the query is refused: {given}; expected {expected}")
