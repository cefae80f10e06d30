"""Git repositories over HTTP, for those who have the password."""

from __future__ import annotations

import os
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@contextmanager
def repositories(folder: Path, user: str, password: str) -> Iterator[str]:
    """`HOST:PORT` of a server of the repositories in a folder."""
    login = f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != login:
                self.send_response(401)
                self.send_header("WWW-Authenticate", "Basic")
                self.end_headers()
                return
            head, _, content = self._ask_git().partition(b"\r\n\r\n")
            self.send_response(404 if b"Status: 404" in head else 200)
            for line in head.decode().splitlines():
                self.send_header(*line.split(": ", 1))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def _ask_git(self) -> bytes:
            path, _, query = self.path.partition("?")
            variables = {
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            }
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            command = ["git", "http-backend"]
            return subprocess.run(
                command, input=sent, capture_output=True, env={**os.environ, **variables}, check=True
            ).stdout

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
