"""Shows that a goal is false: Lean proves the negation of the goal, for all that its context declares, with values.

The goal is replaced by two, `¬P` and `P`, where `P` is the goal with its context as `∀` and `→`. If Lean closes the
first, without `sorry`, no proof of the goal exists. Few small values are tried for each variable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, TypeVar

from lean_extract.common.errors import LeanError, NoGoalHere
from lean_extract.common.files.reading import read_source
from lean_extract.records import Edit, Goal, ProofState, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.live import LiveLean
from lean_extract.syntax.inaccessible import DAGGER, without_marks
from prover.limits import (
    MAX_COUNTEREXAMPLES,
    MAX_GENERALIZED,
    MAX_VALUE_TUPLES,
    REFUTATION_AFTER_SECONDS,
    REFUTATION_SECONDS,
)
from prover.shapes import binder_arguments, shape, strip_brackets, tokens
from prover.states import has_unknowns
from prover.verify import GoalPosition

_Result = TypeVar("_Result")
# `@`: for a term without it, Lean would introduce the implicit variables of the goal first.
_SPLIT = "have split : ∀ P : Prop, ¬P → P → P := fun _ _ p => p; refine @split _ ?_ ?_"
# Without `<;> fail`, a `simp` that leaves `False` would count as a success within `first`.
_DECIDES = "first | infer_instance | decide | simp <;> fail | intro h; cases h <;> fail"

_NUMBERS = ("0", "1", "2", "3", "4", "5", "6", "7")
_SIGNED = ("0", "1", "(-1)", "2", "(-2)", "3")
_VALUES: Mapping[str, tuple[str, ...]] = {
    "ℕ": _NUMBERS,
    "Nat": _NUMBERS,
    **dict.fromkeys(("ℤ", "Int", "ℚ", "Rat", "ℝ", "Real"), _SIGNED),
    "Bool": ("true", "false"),
    "Prop": ("False", "True"),
}
_IN_TYPE = ("true", "false"), ("⟨true⟩", "⟨false⟩")
"""The values of a variable whose type is a variable in `Type`, or in `Type u`."""


@dataclass(frozen=True, slots=True)
class _Refutation:
    """How a goal is refuted: what generalizes it, the arguments of `∀` and `→` by name, and values for them.

    A value that is empty is left to `decide`.
    """

    generalize: str
    names: tuple[str, ...]
    choices: tuple[tuple[str, ...], ...]

    def all_at_once(self) -> str:
        """The tactic that refutes the goal with the first choice that does."""
        return "intro f; first | " + " | ".join(f"({_applied(one)})" for one in self.choices)

    def each(self) -> dict[str, str]:
        """The tactics that refute it with one choice, and the choice in words."""
        return {f"intro f; {_applied(one)}": self._words(one) for one in self.choices}

    def _words(self, choice: Sequence[str]) -> str:
        pairs = zip(self.names, choice, strict=True)
        given = [f"{name} = {value.strip('()')}" for name, value in pairs if value]
        why = f"{', '.join(given)} is a counterexample" if given else "Lean's `decide` refutes it"
        return f"The goal is false: {why}."


def _applied(choice: Sequence[str]) -> str:
    arguments = "".join(f" {value or '?_'}" for value in choice)
    return f"refine absurd (@f{arguments}) ?_ <;> {_DECIDES}"


async def refuted(lean: LiveLean, at: GoalPosition, state: ProofState, seconds: float) -> str | None:
    """A sentence on why the main goal is false, with a counterexample; None if Lean does not show that it is.

    What it rests on is checked as for a proof: nothing with `sorry` counts.

    Args:
        at: the position of the goal.
        state: the goals there.
        seconds: the time for all of it. None also if it runs out, or if Lean fails.
    """
    plan = _planned(state.goals[0]) if state.goals and not has_unknowns(state) else None
    if plan is None:
        return None
    try:
        async with asyncio.timeout(seconds):
            return await _shown(lean, at, plan, seconds)
    except (TimeoutError, LeanError, NoGoalHere):
        return None


async def unless_refuted(
    search: Coroutine[Any, Any, _Result],
    lean: LiveLean,
    at: GoalPosition,
    state: ProofState,
    is_enough: Callable[[_Result], bool],
) -> _Result | str:
    """The result of a search, or the sentence of `refuted`, which cancels the search.

    Lean is not asked to refute the goal until the search has run for a while, or has ended without success.

    Args:
        is_enough: whether a result is to be returned at once: a proof, or that the user has stopped the search.
    """
    searching = asyncio.create_task(search)
    refuting: asyncio.Task[str | None] | None = None

    def is_settled() -> bool:
        return searching.done() and is_enough(searching.result())

    try:
        await asyncio.wait([searching], timeout=REFUTATION_AFTER_SECONDS)
        if not is_settled():
            refuting = asyncio.create_task(refuted(lean, at, state, REFUTATION_SECONDS))
            await asyncio.wait([searching, refuting], return_when=asyncio.FIRST_COMPLETED)
            if not is_settled() and (why := await refuting) is not None:
                return why
        return await searching
    finally:
        left = [task for task in (searching, refuting) if task is not None and not task.done()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _shown(lean: LiveLean, at: GoalPosition, plan: _Refutation, seconds: float) -> str | None:
    text = at.text if at.text is not None else await asyncio.to_thread(read_source, at.path)
    outcome = await _accepted(lean, GoalPosition(at.path, text, at.position), [plan.generalize], seconds)
    if outcome is None or outcome.edit is None or outcome.edit.cursor is None:
        return None
    there = GoalPosition(at.path, edited(text, outcome.edit), outcome.edit.cursor)
    if await _accepted(lean, there, [plan.all_at_once()], seconds) is None:
        return None
    words = plan.each()
    found = await _accepted(lean, there, [*words], seconds)
    return words[found.tactic] if found is not None else None


async def _accepted(
    lean: LiveLean, at: GoalPosition, tactics: Sequence[str], seconds: float
) -> TacticOutcome | None:
    """The outcome of the first of these tactics that Lean accepts."""
    accepted: TacticOutcome | None = None
    left = list(tactics)
    """Those before the accepted one that Lean has not judged yet."""
    async with aclosing(
        lean.try_tactics(at.path, at.text, at.position, tactics, timeout=seconds)
    ) as outcomes:
        async for outcome in outcomes:
            if outcome.tactic not in left:
                continue
            if outcome.status in ("closes", "progress") and not outcome.rests_on_sorry:
                accepted, left = outcome, left[: left.index(outcome.tactic)]
            else:
                left.remove(outcome.tactic)
            if accepted is not None and not left:
                break
    return accepted


def edited(text: str, edit: Edit) -> str:
    """A text after an edit."""
    document = LeanDocument(text)
    start, end = document.offset(edit.span.start), document.offset(edit.span.end)
    return f"{document.text[:start]}{edit.text}{document.text[end:]}"


def _planned(goal: Goal) -> _Refutation | None:
    """How a goal is refuted; None where its context has definitions, or too much."""
    names = [name for one in goal.hypotheses for name in one.names]
    types = [(name, tokens(one.type)) for one in goal.hypotheses for name in one.names] + _bound(goal)
    if len(types) > MAX_GENERALIZED or any(one.value is not None for one in goal.hypotheses):
        return None
    known = dict(_VALUES)
    ranges: list[tuple[str, ...]] = []
    for name, kind in types:
        if kind[:1] == ("Type",):
            is_lifted = len(kind) > 1
            ranges.append(("(ULift Bool)" if is_lifted else "Bool",))
            known[name] = _IN_TYPE[is_lifted]
        else:
            ranges.append(_values(kind, known) or ("",))
    written = tuple(without_marks(name) for name, _ in types)
    return _Refutation(_generalizing(names), written, _choices(ranges))


def _bound(goal: Goal) -> list[tuple[str, tuple[str, ...]]]:
    """The variables that the target begins with (`∀ m n : ℕ, …`), and their types; none where one has no type."""
    target = shape(goal.target)
    bound = binder_arguments(target.left) if target.kind == "forall" else []
    return [(one.name, one.type) for one in bound] if all(one.type for one in bound) else []


def _generalizing(names: Sequence[str]) -> str:
    """The tactic that turns a context into `∀` and `→`, and leaves the goal's negation first."""
    unnamed = {name: f"unnamed{number}" for number, name in enumerate(names) if DAGGER in name}
    steps = [f"rename_i {' '.join(unnamed.values())}"] if unnamed else []
    if names:
        steps.append(f"revert {' '.join(unnamed.get(name, name) for name in names)}")
    return "; ".join([*steps, _SPLIT])


