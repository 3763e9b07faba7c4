"""The parent's end: starts the process that loads files, asks it, and says what it died of."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import suppress

from ragspine_store.errors import LoadError
from ragspine_store.sandbox.wire import READY, Answer, read_parts, write_parts
from ragspine_store.sandbox.worker import OUT_OF_MEMORY

_START_TIMEOUT_S = 60.0
_END_TIMEOUT_S = 2.0
# The worker imports what this process could import, from where this process would.
_PROGRAM = """
import sys
timeout_s, memory_bytes, *sys.path[:] = sys.argv[1:]
from ragspine_store.sandbox.worker import main
main(float(timeout_s), int(memory_bytes))
"""


class LoadingProcess:
    """One process that loads files; usable until one of them ends it.

    A fresh interpreter rather than a fork or `multiprocessing`: it starts the same on every
    system, from a thread, and from a script without an `if __name__ == "__main__"`.

    Args:
        timeout_s: for one file.
        memory_bytes: address space it may take, where the system can bound it.

    Raises:
        LoadError: it cannot be started.
    """

    def __init__(self, *, timeout_s: float, memory_bytes: int) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._is_idle = False
        self._is_late = False
        self.answered = 0
        arguments = ("-P", "-c", _PROGRAM, repr(timeout_s), repr(memory_bytes), *sys.path)
        try:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt from the keyboard is for the parent
            )
        except (OSError, ValueError) as error:
            raise LoadError(_cannot_start(type(error).__name__)) from None
        if self._ask([], _START_TIMEOUT_S) != [READY]:
            code = self.end()
            raise LoadError(_cannot_start(f"it ended with {code}"))

    @property
    def is_usable(self) -> bool:
        """Whether it still runs and waits to be asked."""
        return self._is_idle and not self._is_late and self._process.poll() is None

    def load(self, data: bytes, *, name: str) -> Answer:
        """Let it load one file.

        Raises:
            LoadError: it took too long or too much memory, or ended; the message names the file.
        """
        request = [name.encode("utf-8", "surrogateescape"), data]
        answer = self._ask(request, self._timeout_s)
        if len(answer) != len(Answer._fields):
            raise LoadError(f"{name} {self._cause_of_death()}")
        self.answered += 1
        return Answer(*answer)

    def end(self) -> int:
        """End it, whatever it is doing; its exit code, negative for a signal."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return self._process.wait()

    def _ask(self, request: list[bytes], timeout_s: float) -> list[bytes]:
        """The answer, one part for a request of none; [] when it ended instead."""
        pipes = (self._process.stdin, self._process.stdout)
        assert pipes[0] is not None
        assert pipes[1] is not None
        self._is_idle = False
        # Killing it wakes whoever waits at either pipe, on every system.
        clock = threading.Timer(timeout_s, self._kill_late)
        clock.daemon = True
        clock.start()
        try:
            write_parts(pipes[0], request)
            answer = read_parts(pipes[1], 2 if request else 1)
        except (EOFError, OSError):
            return []
        finally:
            clock.cancel()
        self._is_idle = True
        return answer

    def _kill_late(self) -> None:
        self._is_late = True
        self._process.kill()

    def _cause_of_death(self) -> str:
        # Its pipe ends a little before it does; alive, it answered what is no answer.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_TIMEOUT_S)
        code = self.end()
        if self._is_late or code == -getattr(signal, "SIGALRM", 0):
            return (
                f"took longer than {self._timeout_s:g} seconds to load, and was given up; expected "
                "less: split it, leave it out, or raise load_timeout_s"
            )
        if code == OUT_OF_MEMORY:
            return (
                f"needs more than {self._memory_bytes // 2**20:,} MiB of memory to load; expected "
                "less: split it, or leave it out"
            )
        return (
            f"ended the process that loaded it ({_name(code)}); expected a sound file: save it "
            "again with the program that made it, or leave it out"
        )


def _name(code: int) -> str:
    """A name for an exit code.

    >>> _name(-11)
    'SIGSEGV'
    """
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


def _cannot_start(cause: str) -> str:
    return (
        f"the process that loads files cannot be started ({cause}); expected {sys.executable!r} to "
        "be a Python interpreter that can import ragspine_store"
    )
