"""How much memory the language server holds once it has answered: the real process, used over LSP.

Without --project it runs in an empty project that needs Mathlib, which uses the bundled index; with it,
FOLDER's own index does (build it first: `premise-suggest index FOLDER`). Lean is not started: the goal is
sent along. Linux only (/proc). Resident memory counts the index's mapped files, which the system may drop.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

STATES = (
    "f g : ℕ → ℝ\nhf : Summable f\nhg : Summable g\n⊢ ∑' i, (f i + g i) = ∑' i, f i + ∑' i, g i",
    "s t : Set X\nhs : IsCompact s\nht : IsClosed t\n⊢ IsCompact (s ∩ t)",
    "n m k : ℕ\nh : 0 < n\n⊢ gcd n m ∣ n * k",
    "G : Type\nφ : G →* G\nh : Function.Bijective φ\n⊢ Function.Injective φ",
)
SUGGEST = "premiseSuggest/suggest"
QUERIES = (
    "the image of a compact set under a continuous function is compact",
    "every bounded sequence has a convergent subsequence",
    "sum of the first n odd numbers",
    r"$\lim_{n \to \infty} f(n) = 0$ implies bounded",
    "group homomorphism injective iff trivial kernel",
)
SEARCH = "premiseSuggest/search"


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes of a process: resident, of that anonymous (its own) and of mapped files, and the peak."""

    resident: float
    anonymous: float
    files: float
    peak: float
    premises: int
    """In the index that answered."""
    searches: float
    """What QUERIES, searched in words, add to `anonymous`."""


def server_memory(root: Path, environment: Mapping[str, str] | None = None) -> Memory:
    """Start the server on a project, ask it STATES at a file's first line, measure its memory, and ask it QUERIES."""
    command = [sys.executable, "-m", "lsp_server", "serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            answer = _talk(process.stdin, process.stdout, root)
            premises = sum(source["premises"] for source in answer["index"]["sources"])
            found = _memory(process.pid, premises)
            for number, query in enumerate(QUERIES, start=len(STATES) + 1):
                _ask(process.stdin, process.stdout, number, SEARCH, {"query": query, "as": "words"})
            return replace(found, searches=_memory(process.pid, premises).anonymous - found.anonymous)
        finally:
            process.kill()


def _talk(to: BinaryIO, back: BinaryIO, root: Path) -> Any:
    """Shake hands, open a document, ask every state; the last answer."""
    options = {"index": {"auto": False, "onSave": False}}
    params = {"capabilities": {}, "rootUri": root.as_uri(), "initializationOptions": options}
    _ask(to, back, 0, "initialize", {**params, "processId": None})
    _send(to, {"method": "initialized", "params": {}})
    uri = (root / "Asked.lean").as_uri()
    document = {"uri": uri, "languageId": "lean4", "version": 1, "text": "import Mathlib\n"}
    _send(to, {"method": "textDocument/didOpen", "params": {"textDocument": document}})
    answer: Any = None
    for number, state in enumerate(STATES, start=1):
        place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}}
        answer = _ask(to, back, number, SUGGEST, {**place, "goal": state, "k": 100})
    return answer


def _ask(to: BinaryIO, back: BinaryIO, number: int, method: str, params: Any) -> Any:
    _send(to, {"id": number, "method": method, "params": params})
    while True:
        message = _receive(back)
        if message.get("id") == number and "method" not in message:
            if "error" in message:
                raise RuntimeError(message["error"]["message"])
            return message["result"]


def _send(to: BinaryIO, message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    to.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    to.flush()


def _receive(back: BinaryIO) -> Any:
    length = 0
    while line := back.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        raise RuntimeError("the server has ended")
    return json.loads(back.read(length))


def _memory(pid: int, premises: int) -> Memory:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    kilobytes = {name: int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB$", status, re.MULTILINE)}
    sizes = [1024 * kilobytes[name] / 1e6 for name in ("VmRSS", "RssAnon", "RssFile", "VmHWM")]
    return Memory(*sizes, premises, 0)


def bundled_memory() -> Memory:
    """The server with the bundled Mathlib index."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "lakefile.toml").write_text(
            'name = "asks"\n[[require]]\nname = "mathlib"\n', encoding="utf-8"
        )
        return server_memory(Path(folder))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", type=Path, metavar="FOLDER")


def run(options: argparse.Namespace) -> None:
    found = server_memory(options.project.resolve()) if options.project else bundled_memory()
    print(f"premises   {found.premises:>9,}")
    for name in ("resident", "anonymous", "files", "peak", "searches"):
        print(f"{name:<10} {getattr(found, name):>9.0f} MB")
