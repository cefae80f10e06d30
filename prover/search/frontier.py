"""The states of a search: those that wait to be expanded, and the tree of all."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from lean_extract.goals import format_goal
from lean_extract.records import ProofState
from prover.search.environment import Reached, Verdict
from prover.search.result import Attempt, AttemptStatus, NodeStatus, SearchTree, TreeNode
from prover.states import fingerprint

_MOST_SHOWN = 200


@dataclass(slots=True, eq=False)
class _Node:
    reached: Reached
    score: float
    parent: _Node | None = None
    tactic: str = ""
    status: NodeStatus = "open"
    expanded: int | None = None
    attempts: list[Attempt] = field(default_factory=list)
    is_superseded: bool = False
    """Whether a better way to its state was found; the node is then not part of the tree."""


class Frontier:
    """A priority queue of states: the waiting state with the best score is next. Each state is entered once.

    Two states are the same if their `prover.states.fingerprint` is equal. If a waiting state is reached again with
    a better score, it moves to the new parent.
    """

    def __init__(self) -> None:
        self._nodes: list[_Node] = []
        self._known: dict[Hashable, _Node] = {}
        self._heap: list[tuple[float, int, _Node]] = []
        self._entered = 0
        self._current: _Node | None = None
        self.waiting = 0
        self.expanded = 0

    def begin(self, first: Reached) -> None:
        """Enter the first state."""
        self._add(_Node(first, 0.0, status="open" if first.state.goals else "proved"))

    def pop(self) -> Reached:
        """The best waiting state, which becomes the parent of the states entered next. There must be one."""
        while True:
            node = heapq.heappop(self._heap)[2]
            if not node.is_superseded:
                break
        node.status, node.expanded = "expanded", self.expanded
        self.waiting -= 1
        self.expanded += 1
        self._current = node
        return node.reached

    def likely_next(self, arrived: Iterable[tuple[Reached, float]] = ()) -> Reached | None:
        """What `pop` would return if only these states were entered; None if nothing would wait.

        Args:
            arrived: states reached from the current state, with the log-probabilities of their tactics.
        """
        while self._heap and self._heap[0][2].is_superseded:
            heapq.heappop(self._heap)
        best = (self._heap[0][2].score, self._heap[0][2].reached) if self._heap else None
        for reached, log_probability in arrived:
            assert self._current is not None
            score = self._current.score + log_probability
            if fingerprint(reached.state) not in self._known and (best is None or score > best[0]):
                best = score, reached
        return None if best is None else best[1]

    def enter(self, verdict: Verdict, log_probability: float) -> None:
        """Enter the verdict on a tactic that did not close all goals."""
        assert self._current is not None
        parent = self._current
        if verdict.status == "timeout" or verdict.reached is None:
            status: AttemptStatus = "timeout" if verdict.status == "timeout" else "fails"
            parent.attempts.append(Attempt(verdict.tactic, status, _first_line(verdict.message)))
            return
        score = parent.score + log_probability
        old = self._known.get(fingerprint(verdict.reached.state))
        if old is not None and (old.status != "open" or old.score >= score):
            parent.attempts.append(Attempt(verdict.tactic, "known"))
            return
        if old is not None and old.parent is not None:
            old.parent.attempts.append(Attempt(old.tactic, "known"))
            old.is_superseded = True
            self.waiting -= 1
        self._add(_Node(verdict.reached, score, parent, verdict.tactic))

    def prove(self, verdict: Verdict, log_probability: float, others: Sequence[Verdict] = ()) -> None:
        """Enter the end of a proof; the verdicts `others` close all goals, too."""
        assert self._current is not None
        self._current.attempts += [Attempt(other.tactic, "closes") for other in others]
        score = self._current.score + log_probability
        done = Reached(ProofState(()))
        self._nodes.append(_Node(done, score, self._current, verdict.tactic, "proved"))

    def tree(self) -> SearchTree:
        """The tree as it is now."""
        nodes = [node for node in self._nodes if not node.is_superseded]
        indices = {node: index for index, node in enumerate(nodes)}
        return SearchTree(
            tuple(
                TreeNode(
                    goals=tuple(map(format_goal, node.reached.state.goals)),
                    score=node.score,
                    parent=None if node.parent is None else indices[node.parent],
                    tactic=node.tactic,
                    status=node.status,
                    expanded=node.expanded,
                    attempts=tuple(node.attempts),
                )
                for node in nodes
            )
        )

    def _add(self, node: _Node) -> None:
        self._nodes.append(node)
        self._known[fingerprint(node.reached.state)] = node
        if node.status == "open":
            self._entered += 1
            self.waiting += 1
            heapq.heappush(self._heap, (-node.score, self._entered, node))


def _first_line(message: str) -> str:
    return (message.strip().splitlines() or [""])[0][:_MOST_SHOWN]
