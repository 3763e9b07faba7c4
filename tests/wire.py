"""A way to a server that can be cut."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from tests.neo4j_server import Server


class Wire:
    """Listens on loopback and passes everything on, until it is cut.

    Args:
        server: where it leads.
        lasts: after how many messages of clients it is cut for good; None for never.

    Attributes:
        uri: where it listens.
    """

    def __init__(self, server: Server, *, lasts: int | None = None) -> None:
        host, _, port = server.uri.partition("://")[2].rpartition(":")
        self._target = (host, int(port))
        self._left = lasts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.uri = f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Cut what is open; new connections are served."""
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def close(self) -> None:
        """Cut it for good."""
        # Wakes whoever waits for a connection.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                for source, sink in ((near, far), (far, near)):
                    is_client = source is near
                    pump = threading.Thread(
                        target=self._pump, args=(source, sink, is_client), daemon=True
                    )
                    pump.start()

    def _pump(self, source: socket.socket, sink: socket.socket, is_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if is_client and self._left is not None:
                    if self._left == 0:
                        self.close()
                        return
                    self._left -= 1
                sink.sendall(data)
