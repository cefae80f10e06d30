"""What an `Engine` is asked, and how what people send is read. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lean_extract.errors import BadQuery, BadState, NoGoalHere
from lean_extract.goals import parse_state
from lean_extract.records import Goal, ProofState
from prover.verify import GoalPlace

TURNSTILE = "⊢"
_LONGEST_QUERY = 500_000


@dataclass(frozen=True, slots=True)
class SuggestRequest:
    """What a suggestion is asked for.

    Either `place` (a document and a position) or `goal` (a printed state), or both: then the goal is
    taken as it is and the place tells what is in scope.
    """

    place: GoalPlace | None = None
    goal: str | None = None
    k: int | None = None
    tactics: bool = False
    keep_failures: bool = False


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched for: a goal, if it has a `⊢`, else words, a name or a part of one, or a statement.

    `place` tells what is in scope and what stands above it; `modules` are module prefixes (`Mathlib.Order`);
    `in_scope` leaves out what the file at the place does not import.
    """

    query: str
    k: int | None = None
    place: GoalPlace | None = None
    modules: tuple[str, ...] = ()
    in_scope: bool = False


def checked_query(query: str) -> str:
    """A search query without what nobody can type. Raises BadQuery where nothing is left, or too much."""
    cleaned = query.encode(errors="replace").decode().replace("\0", " ").strip()
    if not cleaned:
        raise BadQuery("There is nothing to search for.", "Type a name, some words, or a goal with ⊢.")
    if len(cleaned) > _LONGEST_QUERY:
        raise BadQuery(
            f"The query has {len(cleaned):,} characters; at most {_LONGEST_QUERY:,} are read.",
            "Search for the goal alone, or for less of its context.",
        )
    return cleaned


def parse_goal(text: str) -> ProofState:
    """A state as Lean prints it. Raises BadState."""
    return parse_state(text.encode(errors="replace").decode())


def parse_query(text: str) -> ProofState:
    """A state as Lean prints it, or as people type it: `h : p ⊢ q` on one line. Raises BadState."""
    try:
        return parse_state(text)
    except BadState:
        spread = re.sub(rf"(?<=\S)[ \t]*{TURNSTILE}", f"\n{TURNSTILE}", text)
        if spread == text:
            raise
        return parse_state(spread)


def main_goal(state: ProofState) -> Goal:
    """The first goal. Raises NoGoalHere when the proof is complete."""
    if not state.goals:
        raise NoGoalHere("The proof is complete here: no goals are left.", "Ask before its last tactic.")
    return state.goals[0]
