"""What a search found as a Lean file, and the verdict on it of a Lean that knows nothing of the search."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.errors import LeanNotFound
from lean_extract.files.atomic import replacing
from lean_extract.syntax.tactic_text import UNPROVED
from lean_extract.toolchains.toolchain import Toolchain
from prover.search.theorem import Theorem

COMPILED = "_native"
"""Part of the name of each axiom that a newer Lean adds where compiled code decided."""

_AXIOMS = re.compile(r"depends on axioms: \[(.*)\]", re.DOTALL)
_NAME = re.compile(r"(?:«[^»]*»|[^\s,«»])+")
_PART = re.compile(r"«[^»]*»|[^.«»]+")
_NO_AXIOMS = re.compile(r"does not depend on any axioms")


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """A whole file's verdict: `accepted`, or `message` says why not. `axioms`: what the theorem rests on."""

    accepted: bool
    axioms: tuple[str, ...] = ()
    message: str = ""
    seconds: float = 0.0


def proof_text(theorem: Theorem, proof: Sequence[str]) -> str:
    """The theorem's file with the proof in it, up to the theorem's end, and the question for its axioms."""
    # Full names: in their own namespace, or behind `open`, Lean would leave out what tells such axioms.
    question = f"set_option pp.fullNames true in #print axioms _root_.{theorem.full_name}"
    return f"{theorem.with_proof(proof)}\n{question}\n"


def write_proof(path: Path, theorem: Theorem, proof: Sequence[str]) -> None:
    """Write `proof_text` to a file, whole or not at all."""
    with replacing(path) as stream:
        stream.write(proof_text(theorem, proof))


def proves_nothing(axiom: str) -> bool:
    """Whether an axiom is a gap or trust in compiled code; axioms that a file declares itself are neither."""
    parts = _PART.findall(axiom)
    # By the last part: Lean writes `_root_.sorryAx` where the file has a `sorryAx` of its own.
    return COMPILED in parts or not UNPROVED.isdisjoint(parts[-1:])


async def check_proof(
    theorem: Theorem,
    proof: Sequence[str],
    toolchain: Toolchain,
    project: Path | None = None,
    *,
    seconds: float = 300.0,
    memory_mb: int = 8192,
) -> CheckedProof:
    """Have a new Lean process elaborate the theorem's file with its proof.

    Accepted if Lean ends by itself, reports no error, does not warn of `sorry` in this theorem, and
    lists its axioms, none of which `proves_nothing`. Lean reads the text from a pipe: no file is written.

    Args:
        project: where Lean runs; with Lake that is what says where imports are.
        seconds: after which Lean is ended; the proof is not accepted then.
        memory_mb: what Lean may take by its own count.

    Raises:
        LeanNotFound: there is no such program.
    """
    text = proof_text(theorem, proof)
    begin = time.monotonic()
    command = [*toolchain.lean_command, "--json", f"--memory={memory_mb}", "--stdin"]
    ran = await _run(command, toolchain.environment, project, text, seconds)
    took = time.monotonic() - begin
    if ran is None:
        return CheckedProof(False, (), f"Lean did not finish the file within {seconds:g} s.", took)
    code, said, complained = ran
    checked = _judge(list(_messages(said)), theorem, text, code, complained)
    return CheckedProof(checked.accepted, checked.axioms, checked.message, took)


def _judge(
    messages: Sequence[Mapping[str, Any]], theorem: Theorem, text: str, code: int, complained: str
) -> CheckedProof:
    asked = text.rstrip("\n").count("\n") + 1
    first = theorem.lines[0] + 1
    axioms: tuple[str, ...] | None = None
    for message in messages:
        line, said = int(message["pos"]["line"]), str(message["data"])
        if message["severity"] == "error":
            return CheckedProof(False, axioms or (), f"line {line}: {said.strip()}")
        if line >= first and message.get("kind") == "hasSorry":
            return CheckedProof(False, axioms or (), f"line {line}: {said.strip()}")
        if line == asked and message["severity"] == "information":
            axioms = _axioms(said)
    if code != 0:
        return CheckedProof(False, axioms or (), f"Lean ended with code {code}: {complained[-300:].strip()}")
    if axioms is None:
        return CheckedProof(False, (), "Lean did not say which axioms the theorem rests on.")
    if unproved := sorted(filter(proves_nothing, axioms)):
        return CheckedProof(False, axioms, f"It rests on {', '.join(unproved)}.")
    return CheckedProof(True, axioms)


def _axioms(said: str) -> tuple[str, ...] | None:
    if found := _AXIOMS.search(said):
        return tuple(_NAME.findall(found[1]))
    return () if _NO_AXIOMS.search(said) else None


def _messages(said: str) -> Iterator[dict[str, Any]]:
    for line in said.splitlines():
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and {"pos", "data", "severity"} <= message.keys():
                yield message


async def _run(
    command: Sequence[str], environment: Mapping[str, str], project: Path | None, text: str, seconds: float
) -> tuple[int, str, str] | None:
    """Exit code, output and complaints; None if it had to be ended. Lake's own Lean ends with it."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
            cwd=project,
            start_new_session=True,
        )
    except OSError as error:
        raise LeanNotFound(
            f"{command[0]} does not run: {error.strerror}.", "Run `premise-suggest doctor`."
        ) from error
    try:
        async with asyncio.timeout(seconds):
            said, complained = await process.communicate(text.encode())
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode or 0, said.decode(errors="replace"), complained.decode(errors="replace")
