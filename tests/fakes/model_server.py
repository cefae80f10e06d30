"""A small HTTP server in the shape of llama.cpp's, vLLM's and Ollama's, whose answers a test writes."""

from __future__ import annotations

import json
import select
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Served:
    """What a server was asked, and how it answers."""

    answers: Callable[[Call], object]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client has closed its connection before the end of an answer."""
    began: threading.Event = field(default_factory=threading.Event)
    """Set when a request to a model has arrived."""

    @property
    def prompts(self) -> list[str]:
        """The texts of the requests."""
        return [
            body.get("prompt") or "\n".join(one["content"] for one in body["messages"]) for body in self.asked
        ]


@dataclass
class Call:
    """A request to the model."""

    served: Served
    handler: BaseHTTPRequestHandler
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return self.served.prompts[-1]

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()

    def write(self, data: bytes | str) -> None:
        self.handler.wfile.write(data.encode() if isinstance(data, str) else data)
        self.handler.wfile.flush()

    def piece(self, text: str) -> None:
        choice = {"delta": {"content": text}} if "messages" in self.body else {"text": text}
        self.write(f"data: {json.dumps({'choices': [{'index': 0, **choice}]})}\n\n")

    def text(self, *pieces: str, tokens: tuple[int, int] | None = None) -> None:
        """A whole answer, in these pieces, and how many tokens prompt and answer have."""
        self.begin()
        for one in pieces:
            self.piece(one)
        if tokens is not None:
            usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
            self.write(f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n")
        self.write("data: [DONE]\n\n")

    def wait_until_left(self) -> None:
        """Keep silent until the client closes the connection."""
        connection = self.handler.connection
        while select.select([connection], [], [], 60)[0]:
            if not connection.recv(1):
                self.served.left.set()
                return

    def whole(self, status: int, value: object, **headers: str) -> None:
        """An answer that is not streamed."""
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        kind = "text/html" if data.startswith(b"<") else "application/json"
        self.begin(status, kind, Content_Length=str(len(data)), **headers)
        self.write(data)


@contextmanager
def serving(
    answers: Callable[[Call], object],
    models: Sequence[str] = ("scripted",),
    tls: ssl.SSLContext | None = None,
    owner: str = "somebody",
) -> Iterator[Served]:
    """A server on loopback whose model answers so."""
    served = Served(answers)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *values: Any) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            data = [{"id": name, "object": "model", "owned_by": owner} for name in models]
            Call(served, self, {}).whole(200, {"object": "list", "data": data})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked.append(body)
            served.keys.append(self.headers.get("Authorization", ""))
            served.began.set()
            try:
                answers(Call(served, self, body))
            except (BrokenPipeError, ConnectionResetError):
                served.left.set()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    served.url = f"http{'' if tls is None else 's'}://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
