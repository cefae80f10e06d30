"""Writes a found proof at its place: minimised, in the forms of `prover.search.script`, each judged by Lean."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Hashable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import islice

from lean_extract.common.errors import LeanError, NoGoalHere
from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.live import LiveLean
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_text import has_sorry
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.tasks import begun_again
from lsp_server.limits import MINIMISED_STEPS, MINIMISING_SECONDS, OPEN_GOALS_SECONDS, UNFINISHED_PROOFS
from prover.refutation import edited, refuted
from prover.search.partial import furthest_first
from prover.search.script import WIDTH, Proof, argument, forms, read_proof
from prover.search.theorem import ProofFile, declared_at, script
from prover.search.tree import SearchTree
from prover.states import nameless_fingerprint
from prover.verify import GoalPosition


class ScriptWriter:
    """Writes proofs at one place.

    Args:
        lean: judges them.
        found: the place.
        seconds: the time for a whole proof.
    """

    def __init__(self, lean: LiveLean, found: GoalFound, seconds: float) -> None:
        self._lean, self._found, self._seconds = lean, found, seconds

    async def proved(self, tree: SearchTree) -> TacticOutcome | None:
        """The best form of the proof in a tree that Lean accepts; None if it accepts none. Raises LeanError."""
        return await self.written(await self.minimised(tree))

    async def minimised(self, tree: SearchTree) -> Proof:
        """The proof in a tree without tactics that are not needed, as far as there is time to see which."""
        assert tree.proved is not None
        tactics = tree.path(tree.proved)
        states = [tree.nodes[one].state for one in tree.ancestry(tree.proved)]
        left, end = list(tactics), time.monotonic() + MINIMISING_SECONDS
        while 1 < len(left) <= MINIMISED_STEPS and (seconds := end - time.monotonic()) > 0:
            shorter = [[*left[:place], *left[place + 1 :]] for place in range(len(left))]
            closing = {one.tactic for one in await self._tried(map(script, shorter), seconds) if _proves(one)}
            kept = next((one for one in shorter if script(one) in closing), None)
            if kept is None:
                break
            left = kept
        if len(left) < len(tactics):
            steps = [script(left[:count]) for count in range(1, len(left))]
            known = {one.tactic: one.state for one in await self._tried(steps, MINIMISING_SECONDS)}
            between = [state for step in steps if (state := known.get(step)) is not None]
            if len(between) == len(steps):
                return read_proof(left, [states[0], *between, ProofState(())])
        return read_proof(tactics, states)

    async def furthest(self, tree: SearchTree) -> tuple[Proof, TacticOutcome] | None:
        """The unfinished proof that has come furthest and may yet be finished, and its best form. Raises LeanError.

        None uses what rests on `sorry`, or leaves a goal that Lean shows to be false, as far as time allows.
        """
        false: set[Hashable] = set()
        end = time.monotonic() + OPEN_GOALS_SECONDS
        for proof in islice(furthest_first(tree), UNFINISHED_PROOFS):
            goals = [ProofState((goal,)) for goal in proof.open]
            if any(nameless_fingerprint(one) in false for one in goals):
                continue
            outcome = await begun_again(partial(self.written, proof))
            if outcome is None:
                continue
            wrong = await self._false(outcome, goals, end)
            if wrong is None:
                return proof, outcome
            false.add(nameless_fingerprint(wrong))
        return None

    async def _false(
        self, outcome: TacticOutcome, goals: Sequence[ProofState], end: float
    ) -> ProofState | None:
        """The first of the goals that a script leaves to `sorry` that Lean shows to be false by a point in time."""
        at, edit = self._found.asked, outcome.edit
        assert edit is not None
        document = LeanDocument(edited(at.text or "", edit))
        written, begin = tokenize(edit.text), document.offset(edit.span.start)
        for number, goal in zip(written.sorries, goals, strict=False):
            place = document.position(begin + written.starts[number])
            here = GoalPosition(at.path, document.text, place)
            seconds = end - time.monotonic()
            try:
                state = (
                    await self._lean.goals_at(here.path, here.text, here.position) if seconds > 0 else None
                )
            except (LeanError, NoGoalHere):
                state = None
            if state is not None and await refuted(self._lean, here, state, seconds) is not None:
                return goal
        return None

    async def written(self, proof: Proof) -> TacticOutcome | None:
        """The best form of a proof that Lean accepts, with the edit of what it judged; None if it accepts none."""
        texts = forms(proof, WIDTH - self._found.asked.position.column)
        is_whole = not proof.open
        refused: set[str] = set()
        accepted: dict[str, TacticOutcome] = {}
        async with aclosing(self._outcomes(texts, self._seconds, unfinished=not is_whole)) as outcomes:
            async for outcome in outcomes:
                if _proves(outcome) or (not is_whole and _proves_a_part(outcome)):
                    accepted[outcome.tactic] = outcome
                else:
                    refused.add(outcome.tactic)
                best = next((one for one in texts if one not in refused), None)
                if best is None or best in accepted:
                    break
        return next((accepted[one] for one in texts if one in accepted), None)

    async def _tried(self, texts: Sequence[str] | map[str], seconds: float) -> list[TacticOutcome]:
        try:
            async with aclosing(self._outcomes(list(texts), seconds)) as outcomes:
                return [one async for one in outcomes]
        except LeanError:  # the proof stays as it is
            return []

    async def _outcomes(
        self, texts: Sequence[str], seconds: float, *, unfinished: bool = False
    ) -> AsyncGenerator[TacticOutcome, None]:
        at = self._found.asked
        found = self._lean.try_tactics(
            at.path, at.text, at.position, texts, timeout=self._seconds, within=seconds, unfinished=unfinished
        )
        async with aclosing(found) as outcomes:
            async for outcome in outcomes:
                yield outcome


def _proves(outcome: TacticOutcome) -> bool:
    return outcome.status == "closes" and outcome.edit is not None and not outcome.rests_on_sorry


def _proves_a_part(outcome: TacticOutcome) -> bool:
    return outcome.status == "closes" and outcome.edit is not None and not outcome.unfinished


_BY_EXACT = re.compile(r"\(by exact (?P<bracketed>[^\n;]+)\)|by exact (?P<plain>[^\n;]+)")


def as_term(outcome: TacticOutcome) -> TacticOutcome | None:
    """An outcome whose edit writes `e` in place of `by exact e`, not judged; None where it is no such edit."""
    edit = outcome.edit
    written = _BY_EXACT.fullmatch(edit.text) if edit is not None and outcome.in_term else None
    if edit is None or written is None:
        return None
    text = written["plain"] or argument(written["bracketed"])
    start = edit.span.start
    cursor = Position(start.line, start.column + len(text))
    return replace(outcome, instead=text, edit=replace(edit, text=text, cursor=cursor))


def edited_file(found: GoalFound, outcome: TacticOutcome) -> ProofFile:
    """The document with the edits of an outcome, for a new Lean to judge."""
    document, edit, added = LeanDocument(found.at.text or ""), outcome.edit, outcome.import_edit
    assert edit is not None
    start, end = document.offset(edit.span.start), document.offset(edit.span.end)
    first, last = document.declaration(start)
    last = max(last, end)
    before, rest = document.text[:last], document.text[first:start] + document.text[end:last]
    text = document.text[:start] + edit.text + document.text[end:last]
    line, begin = document.position(first).line, edit.span.start.line
    if added is not None:  # it is above the declaration
        place = document.offset(added.span.start)
        text = text[:place] + added.text + text[document.offset(added.span.end) :]
        line, begin = line + added.text.count("\n"), begin + added.text.count("\n")
    own = begin, begin + edit.text.count("\n")
    may_be_open = has_sorry(rest) or has_sorry(edit.text)
    return ProofFile(
        found.at.path, text, line, own, declared_at(text, found.at.path, begin), before, may_be_open
    )
