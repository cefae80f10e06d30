"""Tactics worth trying on a goal. Pure: Lean tries them elsewhere (`prover.verify`).

A source proposes candidates, each with a score in [0, 1]: higher is better within the source. `prover.odds` turns the
scores of all sources into chances that can be compared. A generator is one more source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lean_extract.records import Goal, Premise
from lean_extract.syntax.complete_tactics import head
from lean_extract.syntax.tactic_text import proves_nothing
from prover import closers, templates

_MANY = 4
"""Of this many times the wanted number, some are chosen."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tactic to try, how promising it is to its source (0 to 1), and who proposed it."""

    tactic: str
    score: float
    source: str
    origin: str = ""
    """The theorem whose proof it is taken from, if any."""
    in_full: str = ""
    """The tactic with full names, if `tactic` has shorter ones; it is tried if Lean does not understand these."""


class CandidateSource(Protocol):
    """Anything that proposes tactics for a goal: templates, closers, a generator."""

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """At most `limit` candidates, best first. `premises` are ranked, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Templates:
    """The usual ways to use a premise by its shape: the likeliest few, and the best with each other first word."""

    name: str = "premise"
    per_premise: int = 5
    has_mathlib: bool = False
    """Whether Mathlib's tactics are proposed, too."""

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """The tactics of all premises. The score falls with the premise's rank, and from one template of a
        premise to the next. Theorems and definitions are ranked apart."""
        goal_view = templates.GoalView.of(goal)
        theorems = [premise for premise in premises if templates.is_theorem(premise)]
        definitions = [premise for premise in premises if not templates.is_theorem(premise)]
        views = [templates.PremiseView.of(premise, rank) for rank, premise in enumerate(theorems)]
        found = [
            *self._of_each([templates.uses(goal_view, view, self.has_mathlib) for view in views]),
            *self._of_each([templates.unfoldings(goal_view, premise) for premise in definitions]),
        ]
        found += [Candidate(use.tactic, use.fit, self.name) for use in templates.closed(goal_view, views)]
        return merge([found], limit)

    def _of_each(self, uses: Iterable[Iterable[templates.Use]]) -> Iterator[Candidate]:
        """The best uses of each premise, best premise first."""
        for rank, of_premise in enumerate(uses):
            trust = 1 / (1 + 0.06 * rank)
            found = [Candidate(use.tactic, use.fit * trust, self.name) for use in of_premise]
            best = varied(merge([found], len(found)), self.per_premise, len(found))
            usual = {head(one.tactic) for one in best[: self.per_premise]}
            further = {head(one.tactic) for one in best} - usual
            for position, one in enumerate(best[: self.per_premise + len(further)]):
                yield replace(one, score=one.score * 0.85**position)


@dataclass(frozen=True, slots=True)
class FinishingTactics:
    """Tactics that need no premise: closing tactics, introductions, and uses of the hypotheses.

    `extra` names further closing tactics that the project has (`ring`, `linarith`, ...).
    """

    extra: tuple[str, ...] = ()
    name: str = "closer"

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """What the goal's own shape and hypotheses suggest; `premises` is ignored."""
        proposals = [*closers.closing(goal, self.extra), *closers.structural(goal), *closers.local(goal)]
        return merge([[Candidate(tactic, score, self.name) for tactic, score in proposals]], limit)


def merge(lists: Iterable[Sequence[Candidate]], limit: int) -> list[Candidate]:
    """At most `limit` candidates, best first. Tactics that differ only in spacing are merged, and unfinished
    proofs are dropped."""
    best: dict[str, Candidate] = {}
    for candidate in (candidate for one in lists for candidate in one):
        key = key_of(candidate.tactic)
        if not key or is_unfinished(candidate.tactic):
            continue
        if key not in best or best[key].score < candidate.score:
            best[key] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.score)[: max(limit, 0)]


def varied(ranked: Sequence[Candidate], alike: int, most: int) -> list[Candidate]:
    """The best few, then, up to the second number, the best with other first words, then the rest."""
    chosen = list(ranked[:alike])
    heads = {head(one.tactic) for one in chosen}
    rest: list[Candidate] = []
    for one in ranked[alike:]:
        if len(chosen) < most and head(one.tactic) not in heads:
            heads.add(head(one.tactic))
            chosen.append(one)
        else:
            rest.append(one)
    return [*chosen, *rest]


def proposed(
    sources: Iterable[CandidateSource], goal: Goal, premises: Sequence[Premise], limit: int
) -> list[Candidate]:
    """At most `limit` candidates of several sources, best first.

    Of the last quarter, each has a first word that the better ones lack, as far as there are enough.
    """
    found = merge([source.candidates(goal, premises, _MANY * limit) for source in sources], _MANY * limit)
    return merge([varied(found, limit * 3 // 4, limit)[:limit]], limit)


def key_of(tactic: str) -> str:
    """A key that is equal for one-line tactics that differ only in spacing; in longer ones, spacing counts."""
    return tactic.strip() if "\n" in tactic.strip() else " ".join(tactic.split())


def is_unfinished(tactic: str) -> bool:
    """Whether a tactic proves nothing (`sorry`, `admit`, ...) or trusts compiled code (`native_decide`)."""
    return proves_nothing(tactic) is not None
