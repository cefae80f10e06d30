"""`rw` with what is offered, found out with Lean: which rule applies in which direction, and which chains go on.

All rules are tried on the goal and on hypotheses in surveys (`surveys.py`). From the goals that look best, which are
those that got smaller, the same is asked again with the premises ranked for them. A chain is written as one
`rw [a, b, c]`, as Lean accepted it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.goals import format_goal
from lean_extract.records import Goal, Premise, ProofState, TacticOutcome
from lean_extract.syntax.inaccessible import DAGGER
from prover.candidates import Candidate
from prover.facts import telescope
from prover.limits import (
    MAX_CHAIN,
    MAX_CHAIN_BEGINNINGS,
    MAX_CHAINS_TRIED,
    MAX_RULES,
    MAX_RULES_OF_A_CHAIN,
    MAX_RULES_OF_HYPOTHESES,
    MAX_SURVEYED_CHARACTERS,
    MAX_SURVEYED_GOAL_CHARACTERS,
    MAX_SURVEYED_HYPOTHESES,
)
from prover.mentions import means
from prover.shapes import is_of_order, last_named, shape, tokens
from prover.states import fingerprint, has_unknowns
from prover.templates import GoalView, PremiseView, is_theorem, occurs_in

SOURCE = "premise"
"""What they are to the odds: uses of premises whose side surely occurs."""
_FORWARD, _BACKWARD = 0.78, 0.45
_DEFINED = 0.5
"""The fit of a hypothesis that may be an equation by a definition."""
_AT_HYPOTHESIS = 0.6
"""How much less likely a hypothesis is rewritten than the goal."""
_RANK_COSTS = 0.06
_LEAST = 0.6
"""How surely a side occurs in a hypothesis that is rewritten, as the text shows it."""
_CHAINED_LEAST = 0.2
"""The same of the goal that a further rule rewrites; a first rule is tried there whatever the text shows."""
_CLOSES = 0.98
_MOST_CLOSING = 2
"""Chains of one length that close the goal; further ones are mostly the same in another order."""
_CHAINED = 0.1
"""The chance of a chain that simplifies the goal, times what is left of it."""
_SIMPLIFIED = 2
"""Hypotheses that are simplified where the goal is `False`."""
_SIDE_GOAL = 12
"""A further goal counts as this many tokens."""

Offered = Callable[[Goal], Awaitable[Sequence[Premise]]]
"""The premises for a goal, best first."""
Spelled = Callable[[Sequence[Candidate]], Awaitable[Sequence[Candidate]]]
Survey = Callable[[Sequence[str]], Awaitable[Sequence[TacticOutcome]]]


@dataclass(frozen=True, slots=True)
class Rule:
    """An equation, an equivalence or a definition. `sides`: left and right; None where its statement is not known."""

    name: str
    fit: float
    sides: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    variables: frozenset[str] = frozenset()
    has_back: bool = True

    def directions(self) -> Iterator[tuple[str, float, tuple[str, ...] | None]]:
        """The rule as it is written, how likely it is meant, and what it rewrites: forward, then backward."""
        left, right = self.sides or (None, None)
        yield self.name, _FORWARD * self.fit, left
        if self.has_back:
            yield f"← {self.name}", _BACKWARD * self.fit, right


@dataclass(frozen=True, slots=True)
class Chain:
    """Rules to rewrite with, one after the other, in the goal or in a hypothesis.

    `tactic`: as it is written at the position. `left`: the goals that are left, of which the first is rewritten
    further. `size`: how large they are.
    """

    rules: tuple[str, ...]
    place: str
    fit: float
    tactic: str = ""
    left: tuple[Goal, ...] = ()
    size: int = 0

    @property
    def text(self) -> str:
        """The tactic."""
        return f"rw [{', '.join(self.rules)}]" + (f" at {self.place}" if self.place else "")


class RuleSearch:
    """The rules and chains of one goal. Each is found out once."""

    def __init__(self, goal: Goal, offered: Offered, spelled: Spelled, survey: Survey) -> None:
        self._goal = goal
        self._offered = offered
        self._spelled = spelled
        self._survey = survey
        self._seen: set[Hashable] = set()
        self._begun: list[Chain] = []
        self._sizes = {place: _size((goal,), place) for place in ("", *_names(goal))}

    async def singles(self) -> list[Candidate]:
        """The uses of one rule that Lean accepts, best first."""
        first = await self._longer(Chain((), "", 1.0), self._goal)
        closing, others, self._begun = self._sorted_out(await self._tried(first))
        return [*closing, *others]

    async def chains(self, singles: asyncio.Future[Sequence[Candidate]]) -> list[Candidate]:
        """Chains of two and more rules that close the goal or make it smaller, best first; after `singles`."""
        await asyncio.wait([singles])  # which goes on if this is cancelled
        found: list[Candidate] = []
        begun = self._begun
        while begun and len(begun[0].rules) < MAX_CHAIN:
            best = sorted(begun, key=self._promise, reverse=True)[:MAX_CHAIN_BEGINNINGS]
            longer: list[Chain] = []
            for chain in best:
                longer += (await self._longer(chain, chain.left[0]))[:MAX_RULES_OF_A_CHAIN]
            closing, _, begun = self._sorted_out(await self._tried(longer))
            sizes = {(chain.rules, chain.place): chain.size for chain in best}
            shorter = [
                one
                for one in begun
                if one.size < min(sizes[one.rules[:-1], one.place], self._sizes[one.place])
            ]
            found += closing[:_MOST_CLOSING]
            found += [
                Candidate(one.tactic, _CHAINED * self._promise(one), "rules")
                for one in sorted(shorter, key=self._promise, reverse=True)
            ]
        return sorted(found, key=lambda one: -one.score)[:MAX_CHAINS_TRIED]

    async def _longer(self, chain: Chain, goal: Goal) -> list[Chain]:
        premises = await self._offered(goal)
        return await asyncio.to_thread(lambda: _extended(chain, goal, rules_for(goal, premises)))

    def _promise(self, chain: Chain) -> float:
        """How likely it is meant, by its rules and by how small what is left is."""
        return chain.fit * min(1.0, self._sizes[chain.place] / max(chain.size, 1))

    async def _tried(self, chains: Sequence[Chain]) -> list[tuple[Chain, TacticOutcome]]:
        spelled = await self._spelled([Candidate(chain.text, chain.fit, SOURCE) for chain in chains])
        by_text = {
            candidate.tactic: replace(chain, tactic=candidate.tactic)
            for chain, candidate in zip(chains, spelled, strict=True)
            if len(candidate.tactic) <= MAX_SURVEYED_CHARACTERS
        }
        return [(by_text[one.tactic], one) for one in await self._survey(list(by_text))]

    def _sorted_out(
        self, tried: Sequence[tuple[Chain, TacticOutcome]]
    ) -> tuple[list[Candidate], list[Candidate], list[Chain]]:
        """What closes the goal, what else Lean accepts, best first, and what can go on: each state that is new.

        A longer chain that closes the goal is shown after what does it with fewer rules.
        """
        closing, others, begun = [], [], []
        for chain, outcome in sorted(tried, key=lambda one: -one[0].fit):
            if outcome.status == "closes":
                closing.append(Candidate(chain.tactic, _CLOSES / len(chain.rules) ** 2, SOURCE))
            if outcome.status != "progress" or outcome.state is None:
                continue
            others.append(Candidate(chain.tactic, chain.fit, SOURCE))
            mark = fingerprint(outcome.state)
            if mark not in self._seen and not has_unknowns(outcome.state):
                self._seen.add(mark)
                left = outcome.state.goals
                begun.append(replace(chain, left=left, size=_size(left, chain.place)))
        return closing, others, begun


def can_be_surveyed(goal: Goal) -> bool:
    """Whether a goal can be copied, which one with unknowns cannot, and is not so large that to print every copy would
    take long."""
    is_small = (
        len(_names(goal)) <= MAX_SURVEYED_HYPOTHESES
        and len(format_goal(goal)) <= MAX_SURVEYED_GOAL_CHARACTERS
    )
    return is_small and not has_unknowns(ProofState((goal,)))


def rules_for(goal: Goal, premises: Sequence[Premise]) -> list[Rule]:
    """What can rewrite: hypotheses, then offered equations, equivalences, definitions of what the goal mentions, and
    theorems of which only the name is known; at most `MAX_RULES`."""
    symbols = GoalView.of_target(tokens(goal.target), frozenset()).symbols
    found = [*_hypotheses(goal)]
    ranks: Counter[bool] = Counter()
    for premise in premises:
        fit = 1 / (1 + _RANK_COSTS * ranks[is_theorem(premise)])
        ranks[is_theorem(premise)] += 1
        if not is_theorem(premise):
            if any(means(premise, symbol) for symbol in symbols):
                found.append(Rule(premise.written, fit, has_back=False))
        elif not premise.conclusion:
            found.append(Rule(premise.written, fit))
        else:
            view = PremiseView.of(premise)
            if view.shape.kind in ("eq", "iff"):
                sides = view.shape.left, view.shape.right
                found.append(Rule(premise.written, fit, sides, view.variables))
    return found[:MAX_RULES]


def simplifications(goal: Goal, premises: Sequence[Premise]) -> tuple[list[str], list[str]]:
    """The names of what may be meant to simplify a goal, best first, and of the hypotheses to simplify in its place.

    A rule whose left side is a variable, or whose right side has others than the left, would rewrite without end; of
    two that undo each other, the first is taken. Laws such as commutativity, which only move things, are meant where
    the goal is one, and hypotheses where it is `False`.
    """
    local = {name for one in goal.hypotheses for name in one.names}
    found: dict[Hashable, str] = {}
    target = shape(goal.target)
    moves = target.kind == "eq" and is_of_order(target)
    for rule in rules_for(goal, premises):
        left, right = rule.sides or ((rule.name,), ())
        is_idle = len(left) == 1 and left[0] in rule.variables
        is_idle |= not moves and sorted(left) == sorted(right)
        if rule.name not in local and not is_idle and rule.variables & {*right} <= {*left}:
            found.setdefault(frozenset((left, right)), rule.name)
    facts = [one for one in last_named(goal) if goal.target.strip() == "False" and len(tokens(one.type)) > 1]
    names = [name for one in facts for name in one.names if DAGGER not in name]
    return list(found.values()), names[-_SIMPLIFIED:]


def _hypotheses(goal: Goal) -> Iterator[Rule]:
    """The hypotheses that are equations or equivalences, and those that may be by a definition."""
    for hypothesis in last_named(goal):
        arguments, core = telescope((), hypothesis.type)
        outer = shape(core)
        is_equation = outer.kind in ("eq", "iff")
        if is_equation or (outer.kind == "other" and len(core) > 1):
            sides = (outer.left, outer.right) if is_equation else None
            variables = frozenset(argument.name for argument in arguments)
            for name in hypothesis.names:
                if DAGGER not in name:
                    yield Rule(name, 1.0 if is_equation else _DEFINED, sides, variables, has_back=is_equation)


def _extended(chain: Chain, goal: Goal, rules: Sequence[Rule]) -> list[Chain]:
    """The chain with one more rule, likeliest first: at its place; a first rule also at hypotheses that match."""
    local = frozenset(name for one in goal.hypotheses for name in one.names)
    types = {
        name: GoalView.of_target(tokens(one.type), local) for one in last_named(goal) for name in one.names
    }
    target = GoalView.of_target(tokens(goal.target), local)
    found = _at(chain, types.get(chain.place, target), rules, _CHAINED_LEAST if chain.rules else 0.0)
    if not chain.rules:
        at_hypotheses = [
            longer
            for name, view in types.items()
            if DAGGER not in name
            for longer in _at(Chain((), name, _AT_HYPOTHESIS), view, rules, _LEAST)
            if longer.rules[0].removeprefix("← ") != name
        ]
        found += sorted(at_hypotheses, key=lambda one: -one.fit)[:MAX_RULES_OF_HYPOTHESES]
    return sorted(found, key=lambda one: -one.fit)


def _at(chain: Chain, view: GoalView, rules: Sequence[Rule], least: float) -> list[Chain]:
    """The chain with each rule whose side occurs there, as far as the text shows, at least this surely."""
    found = []
    last = chain.rules[-1] if chain.rules else ""
    undoes = last.removeprefix("← ") if last.startswith("← ") else f"← {last}"
    for rule in rules:
        for text, fit, side in rule.directions():
            sure = 1.0 if side is None else occurs_in(view, side, rule.variables)
            if sure >= least and text != undoes:
                found.append(replace(chain, rules=(*chain.rules, text), fit=chain.fit * fit))
    return found


def _names(goal: Goal) -> list[str]:
    return [name for one in goal.hypotheses for name in one.names]


def _size(goals: Sequence[Goal], place: str) -> int:
    """How large the first goal is at a place, and how many others there are."""
    first = goals[0]
    text = next((one.type for one in first.hypotheses if place in one.names), first.target)
    return len(tokens(text)) + _SIDE_GOAL * (len(goals) - 1)
