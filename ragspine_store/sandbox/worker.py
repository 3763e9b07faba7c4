"""The process that loads files: reads them from a pipe one by one, answers, ends with the pipe."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import IO

from ragspine_store.errors import StoreError
from ragspine_store.loading import known_suffixes, load_document
from ragspine_store.sandbox.wire import (
    DOCUMENT,
    FAILED,
    READY,
    REFUSED,
    Answer,
    encode_document,
    read_parts,
    write_parts,
)

if sys.platform != "win32":
    import resource

OUT_OF_MEMORY = 77  # exit code
_GRACE_S = 5.0


def main(timeout_s: float, memory_bytes: int) -> None:
    """Answer until the pipe ends.

    Args:
        timeout_s: for one file. The parent keeps the time; this process ends itself a little
            later, lest it outlive a parent that was killed.
        memory_bytes: address space of this process.
    """
    requests, answers = _take_streams()
    known_suffixes()  # imports the loaders before any clock runs
    _limit(memory_bytes)
    write_parts(answers, [READY])
    while True:
        try:
            name, data = read_parts(requests, 2)
        except EOFError:
            return
        _set_alarm(timeout_s + _GRACE_S)
        try:
            answer = _load(data, name.decode("utf-8", "surrogateescape"))
        except MemoryError:
            os._exit(OUT_OF_MEMORY)  # nothing here can be relied on any more
        write_parts(answers, answer)
        _set_alarm(0)


def _load(data: bytes, name: str) -> Answer:
    try:
        return Answer(DOCUMENT, encode_document(load_document(data, name=name)))
    except StoreError as error:
        return Answer(REFUSED, str(error).encode("utf-8", "backslashreplace"))
    except MemoryError:
        raise
    except Exception as error:  # its message could hold text of the document
        return Answer(FAILED, type(error).__name__.encode())


def _take_streams() -> tuple[IO[bytes], IO[bytes]]:
    """The pipe's two ends, out of the way of whatever a library prints or asks for."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    return requests, answers


def _limit(memory_bytes: int) -> None:
    if sys.platform != "win32":
        # A core file would hold the document. Some systems know no bound of the address space.
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def _set_alarm(seconds: float) -> None:
    """Let the system end this process after so many seconds; 0 calls it off."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)
