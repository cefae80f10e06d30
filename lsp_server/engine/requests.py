"""The requests to an `Engine`, and the parsing of the text in them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lean_extract.common.errors import BadQuery, BadState, NoGoalHere, UserError
from lean_extract.limits import MAX_STATE_CHARACTERS
from lean_extract.pasted import doubts, read_pasted
from lean_extract.records import Goal, ProofState
from lean_extract.syntax.canonical import well_formed
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import QueryKind
from lsp_server.engine.schema_proofs import ProofProgress
from prover.verify import GoalPosition
from retriever.lean.callers import Caller
from retriever.lean.words.filters import NO_FILTERS, SearchFilters

OnUpdate = Callable[[Suggestion], None]
"""Called with a partial suggestion."""


@dataclass(frozen=True, slots=True)
class SuggestRequest:
    """A request for a suggestion.

    Either `position` (a document and a position in it) or `goal` (a printed state), or both: then the goal is
    taken as it is, and the position only decides what is in scope.
    """

    position: GoalPosition | None = None
    goal: str | None = None
    k: int | None = None
    tactics: bool = False
    keep_failures: bool = False
    goal_number: int = 1
    """Which of several goals is meant, from 1."""
    caller: Caller = ""
    """The group of the tactic that the premises are for."""
    explain: bool = False
    """Whether each premise's score is explained."""
    select: str = ""
    """A part of the target, as Lean prints it; the answer lists what rewrites it."""
    parts: bool = False
    """Whether the answer lists the target's parts."""


OnProofProgress = Callable[[ProofProgress], None]
"""Called while a search for a proof runs, a few times a second at most."""


@dataclass(frozen=True, slots=True)
class ProveRequest:
    """A request for the proof of the `sorry`, hole, or goal at a position.

    `seconds`: the time for the search, from the first goal on. `imports`: whether premises that are not in scope may
    be tried with their import, after those that are, for half of the time again at most. `check`: whether a new Lean
    process checks what was found.
    """

    position: GoalPosition
    seconds: float = 10.0
    imports: bool = True
    check: bool = True


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched for: words, a name, a goal or a pattern, as it looks or as `reading` says.

    Filters may be written beside it (`retriever.lean.words.filters`). `position` decides what is in scope and declared
    above; `modules` are module prefixes (`Mathlib.Order`); `in_scope` leaves out what the file does not import;
    `explain` explains the scores of premises for a goal or for words.
    """

    query: str
    k: int | None = None
    reading: QueryKind | None = None
    position: GoalPosition | None = None
    modules: tuple[str, ...] = ()
    in_scope: bool = False
    explain: bool = False
    filters: SearchFilters = NO_FILTERS
    """Those that were read in the query."""


def checked_query(query: str) -> str:
    """A search query without control characters. Raises BadQuery: it is empty or too long."""
    cleaned = well_formed(query).replace("\0", " ").strip()
    if not cleaned:
        raise BadQuery("There is nothing to search for.", "Type a name, some words, or a goal with ⊢.")
    refuse_long(cleaned)
    return cleaned


def refuse_long(query: str) -> None:
    """Raise BadQuery if a query is too long."""
    if len(query) > MAX_STATE_CHARACTERS:
        raise BadQuery(
            f"The query has {len(query):,} characters; at most {MAX_STATE_CHARACTERS:,} are read.",
            "Search for the goal only, or with less of its context.",
        )


def parse_goal(text: str) -> ProofState:
    """Parse a state as Lean prints it, or as people type and paste it. Raises BadState: unreadable or too large."""
    if len(text) > MAX_STATE_CHARACTERS:
        raise BadState(
            f"The state has {len(text):,} characters; at most {MAX_STATE_CHARACTERS:,} are read.",
            "Send the goal with less of its context.",
        )
    return read_pasted(well_formed(text))


def goal_doubts(text: str) -> list[str]:
    """Sentences on doubts about how a given goal was read. Raises BadState as `parse_goal` does."""
    return doubts(well_formed(text))


def main_goal(state: ProofState) -> Goal:
    """The first goal. Raises NoGoalHere: the proof is complete."""
    if not state.goals:
        raise NoGoalHere("The proof is complete here: no goals are left.", "Ask before its last tactic.")
    return state.goals[0]


def chosen_goal(state: ProofState, number: int) -> Goal:
    """The goal of this number, from 1. Raises NoGoalHere: none are left; UserError: there are not so many."""
    main = main_goal(state)
    count = len(state.goals)
    if not 1 <= number <= count:
        has, hint = f"{count} goals", f"Choose one from 1 to {count}."
        if count == 1:
            has, hint = "one goal", "Leave the number out."
        raise UserError(f"There is no goal {number}: the state has {has}.", hint)
    return main if number == 1 else state.goals[number - 1]
