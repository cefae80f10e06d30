"""The states of a search: the tree of all, and the queue of those that wait to be expanded."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lean_extract.goals import format_goal
from lean_extract.records import ProofState, TacticOutcome
from prover.search.environment import TacticPath
from prover.states import fingerprint

NodeStatus = Literal["open", "expanded", "proved"]
AttemptStatus = Literal["fails", "timeout", "known", "closes"]
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tactic that led to no new state: Lean refused it, it took too long, its state was known already, or a
    shorter tactic closes the same goals."""

    tactic: str
    status: AttemptStatus
    message: str = ""
    """The first line of Lean's message."""


@dataclass(slots=True)
class TreeNode:
    """A state of the tree; the first has no parent and no tactic.

    `score`: the sum of the log-probabilities of the tactics up to here. `parent`: the parent's index in the tree.
    `tactic`: what led here from the parent. `expanded`: the position in the order of expansion, from 0.
    """

    state: ProofState
    score: float = 0.0
    parent: int | None = None
    tactic: str = ""
    status: NodeStatus = "open"
    expanded: int | None = None
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals as Lean prints them, the main goal first; empty if the proof is complete."""
        return tuple(map(format_goal, self.state.goals))


@dataclass(slots=True)
class SearchTree:
    """The states that a search reached; the first is the theorem's."""

    nodes: list[TreeNode] = field(default_factory=list)

    def ancestry(self, index: int) -> tuple[int, ...]:
        """The indices of the states from the first to this one."""
        found = [index]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return tuple(reversed(found))

    def path(self, index: int) -> TacticPath:
        """The tactics that lead from the first state to this one."""
        return tuple(self.nodes[one].tactic for one in self.ancestry(index)[1:])

    @property
    def proved(self) -> int | None:
        """The index of the state without goals that ends the proof, if one was found."""
        return next((index for index, node in enumerate(self.nodes) if node.status == "proved"), None)


class Frontier:
    """A priority queue of states: the waiting state with the best score is next. Each state is entered once.

    Two states are the same if their `prover.states.fingerprint` is equal. If a waiting state is reached again with
    a better score, it moves to the new parent.
    """

    def __init__(self, first: ProofState) -> None:
        self.tree = SearchTree()
        self.waiting = 0
        self.expanded = 0
        self._known: dict[Hashable, int] = {}
        self._heap: list[tuple[float, int, int]] = []
        self._pushed = 0
        self._current = 0
        self._add(TreeNode(first, status="open" if first.goals else "proved"))

    def pop(self) -> int:
        """The best waiting state, which becomes the parent of the states entered next. There must be one."""
        self._drop_stale()
        self._current = heapq.heappop(self._heap)[2]
        node = self.tree.nodes[self._current]
        node.status, node.expanded = "expanded", self.expanded
        self.waiting -= 1
        self.expanded += 1
        return self._current

    def likely_next(self, arrived: Iterable[tuple[ProofState, float]]) -> ProofState | None:
        """The state that `pop` would return if only these were entered; None if nothing would wait.

        Args:
            arrived: states reached from the current state, with the log-probabilities of their tactics.
        """
        self._drop_stale()
        best: tuple[float, ProofState] | None = None
        if self._heap:
            score, _, index = self._heap[0]
            best = -score, self.tree.nodes[index].state
        for state, log_probability in arrived:
            score = self.tree.nodes[self._current].score + log_probability
            if fingerprint(state) not in self._known and (best is None or score > best[0]):
                best = score, state
        return None if best is None else best[1]

    def enter(self, outcome: TacticOutcome, log_probability: float) -> None:
        """Enter the outcome of a tactic that did not close all goals."""
        parent = self.tree.nodes[self._current]
        if outcome.status == "timeout" or outcome.state is None:
            status: AttemptStatus = "timeout" if outcome.status == "timeout" else "fails"
            parent.attempts.append(Attempt(outcome.tactic, status, _first_line(outcome.message)))
            return
        score = parent.score + log_probability
        index = self._known.get(fingerprint(outcome.state))
        if index is None:
            self._add(TreeNode(outcome.state, score, self._current, outcome.tactic))
            return
        old = self.tree.nodes[index]
        if old.status != "open" or old.score >= score:
            parent.attempts.append(Attempt(outcome.tactic, "known"))
            return
        if old.parent is not None:
            self.tree.nodes[old.parent].attempts.append(Attempt(old.tactic, "known"))
        old.state, old.score, old.parent, old.tactic = outcome.state, score, self._current, outcome.tactic
        self._push(index)

    def prove(self, outcome: TacticOutcome, log_probability: float, others: Sequence[TacticOutcome]) -> None:
        """Enter the end of a proof; the tactics of `others` close all goals, too."""
        parent = self.tree.nodes[self._current]
        parent.attempts += [Attempt(other.tactic, "closes") for other in others]
        score = parent.score + log_probability
        self.tree.nodes.append(
            TreeNode(ProofState(()), score, self._current, outcome.tactic, status="proved")
        )

    def _add(self, node: TreeNode) -> None:
        self._known[fingerprint(node.state)] = len(self.tree.nodes)
        self.tree.nodes.append(node)
        if node.status == "open":
            self.waiting += 1
            self._push(len(self.tree.nodes) - 1)

    def _push(self, index: int) -> None:
        self._pushed += 1
        heapq.heappush(self._heap, (-self.tree.nodes[index].score, self._pushed, index))

    def _drop_stale(self) -> None:
        """Remove the entries of states that have since been reached with a better score."""
        while self._heap and -self._heap[0][0] != self.tree.nodes[self._heap[0][2]].score:
            heapq.heappop(self._heap)


def _first_line(message: str) -> str:
    return (message.strip().splitlines() or [""])[0][:_MOST_SHOWN]
