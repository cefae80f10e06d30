"""A hub of one model, as `huggingface_hub` asks for it over HTTP."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

REPOSITORY = "someone/lemmas"
REVISION = "a" * 40


class Hub(ThreadingHTTPServer):
    """Serves the files of one folder as a repository, and remembers what was asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def running_hub(folder: Path) -> Iterator[Hub]:
    """A hub that serves until the block ends."""
    with Hub(folder) as hub:
        thread = threading.Thread(target=hub.serve_forever, daemon=True)
        thread.start()
        yield hub
        hub.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, *_: Any) -> None:
        self.server.asked.append(self.path)

    def _answer(self, *, with_body: bool) -> None:
        found = self._find(self.path.split("?")[0])
        if found is None:
            found = b"", {"X-Error-Code": "RepoNotFound"}
            self.send_response(404)
        else:
            self.send_response(200)
        body, headers = found
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _find(self, path: str) -> tuple[bytes, dict[str, str]] | None:
        files = sorted(self.server.folder.iterdir())
        if path.startswith(f"/api/models/{REPOSITORY}/revision/"):
            siblings = [{"rfilename": file.name} for file in files]
            return json.dumps({"id": REPOSITORY, "sha": REVISION, "siblings": siblings}).encode(), {}
        if path.startswith(f"/api/models/{REPOSITORY}/tree/"):
            tree = [
                {"type": "file", "path": f.name, "size": f.stat().st_size, "oid": _hash(f.read_bytes())}
                for f in files
            ]
            return json.dumps(tree).encode(), {}
        if path.startswith(f"/{REPOSITORY}/resolve/"):
            body = (self.server.folder / path.rpartition("/")[2]).read_bytes()
            return body, {"ETag": f'"{_hash(body)}"', "X-Repo-Commit": REVISION}
        return None


def _hash(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
