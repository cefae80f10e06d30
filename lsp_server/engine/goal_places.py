"""Where the goal for a position is: one rule for all faces.

| the position is | the goal | `place` |
|---|---|---|
| in or after a tactic that fails or is unfinished | the one before it, which a suggestion replaces | `before` |
| at a `sorry` or another hole, in an empty line of a proof, after `by`, `=>` or a focus dot | the one there | `here` |
| at the end of a line, after `by` or the like, with a `sorry` below it | that of the `sorry` | `here` |
| at the start of a tactic, or in one that leaves no goals | the one before it | `here` |
| in or after another tactic | the first that it leaves | `here` |
| at the end of a tactic that leaves no goals, or below it | none | `closed` |

Where Lean stops at a tactic above, it is that one. What Lean rejects or cannot read is replaced by `sorry` in a copy
of the document. Lean is asked about the copy: for the goal, and for verdicts on tactics in place of that `sorry`. So
the text that is being typed does not count, and the answers are known when the next letter is typed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lean_extract.common.errors import NoGoalHere, TextUnread
from lean_extract.records import Edit, Position, ProofState, Span, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, is_misparsed, is_unsolved
from lean_extract.session.live import LiveLean
from lean_extract.session.places import hole_at
from lean_extract.session.tactic_spans import Change, Copy, WrittenTactic, WrittenTactics
from lsp_server.engine.goal_cases import opened
from lsp_server.engine.schema_items import GoalPlace
from prover.verify import GoalPosition

Goals = Callable[[GoalPosition], Awaitable[ProofState]]
"""Lean's goals at exactly this position of this text."""


@dataclass(frozen=True, slots=True)
class PlacedGoal:
    """A goal, and where it is. `position` is in the copy that the changes make, one after the other; without changes
    in the document itself. `replaces` is the tactic of the document that a suggestion replaces."""

    state: ProofState
    place: GoalPlace
    position: Position
    changes: tuple[Change, ...] = ()
    replaces: Span | None = None
    warning: str = ""
    tag: str = ""
    """Of a goal that is not the first: its tag, by which tactics have to choose it."""


class GoalFound:
    """A goal for a position in a document.

    Args:
        at: the document, and the position that was asked about.
        goal: where the goal is.
    """

    def __init__(self, at: GoalPosition, goal: PlacedGoal) -> None:
        self.at, self.goal = at, goal

    @property
    def state(self) -> ProofState:
        """All goals there; none if the proof is complete."""
        return self.goal.state

    @cached_property
    def _copies(self) -> list[Copy]:
        copies: list[Copy] = []
        document = LeanDocument(self.at.text or "")
        for change in self.goal.changes:
            copies.append(Copy(document, change))
            document = copies[-1].document
        return copies

    @cached_property
    def asked(self) -> GoalPosition:
        """What Lean is asked about: the position in the document, or in the copy."""
        text = self._copies[-1].document.text if self.goal.changes else self.at.text
        return GoalPosition(self.at.path, text, self.goal.position)

    @property
    def replaced(self) -> str:
        """The text of the tactic that a suggestion replaces; empty if there is none."""
        span = self.goal.replaces
        if span is None:
            return ""
        document = LeanDocument(self.at.text or "")
        return document.text[document.offset(span.start) : document.offset(span.end)]

    def edit(self, edit: Edit) -> Edit:
        """An edit of what Lean was asked about, as an edit of the document."""
        for copy in reversed(self._copies if self.goal.changes else ()):
            edit = copy.back(edit)
        return edit

    def outcome(self, found: TacticOutcome) -> TacticOutcome:
        """An outcome with its edit of the document, and with the tactic as it chooses the goal."""
        if found.edit is not None:
            found = replace(found, edit=self.edit(found.edit))
        if not self.goal.tag:
            return found
        instead = found.instead and opened(self.goal.tag, found.instead)
        return replace(found, tactic=opened(self.goal.tag, found.tactic), instead=instead)

    @property
    def warnings(self) -> list[str]:
        """A sentence on what was taken for `sorry`, if that is not what a suggestion replaces."""
        return [self.goal.warning] if self.goal.warning else []


async def find_goal(lean: LiveLean, at: GoalPosition, goals: Goals) -> PlacedGoal:
    """The goal for a position, by the rule above. Lean is asked a bounded number of times. `at` has its text.

    Raises:
        NoGoalHere: the position is not in a proof.
        TextUnread: Lean cannot read the declaration. What `goals` raises.
    """
    document = LeanDocument(at.text or "")
    offset = document.offset(at.position)
    written = await asyncio.to_thread(WrittenTactics, document, offset)
    offset = written.value_at(await asyncio.to_thread(written.out_of_comment, offset))
    place = replace(at, position=document.position(offset))
    return await _Finder(lean, place, goals, written, offset).find()


