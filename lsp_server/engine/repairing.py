"""The repair of one declaration: from Lean's errors to other ways to write its proof, in the order of their cost.

Each way is an edit of the file's text, and Lean judges the text that it makes: the declaration may have no error any
more. Where an edit removes the first error and another is left, that is repaired in the same way. Nothing is ever
replaced by `sorry`, and no edit reaches above the declaration's value.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from lean_extract.common.errors import GoalBroken, LeanError, LeanNotFound, NoGoalHere, TextUnread, UserError
from lean_extract.records import Goal
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, is_misparsed, is_unsolved
from lean_extract.session.places import HOLE
from lean_extract.session.tactic_spans import Change, WrittenTactic, WrittenTactics
from lean_extract.syntax.keywords import DECLARATION_WORDS, THEOREM_WORDS
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_text import has_sorry
from lsp_server.documents.positions import edited
from lsp_server.engine.engine import Engine
from lsp_server.engine.repair_edits import Rewritten
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.repair_text import (
    Block,
    applied,
    deleted,
    introduced,
    proof_start,
    renamed,
    unknown_name,
    without_binders,
)
from lsp_server.engine.requests import ProveRequest, SuggestRequest
from lsp_server.engine.schema_items import TacticVerdict
from lsp_server.engine.schema_proofs import RepairKind
from lsp_server.limits import REPAIR_EDITS, REPAIR_JUDGE_SECONDS, REPAIR_LEMMAS, REPAIR_STEPS, REPAIR_WAYS
from prover.verify import GoalPosition
from retriever.lean.callers import caller_of
from retriever.lean.eligibility import RankRequest

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

    @property
    def first(self) -> Fault:
        """The error to repair next: goals are left unsolved by what failed, too."""
        return next((one for one in self.faults if not is_unsolved(one.message)), self.faults[0])


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
    """

    def __init__(self, engine: Engine, names: MeantNames, path: Path, start: int) -> None:
        self._engine, self._names, self._path, self._start = engine, names, path, start
        self._judged: set[int] = set()

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
        until = time.monotonic() + seconds * len(faults)
        found = await self._repaired(Attempt(text, tuple(faults)), until)
        if found is not None:
            return Repair(found.text, found.kind)
        if not self._is_theorem(text):
            return Repair(reason="It is in a definition, of which only names and proofs are changed.")
        is_late = time.monotonic() >= until
        why = f"Nothing was found within {seconds:g} s." if is_late else "Nothing that was tried is accepted."
        return Repair(reason=why)

    async def _errors(self, text: str) -> list[Fault]:
        document = LeanDocument(text)
        lean = await self._engine.session()
        return [*await lean.errors_at(self._path, text, document.position(self._start))]

    def _is_theorem(self, text: str) -> bool:
        words = tokenize(text[self._start : LeanDocument(text).declaration(self._start)[1]]).texts
        return next((one for one in words if one in DECLARATION_WORDS), "") in THEOREM_WORDS | {"example"}

    async def _repaired(self, attempt: Attempt, until: float) -> Attempt | None:
        """The attempt with further changes that leave no error; None if there are none in time."""
        if attempt.steps >= REPAIR_STEPS:
            return None
        failure = _Failure(self._path, attempt.text, self._start, attempt.first)
        ways = _Ways(self._engine, self._names, failure, until)
        if not self._is_theorem(attempt.text) and not await self._is_proof(failure):
            stages = [ways.exact_names]
        else:
            stages = [ways.by_names, ways.by_writing, ways.by_lemmas, ways.by_tactics, ways.by_proof]
        for stage in stages:
            better: list[Attempt] = []
            async with aclosing(stage()) as texts:
                async for kind, text in texts:
                    if time.monotonic() >= until:
                        return None
                    found = await self._judge(attempt, failure, kind, text)
                    if found is not None and not found.faults:
                        return found
                    if found is not None:
                        better.append(found)
            better.sort(key=lambda one: len(one.faults))
            for one in better[:REPAIR_WAYS]:
                now = time.monotonic()
                done = await self._repaired(one, now + (until - now) / 2)
                if done is not None:
                    return done
        return None

    async def _judge(self, attempt: Attempt, failure: _Failure, kind: RepairKind, text: str) -> Attempt | None:
        """The attempt with another text, if Lean gets further in it; None if not."""
        if hash(text) in self._judged or has_sorry(text[self._start : _end(text, self._start)]):
            return None
        self._judged.add(hash(text))
        try:
            async with asyncio.timeout(REPAIR_JUDGE_SECONDS):
                faults = tuple(await self._errors(text))
        except (TimeoutError, LeanError) as error:
            if isinstance(error, LeanNotFound):
                raise
            return None
        if faults and not _is_better(attempt, faults, failure, text):
            return None
        worst = max(attempt.kind, kind, key=lambda one: _KINDS.index(one) if one is not RepairKind.NONE else -1)
        return Attempt(text, faults, worst, attempt.steps + 1)

    async def _is_proof(self, failure: _Failure) -> bool:
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


