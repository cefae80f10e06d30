"""The order in which a search tries tactics on the states that it has reached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from lean_extract.records import Goal, ProofState, TacticOutcome
from prover.search.environment import Proposed
from prover.search.naming import RENAME, named
from prover.search.tree import NEXT_GOAL, Attempt, AttemptStatus, SearchTree, TreeNode
from prover.shapes import shape
from prover.states import has_unknowns, inaccessible_names, nameless_fingerprint

_MOST_SHOWN = 200
_BATCH, _LEAST = 8, 4
"""How many tactics are tried on a state before another one gets its turn, at most and at least."""
_ACCEPTED = 0.65
"""By what a step's log-probability is multiplied once Lean accepts it: most proposals are refused."""
_EACH_GOAL = 0.3
"""What each further goal of a step costs: all of them have to be proved."""
_UNKNOWNS = 1.0
"""What it costs that terms are still to be chosen."""
_HOPE = -1.2
"""The log-probability that is expected of the best tactic while none has been proposed."""
_IN_PARTS = -2.0
"""How much other tactics move back where `constructor` splits a conjunction, which loses nothing."""
_NEXT_GOAL = -3.5
"""The log-probability of the step to the next goal: the likelier tactics for the first one are tried before it."""
_LATER = -2.0
"""How much a tactic that took too long moves back."""


@dataclass(slots=True)
class _Left:
    """What is left to try on a state, likeliest first. `is_proposed`: whether the proposer has named its tactics."""

    tactics: list[Proposed]
    is_proposed: bool = False


