"""The ways to repair an error: texts of the file in which what fails is written in another way, cheapest first."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from lean_extract.common.errors import GoalBroken, LeanError, NoGoalHere, TextUnread, UserError
from lean_extract.records import Goal
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import is_unsolved
from lean_extract.session.places import HOLE
from lean_extract.session.tactic_spans import Change, WrittenTactic
from lean_extract.session.verdict import goals_in
from lsp_server.engine.engine import Engine
from lsp_server.engine.items import edited
from lsp_server.engine.repair_edits import Rewritten
from lsp_server.engine.repair_failure import Failure, has_commands
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.repair_text import (
    Block,
    applied,
    deleted,
    free_names,
    introduced,
    renamed,
    without_binders,
)
from lsp_server.engine.requests import ProveRequest, SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import TacticItem, TacticVerdict
from lsp_server.engine.schema_proofs import ProofStatus, RepairKind
from lsp_server.limits import REPAIR_EDITS, REPAIR_LEMMAS
from prover.refusals import UnknownName, unknown_name
from prover.verify import GoalPosition
from retriever.lean.callers import caller_of
from retriever.lean.eligibility import RankedPremise, RankRequest

_FIRST_CHANGES = 24
"""Changes of arguments that are tried before other forms."""
_ONCE_MORE_SECONDS = 0.1
"""How long a proof of a statement is searched at least if a goal in its proof is false: the statement may be, too."""
_SUPERFLUOUS = re.compile(r"(?i:no goals|introN|additional binders)")


@dataclass(frozen=True, slots=True)
class Way:
    """A text of the file to try. `meant`: the name that it has in place of an unknown one."""

    kind: RepairKind
    text: str
    meant: tuple[UnknownName, str] | None = None


class StatementFalse(Exception):
    """The statement of a declaration is false, so that nothing repairs it. Its text is a sentence that says why."""


class Ways:
    """The texts in which a failing part is written in another way, in stages of increasing cost."""

    def __init__(self, engine: Engine, names: MeantNames, failure: Failure, until: float) -> None:
        self._engine, self._names, self._failure, self._until = engine, names, failure, until
        self._goal: Goal | None = None
        self._has_asked = False
        self.why_not = ""
        """A sentence on why the goal before what fails is false; empty if that is not known."""

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

    @property
    def _unknown(self) -> UnknownName | None:
        """The name that Lean does not know, as it is written."""
        unknown = unknown_name(self._failure.fault.message)
        return None if unknown is None else unknown.within(self._failure.text[slice(*self._failure.value)])

    async def _local(self) -> list[str]:
        goal = await self._goal_before()
        return [name for one in goal.hypotheses for name in one.names if "✝" not in name] if goal else []

    async def exact_names(self) -> AsyncGenerator[Way, None]:
        """What the index says has replaced a name that is not known."""
        failure, unknown = self._failure, self._unknown
        if unknown is not None:
            for name in await self._names.exact(unknown, _at(failure)):
                yield Way(RepairKind.RENAMED, renamed(failure.text, *failure.value, unknown.written, name))

    async def by_names(self) -> AsyncGenerator[Way, None]:
        """Other names in place of one that is not known, and hypotheses that are to be introduced."""
        failure, unknown = self._failure, self._unknown
        if unknown is None:
            return
        name, value = unknown.written, failure.scope
        local = await self._local()
        first, _, rest = name.partition(".")
        is_local = 0 < len(first) <= 3 or (not rest and "_" not in first)
        own = [f"{one}.{rest}" if rest else one for one in reversed(local)] if is_local or not rest else []
        meant = await self._names.meant(unknown, _at(failure), await self._goal_before())
        for other in [*own, *meant] if is_local else [*meant, *own]:
            yield Way(RepairKind.RENAMED, renamed(failure.text, *value, name, other), (unknown, other))
            if not first:  # elsewhere, the field may be that of another type
                once = renamed(failure.text, max(failure.offset - 1, value.start), value.end, name, other, 1)
                yield Way(RepairKind.RENAMED, once, (unknown, other))
        if is_local or not rest:
            for change in introduced(failure.text, value.start, first):
                yield Way(RepairKind.ARGUMENTS, applied(failure.text, change))

    async def by_writing(self) -> AsyncGenerator[Way, None]:
        """The same lemmas with other arguments, in other forms, or without what is not needed."""
        failure, part = self._failure, self._failure.part
        if part is None:
            return
        ways = Rewritten(failure.text, part, failure.offset, await self._local())
        superfluous = deleted(failure.text, part) if _SUPERFLUOUS.search(failure.fault.message) else None
        if superfluous is not None:
            yield Way(RepairKind.TACTIC, applied(failure.text, superfluous))
        for change in without_binders(failure.text, part):
            yield Way(RepairKind.ARGUMENTS, applied(failure.text, change))
        value = failure.scope
        for name in free_names(failure.text[failure.declaration : value.start], failure.text[slice(*value)]):
            for change in introduced(failure.text, value.start, name):
                yield Way(RepairKind.ARGUMENTS, applied(failure.text, change))
        changes = islice(ways.arguments(), REPAIR_EDITS)
        for change in islice(changes, _FIRST_CHANGES):
            yield Way(RepairKind.ARGUMENTS, applied(failure.text, change))
        for form in ways.forms():
            yield Way(RepairKind.ARGUMENTS, applied(failure.text, Change(*part, form)))
        for change in changes:
            yield Way(RepairKind.ARGUMENTS, applied(failure.text, change))

    async def by_lemmas(self) -> AsyncGenerator[Way, None]:
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
        unsolved = failure.fault.message.partition("\n")[2] if is_unsolved(failure.fault.message) else ""
        ranked: list[RankedPremise] = []
        for one in (*goals_in(unsolved)[:1], goal) if unsolved else (goal,):
            ranked += await self._engine.rank(RankRequest(one, k=REPAIR_LEMMAS, caller=caller), at)
        names = [
            one.premise.written for one in ranked if one.in_scope is not False and not one.premise.has_sorry
        ]
        short = await self._engine.spellings(at, names, await self._local())
        for text in ways.with_lemmas(short.get(name, name) for name in dict.fromkeys(names)):
            yield Way(RepairKind.ARGUMENTS, applied(failure.text, Change(*part, text)))

    async def by_tactics(self) -> AsyncGenerator[Way, None]:
        """Tactics that Lean accepts for the goal, in place of what fails or after it."""
        for place in self._places():
            for one in await self._suggested(place):
                if one.edit is not None and one.status != TacticVerdict.FAILS and not one.rests_on_sorry:
                    yield Way(RepairKind.TACTIC, edited(place.text or "", [one.edit]))

    async def _suggested(self, place: GoalPosition) -> list[TacticItem]:
        """The tactics that Lean accepts at a place, as soon as one closes the goal, or half of the time is up."""
        found: list[TacticItem] = []
        closed = asyncio.Event()

        def take(answer: Suggestion) -> None:
            found[:] = answer.tactics
            if any(one.status == TacticVerdict.CLOSES and not one.rests_on_sorry for one in found):
                closed.set()

        request = SuggestRequest(place, tactics=True)
        asking = asyncio.ensure_future(self._engine.suggest(request, take))
        tasks = [asking, asyncio.ensure_future(closed.wait())]
        try:
            left = max(self._until - time.monotonic(), 0) / 2
            await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                with suppress(UserError, LeanError):
                    take(asking.result())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        return found

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

    async def by_proof(self) -> AsyncGenerator[Way, None]:
        """What the search proves: the goal of what fails, that with the rest of its block, and the whole.

        Raises StatementFalse.
        """
        failure, part = self._failure, self._failure.part
        places = [*self._places()]
        if part is not None and not failure.is_term:
            places.append(self._hole(Block(failure.written, part).rest))
        is_whole = failure.is_theorem and not has_commands(failure.text[slice(*failure.value)])
        if is_whole:
            places.append(self._hole(failure.value))
        for left, place in zip(range(len(places), 0, -1), places, strict=True):
            is_last = is_whole and left == 1
            seconds = (self._until - time.monotonic()) / left
            if self.why_not and is_last:
                seconds = max(seconds, _ONCE_MORE_SECONDS)
            elif self.why_not or seconds <= 0:
                continue
            request = ProveRequest(place, seconds=seconds, imports=False, check=False)
            with suppress(UserError, LeanError):
                answer = await self._engine.prove(request)
                if answer.status == ProofStatus.PROVED:
                    yield Way(RepairKind.PROOF, edited(place.text or "", answer.edits))
                elif answer.status == ProofStatus.FALSE and is_last:
                    raise StatementFalse(answer.message.replace("The goal", "The statement", 1))
                elif answer.status == ProofStatus.FALSE:
                    self.why_not = answer.message


def _at(failure: Failure) -> GoalPosition:
    return GoalPosition(failure.path, failure.text, failure.fault.position)
