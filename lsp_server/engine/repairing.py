"""The repair of one declaration: from Lean's errors to other ways to write its proof, in the order of their cost.

Each way is an edit of the file's text, and Lean judges the text that it makes: the declaration may have no error any
more. Where an edit removes the first error and another is left, that is repaired in the same way. Nothing is ever
replaced by `sorry`, and no edit reaches above the declaration's value.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import LeanError, LeanNotFound
from lean_extract.records import Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, is_misparsed, is_unsolved
from lean_extract.session.tactic_spans import Change
from lean_extract.syntax.keywords import DECLARATION_WORDS, THEOREM_WORDS
from lean_extract.syntax.lexer import is_identifier, tokenize
from lean_extract.syntax.tactic_text import has_sorry
from lsp_server.engine.engine import Engine
from lsp_server.engine.repair_failure import Failure
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.repair_text import applied, is_echo, proof_start
from lsp_server.engine.repair_ways import StatementFalse, Way, Ways
from lsp_server.engine.schema_proofs import RepairKind
from lsp_server.limits import REPAIR_JUDGE_SECONDS, REPAIR_STEPS, REPAIR_WAYS
from prover.refusals import UnknownName, unknown_name

_KINDS = [*RepairKind]
_IS_PROPOSITION = "(sorry : id (α := Prop) _)"
"""Lean accepts this in place of proofs only."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A text of the file, Lean's errors in the declaration, and what has been changed so far."""

    text: str
    faults: tuple[Fault, ...]
    kind: RepairKind = RepairKind.NONE
    steps: int = 0
    meant: tuple[tuple[UnknownName, str], ...] = ()

    @property
    def first(self) -> Fault:
        """The error to repair next, which may cause others: first a name that is not known, last unsolved goals."""
        return min(
            self.faults,
            key=lambda one: (unknown_name(one.message) is None, is_unsolved(one.message), one.position),
        )


@dataclass(frozen=True, slots=True)
class Repair:
    """A text in which a declaration has no error; or why there is none."""

    text: str = ""
    kind: RepairKind = RepairKind.NONE
    reason: str = ""