class Frontier:
    """The states of a search with what is left to try on each; the likeliest pair of both is next.

    A state gets a few tactics at a time. First come `quick` ones, for which no proposer is needed. What a tactic is
    worth is its log-probability and the score of its goal.

    Each state is entered once: two states are the same if they differ only in names (`states.nameless_fingerprint`).
    If a state that has not been tried is reached again with a better score, or with fewer nameless hypotheses, it
    moves to the new parent. A state is dropped when all goals that it has after the first few are a state of their
    own: whatever proves that one proves the theorem without the others; so is one whose first goals are.

    All goals of a state have to be proved, so the second is tried before much is spent on the first (`NEXT_GOAL`).
    """

    def __init__(self, first: ProofState, quick: Callable[[Goal], Sequence[Proposed]]) -> None:
        self.tree = SearchTree()
        self.expanded = 0
        self._quick = quick
        self._known: dict[tuple[Hashable, ...], int] = {}
        self._keys: list[tuple[Hashable, ...]] = []
        self._left: dict[int, _Left] = {}
        self._given: set[tuple[int, str]] = set()
        """What has been tried, or is being tried, on a state: its index and the tactic."""
        self._slow: set[tuple[int, str]] = set()
        if first.goals:
            self._add(TreeNode(first, (0.0,) * len(first.goals)), _keys(first))
        else:
            self.tree.nodes.append(TreeNode(first, status="proved"))

    def best(self, *, is_ready: bool = False) -> int | None:
        """The state to try something on next; None if nothing is left.

        `is_ready`: among those with a tactic to try that is known.
        """
        waiting = {one: self._value(one) for one, left in self._left.items() if left.tactics or not is_ready}
        while waiting:
            index = max(waiting, key=lambda one: (waiting[one], -one))
            if not self._is_needless(index):
                return index
            del waiting[index], self._left[index]
        return None

    def lacks_tactics(self, index: int) -> bool:
        """Whether the proposer has to name tactics for a state now."""
        left = self._left[index]
        return not left.tactics and not left.is_proposed

    def expand(self, index: int) -> None:
        """Note that a state is the next in the order of expansion, if it is new; before it, the one without names."""
        node = self.tree.nodes[index]
        if node.expanded is None:
            if node.parent is not None:
                self.expand(node.parent)
            node.status, node.expanded = "expanded", self.expanded
            self.expanded += 1

    def propose(self, index: int, tactics: Iterable[Proposed]) -> None:
        """Add what the proposer names for a state, likeliest first."""
        left = [one for one in tactics if (index, one.tactic) not in self._given]
        if self._may_turn(index):
            left = sorted([*left, Proposed(NEXT_GOAL, _NEXT_GOAL)], key=lambda one: -one.log_probability)
        self._left[index] = _Left(left, is_proposed=True)

    def batch(self, index: int) -> tuple[list[Proposed], bool]:
        """The tactics to try now on a state, and whether they need much time."""
        node, left = self.tree.nodes[index], self._left[index]
        following = (self._value(one) for one, rest in self._left.items() if one != index and rest.tactics)
        other = max(following, default=float("-inf"))
        found: list[Proposed] = []
        while left.tactics and len(found) < _BATCH:
            one = left.tactics[0]
            is_slow = (index, one.tactic) in self._slow
            if found and is_slow != ((index, found[0].tactic) in self._slow):
                break
            if found and one.tactic == NEXT_GOAL:  # when the outcomes of the likelier ones are known
                break
            if len(found) >= _LEAST and node.score + one.log_probability < other:
                break
            found.append(left.tactics.pop(0))
        self._given |= {(index, one.tactic) for one in found}
        return found, bool(found) and (index, found[0].tactic) in self._slow

    def put_back(self, index: int, slow: Proposed) -> None:
        """Try a tactic that took too long again later, with more time."""
        self._slow.add((index, slow.tactic))
        left = self._left.setdefault(index, _Left([], is_proposed=True))
        left.tactics.append(Proposed(slow.tactic, slow.log_probability + _LATER))
        left.tactics.sort(key=lambda one: -one.log_probability)

    def next_without_tactics(self, arrived: Iterable[tuple[int, TacticOutcome, float]]) -> ProofState | None:
        """The likeliest state for which the proposer has named nothing yet, if any.

        Args:
            arrived: what has not been entered yet: index of the state, outcome, log-probability.
        """
        found: list[tuple[float, int, ProofState]] = [
            (self.tree.nodes[index].score, -index, self.tree.nodes[index].state)
            for index, left in self._left.items()
            if not left.is_proposed
        ]
        for index, outcome, log_probability in arrived:
            entry = self._reached(index, outcome, log_probability)
            if entry is not None and entry[1] not in self._known:
                found.append((entry[0].score, -len(self.tree.nodes), self._with_names(entry[0])[1]))
        return max(found, key=lambda one: one[:2])[2] if found else None

    def enter(self, index: int, outcome: TacticOutcome, log_probability: float) -> None:
        """Enter the outcome of a tactic that did not close all goals."""
        parent = self.tree.nodes[index]
        entry = self._reached(index, outcome, log_probability)
        if entry is None:
            status: AttemptStatus = "timeout" if outcome.status == "timeout" else "fails"
            parent.attempts.append(Attempt(outcome.tactic, status, _first_line(outcome.message)))
            return
        node, keys = entry
        if outcome.tactic == "constructor" and shape(parent.state.goals[0].target).kind == "and":
            self._move_back(index)
        known = self._known.get(keys)
        if known is not None and not self._is_better(node, known):
            parent.attempts.append(Attempt(outcome.tactic, "known"))
            return
        node = self._named(node, keys)
        if known is None:
            self._add(node, keys)
        else:
            self._replace(known, node)

    def prove(
        self, index: int, outcome: TacticOutcome, log_probability: float, others: Sequence[TacticOutcome]
    ) -> None:
        """Enter the end of a proof; the tactics of `others` close all goals, too."""
        parent = self.tree.nodes[index]
        parent.attempts += [Attempt(other.tactic, "closes") for other in others]
        scores = (parent.score + _ACCEPTED * log_probability,)
        self.tree.nodes.append(TreeNode(ProofState(()), scores, index, outcome.tactic, status="proved"))
        self._keys.append(())

    def _move_back(self, index: int) -> None:
        left = self._left[index]
        left.tactics = [replace(one, log_probability=one.log_probability + _IN_PARTS) for one in left.tactics]

    def _reached(
        self, index: int, outcome: TacticOutcome, log_probability: float
    ) -> tuple[TreeNode, tuple[Hashable, ...]] | None:
        """The state that a tactic leads to, with the keys of its goals; None if it fails."""
        if outcome.status != "progress" or outcome.state is None or not outcome.state.goals:
            return None
        parent, keys = self.tree.nodes[index], _keys(outcome.state)
        if outcome.tactic == NEXT_GOAL:
            scores = (*parent.scores[1:], parent.scores[0])
            return TreeNode(outcome.state, scores, index, outcome.tactic), keys
        rest = len(parent.state.goals) - 1
        fresh = len(keys) - rest
        if (
            fresh < 0 or keys[fresh:] != self._keys[index][1:]
        ):  # it has determined unknowns of the other goals
            rest, fresh = 0, len(keys)
        score = parent.score + _ACCEPTED * log_probability - _EACH_GOAL * max(fresh - 1, 0)
        if fresh and has_unknowns(ProofState(outcome.state.goals[:fresh])):
            score -= _UNKNOWNS
        scores = (score,) * fresh + parent.scores[len(parent.scores) - rest :]
        return TreeNode(outcome.state, scores, index, outcome.tactic), keys

    def _named(self, node: TreeNode, keys: tuple[Hashable, ...]) -> TreeNode:
        """The state with names for the main goal's nameless hypotheses, reached from the one that is given, if any."""
        naming, state = self._with_names(node)
        if not naming:
            return node
        self._keys.append(keys)
        self.tree.nodes.append(node)
        return TreeNode(state, node.scores, len(self.tree.nodes) - 1, naming)

    def _with_names(self, node: TreeNode) -> tuple[str, ProofState]:
        """The tactic that names the main goal's nameless hypotheses, if it has any, and the state after it."""
        before = () if node.parent is None else self.tree.path(node.parent)
        naming, goal = named(node.state.goals[0], (*before, node.tactic))
        return naming, ProofState((goal, *node.state.goals[1:]))

    def _nameless(self, node: TreeNode) -> int:
        """How many hypotheses have no name, and get none."""
        return inaccessible_names(self._with_names(node)[1])

    def _is_better(self, node: TreeNode, known: int) -> bool:
        """Whether a state that is known, but has not been tried, is better reached in this way."""
        old = self.tree.nodes[known]
        if old.status != "open" or known not in self._left:
            return False
        return (-self._nameless(node), node.score) > (-self._nameless(old), old.score)

    def _replace(self, known: int, node: TreeNode) -> None:
        old = self.tree.nodes[known]
        if old.parent is not None:
            self.tree.nodes[old.parent].attempts.append(Attempt(old.tactic, "known"))
        self.tree.nodes[known] = node

    def _add(self, node: TreeNode, keys: tuple[Hashable, ...]) -> None:
        index = len(self.tree.nodes)
        self._known[keys] = index
        self._keys.append(keys)
        self.tree.nodes.append(node)
        self._left[index] = _Left(list(self._quick(node.state.goals[0])))

    def _may_turn(self, index: int) -> bool:
        """Whether the next goal may come first: if the goals are new, or one was just proved or put last."""
        node = self.tree.nodes[index]
        if len(node.state.goals) < 2 or node.parent is None or has_unknowns(node.state):
            return False
        before = self.tree.nodes[node.parent]
        if node.tactic.startswith(RENAME):
            return self._may_turn(node.parent)
        return node.tactic == NEXT_GOAL or len(before.state.goals) != len(node.state.goals)

    def _is_needless(self, index: int) -> bool:
        """Whether the first or the last goals are a state of their own, or nothing is left to try."""
        left, keys = self._left[index], self._keys[index]
        if left.is_proposed and not left.tactics:
            return True
        parts = (part for place in range(1, len(keys)) for part in (keys[place:], keys[:place]))
        return any(part in self._known for part in parts)

    def _value(self, index: int) -> float:
        left = self._left[index].tactics
        return self.tree.nodes[index].score + (left[0].log_probability if left else _HOPE)


def _keys(state: ProofState) -> tuple[Hashable, ...]:
    """A key for each goal, equal for goals that differ only in names."""
    return tuple(nameless_fingerprint(ProofState((goal,))) for goal in state.goals)


def _first_line(message: str) -> str:
    return (message.strip().splitlines() or [""])[0][:_MOST_SHOWN]
