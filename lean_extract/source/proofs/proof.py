"""Reads a proof's text into mentions, tactic steps and stated goals. Mentions are resolved later."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lean_extract.limits import MAX_FACTS, MAX_STATED_BINDERS, STEPS_CHARACTERS, STEPS_PER_CHARACTER
from lean_extract.records import Goal, Hypothesis, Span
from lean_extract.source.budget import Budget
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.scopes import Scope
from lean_extract.source.proofs.inner_goals import stated_goals
from lean_extract.source.proofs.known_states import KnownStates, TermProof, known_states
from lean_extract.source.proofs.local_names import Mention
from lean_extract.source.proofs.mentions import scan_mentions
from lean_extract.source.proofs.printed_goals import PrintedGoal, states_with_printed
from lean_extract.source.proofs.sequents import KnownState, hypothesis_of
from lean_extract.source.proofs.tactics import split_steps
from lean_extract.syntax.lexer import Tokens
from lean_extract.syntax.tactic_words import FACTS
from lean_extract.syntax.types import Range


class SourceStep(NamedTuple):
    """A tactic as written. Its mentions are `SourceProof.mentions[first:last]`."""

    tactic: str
    span: Span
    first: int
    last: int
    before: Goal | None = None
    origin: str | None = None


class SourceGoal(NamedTuple):
    """A stated goal. The mentions of its own proof are `SourceProof.mentions[first:last]`."""

    keyword: str
    conclusion: str
    context: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SourceProof:
    """A proof whose mentions are not resolved yet.

    `order` is the number of premises that the file declares up to and including this theorem. Later ones cannot
    be mentioned.
    """

    theorem: str
    scope: Scope
    order: int
    mentions: tuple[Mention, ...]
    steps: tuple[SourceStep, ...]
    inner_goals: tuple[SourceGoal, ...]
    is_tactic: bool
    terms: tuple[SourceStep, ...] = ()
    is_cut: bool = False
    """Whether some of its steps, goals or states were left out because there were too many."""


def read_proof(
    tokens: Tokens,
    begin: int,
    end: int,
    *,
    theorem: str,
    scope: Scope,
    order: int,
    binders: Sequence[Binder],
    statement: Range,
    context: tuple[str, ...],
    states: bool = False,
    printed: Mapping[int, PrintedGoal] | None = None,
) -> SourceProof:
    """Read the proof in the tokens [begin, end).

    Args:
        tokens: the tokens of the file.
        begin: the first token of the proof.
        end: the token after the proof.
        theorem: the full name of the theorem.
        scope: the scope in which the proof's names are resolved.
        order: see `SourceProof`.
        binders: the binders in scope, including section variables.
        statement: the tokens of the statement that is proved.
        context: the theorem's binders as text, for the goals stated inside the proof.
        states: whether to infer the proof states that the text determines.
        printed: targets that Lean printed, by the token that their tactic begins at. They add to these states.
    """
    characters = tokens.starts[end - 1] - tokens.starts[begin]
    text = Budget(STEPS_CHARACTERS + STEPS_PER_CHARACTER * characters)
    binders_left = Budget(MAX_STATED_BINDERS)
    hypotheses = _Hypotheses()
    steps = split_steps(tokens, begin, end)
    found = scan_mentions(tokens, begin, end, binders, statement, steps)
    positions = [position for position, _ in found]
    conclusion = tokens.source(*statement)
    if printed:
        walk = states_with_printed(tokens, begin, end, context, conclusion, printed, steps.steps)
    else:
        walk = known_states(tokens, begin, end, context, conclusion) if states else KnownStates()
    read_steps = [
        _step(tokens, positions, first, last, walk.tactics.get(first), hypotheses)
        for first, last in steps.steps
        if text.take(tokens.starts[last - 1] - tokens.starts[first])
    ]
    goals = _goals(tokens, begin, end, context, positions, text, binders_left)
    return SourceProof(
        theorem,
        scope,
        order,
        tuple([mention for _, mention in found]),
        tuple([step for step in read_steps if step.tactic]),
        goals,
        bool(steps.positions),
        tuple([_term(tokens, positions, term, hypotheses) for term in walk.terms]),
        text.is_spent or binders_left.is_spent or walk.work.is_spent,
    )


class _Hypotheses(dict[str, Hypothesis]):
    """A cache of binders as hypotheses, since the states of a proof have most of them in common."""

    def __missing__(self, binder: str) -> Hypothesis:
        found = self[binder] = hypothesis_of(binder)
        return found

    def goal(self, known: KnownState) -> Goal:
        """A known state as a goal."""
        return Goal(tuple([self[binder] for binder in known.sequent.context]), known.sequent.target or "")


def _step(
    tokens: Tokens,
    positions: list[int],
    begin: int,
    end: int,
    known: KnownState | None,
    hypotheses: _Hypotheses,
) -> SourceStep:
    return SourceStep(
        tokens.source(begin, end),
        tokens.span(begin, end),
        bisect_left(positions, begin),
        bisect_left(positions, end),
        *((hypotheses.goal(known), known.origin) if known else (None, None)),
    )


def _term(tokens: Tokens, positions: list[int], term: TermProof, hypotheses: _Hypotheses) -> SourceStep:
    begin, end = term.begin, term.end
    first, last = bisect_left(positions, begin), bisect_left(positions, end)
    span = tokens.span(begin, end)
    goal = hypotheses.goal(term.known)
    return SourceStep(f"exact {term.term}", span, first, last, goal, term.known.origin)


def _goals(
    tokens: Tokens,
    begin: int,
    end: int,
    context: tuple[str, ...],
    positions: list[int],
    text: Budget,
    binders: Budget,
) -> tuple[SourceGoal, ...]:
    """The stated goals. Named facts in scope (whose block has not ended) are added to the context."""
    goals: list[SourceGoal] = []
    facts: list[tuple[int, int, str]] = []
    for goal in stated_goals(tokens, begin, end):
        column = tokens.column(goal.begin)
        facts = [fact for fact in facts if fact[1] > goal.begin]
        known = tuple([fact for start, _, fact in facts if start <= goal.begin])
        if not (text.take(len(goal.conclusion)) and binders.take(len(context) + len(known) + 1)):
            break
        goals.append(
            SourceGoal(
                goal.keyword,
                goal.conclusion,
                (*context, *known, *goal.binders),
                bisect_left(positions, goal.proof_begin),
                bisect_left(positions, goal.proof_end),
            )
        )
        is_fact = goal.keyword in FACTS and goal.name and not goal.binders
        if is_fact and len(facts) < MAX_FACTS:
            until = tokens.lines.next_within(goal.proof_end, end, column - 1)
            facts.append((goal.proof_end, until, f"({goal.name} : {goal.conclusion})"))
    return tuple(goals)