class DeclarationRepair:
    """The repair of one declaration.

    Args:
        engine: the project's.
        names: finds names.
        path: the file.
        start: the offset of the declaration.
        broken: the names of declarations above that have errors, which a repair does not begin to use.
    """

    def __init__(
        self, engine: Engine, names: MeantNames, path: Path, start: int, broken: frozenset[str]
    ) -> None:
        self._engine, self._names, self._path, self._start = engine, names, path, start
        self._broken = broken
        self._judged: set[int] = set()
        self._is_data = False
        self._why_not = ""

    async def repair(self, text: str, seconds: float) -> Repair:
        """Repair the declaration in a text within so many seconds for each error.

        Raises LeanError: Lean cannot be used at all.
        """
        faults = await self._errors(text)
        if not faults:
            return Repair(text)
        document = LeanDocument(text)
        start, end = document.declaration(self._start)
        value = proof_start(document, start, end)
        outside = next((one for one in faults if document.offset(one.position) < value), None)
        if outside is not None and not is_unsolved(outside.message):
            return Repair(reason="The error is in the statement, which a repair does not change.")
        self._broken -= self._used(text)
        until = time.monotonic() + seconds * len(faults)
        try:
            found = await self._repaired(Attempt(text, tuple(faults)), until)
        except StatementFalse as error:
            return Repair(reason=str(error))
        if found is not None:
            for unknown, name in found.meant:
                self._names.learn(unknown, name)
            return Repair(found.text, found.kind)
        if self._is_data:
            return Repair(reason="It is in a definition, of which only names and proofs are changed.")
        is_late = time.monotonic() >= until
        why = f"Nothing was found within {seconds:g} s." if is_late else "Nothing that was tried is accepted."
        return Repair(reason=self._why_not or why)

    async def _errors(self, text: str) -> list[Fault]:
        document = LeanDocument(text)
        lean = await self._engine.session()
        start, end = document.declaration(self._start)
        whole = Span(document.position(start), document.position(max(start, end - 1)))
        faults = await lean.errors_at(self._path, text, whole.start, whole)
        return [one for one in faults if not is_echo(one)]

    def _is_theorem(self, text: str) -> bool:
        words = tokenize(text[self._start : LeanDocument(text).declaration(self._start)[1]]).texts
        return next((one for one in words if one in DECLARATION_WORDS), "") in THEOREM_WORDS | {"example"}

    async def _repaired(self, attempt: Attempt, until: float) -> Attempt | None:
        """The attempt with further changes that leave no error; None if there are none in time."""
        if attempt.steps >= REPAIR_STEPS:
            return None
        is_theorem = self._is_theorem(attempt.text)
        failure = Failure(self._path, attempt.text, self._start, attempt.first, is_theorem)
        ways = Ways(self._engine, self._names, failure, until)
        if not is_theorem and not await self._is_proof(failure):
            self._is_data = True
            stages = [ways.exact_names]
        else:
            stages = [ways.by_names, ways.by_writing, ways.by_lemmas, ways.by_tactics, ways.by_proof]
        for stage in stages:
            better: list[Attempt] = []
            async with aclosing(stage()) as texts:
                async for way in texts:
                    found = await self._judge(attempt, failure, way)
                    if found is not None and not found.faults:
                        return found
                    if found is not None:
                        better.append(found)
                    if time.monotonic() >= until:
                        return None
            better.sort(key=lambda one: len(one.faults))
            for one in better[:REPAIR_WAYS]:
                now = time.monotonic()
                done = await self._repaired(one, now + (until - now) / 2)
                if done is not None:
                    return done
        if not attempt.steps:
            self._why_not = ways.why_not
        return None

    async def _judge(self, attempt: Attempt, failure: Failure, way: Way) -> Attempt | None:
        """The attempt with another text, if Lean gets further in it; None if not."""
        text = way.text
        if hash(text) in self._judged or has_sorry(text[self._start : _end(text, self._start)]):
            return None
        self._judged.add(hash(text))
        if not self._broken.isdisjoint(self._used(text)):
            return None
        try:
            async with asyncio.timeout(REPAIR_JUDGE_SECONDS):
                faults = tuple(await self._errors(text))
        except (TimeoutError, LeanError) as error:
            if isinstance(error, LeanNotFound):
                raise
            return None
        if faults and not _is_better(attempt, faults, failure, text):
            return None
        worst = max(
            attempt.kind, way.kind, key=lambda one: _KINDS.index(one) if one is not RepairKind.NONE else -1
        )
        meant = (*attempt.meant, way.meant) if way.meant is not None else attempt.meant
        return Attempt(text, faults, worst, attempt.steps + 1, meant)

    def _used(self, text: str) -> frozenset[str]:
        """The last parts of the names in the declaration."""
        tokens = tokenize(text[self._start : _end(text, self._start)])
        return frozenset(part for one in tokens.texts if is_identifier(one) for part in one.split("."))

    async def _is_proof(self, failure: Failure) -> bool:
        """Whether a proof is expected where the error is, and not data: a repair changes no definition."""
        part = failure.part
        if part is None:
            return False
        written = _IS_PROPOSITION if failure.is_term else f"exact {_IS_PROPOSITION}"
        text = applied(failure.text, Change(*part, written))
        document = LeanDocument(text)
        begin, end = document.position(part.start), document.position(part.start + len(written))
        return not any(begin <= one.position <= end for one in await self._errors(text))


def _end(text: str, start: int) -> int:
    return LeanDocument(text).declaration(start)[1]


def _is_better(attempt: Attempt, faults: Sequence[Fault], failure: Failure, text: str) -> bool:
    """Whether Lean gets further: the error is no longer there, and what is left is below it, or less than before.

    Goals that are left unsolved count only if nothing else is wrong.
    """
    document, end = LeanDocument(text), failure.end + len(text) - len(failure.text)
    left = [one for one in faults if not is_unsolved(one.message)]
    if any(is_misparsed(one.message) for one in left):
        return False
    if any(document.offset(one.position) < end for one in left) and len(faults) >= len(attempt.faults):
        return False
    unsolved, before = (sum(is_unsolved(one.message) for one in some) for some in (faults, attempt.faults))
    if is_unsolved(failure.fault.message):
        return unsolved < before
    return bool(left) or unsolved <= before
