"""Yields Lean's verdicts on candidate tactics as they arrive, and chooses the one to show among equivalent tactics.

Two steps are equivalent if they leave the same goals. Tactics that close a goal are equivalent only if they use
the same lemmas in the same way: two different lemmas that both close the goal are both worth knowing.
"""

from __future__ import annotations

import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.live import LiveLean, TacticSeconds
from lean_extract.session.suggested import is_query
from prover.automation import is_simplifying
from prover.candidates import Candidate, is_unfinished, key_of
from prover.closers import is_worth_cases
from prover.shapes import tokens
from prover.states import (
    adds_nothing,
    fingerprint,
    has_unknowns,
    inaccessible_names,
    leaves_only_unknowns,
    nameless_fingerprint,
    size,
)

_TERMS = frozenset({"exact", "apply", "refine", "refine'", "eapply", "exact_mod_cast", "apply_mod_cast"})
_REWRITES = frozenset({"rw", "rewrite", "rwa", "erw", "simp_rw"})
_SIMPLIFIES = frozenset({"simp", "simp_all", "dsimp", "simp?", "norm_num"})
_JOINS = frozenset({";", "<", ">", "<;>", "·", "|", "using", "at", "fun", "λ", "⟨", "by", "?"})


@dataclass(frozen=True, slots=True)
class _TacticVariant:
    """One of several equivalent tactics, and the best score of all of them."""

    outcome: TacticOutcome
    score: float


