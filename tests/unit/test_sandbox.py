"""Loading in a process of its own: what a bad file costs, and what never gets out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_store.errors import LoadError
from ragspine_store.loading import load_document, registry
from ragspine_store.records import LoadedDocument
from ragspine_store.sandbox import Sandbox

ROOT = Path(__file__).parents[2]
SECRET = "canaryquartz"
# A third party's loader that does what its file says.
LOADER = """
import mmap, os, signal, sys, time
from ragspine_store.errors import LoadError
from ragspine_store.loading.plain_text import PlainTextLoader

class OddLoader:
    suffixes = (".odd",)

    def load(self, data, *, name):
        deed = data.decode().split()[0]
        if deed == "print":
            print(data); os.write(1, b"noise"); os.write(2, data); sys.stdin.read()
        elif deed == "hang":
            while True: pass
        elif deed == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif deed == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif deed == "exit":
            sys.exit(3)
        elif deed == "lists":
            rows = []
            while True: rows.append(bytes(10**8))
        elif deed == "native":
            mmap.mmap(-1, 8 * 2**30)
        elif deed == "recursion":
            return self.load(data, name=name)
        elif deed == "refuse":
            raise LoadError(f"{name} is refused")
        elif deed == "raise":
            raise RuntimeError(data)
        elif deed == "wrong":
            return data
        elif deed == "pid":
            data = str(os.getpid()).encode()
        return PlainTextLoader().load(data, name=name)
"""


@pytest.fixture
def odd_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that registers the loader."""
    site = tmp_path / "site"
    facts = site / "odd-1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[ragspine.loaders]\nodd = odd_loader:OddLoader\n")
    (site / "odd_loader.py").write_text(LOADER)
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    registry._loaders.cache_clear()
    yield
    sys.modules.pop("odd_loader", None)
    registry._loaders.cache_clear()


@pytest.fixture
def sandbox(odd_loader: None) -> Iterator[Sandbox]:
    with Sandbox(timeout_s=2) as sandbox:
        yield sandbox


def load(sandbox: Sandbox, deed: str) -> LoadedDocument:
    return sandbox.load(f"{deed} {SECRET}".encode(), name=f"{deed}.odd")


def pid(sandbox: Sandbox) -> int:
    return int(load(sandbox, "pid").text)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("name", ["就業規則.docx", "就業規則.pdf"])
def test_what_comes_back_is_what_the_loader_made(name: str) -> None:
    data = (ROOT / "tests" / "data" / name).read_bytes()
    with Sandbox() as sandbox:
        assert sandbox.load(data, name=name) == load_document(data, name=name)


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        ("hang", "took longer than 2 seconds to load"),
        ("stop", "took longer than 2 seconds to load"),
        ("crash", "ended the process that loaded it (SIGSEGV)"),
        ("exit", "ended the process that loaded it (exit code 3)"),
        ("recursion", "made its loader fail with RecursionError"),
        ("refuse", "is refused"),
        ("raise", "made its loader fail with RuntimeError"),
        ("wrong", "made its loader fail with an answer that is no document"),
    ],
)
def test_one_bad_file_is_one_clear_line_and_the_next_one_is_loaded(
    sandbox: Sandbox, capfd: pytest.CaptureFixture[str], deed: str, message: str
) -> None:
    with pytest.raises(LoadError) as caught:
        load(sandbox, deed)
    line = str(caught.value)
    assert line.startswith(f"{deed}.odd {message}")
    assert SECRET not in line
    assert len(line.splitlines()) == 1
    assert load(sandbox, "fine").text == f"fine {SECRET}"
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="only there the address space is bounded")
@pytest.mark.parametrize("deed", ["lists", "native"])
def test_memory_is_bounded(odd_loader: None, deed: str) -> None:
    with Sandbox(timeout_s=60) as sandbox:
        with pytest.raises(LoadError, match=r"needs more than 2,048 MiB|fail with OSError"):
            load(sandbox, deed)
        assert load(sandbox, "fine").text == f"fine {SECRET}"


def test_what_a_library_prints_reaches_nobody(
    sandbox: Sandbox, capfd: pytest.CaptureFixture[str]
) -> None:
    assert load(sandbox, "print").text == f"print {SECRET}"
    assert load(sandbox, "fine").text == f"fine {SECRET}"
    assert capfd.readouterr() == ("", "")


def test_one_process_serves_many_files_and_is_replaced_when_it_died(sandbox: Sandbox) -> None:
    first = pid(sandbox)
    assert first != os.getpid()
    assert pid(sandbox) == first
    with pytest.raises(LoadError):
        load(sandbox, "crash")
    assert pid(sandbox) != first


def test_a_process_that_was_killed_between_two_files_costs_none(sandbox: Sandbox) -> None:
    process = pid(sandbox)
    assert sandbox._process is not None
    os.kill(process, signal.SIGKILL)
    sandbox._process._process.wait(30)
    assert pid(sandbox) != process


def test_short_markdown_and_plain_text_need_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Sandbox() as sandbox:
        assert sandbox.load(b"# A\n\ntea", name="a.md").title == "A"
        assert sandbox.load(b"tea", name="a.txt").text == "tea"
        for name, data in (("a.csv", b"a"), ("a.md", b"tea\n" * 100_000)):
            with pytest.raises(LoadError, match="cannot be started"):
                sandbox.load(data, name=name)


def test_a_closed_sandbox_leaves_no_process(odd_loader: None) -> None:
    with Sandbox() as sandbox:
        process = pid(sandbox)
        assert is_alive(process)
    assert not is_alive(process)


@pytest.mark.parametrize("timeout_s", [0, -1, 1e9, float("inf"), float("nan")])
def test_a_time_limit_is_above_zero_and_at_most_a_day(timeout_s: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Sandbox(timeout_s)


# No guard of `__main__`, as people write scripts.
SCRIPT = """
from ragspine_store.sandbox import Sandbox
with Sandbox(timeout_s=60) as sandbox:
    print(sandbox.load(b"pid", name="pid.odd").text, flush=True)
    sandbox.load(b"hang", name="hang.odd")
"""


@pytest.fixture
def script(odd_loader: None, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A script that waits for a file that hangs."""
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), sys.path[0]])}
    with subprocess.Popen(
        [sys.executable, tmp_path / "script.py"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def wait_for_end(process: int) -> None:
    end = time.monotonic() + 30
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(process)


def test_an_interrupt_ends_the_process_at_once(script: subprocess.Popen[str]) -> None:
    assert script.stdout is not None
    process = int(script.stdout.readline())
    script.send_signal(signal.SIGINT)
    script.wait(30)
    assert not is_alive(process)


def test_a_parent_that_is_killed_leaves_no_idle_process(odd_loader: None, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        SCRIPT.replace('sandbox.load(b"hang", name="hang.odd")', "input()")
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), sys.path[0]])}
    with subprocess.Popen(
        [sys.executable, tmp_path / "script.py"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        parent.kill()
    wait_for_end(process)
