"""A real HTTP server on loopback: OpenAI's API, rerank endpoints, and their faults."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

KEY = "sk-test-0123456789abcdef"
PATIENCE_S = 10.0


@dataclass(frozen=True)
class Step:
    """How one request is answered.

    Attributes:
        status, headers, body: of the response.
        declares: how long it says the body is; None says the truth.
        hangs: nothing is sent until the server is closed.
        drips: one byte of the body every so many seconds.
        closes: the connection is closed without a word.
        before: called first, on the thread that answers.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    declares: int | None = None
    hangs: bool = False
    drips: float = 0.0
    closes: bool = False
    before: Callable[[], object] | None = None


def reply(
    text: object, *, usage: object = (100, 20), before: Callable[[], object] | None = None
) -> Step:
    """A chat completion with this content; `usage` is a pair of counts, or what stands there."""
    body: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
    }
    if isinstance(usage, tuple):
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    elif usage is not None:
        body["usage"] = usage
    return Step(body=json.dumps(body).encode(), before=before)


def relations(*items: Mapping[str, object]) -> Step:
    """A chat completion that proposes these relations."""
    return reply(json.dumps({"relations": items}, ensure_ascii=False))


def relevance(*scores: tuple[int, float]) -> Step:
    """An answer of Cohere's form: places of documents, and how well each fits."""
    results = [{"index": index, "relevance_score": score} for index, score in scores]
    return Step(body=json.dumps({"id": "1", "results": results, "meta": {}}).encode())


def bare_scores(*scores: tuple[int, float]) -> Step:
    """An answer of the form of Text Embeddings Inference."""
    return Step(body=json.dumps([{"index": i, "score": score} for i, score in scores]).encode())


def embeddings(
    *vectors: Sequence[float], usage: object = 7, order: Sequence[int] | None = None
) -> Step:
    """Vectors as such servers give them, in an order of their own where one is given."""
    data = [
        {"object": "embedding", "index": index, "embedding": list(vector)}
        for index, vector in enumerate(vectors)
    ]
    body: dict[str, object] = {
        "object": "list",
        "data": [data[at] for at in order] if order is not None else data,
        "model": "served",
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage, "total_tokens": usage}
    return Step(body=json.dumps(body).encode())


def refusal(status: int, message: str = "no", **error: object) -> Step:
    """An error as such servers word it."""
    body = {"error": {"message": message, **error}}
    return Step(status=status, body=json.dumps(body).encode())


def busy(retry_after: str) -> Step:
    """429 with a Retry-After."""
    return Step(status=429, headers={"Retry-After": retry_after}, body=b'{"error": {}}')


@dataclass(frozen=True)
class Received:
    """One request as it came; names of headers in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """What the user's message says."""
        return self.body["messages"][-1]["content"]

    @property
    def passages(self) -> list[str]:
        """What a rerank endpoint is shown, in either form."""
        return self.body["documents"] if "documents" in self.body else self.body["texts"]


Script = Callable[[Received], Step]


class OpenAIServer:
    """Answers each request with the next step, and with the last one from then on.

    Args:
        script: steps; or one function from the request to its step.
    """

    def __init__(self, *script: Step | Script) -> None:
        self.received: list[Received] = []
        self.most_at_once = 0
        self._script = list(script)
        self._at_once = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def rerank_url(self) -> str:
        return f"{self.base_url}/rerank"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closed.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _next(self, request: Received) -> Step:
        with self._lock:
            self.received.append(request)
            at = min(len(self.received), len(self._script)) - 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        step = self._script[at]
        return step if isinstance(step, Step) else step(request)

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        body = json.loads(handler.rfile.read(length))
        handler.close_connection = True
        try:
            headers = {name.lower(): value for name, value in handler.headers.items()}
            step = self._next(Received(handler.path, headers, body))
            if step.before is not None:
                step.before()
            if step.hangs:
                self._closed.wait(PATIENCE_S)
            if not step.hangs and not step.closes:
                self._send(handler, step)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has given up, as some tests want
        finally:
            with self._lock:
                self._at_once -= 1

    def _send(self, handler: BaseHTTPRequestHandler, step: Step) -> None:
        handler.send_response(step.status)
        length = len(step.body) if step.declares is None else step.declares
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(length),
            "Connection": "close",
        }
        for name, value in {**headers, **step.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if not step.drips:
            handler.wfile.write(step.body)
            return
        for byte in step.body:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            if self._closed.wait(step.drips):
                return

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                answer(self)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: tests look at what was received."""

        return Handler