def distinct(
    outcomes: Iterable[TacticOutcome], scores: Mapping[str, float], preferred: Collection[str] = ()
) -> list[_TacticVariant]:
    """One of each group of equivalent tactics: without a linter's remark rather than with one, then one of the
    `preferred`, then the shortest.

    Of those that leave the same goals with other names of hypotheses, the one that names most, then the likeliest.
    """

    def key(outcome: TacticOutcome) -> tuple[bool, bool, int, str]:
        return bool(outcome.remark), outcome.tactic not in preferred, len(outcome.shown), outcome.shown

    groups: dict[Hashable, list[TacticOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(_result(outcome), []).append(outcome)
    renamed: dict[Hashable, list[_TacticVariant]] = {}
    for group in groups.values():
        variant = _TacticVariant(min(group, key=key), max(scores.get(one.tactic, 0.0) for one in group))
        renamed.setdefault(_nameless(variant.outcome), []).append(variant)
    return [min(variants, key=_namelessness) for variants in renamed.values()]


def _nameless(outcome: TacticOutcome) -> Hashable:
    if outcome.state is None or not outcome.state.goals:
        return _result(outcome)
    return outcome.status, nameless_fingerprint(outcome.state)


def _namelessness(variant: _TacticVariant) -> tuple[int, float, bool, int, str]:
    state, shown = variant.outcome.state, variant.outcome.shown
    nameless = inaccessible_names(state) if state is not None else 0
    return nameless, -variant.score, bool(variant.outcome.remark), len(shown), shown


def _result(outcome: TacticOutcome) -> Hashable:
    if outcome.state is None:
        return outcome.status, key_of(outcome.shown)
    if outcome.state.goals:
        return outcome.status, fingerprint(outcome.state)
    return outcome.status, outcome.rests_on_sorry, use_of(outcome.shown)


def use_of(tactic: str) -> Hashable:
    """Equal for tactics that use the same lemmas in the same way, judged by their text."""
    text = key_of(tactic)
    parts = tokens(text)
    # Neither the proof of an argument nor the way it is passed makes a difference.
    plain = tokens(text.replace("(by assumption)", "_").replace("‹_›", "_"))
    if len(plain) == 3 and tuple(plain[:2]) == ("simpa", "using"):
        return "simp", frozenset(plain[2:])
    if not plain or "\n" in text or _JOINS & set(plain):
        return text
    word, rest = plain[0], plain[1:]
    if word in _TERMS:
        heads = _heads(rest)
        return ("term", *heads) if heads else text
    if word in _REWRITES | _SIMPLIFIES:
        names = frozenset(part for part in rest if part not in ("[", "]", ",", "only", "-"))
        return "rw" if word in _REWRITES else "simp", names
    return parts


def _heads(parts: Sequence[str]) -> tuple[str, ...]:
    """The applied functions: the first name of a term and of every bracket in it that holds more than a name."""
    bare = [part for part in parts if part != "@"]
    heads = bare[:1] if bare[:1] != ["("] else []
    for before, name, after in zip(bare, bare[1:], bare[2:], strict=False):
        if before == "(" and name not in ("(", "_") and after != ")":
            heads.append(name)
    return tuple(heads)


_SPLITS = re.compile(r"(?:induction|cases)'?\s+(?P<name>[^\s,:]+)\s*(?:with\b|using\b|generalizing\b|\Z)")
_ONLY_UNKNOWNS = "It leaves only unknowns."
_NOT_SIMPLER = "What it leaves is not simpler."
_ASKS = "It only asks Lean what to write."
_RANK = {"closes": 0, "progress": 1, "unjudged": 2, "timeout": 3, "fails": 4}


@dataclass(frozen=True, slots=True)
class GoalPosition:
    """The position of a goal: the document, its text (None: as on disk), and the line and column."""

    path: Path
    text: str | None
    position: Position


async def verify(
    lean: LiveLean,
    at: GoalPosition,
    before: ProofState,
    candidates: Sequence[Candidate] | AsyncIterable[Candidate],
    *,
    timeout: TacticSeconds,
    within: float | None = None,
    keep_failures: bool = False,
    hear: Callable[[TacticOutcome], None] | None = None,
) -> AsyncGenerator[TacticOutcome, None]:
    """Try the candidates at a position and yield Lean's verdicts as they arrive.

    A tactic counts as failed if it leaves the goal unchanged with nothing new in its context, if it leaves only
    unknowns (`states.leaves_only_unknowns`), if it splits a number or a list without need, or if it simplifies with
    many rules and what it leaves is not simpler.
    Unfinished tactics (`sorry`, `admit`) are never tried. Failures and timeouts are dropped unless `keep_failures`.

    Args:
        timeout: seconds for each tactic, or a function of it that says them.
        within: seconds for all together.
        hear: called with each of Lean's verdicts.

    Raises what Lean raises (NoGoalHere, LeanDied, ...), and what the source of candidates raises.
    """
    given = candidates if isinstance(candidates, AsyncIterable) else _each(candidates)
    async with aclosing(_finished(given)) as tactics:
        outcomes = lean.try_tactics(at.path, at.text, at.position, tactics, timeout=timeout, within=within)
        async with aclosing(outcomes):  # Lean stops when the caller stops listening.
            async for outcome in outcomes:
                if hear is not None:
                    hear(outcome)
                judged = _judge(outcome, before)
                if keep_failures or judged.status in ("closes", "progress", "unjudged"):
                    yield judged


async def _each(candidates: Sequence[Candidate]) -> AsyncIterator[Candidate]:
    for candidate in candidates:
        yield candidate


async def _finished(candidates: AsyncIterable[Candidate]) -> AsyncGenerator[str, None]:
    async for candidate in candidates:
        if not is_unfinished(candidate.tactic):
            yield candidate.tactic


def _judge(outcome: TacticOutcome, before: ProofState) -> TacticOutcome:
    if outcome.state is None:
        return outcome
    reason = _ASKS if is_query(outcome.shown) else ""
    split = _SPLITS.match(outcome.shown.strip())
    if adds_nothing(before.goals[0], outcome.state):
        reason = "It changes nothing and adds nothing new."
    elif leaves_only_unknowns(before.goals[0], outcome.state):
        reason = _ONLY_UNKNOWNS
    elif outcome.state.goals and is_simplifying(outcome.tactic):
        reason = "" if size(outcome.state.goals) < size(before.goals[:1]) else _NOT_SIMPLER
    elif outcome.state.goals and split and not is_worth_cases(before.goals[0], split["name"]):
        reason = f"Nothing in the goal calls for splitting `{split['name']}`."
    if not reason:
        return outcome
    return TacticOutcome(outcome.tactic, "fails", message=reason, milliseconds=outcome.milliseconds)


def order(
    outcomes: Iterable[TacticOutcome],
    scores: Mapping[str, float] | None = None,
    preferred: Collection[str] = (),
) -> list[TacticOutcome]:
    """The outcomes in the order to show, each result once. Of equivalent tactics, one of the `preferred` is shown.

    Tactics that close the goal come first, those that rest on `sorry` after the others, then those that leave
    goals, then those that cannot be judged. Ties are broken in this order: no linter's remark; no unknown in the
    goals left; not a case distinction; fewer goals left; better score; shorter text.
    """

    def key(one: _TacticVariant) -> tuple[int, bool, bool, bool, bool, int, float, int, str]:
        outcome = one.outcome
        remaining = len(outcome.state.goals) if outcome.state else 0
        shown = outcome.shown
        is_split = remaining > 0 and _SPLITS.match(shown.strip()) is not None
        status = _RANK[outcome.status]
        sorry = outcome.rests_on_sorry
        is_open = outcome.state is not None and has_unknowns(outcome.state)
        return (
            status,
            sorry,
            bool(outcome.remark),
            is_open,
            is_split,
            remaining,
            -one.score,
            len(shown),
            shown,
        )

    return [one.outcome for one in sorted(distinct(outcomes, scores or {}, preferred), key=key)]
