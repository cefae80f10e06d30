"""A client of the language server that sends whatever bytes it is told to, and reads what comes back.

Nothing waits without a limit: each wait is for an event, and ends the test where that does not come.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from tests.forked import program

SECONDS = 20.0
"""How long an answer may take."""
_PIECE = 1 << 16
EDIT = {
    "textDocument": {"uri": "untitled:sane"},
    "position": {"line": 1, "character": 2},
    "insert": "trivial",
    "as": "tactic",
}
HOLDS_SETTINGS = {"workspace": {"configuration": True}}


def frame(body: bytes | str) -> bytes:
    """A message as it goes over the wire."""
    data = body if isinstance(body, bytes) else body.encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def encoded(message: Any) -> bytes:
    """A JSON message as it goes over the wire; lone surrogates are escaped."""
    return frame(json.dumps(message))


def request(id: Any, method: Any, params: Any = None) -> dict[str, Any]:
    """A request; its parts may be anything."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


class RawClient:
    """A server of our own, over pipes."""

    def __init__(
        self,
        environment: dict[str, str],
        *options: str,
        command: Sequence[str] = (),
        seconds: float = SECONDS,
    ) -> None:
        self._seconds = seconds
        self.process = subprocess.Popen(
            [*(command or (program(), "serve")), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        os.set_blocking(self._pipe("stdin").fileno(), False)
        self.said = b""
        """What came on standard error so far."""
        self.others: list[dict[str, Any]] = []
        """Messages that were read while another was waited for."""
        self._received = bytearray()
        self._start = 0
        self._count = 0
        self._has_ended = False

    def shake_hands(self, root: Path | None = None, capabilities: Any = None, options: Any = None) -> Any:
        """`initialize` and `initialized`; the result."""
        params = {
            "processId": None,
            "rootUri": root.as_uri() if root else None,
            "capabilities": capabilities or {},
            "initializationOptions": options or {"index": {"auto": False, "onSave": False}},
        }
        answer = self.ask("initialize", params)
        self.notify("initialized", {})
        return answer["result"]

    def send(self, data: bytes) -> None:
        """Send bytes; what comes meanwhile is kept, so neither side waits for the other."""
        left, end = memoryview(data), time.monotonic() + self._seconds
        stdin = self._pipe("stdin").fileno()
        while left:
            _, writable, _ = self._select([stdin], end, "to send")
            if writable:
                try:
                    left = left[os.write(stdin, left[:_PIECE]) :]
                except BrokenPipeError:
                    return  # it has ended: what it said is looked at by who sent this

    def notify(self, method: Any, params: Any = None) -> None:
        """Send a notification."""
        self.send(encoded({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: Any, params: Any = None, id: Any = None) -> dict[str, Any]:
        """Send a request; the answer."""
        self._count += 1
        number = f"ask {self._count}" if id is None else id
        self.send(encoded(request(number, method, params)))
        return self.answer(number)

    def answer(self, id: Any) -> dict[str, Any]:
        """The next answer with this id; other messages are kept in `others`."""

        def is_it(message: dict[str, Any]) -> bool:
            return "method" not in message and message["id"] == id and type(message["id"]) is type(id)

        return self.message(is_it, f"the answer to {id!r:.80}")

    def message(self, is_wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """The next message that is wanted; others are kept."""
        for index, kept in enumerate(self.others):
            if is_wanted(kept):
                return self.others.pop(index)
        end = time.monotonic() + self._seconds
        while True:
            found = self._read(end, what)
            if is_wanted(found):
                return found
            self.others.append(found)

    def open(self, uri: str, text: Any, version: Any = 1) -> None:
        """Tell of an open document."""
        item = {"uri": uri, "languageId": "lean4", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, changes: Any, version: Any = 2) -> None:
        """Tell of a changed document."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def check_sane(self) -> None:
        """A request as editors send it is answered; what the answer tells of the document is right."""
        self.open("untitled:sane", "theorem sane : True := by\n  \n")
        answer = self.ask("premiseSuggest/edits", EDIT)
        place = {"line": 1, "character": 2}
        edit = {"range": {"start": place, "end": place}, "newText": "trivial"}
        assert answer["result"]["edits"] == [edit]

    def line(self) -> str:
        """The first line on standard error."""
        self.wait_for(b"\n")
        return self.said.decode().splitlines()[0]

    def wait_for(self, text: bytes) -> None:
        """Wait until standard error has this."""
        end = time.monotonic() + self._seconds
        while text not in self.said:
            self._select([], end, f"{text!r} on standard error")

    def end_input(self) -> None:
        """Close the server's standard input."""
        self._pipe("stdin").close()

    def wait(self) -> int:
        """The exit code, once the server has ended by itself."""
        end = time.monotonic() + self._seconds
        while not self._has_ended:
            self._select([], end, "the server's end")
        code = self.process.wait(max(0.1, end - time.monotonic()))
        while piece := os.read(self._pipe("stderr").fileno(), _PIECE):
            self.said += piece
        while (message := self._whole()) is not None:
            self.others.append(message)
        return code

    def close(self) -> None:
        """End the server in any case."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None and not self.process.stderr.closed:
            self.said += self.process.stderr.read()
            self.process.stderr.close()

    def check_quiet(self) -> None:
        """Nothing but lines for people has come on standard error."""
        assert b"Traceback" not in self.said, self.said.decode(errors="replace")

    def _read(self, end: float, what: str) -> dict[str, Any]:
        while (message := self._whole()) is None:
            assert not self._has_ended, f"the server ended before {what} came: {self.said.decode()}"
            self._select([], end, what)
        return message

    def _whole(self) -> dict[str, Any] | None:
        """A message that has come whole, if there is one."""
        end = self._received.find(b"\r\n\r\n", self._start)
        if end < 0:
            return None
        header = self._received[self._start : end].lower()
        length = int(header.split(b"content-length:")[1].split(b"\r\n")[0])
        if len(self._received) < end + 4 + length:
            return None
        message = json.loads(self._received[end + 4 : end + 4 + length])
        self._start = end + 4 + length
        if self._start == len(self._received):
            self._received, self._start = bytearray(), 0
        assert isinstance(message, dict)
        return message

    def _select(self, writing: list[int], end: float, what: str) -> tuple[Any, Any, Any]:
        """Wait until something can be written, or something came, which is taken in."""
        streams = [self._pipe("stdout").fileno(), self._pipe("stderr").fileno()]
        reading = streams[1:] if self._has_ended else streams
        left = end - time.monotonic()
        ready = select.select(reading, writing, [], max(0.0, left))
        assert any(ready), f"{what} did not come in {self._seconds:.0f} s: {self.said.decode()}"
        for stream in ready[0]:
            piece = os.read(stream, _PIECE)
            if stream == streams[1]:
                self.said += piece
            elif piece:
                self._received += piece
            else:
                self._has_ended = True
        return ready

    def _pipe(self, name: str) -> IO[bytes]:
        pipe = getattr(self.process, name)
        assert pipe is not None
        return pipe  # type: ignore[no-any-return]