class _Finder:
    """One search for the goal at an offset of a document."""

    def __init__(
        self, lean: LiveLean, at: GoalPosition, goals: Goals, written: WrittenTactics, offset: int
    ) -> None:
        self._lean, self._at, self._goals = lean, at, goals
        self._written, self._offset = written, offset
        self._refused: NoGoalHere | None = None

    async def find(self, *, may_mend: bool = True) -> PlacedGoal:
        """The goal. `may_mend`: whether a copy may be tried in which Lean can read more."""
        written, offset = self._written, self._offset
        touched, is_open = await asyncio.to_thread(
            lambda: (written.touching(offset), written.is_open(offset))
        )
        if hole_at(written.document, offset) is not None and not is_open:
            state = await self._asked(self._at)
            if state is not None and state.goals:
                return self._here(state)
        last = touched[0] if touched else written.above(offset) if written.is_empty(offset) else None
        if last is not None and written.is_unfinished(last):
            found = await self._before(last)
            if found is not None:
                return found
        state = await self._asked(self._at)
        if not written.in_proof(offset) or (self._refused is not None and written.is_comment(offset)):
            if state is not None and state.goals:
                return self._here(state)
            raise self._refused or NoGoalHere("There is no proof there.", "Put the cursor in a proof.")
        faults = await self._lean.errors_at(
            self._at.path, self._at.text, self._at.position, self._part(touched)
        )
        unread = next((one for one in faults if is_misparsed(one.message)), None)
        rejected = self._rejected(faults, unread)
        failing = self._failing(touched, rejected)
        found = await self._before(failing) if failing is not None else None
        if found is None and unread is not None and may_mend and self._is_above(self._cause(unread)):
            # What Lean makes of the text below is not what it will be.
            found = await self._mended(unread) or await self._above(rejected)
        is_empty = written.is_empty(offset)
        if found is None and is_empty and (unread is not None or state is None or not state.goals):
            found = await self._filled()
        if found is None and state is not None and state.goals:
            found = await self._stopped(rejected, state) or self._here(state)
        if found is None and unread is not None and may_mend:
            found = await self._mended(unread)
        if found is None and state is not None:
            found = await self._complete(touched, rejected)
        if found is None:
            found = await self._above(rejected)
        if found is not None:
            return found
        raise self._error(faults)

    def _here(self, state: ProofState) -> PlacedGoal:
        return PlacedGoal(state, GoalPlace.HERE, self._at.position)

    async def _asked(self, at: GoalPosition) -> ProofState | None:
        try:
            return await self._goals(at)
        except NoGoalHere as error:
            self._refused = self._refused or error
            return None

    async def _in_copy(self, copy: Copy) -> ProofState | None:
        return await self._asked(GoalPosition(self._at.path, copy.document.text, copy.hole))

    async def _before(self, tactic: WrittenTactic) -> PlacedGoal | None:
        """The goal before a tactic, in a copy without it; that there is none left; None if Lean has no answer."""
        copy = self._written.without(tactic)
        state = await self._in_copy(copy)
        if state is None:
            return None
        if not state.goals:
            return PlacedGoal(state, GoalPlace.CLOSED, self._at.position)
        return PlacedGoal(state, GoalPlace.BEFORE, copy.hole, (copy.change,), copy.span)

    def _rejected(self, faults: Sequence[Fault], unread: Fault | None) -> list[WrittenTactic]:
        """The tactics that Lean rejects. A tactic in which one is still to be written is not one of them."""
        own = [one for one in faults if not (is_unsolved(one.message) or one.is_about_compiling)]
        found = {self._cause(fault) for fault in own}
        empty = None if unread is None else self._written.empty_at(self._offset_of(unread))
        kept = (
            one for one in found if one is not None and (empty is None or not one.start < empty <= one.end)
        )
        return sorted(kept, key=lambda one: (one.end, one.start))

    def _failing(
        self, touched: Sequence[WrittenTactic], rejected: Sequence[WrittenTactic]
    ) -> WrittenTactic | None:
        """The innermost of the tactics at the offset that Lean rejects, if it begins in the same line as the innermost
        of all."""
        line = self._line(touched[0].start) if touched else None
        return next((one for one in touched if one in rejected and self._line(one.start) == line), None)

    def _part(self, touched: Sequence[WrittenTactic]) -> Span:
        """The tactics at the offset that begin in the line of the innermost; at an empty place, that above it."""
        above = None if touched else self._written.above(self._offset)
        near = [above] if above is not None else touched
        first = min([self._offset, *(one.start for one in near[:1])])
        ends = [one.end for one in near if self._line(one.start) == self._line(first)]
        position = self._written.document.position
        return Span(position(first), position(max([self._offset, *ends])))

    def _cause(self, fault: Fault) -> WrittenTactic | None:
        offset = self._offset_of(fault)
        return self._written.unread(offset) if is_misparsed(fault.message) else self._written.failing(offset)

    def _line(self, offset: int) -> int:
        return self._written.document.position(offset).line

    def _offset_of(self, fault: Fault) -> int:
        return self._written.document.offset(fault.position)

    def _is_above(self, tactic: WrittenTactic | None) -> bool:
        return tactic is not None and tactic.end < self._offset

    async def _above(self, rejected: Sequence[WrittenTactic]) -> PlacedGoal | None:
        """The goal before the last tactic above the offset that Lean rejects."""
        last = next((one for one in reversed(rejected) if one.end <= self._offset), None)
        found = await self._before(last) if last is not None else None
        return found if found is not None and found.state.goals else None

    async def _stopped(self, rejected: Sequence[WrittenTactic], state: ProofState) -> PlacedGoal | None:
        """The goal before the tactic just above an empty place, if Lean stopped there."""
        last = self._written.above(self._offset) if self._written.is_empty(self._offset) else None
        found = await self._before(last) if last is not None and last in rejected else None
        return found if found is not None and found.state == state else None

    async def _filled(self) -> PlacedGoal | None:
        """The goal of an empty place, in a copy with a placeholder there."""
        copy = self._written.filled(self._offset)
        state = await self._in_copy(copy)
        if state is None or not state.goals:
            return None
        return PlacedGoal(state, GoalPlace.HERE, copy.hole, (copy.change,))

    async def _complete(
        self, touched: Sequence[WrittenTactic], rejected: Sequence[WrittenTactic]
    ) -> PlacedGoal | None:
        """Where Lean has no goal left: the goal before the tactic around the offset, if it had one; that it is closed
        at the end of that tactic or below it, unless a tactic above is rejected."""
        tactic = touched[0] if touched else self._written.above(self._offset)
        before = None if tactic is None or tactic in rejected else await self._asked_before(tactic)
        if tactic is not None and before is not None and before.goals:
            if tactic.start < self._offset < tactic.end:
                return PlacedGoal(before, GoalPlace.HERE, self._written.document.position(tactic.start))
        else:
            above = await self._above(rejected)
            if above is not None:
                return above
        return PlacedGoal(ProofState(()), GoalPlace.CLOSED, self._at.position)

    async def is_closed_there(self) -> bool:
        """Whether it is the tactic at the offset, or just above it, that leaves no goal."""
        touched = self._written.touching(self._offset)
        tactic = touched[0] if touched else self._written.above(self._offset)
        if tactic is None or hole_at(self._written.document, tactic.start) is not None:
            return False
        before = await self._asked_before(tactic)
        return before is not None and bool(before.goals)

    async def _asked_before(self, tactic: WrittenTactic) -> ProofState | None:
        start = self._written.document.position(tactic.start)
        return await self._asked(replace(self._at, position=start))

    async def _mended(self, unread: Fault) -> PlacedGoal | None:
        """The goal in a copy with a placeholder for what Lean cannot read."""
        copy = await asyncio.to_thread(self._written.mended, self._offset_of(unread))
        if copy is None:
            return None
        place = copy.place_of(self._offset)
        written = await asyncio.to_thread(WrittenTactics, copy.document, copy.document.offset(place))
        at = GoalPosition(self._at.path, copy.document.text, place)
        inner = _Finder(self._lean, at, self._goals, written, copy.document.offset(place))
        try:
            found = await inner.find(may_mend=False)
        except (NoGoalHere, TextUnread):
            return None
        if not found.state.goals and not await inner.is_closed_there():
            return None
        replaces = copy.back(Edit(found.replaces, "")).span if found.replaces is not None else None
        line = self._line(copy.change.start) + 1
        if not found.state.goals:
            return replace(found, position=self._at.position, changes=())
        warning = f"Lean cannot read line {line}: {unread.first_line}. Here it is taken for `sorry`."
        return replace(found, changes=(copy.change, *found.changes), replaces=replaces, warning=warning)

    def _error(self, faults: Sequence[Fault]) -> NoGoalHere | TextUnread:
        refused = self._refused or NoGoalHere("Lean has no goal there.")
        above = [one for one in faults if self._offset_of(one) <= self._offset]
        first = next((one for one in faults if is_misparsed(one.message)), next(iter(above), None))
        if first is None or not self._written.in_proof(self._offset):
            return refused
        # Where the text ends too early, Lean names the next word, which may be far below.
        last = len(self._written.document.text[: self._offset_of(first)].rstrip())
        line = (self._line(last) if is_misparsed(first.message) else first.position.line) + 1
        return TextUnread(
            f"Lean cannot read {self._at.path.name} up to line {self._at.position.line + 1}: line {line} has an "
            f"error: {first.first_line.rstrip('.')}.",
            f"Correct line {line}; then the goal is shown.",
        )
