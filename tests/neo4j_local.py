"""A Neo4j server as a process of this machine: jars from Maven, a JDK, data in a temporary folder.

It listens on loopback alone and ends with the process that started it, however that ends.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

START_TIMEOUT_S = 180
_HEAP = "512m"
_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>server</artifactId><version>1</version><dependencies>
<dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId>
<version>{version}</version></dependency>
<dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId>
<version>{version}</version></dependency>
</dependencies></project>
"""
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_JVM_ROOTS = ("/usr/lib/jvm", "/opt", "/opt/java", "~/.sdkman/candidates/java", "~/.jdks")
# Waits until whoever holds the other end of its input is gone, then takes server and data along.
_WATCH = """
import os, shutil, signal, sys
sys.stdin.read()
try:
    os.kill(int(sys.argv[1]), signal.SIGKILL)
except ProcessLookupError:
    pass
if len(sys.argv) > 2:
    shutil.rmtree(sys.argv[2], ignore_errors=True)
"""


class ServerUnavailableError(Exception):
    """No server can be had in this way; the message says what is missing."""


class LocalServer:
    """A server of one version, its data and its ports kept from one start to the next.

    Attributes:
        uri: where it listens.
        password: of the user `neo4j`.
    """

    def __init__(
        self,
        version: str,
        settings: Mapping[str, str] = MappingProxyType({}),
        *,
        heap: str = _HEAP,
        plugins: Path | None = None,
        java_options: Sequence[str] = (),
    ) -> None:
        self.version = version
        self._java_options = java_options
        self._heap = heap
        self._plugins = plugins
        self.password = secrets.token_hex(16)
        self._java, self._java_version = find_java(version)
        self._jars = fetch_jars(version)
        self._home = Path(tempfile.mkdtemp(prefix="neo4j-test-"))
        port = _free_port()
        self.uri = f"bolt://127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None
        for folder in ("conf", "logs", "plugins", "import", "run", "data/dbms"):
            (self._home / folder).mkdir(parents=True)
        (self._home / "data/dbms/auth.ini").write_text(_auth_line(self.password))
        conf = _configuration(version, port, self._home, heap) | dict(settings)
        if plugins:
            conf["server.directories.plugins"] = str(plugins)
        lines = "".join(f"{key}={value}\n" for key, value in conf.items())
        (self._home / "conf/neo4j.conf").write_text(lines)

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises:
            RuntimeError: it did not start; the message has the end of its log.
        """
        log = self._home / "console.log"
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                self._command(),
                env={**os.environ, "NEO4J_HOME": str(self._home)},
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._watch = subprocess.Popen(
            [sys.executable, "-c", _WATCH, str(self._process.pid), str(self._home)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        end = time.monotonic() + START_TIMEOUT_S
        while not re.search(r" Started\.$", log.read_text(errors="replace"), re.MULTILINE):
            if self._process.poll() is not None or time.monotonic() > end:
                text = log.read_text(errors="replace")[-3000:]
                self.close()
                raise RuntimeError(f"Neo4j {self.version} did not start:\n{text}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End the server at once, without a chance to write anything; its data stays."""
        if self._watch:
            # The watch would take the data along.
            self._watch.kill()
            self._watch.communicate()
        self._kill_process()

    def close(self) -> None:
        """End the server and remove its data."""
        self.kill()
        shutil.rmtree(self._home, ignore_errors=True)

    def _kill_process(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def _command(self) -> list[str]:
        flags = [
            f"-Xms{self._heap}",
            f"-Xmx{self._heap}",
            *self._java_options,
            "-XX:+UseSerialGC",
            "-Dlog4j2.disable.jmx=true",
        ]
        flags += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
        if self._java_version >= 21:
            flags += ["--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector"]
        if self._java_version >= 24:
            flags += ["--sun-misc-unsafe-memory-access=allow"]
        main = "CommunityEntryPoint" if _is_lts(self.version) else "Neo4jCommunity"
        return [
            str(self._java),
            *flags,
            "-cp",
            f"{self._jars}/*" + (f":{self._plugins}/*" if self._plugins else ""),
            f"org.neo4j.server.{main}",
            f"--home-dir={self._home}",
            f"--config-dir={self._home / 'conf'}",
            "--console-mode",
        ]


def find_java(version: str) -> tuple[Path, int]:
    """A Java that runs a version of Neo4j, and its own version.

    Raises:
        ServerUnavailableError: there is none.
    """
    wanted = (17, 21) if _is_lts(version) else range(21, 100)
    for home in _java_homes():
        found = _java_version(home)
        if found in wanted:
            return home / "bin/java", found
    expected = "17 or 21" if _is_lts(version) else "21 or later"
    raise ServerUnavailableError(f"no Java {expected} found; install one or set JAVA_HOME to it")


def fetch_jars(version: str) -> Path:
    """The folder with the server's jars, fetched the first time.

    Raises:
        ServerUnavailableError: Maven is missing, or could not get them.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "neo4j-local"
    jars = cache / version / "lib"
    if (jars / ".complete").exists():
        return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerUnavailableError("no Maven found; install it, so that `mvn` can be run")
    jars.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=jars.parent) as folder:
        pom = Path(folder, "pom.xml")
        pom.write_text(_POM.format(version=version))
        fetched = Path(folder, "lib")
        to = ("-DincludeScope=runtime", f"-DoutputDirectory={fetched}")
        done = subprocess.run(
            [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", *to],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServerUnavailableError(f"Maven could not get Neo4j: {done.stdout[-1000:]}")
        (fetched / ".complete").touch()
        shutil.rmtree(jars, ignore_errors=True)
        fetched.rename(jars)
    return jars


def _is_lts(version: str) -> bool:
    return version.startswith("5.")


def _java_homes() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    for root in _JVM_ROOTS:
        yield from sorted(Path(root).expanduser().glob("*"))
    if java := shutil.which("java"):
        yield Path(java).resolve().parents[1]


def _java_version(home: Path) -> int:
    """The major version of a JDK or JRE; 0 where none is."""
    release = home / "release"
    if not (home / "bin/java").exists() or not release.is_file():
        return 0
    found = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def _auth_line(password: str) -> str:
    """What `neo4j-admin dbms set-initial-password` writes, without starting a JVM for it."""
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(1023):
        digest = hashlib.sha256(digest).digest()
    return f"neo4j:SHA-256,{digest.hex()},{salt.hex()},1024:\n"


def _configuration(version: str, port: int, home: Path, heap: str) -> dict[str, str]:
    conf = {
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.bolt.advertised_address": f"127.0.0.1:{port}",
        "server.http.enabled": "false",
        "server.directories.data": str(home / "data"),
        "server.memory.heap.initial_size": heap,
        "server.memory.heap.max_size": heap,
        "server.memory.pagecache.size": "128m",
        "db.tx_log.preallocate": "false",
        "dbms.usage_report.enabled": "false",
    }
    if not _is_lts(version):
        # By default these broadcast on the network and offer the server to a cloud console.
        conf |= {"server.fleet_discovery.enabled": "false", "dbms.fleet_manager.enabled": "false"}
    return conf
