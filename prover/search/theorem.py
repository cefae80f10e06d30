"""A theorem to prove (a Lean file with `sorry` for its proof), and a new Lean's verdict on the file with a proof."""

from __future__ import annotations

import asyncio
import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource, LeanNotFound
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.records import Position
from lean_extract.session import processes
from lean_extract.session.document import LeanDocument
from lean_extract.source.reader import read_module
from lean_extract.syntax.axioms import axioms_in, is_doubtful
from lean_extract.syntax.keywords import THEOREM_WORDS, VALUE_WORDS, any_of
from lean_extract.syntax.lexer import tokenize
from lean_extract.toolchains.compile import messages_in
from lean_extract.toolchains.lake_packages import refuse_fetching
from lean_extract.toolchains.toolchain import Toolchain
from prover.limits import PROOF_CHECK_SECONDS

_ENDS_IN_SORRY = re.compile(r":=\s*(?:by\s+)?sorry\s*\Z")
_ENDS_OPEN = re.compile(r":=\s*+(?:by\s*)?\Z")
_BEHIND_BY = re.compile(r"(?<![\w.'])by\s*\Z")
_NEEDS_TERM = re.compile(r"(?::=|[(⟨,])\s*\Z")
_NAMED = re.compile(rf"(?<![\w.'])(?:{any_of(THEOREM_WORDS | VALUE_WORDS)})\s+((?:«[^«»]*»|[^\s:({{\[⦃«])+)")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem without a proof.

    `path`: the file, which need not exist; Lean need not run in its folder. `text`: the file's text. `position`:
    where the `sorry` in place of the proof begins.
    """

    path: Path
    text: str
    position: Position

    @classmethod
    def stated(cls, path: Path, header: str, statement: str) -> Theorem:
        """A header (imports, `open`, ...) and a statement, which may end with `:= sorry` or `:= by`.

        Raises:
            BadSource: the statement declares no named theorem.
        """
        bare = _ENDS_OPEN.sub("", _ENDS_IN_SORRY.sub("", statement.strip())).rstrip()
        text = f"{header.rstrip()}\n\n{bare} := by\n  ".lstrip("\n")
        end = LeanDocument(text).position(len(LeanDocument(text).text))
        return cls._checked(path, f"{text}sorry\n", end)

    @classmethod
    def at(cls, path: Path, text: str, position: Position) -> Theorem:
        """The theorem around a position: the `sorry` at the position, or else the next one of its declaration.

        Raises:
            BadPosition: the text has no such position.
            BadSource: there is no `sorry`, or the declaration has no name.
        """
        document = LeanDocument(text)
        offset = document.offset(position)
        start, end = document.declaration(offset)
        for found in _sorries(document.text):
            if start <= found < end and found + len("sorry") >= offset:
                return cls._checked(path, text, document.position(found))
        raise BadSource(
            f"There is no `sorry` at line {position.line + 1} of {path.name}.",
            "Write `sorry` where the proof belongs.",
        )

    @classmethod
    def first(cls, path: Path, text: str) -> Theorem:
        """The theorem around the first `sorry` of a text. Raises BadSource: no `sorry`, or no name."""
        document = LeanDocument(text)
        for found in _sorries(document.text):
            return cls._checked(path, text, document.position(found))
        raise BadSource(f"There is no `sorry` in {path.name}.", "Write `sorry` where the proof belongs.")

    @classmethod
    def _checked(cls, path: Path, text: str, position: Position) -> Theorem:
        theorem = cls(path, text, position)
        theorem.name  # noqa: B018  Raises if there is none.
        return theorem

    @property
    def name(self) -> str:
        """The theorem's name as it is declared, without the namespace around it.

        Raises:
            BadSource: the theorem has no name (`example`).
        """
        document = LeanDocument(self.text)
        start, _ = document.declaration(document.offset(self.position))
        found = _NAMED.search(document.text, start, document.offset(self.position))
        if found is None:
            raise BadSource(
                f"The statement in line {self.position.line + 1} of {self.path.name} has no name.",
                "State it as `theorem NAME ... := by sorry`.",
            )
        return found[1]

    @property
    def full_name(self) -> str:
        """The name with the namespaces around it, which a protected theorem needs."""
        line = self.position.line
        for premise in read_module(self.text, "", str(self.path)).premises:
            if premise.span and premise.span.start.line <= line <= premise.span.end.line:
                return premise.name
        return self.name

    def with_proof(self, tactics: Sequence[str]) -> str:
        """The text up to the end of the theorem, with the tactics instead of `sorry`, each on its own line.

        The text after the theorem is left out. A namespace may stay open, which Lean allows.
        """
        document = LeanDocument(self.text)
        begin = document.offset(self.position)
        _, end = document.declaration(begin)
        before, after = document.text[:begin], document.text[begin + len("sorry") : end]
        return f"{_joined(before, document.line(self.position.line), tactics)}{after.rstrip()}\n"

    @property
    def lines(self) -> tuple[int, int]:
        """The first line of the declaration and the line of `sorry`, both from 0."""
        document = LeanDocument(self.text)
        start, _ = document.declaration(document.offset(self.position))
        return document.position(start).line, self.position.line


def _sorries(text: str) -> Iterator[int]:
    """The offsets of all `sorry`s of a text outside comments and strings."""
    tokens = tokenize(text)
    for token, start in zip(tokens.texts, tokens.starts, strict=True):
        if token == "sorry":
            yield start


def script(tactics: Sequence[str]) -> str:
    """The tactics on consecutive lines; a tactic of several lines keeps its relative indentation."""
    return "\n".join(textwrap.dedent(tactic).strip() for tactic in tactics)


def _joined(before: str, line: str, tactics: Sequence[str]) -> str:
    on_line = before.rpartition("\n")[2]
    deeper = len(line) - len(line.lstrip()) + 2
    if _NEEDS_TERM.search(before):
        if not on_line.strip():
            return f"{before}by\n{textwrap.indent(script(tactics), ' ' * deeper)}"
        return f"{before.rstrip(' ')} by\n{textwrap.indent(script(tactics), ' ' * deeper)}"
    if on_line.strip() and _BEHIND_BY.search(before):
        return f"{before.rstrip(' ')}\n{textwrap.indent(script(tactics), ' ' * deeper)}"
    return before + script(tactics).replace("\n", "\n" + " " * len(on_line))


_NO_IMPORTS = '{"imports": [], "isModule": false}\n'
_NEVER_FETCH = {"LAKE_NO_CACHE": "true"}


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """The verdict on a whole file: `accepted`, or `message` with the reason. `axioms`: those the theorem uses."""

    accepted: bool
    axioms: tuple[str, ...] = ()
    message: str = ""


def proof_text(theorem: Theorem, proof: Sequence[str]) -> str:
    """The theorem's file with the proof, up to the theorem's end, then `#print axioms`."""
    # Full names: inside a namespace, or after `open`, Lean would shorten the names of axioms.
    question = f"set_option pp.fullNames true in #print axioms _root_.{theorem.full_name}"
    return f"{theorem.with_proof(proof)}\n{question}\n"


def write_proof(path: Path, theorem: Theorem, proof: Sequence[str]) -> None:
    """Write `proof_text` to a file, whole or not at all."""
    with replacing(path) as stream:
        stream.write(proof_text(theorem, proof))


async def check_proof(
    theorem: Theorem,
    proof: Sequence[str],
    toolchain: Toolchain,
    project: Path | None = None,
    *,
    seconds: float = PROOF_CHECK_SECONDS,
    memory_mb: int = 8192,
) -> CheckedProof:
    """Have a new Lean process elaborate the theorem's file with its proof, with the options that Lake gives the file.

    The proof is accepted if Lean exits by itself, reports no error, does not warn of `sorry` in this theorem, and
    lists its axioms, and `is_doubtful` is false for each of them. Lean reads the text from a pipe; no file is
    written.

    Args:
        project: the folder in which Lean runs; with Lake, this determines where imports are found.
        seconds: after this time Lean is killed, and the proof is not accepted.
        memory_mb: Lean's own memory limit.

    Raises:
        LeanNotFound: Lean's program cannot be run.
        ProjectBroken: Lake would first fetch packages.
    """
    if project is not None and toolchain.kind == "lake":
        await asyncio.to_thread(refuse_fetching, project)
    text = proof_text(theorem, proof)
    options = await file_options(toolchain, project, theorem.path, seconds)
    command = [*toolchain.lean_command, *options, "--json", f"--memory={memory_mb}", "--stdin"]
    ran = await _run_lean(command, toolchain.environment, project, text, seconds)
    if ran is None:
        return CheckedProof(False, (), f"Lean did not finish the file within {seconds:g} s.")
    code, output, errors = ran
    return _judge(list(messages_in(output)), theorem, text, code, errors)


def _judge(
    messages: Sequence[Mapping[str, Any]], theorem: Theorem, text: str, code: int, errors: str
) -> CheckedProof:
    last_line = text.rstrip("\n").count("\n") + 1
    first = theorem.lines[0] + 1
    axioms: tuple[str, ...] | None = None
    for message in messages:
        line, data = int(message["pos"]["line"]), str(message["data"])
        if message["severity"] == "error":
            return CheckedProof(False, axioms or (), f"line {line}: {data.strip()}")
        if line >= first and message.get("kind") == "hasSorry":
            return CheckedProof(False, axioms or (), f"line {line}: {data.strip()}")
        if line == last_line and message["severity"] == "information":
            axioms = axioms_in(data)
    if code != 0:
        return CheckedProof(False, axioms or (), f"Lean exited with code {code}: {errors[-300:].strip()}")
    if axioms is None:
        return CheckedProof(False, (), "Lean did not list the axioms that the theorem depends on.")
    if unproved := sorted(filter(is_doubtful, axioms)):
        return CheckedProof(False, axioms, f"It depends on {', '.join(unproved)}.")
    return CheckedProof(True, axioms)


async def file_options(
    toolchain: Toolchain, project: Path | None, path: Path, seconds: float
) -> tuple[str, ...]:
    """The options that Lake gives Lean for a file, as `-Dname=value`; none without Lake, or where it does not answer.

    `lake env lean` knows none of them. Lake builds nothing.

    Args:
        toolchain: whose Lake is run.
        project: the folder in which Lake runs.
        path: the file, which need not exist.
        seconds: after this time Lake is killed.

    Raises LeanNotFound: Lake cannot be run.
    """
    if toolchain.kind != "lake" or project is None:
        return ()
    ask = [*toolchain.lake_command, "setup-file", str(project / path)]
    environment = {**toolchain.environment, **_NEVER_FETCH}
    # Up to Lean 4.21 the imports are arguments instead, and those that Lake does not know do not count.
    for header in (["-"], []):
        ran = await _run_lean([*ask, *header, "--no-build"], environment, project, _NO_IMPORTS, seconds)
        if ran is None:
            break
        code, output, _ = ran
        answer = _json_object(output) if code == 0 else None
        if answer is not None:
            return tuple(_arguments(answer.get("options", answer.get("setupOptions"))))
    return ()


def _json_object(output: str) -> Mapping[str, Any] | None:
    try:
        answer = parse_json(output)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _arguments(options: object) -> Iterator[str]:
    for name, value in options.items() if isinstance(options, dict) else ():
        if isinstance(value, bool):
            yield f"-D{name}={str(value).lower()}"
        elif isinstance(value, str | int):
            yield f"-D{name}={value}"


async def _run_lean(
    command: Sequence[str], environment: Mapping[str, str], project: Path | None, text: str, seconds: float
) -> tuple[int, str, str] | None:
    """Exit code, standard output and standard error; None after a timeout. The process is killed with its
    descendants, so that a Lean started by Lake ends, too."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **environment},
            cwd=project,
        )
    except OSError as error:
        raise LeanNotFound(
            f"{command[0]} cannot be run: {error.strerror}.", "Run `premise-suggest doctor`."
        ) from error
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(text.encode())
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            processes.kill(processes.identify([process.pid, *processes.descendants(process.pid)]))
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")