def _is_better(attempt: Attempt, faults: Sequence[Fault], failure: _Failure, text: str) -> bool:
    """Whether Lean gets further: the error is no longer there, and all that is left is below it.

    Goals that are left unsolved count only if nothing else is wrong.
    """
    moved = len(text) - len(failure.text)
    document = LeanDocument(text)
    end = failure.end + moved
    left = [one for one in faults if not is_unsolved(one.message)]
    if any(document.offset(one.position) < end for one in left) or any(is_misparsed(one.message) for one in left):
        return False
    unsolved, before = (sum(is_unsolved(one.message) for one in some) for some in (faults, attempt.faults))
    if is_unsolved(failure.fault.message):
        return unsolved < before
    return bool(left) or unsolved <= before


@dataclass(frozen=True)
class _Failure:
    """An error, and the tactic or term that it is about."""

    path: Path
    text: str
    declaration: int
    fault: Fault

    @cached_property
    def document(self) -> LeanDocument:
        return LeanDocument(self.text)

    @cached_property
    def offset(self) -> int:
        return self.document.offset(self.fault.position)

    @cached_property
    def written(self) -> WrittenTactics:
        return WrittenTactics(self.document, self.offset)

    @cached_property
    def part(self) -> WrittenTactic | None:
        """What fails: where goals are left unsolved, the last tactic of that block."""
        if is_misparsed(self.fault.message):
            return self.written.unread(self.offset)
        if is_unsolved(self.fault.message):
            block = Block.below(self.written, self.offset)
            if block is not None:
                return block.tactics[-1]
        return self.written.failing(self.offset) or self.written.beginning(self.offset)

    @cached_property
    def is_term(self) -> bool:
        """Whether it is a term, not a tactic: the value of a declaration."""
        return self.part is not None and self.document.text[: self.part.start].rstrip().endswith(":=")

    @property
    def end(self) -> int:
        """The offset after what fails; that of the error if it is not known."""
        return self.part.end if self.part is not None else self.offset

    @cached_property
    def value(self) -> WrittenTactic:
        """The whole proof of the declaration."""
        start, end = self.document.declaration(self.declaration)
        begin = proof_start(self.document, start, end)
        text = self.text[begin:end]
        return WrittenTactic(begin + len(text) - len(text.lstrip()), begin + len(text.rstrip()))