def _choices(ranges: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Tuples of values, those that come first in their ranges first."""
    most, varied = max(map(len, ranges), default=1), sum(len(one) > 1 for one in ranges)
    while most > 1 and most**varied > MAX_VALUE_TUPLES:
        most -= 1
    places = islice(product(*(range(min(len(one), most)) for one in ranges)), MAX_VALUE_TUPLES)
    ordered = sorted(places, key=lambda at: (max(at, default=0), sum(at)))[:MAX_COUNTEREXAMPLES]
    return tuple(tuple(one[index] for one, index in zip(ranges, at, strict=True)) for at in ordered)


def _values(kind: tuple[str, ...], known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Some values of a type; none if it is another type, or a proposition."""
    kind = strip_brackets(kind)
    if len(kind) < 2:
        return known.get(kind[0], ()) if kind else ()
    for sign in ("→", "×"):
        at = _outer(kind, sign)
        if at is not None:
            left, right = (_values(part, known) for part in (kind[:at], kind[at + 1 :]))
            if sign == "×":
                return tuple(f"({a}, {b})" for a in left[:2] for b in right[:2])
            same = ("(fun x => x)",) if left == right else ()
            return (*(f"(fun _ => {value})" for value in right[:2]), *same) if left else ()
    return _built(kind[0], _values(kind[1:], known), kind[1:])


def _built(head: str, inner: Sequence[str], arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Some values of a type that has arguments."""
    if head == "Fin":
        count = int(arguments[0]) if arguments[0].isdecimal() else 2
        return _NUMBERS[:count]
    if not inner:
        return ()
    if head == "List":
        return ("[]", *(f"[{value}]" for value in inner[:2]), f"[{inner[0]}, {inner[-1]}]")
    if head == "Option":
        return ("none", *(f"(some {value})" for value in inner[:2]))
    return ("∅", "Set.univ") if head == "Set" else ()


def _outer(kind: Sequence[str], sign: str) -> int | None:
    """Where a sign is outside of brackets; None if it is not, or where the type binds variables."""
    depth = 0
    for index, token in enumerate(kind):
        depth += (token in "([{⟨") - (token in ")]}⟩")
        if token == sign and depth == 0:
            return index
        if depth == 0 and token in ("∀", "∃", "fun", "λ", "="):
            return None
    return None
