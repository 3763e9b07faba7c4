"""Which files are loaded in a process of their own, and how many one process loads."""

from __future__ import annotations

from ragspine_store.errors import LoadError
from ragspine_store.loading import Loader, loader_for
from ragspine_store.loading.markdown import MarkdownLoader
from ragspine_store.loading.plain_text import PlainTextLoader
from ragspine_store.records import LoadedDocument
from ragspine_store.sandbox.process import LoadingProcess
from ragspine_store.sandbox.wire import DOCUMENT, REFUSED, decode_document

DEFAULT_TIMEOUT_S = 60.0
MAX_TIMEOUT_S = 86_400.0

_MEMORY_BYTES = 2 * 2**30
# What a library leaks ends with its process.
_MAX_FILES = 1_000
# Their parsers are Python alone: no crash, no bombs, and on so little text no long wait either.
_SIMPLE = (MarkdownLoader, PlainTextLoader)
_MAX_SIMPLE_BYTES = 128 * 2**10


class Sandbox:
    """Loads files, all but short Markdown and plain text in one process beside this one.

    The process starts with the first file that needs it, serves one file after the other, and is
    replaced when a file ended it. Close the sandbox to end it.

    Args:
        timeout_s: most seconds for one file.

    Raises:
        ValueError: the time limit is not above 0, or longer than a day.

    >>> with Sandbox() as sandbox:
    ...     sandbox.load(b"<title>Pay</title><p>tea", name="pay.html").text
    'tea'
    """

    def __init__(self, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        if not 0 < timeout_s <= MAX_TIMEOUT_S:
            raise ValueError(
                f"a time limit of {timeout_s:g} seconds given; expected above 0 and at most "
                f"{MAX_TIMEOUT_S:,g}"
            )
        self._timeout_s = timeout_s
        self._process: LoadingProcess | None = None

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file.

        Args:
            data: its bytes.
            name: its name; the ending chooses the loader, and errors show it.

        Raises:
            LoadError: it cannot be read as a document, or its loader failed, crashed, or took too
                much time or memory.
        """
        loader = loader_for(name)
        if _is_simple(loader, data):
            return loader.load(data, name=name)
        kind, content = self._get_process().load(data, name=name)
        if kind == REFUSED:
            raise LoadError(content.decode("utf-8", "replace"))
        try:
            if kind == DOCUMENT:
                return decode_document(content)
            cause = content.decode("utf-8", "replace")
        except ValueError:
            cause = "an answer that is no document"
        raise LoadError(f"{name} made its loader fail with {cause}; expected a document")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get_process(self) -> LoadingProcess:
        if self._process is not None and (
            not self._process.is_usable or self._process.answered >= _MAX_FILES
        ):
            self.close()
        if self._process is None:
            self._process = LoadingProcess(timeout_s=self._timeout_s, memory_bytes=_MEMORY_BYTES)
        return self._process


def _is_simple(loader: Loader, data: bytes) -> bool:
    return isinstance(loader, _SIMPLE) and len(data) <= _MAX_SIMPLE_BYTES