class _Ways:
    """The texts in which a failing part is written in another way, in stages of increasing cost."""

    def __init__(self, engine: Engine, names: MeantNames, failure: _Failure, until: float) -> None:
        self._engine, self._names, self._failure, self._until = engine, names, failure, until
        self._goal: Goal | None = None
        self._has_asked = False

    def _hole(self, part: WrittenTactic) -> GoalPosition:
        """The file with `sorry` in place of a part, which no text of ours keeps, and its position."""
        text = applied(self._failure.text, Change(*part, HOLE))
        return GoalPosition(self._failure.path, text, LeanDocument(text).position(part.start))

    async def _goal_before(self) -> Goal | None:
        """The goal before what fails; None if Lean has none there."""
        if not self._has_asked and self._failure.part is not None:
            self._has_asked = True
            with suppress(NoGoalHere, TextUnread, GoalBroken, LeanError):
                found = await self._engine.goal_at(self._hole(self._failure.part))
                self._goal = next(iter(found.state.goals), None)
        return self._goal

    async def _local(self) -> list[str]:
        goal = await self._goal_before()
        return [name for one in goal.hypotheses for name in one.names if "✝" not in name] if goal else []

    async def exact_names(self) -> AsyncGenerator[tuple[RepairKind, str], None]:
        """What the index says has replaced a name that is not known."""
        failure = self._failure
        unknown = unknown_name(failure.fault.message)
        if unknown is not None:
            for name in await self._names.exact(unknown, _at(failure)):
                yield RepairKind.RENAMED, renamed(failure.text, *failure.value, unknown.written, name)

    async def by_names(self) -> AsyncGenerator[tuple[RepairKind, str], None]:
        """Other names in place of one that is not known, and hypotheses that are to be introduced."""
        failure = self._failure
        unknown = unknown_name(failure.fault.message)
        if unknown is None:
            return
        name, value = unknown.written, failure.value
        local = await self._local()
        is_local = "." not in name and (len(name) <= 3 or "_" not in name)
        meant = await self._names.meant(unknown, _at(failure), await self._goal_before())
        for other in [*reversed(local), *meant] if is_local else [*meant, *reversed(local)]:
            yield RepairKind.RENAMED, renamed(failure.text, *value, name, other)
            if is_local and other == local[:1]:
                break
        if "." not in name:
            for change in introduced(failure.text, value.start, name):
                yield RepairKind.ARGUMENTS, applied(failure.text, change)

    async def by_writing(self) -> AsyncGenerator[tuple[RepairKind, str], None]:
        """The same lemmas with other arguments, in other forms, or without what is not needed."""
        failure, part = self._failure, self._failure.part
        if part is None:
            return
        ways = Rewritten(failure.text, part, failure.offset, await self._local())
        for change in without_binders(failure.text, part):
            yield RepairKind.ARGUMENTS, applied(failure.text, change)
        for form in ways.forms():
            yield RepairKind.ARGUMENTS, applied(failure.text, Change(*part, form))
        for change in islice(ways.arguments(), REPAIR_EDITS):
            yield RepairKind.ARGUMENTS, applied(failure.text, change)
        if not failure.is_term:
            yield RepairKind.TACTIC, applied(failure.text, deleted(failure.text, part))

    async def by_lemmas(self) -> AsyncGenerator[tuple[RepairKind, str], None]:
        """Further lemmas in the list of a tactic that rewrites or simplifies."""
        failure, part = self._failure, self._failure.part
        goal = await self._goal_before()
        if part is None or goal is None:
            return
        ways = Rewritten(failure.text, part, failure.offset, ())
        caller = caller_of(ways.word)
        if not caller:
            return
        at = self._hole(part)
        ranked = await self._engine.rank(RankRequest(goal, k=REPAIR_LEMMAS, caller=caller), at)
        names = [one.premise.written for one in ranked if one.in_scope is not False and not one.premise.has_sorry]
        short = await self._engine.spellings(at, names, await self._local())
        for text in ways.with_lemmas(short.get(name, name) for name in names):
            yield RepairKind.ARGUMENTS, applied(failure.text, Change(*part, text))

    async def by_tactics(self) -> AsyncGenerator[tuple[RepairKind, str], None]:
        """Tactics that Lean accepts for the goal, in place of what fails or after it."""
        for place in self._places():
            request = SuggestRequest(place, tactics=True)
            with suppress(UserError, LeanError, TimeoutError):
                async with asyncio.timeout(max(self._until - time.monotonic(), 0) / 2):
                    answer = await self._engine.suggest(request)
                    for one in answer.tactics:
                        if one.edit is not None and one.status != TacticVerdict.FAILS and not one.rests_on_sorry:
                            yield RepairKind.TACTIC, edited(place.text or "", one.edit)

    def _places(self) -> Iterable[GoalPosition]:
        failure, part = self._failure, self._failure.part
        if part is None:
            return
        if is_unsolved(failure.fault.message):
            line = failure.document.line(failure.document.position(part.start).line)
            column = failure.document.position(part.start).column
            gap = f"\n{' ' * column}" if not line[:column].strip(" ·") else "; "
            text = applied(failure.text, Change(part.end, part.end, f"{gap}{HOLE}"))
            yield GoalPosition(failure.path, text, LeanDocument(text).position(part.end + len(gap)))
        yield self._hole(part)

    async def by_proof(self) -> AsyncGenerator[tuple[RepairKind, str], None]:
        """What the search proves: the goal of what fails, that with the rest of its block, and the whole."""
        failure, part = self._failure, self._failure.part
        places = [*self._places()]
        if part is not None and not failure.is_term:
            places.append(self._hole(Block(failure.written, part).rest))
        places.append(self._hole(failure.value))
        for number, place in enumerate(places):
            seconds = max(self._until - time.monotonic(), 0) / (len(places) - number)
            request = ProveRequest(place, seconds=seconds, imports=False, check=False)
            with suppress(UserError, LeanError):
                answer = await self._engine.prove(request)
                text = place.text or ""
                for edit in answer.edits:
                    text = edited(text, edit)
                if answer.edits:
                    yield RepairKind.PROOF, text


def _at(failure: _Failure) -> GoalPosition:
    return GoalPosition(failure.path, failure.text, failure.fault.position)
