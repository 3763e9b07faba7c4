"""APOC Core, procedures that the peers call: from Maven, kept beside the server's own jars."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>plugins</artifactId><version>1</version><dependencies>
<dependency><groupId>org.neo4j.procedure</groupId><artifactId>apoc-core</artifactId>
<version>[5.26,5.27)</version></dependency>
<dependency><groupId>org.neo4j.procedure</groupId><artifactId>apoc-common</artifactId>
<version>[5.26,5.27)</version></dependency>
</dependencies></project>
"""


def fetch_apoc() -> Path:
    """The folder with APOC Core for Neo4j 5.26 and what it needs, fetched the first time."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "neo4j-local"
    folder = cache / "apoc-5.26"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            pom, fetched = Path(scratch, "pom.xml"), Path(scratch, "plugins")
            pom.write_text(_POM)
            to = ("-DincludeScope=runtime", f"-DoutputDirectory={fetched}")
            command = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", *to]
            subprocess.run(command, check=True)
            fetched.rename(folder)
    return folder
