"""A theorem to prove (a Lean file with `sorry` for its proof), and a new Lean's verdict on a file with a proof."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource
from lean_extract.common.files.atomic import replacing
from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.source.reader import read_module
from lean_extract.syntax.axioms import SORRY_AXIOM, axioms_in, is_doubtful, refuses_axioms
from lean_extract.syntax.keywords import THEOREM_WORDS, VALUE_WORDS, any_of
from lean_extract.syntax.lexer import tokenize
from lean_extract.toolchains.toolchain import Toolchain
from prover.limits import PROOF_CHECK_SECONDS
from prover.search.fresh_lean import FreshLean, FreshMessages

_NUMBERED = re.compile(r"\?\w+\.\d+")
"""A metavariable, whose number differs from run to run."""
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
        return declared_at(self.text, self.path, self.position.line) or self.name

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


def declared_at(text: str, path: Path, line: int) -> str:
    """The full name of the declaration that a line is in, with the namespaces around it; empty if it has none."""
    for premise in read_module(text, "", str(path)).premises:
        if premise.span and premise.span.start.line <= line <= premise.span.end.line:
            return premise.name
    return ""


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


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """The verdict on a whole file: `accepted`, or `message` with the reason.

    `axioms`: those that the declaration uses; None if Lean did not list them. `is_timeout`: Lean did not finish.
    """

    accepted: bool
    axioms: tuple[str, ...] | None = ()
    message: str = ""
    is_timeout: bool = False


@dataclass(frozen=True, slots=True)
class ProofFile:
    """A file with a proof, for a new Lean to judge. Lines count from 0.

    `text`: up to the end of the declaration. `first`: the line in which the declaration begins. `own`: the first and
    the last line of the proof. `name`: the declaration's full name; empty if its axioms cannot be listed. `before`:
    the text without the proof; errors that it has, too, do not count; empty: all count. `has_sorry`: whether the
    declaration may use `sorry`.
    """

    path: Path
    text: str
    first: int
    own: tuple[int, int] = (0, -1)
    name: str = ""
    before: str = ""
    has_sorry: bool = False

    @property
    def question(self) -> str:
        """The text, then `#print axioms`."""
        # Full names: inside a namespace, or after `open`, Lean would shorten the names of axioms.
        question = f"set_option pp.fullNames true in #print axioms _root_.{self.name}"
        return f"{self.text}\n{question}\n" if self.name else self.text


def _proof_file(theorem: Theorem, proof: Sequence[str]) -> ProofFile:
    return ProofFile(theorem.path, theorem.with_proof(proof), theorem.lines[0], name=theorem.full_name)


def proof_text(theorem: Theorem, proof: Sequence[str]) -> str:
    """The theorem's file with the proof, up to the theorem's end, then `#print axioms`."""
    return _proof_file(theorem, proof).question


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
    """Have a new Lean process elaborate the theorem's file with its proof; see `check_file` and `FreshLean`.

    Its axioms have to be listed, which a theorem in a private namespace does not allow.
    """
    lean = FreshLean(toolchain, project, seconds, memory_mb)
    checked = await check_file(_proof_file(theorem, proof), lean)
    if checked.accepted and checked.axioms is None:
        return CheckedProof(False, (), "Lean did not list the axioms that the theorem depends on.")
    return checked


async def check_file(file: ProofFile, lean: FreshLean) -> CheckedProof:
    """Have a new Lean process elaborate a file with a proof.

    The proof is accepted if Lean exits by itself, reports no error that was not there before, does not warn of
    `sorry` in this declaration, and `is_doubtful` is false for each of its axioms. Lean reads the text from a pipe; no
    file is written. Raises LeanNotFound, ProjectBroken as `FreshLean.elaborate`.
    """
    known: Counter[str] = Counter()
    found = await lean.elaborate(file.path, file.question)
    if found is not None and file.before and _errors(found, file):
        without = await lean.elaborate(file.path, file.before)
        found = found if without is not None else None
        known = (
            Counter(map(_first_line, map(_data, _errors(without, file)))) if without is not None else known
        )
    if found is None:
        return CheckedProof(False, (), f"Lean did not finish the file within {lean.seconds:g} s.", True)
    return _judge(found, file, known)


def _errors(found: FreshMessages, file: ProofFile) -> list[Mapping[str, Any]]:
    """The errors, except that the axioms cannot be listed."""
    last = file.text.count("\n") + 1

    def is_unlisted(one: Mapping[str, Any]) -> bool:
        return _line(one) > last and (refuses_axioms(_data(one)) or "nknown constant" in _data(one))

    return [one for one in found.messages if one["severity"] == "error" and not is_unlisted(one)]


def _judge(found: FreshMessages, file: ProofFile, known: Counter[str]) -> CheckedProof:
    first, last = (line + 1 for line in file.own)
    for error in _errors(found, file):
        key = _first_line(_data(error))
        if not first <= _line(error) <= last and known[key]:
            known[key] -= 1
        else:
            return CheckedProof(False, (), f"line {_line(error)}: {_data(error)}")
    if found.code != 0 and not any(one["severity"] == "error" for one in found.messages):
        return CheckedProof(False, (), f"Lean exited with code {found.code}: {found.errors[-300:].strip()}")
    axioms: tuple[str, ...] | None = None
    for message in found.messages:
        if _line(message) > file.first and message.get("kind") == "hasSorry" and not file.has_sorry:
            return CheckedProof(False, axioms or (), f"line {_line(message)}: {_data(message)}")
        if message["severity"] == "information" and _line(message) > file.text.count("\n") + 1:
            axioms = axioms_in(_data(message))
    unproved = sorted(
        one for one in axioms or () if is_doubtful(one) and not (file.has_sorry and one == SORRY_AXIOM)
    )
    if unproved:
        return CheckedProof(False, axioms, f"It depends on {', '.join(unproved)}.")
    return CheckedProof(True, axioms)


def _line(message: Mapping[str, Any]) -> int:
    """The line of a message, from 1."""
    return int(message["pos"]["line"])


def _data(message: Mapping[str, Any]) -> str:
    return str(message["data"]).strip()


def _first_line(message: str) -> str:
    return _NUMBERED.sub("?", message.partition("\n")[0])
