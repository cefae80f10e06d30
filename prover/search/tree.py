"""The states of a search: the tree of all, the queue of those that wait to be expanded, and the tree drawn as SVG."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from lean_extract.goals import format_goal
from lean_extract.records import ProofState, TacticOutcome
from prover.search.environment import TacticPath
from prover.states import fingerprint

_NodeStatus = Literal["open", "expanded", "proved"]
_AttemptStatus = Literal["fails", "timeout", "known", "closes"]
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tactic that led to no new state: Lean refused it, it took too long, its state was known already, or a
    shorter tactic closes the same goals."""

    tactic: str
    status: _AttemptStatus
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
    status: _NodeStatus = "open"
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
            status: _AttemptStatus = "timeout" if outcome.status == "timeout" else "fails"
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


_WIDTH, _LEFT, _TOP = 900, 24, 58
_INDENT, _ROW, _SMALL = 30, 44, 20
_LETTER = 7.4
"""The approximate width of a character, in SVG units, to know where to cut a line."""
_MOST_WAITING = 2
"""The most states that were never expanded to show under one parent."""
_MOST_NAMED, _MOST_LETTERS = 3, 28
_NOT_XML = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
_STYLE = """<style>
text { font: 12px ui-monospace, monospace; fill: #2e3440 }
.title { font: 600 13px system-ui, sans-serif }
.tactic { font-weight: 600 }
.goal, .note { fill: #5b6472 }
.note { font-style: italic }
.edge { fill: none; stroke: #8892a2; stroke-opacity: .55 }
.proof { fill: none; stroke: #2f855a; stroke-width: 3 }
.dot { fill: #8892a2 }
.open { fill: none; stroke: #8892a2; stroke-width: 1.5 }
.step { fill: #2f855a }
.number { font: 600 10px system-ui, sans-serif; fill: #ffffff; text-anchor: middle }
@media (prefers-color-scheme: dark) {
text { fill: #e5e9f0 } .goal, .note { fill: #a3adbd } .number { fill: #ffffff }
.proof { stroke: #68c391 } .step { fill: #3a9d6e }
}
</style>"""


def tree_svg(tree: SearchTree, title: str) -> str:
    """The outline of a tree: every expanded state, numbered in the order of expansion, with the path of the proof
    marked, the refused tactics counted, and a few of the states that were still waiting."""
    children: dict[int | None, list[int]] = defaultdict(list)
    for index, node in enumerate(tree.nodes):
        children[node.parent].append(index)
    drawing = _Drawing(tree)
    waiting = [(0, index) for index in children[None]]
    while waiting:
        depth, index = waiting.pop()
        shown, hidden = drawing.chosen(children[index])
        drawing.add_state(depth, index)
        if attempts := tree.nodes[index].attempts:
            drawing.add_note(depth + 1, _attempts_note(attempts))
        if hidden:
            drawing.add_note(depth + 1, f"{hidden} more states were not expanded")
        waiting += [(depth + 1, child) for child in reversed(shown)]
    title = escape(_plain(title))
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {_WIDTH} {round(drawing.top + 14)}" role="img">',
            f"<title>{title}</title>",
            _STYLE,
            f'<text class="title" x="{_LEFT - 8}" y="24">{title}</text>',
            f'<text class="note" x="{_LEFT - 8}" y="42">{escape(_legend(tree))}</text>',
            *drawing.edges,
            *drawing.proof,  # over the others
            *drawing.states,
            "</svg>",
            "",
        ]
    )


def _legend(tree: SearchTree) -> str:
    tried = sum(len(node.attempts) for node in tree.nodes) + len(tree.nodes) - 1
    expanded = sum(node.expanded is not None for node in tree.nodes)
    outcome = "green: the proof" if tree.proved is not None else "no proof was found"
    return (
        f"{expanded} states expanded (numbered in order), {tried} tactics tried; {outcome}; "
        "hollow: not expanded"
    )


class _Drawing:
    """The outline so far, row by row: SVG elements, and `top`, where the next row begins."""

    def __init__(self, tree: SearchTree) -> None:
        self._nodes = tree.nodes
        self._on_path = frozenset(() if tree.proved is None else tree.ancestry(tree.proved))
        self._tops: dict[int, float] = {}
        self.top = float(_TOP)
        self.edges: list[str] = []
        self.proof: list[str] = []
        self.states: list[str] = []

    def chosen(self, children: Sequence[int]) -> tuple[list[int], int]:
        """The children to show, in the order of their expansion, and the number of those that are not shown."""
        nodes = self._nodes
        expanded = [one for one in children if nodes[one].expanded is not None or one in self._on_path]
        rest = sorted((one for one in children if one not in expanded), key=lambda one: -nodes[one].score)
        kept = rest if len(rest) <= _MOST_WAITING + 1 else rest[:_MOST_WAITING]
        order = {one: nodes[one].expanded for one in expanded}
        expanded.sort(key=lambda one: (order[one] is None, order[one] or 0))
        return expanded + kept, len(rest) - len(kept)

    def add_note(self, depth: int, note: str) -> None:
        """A row about what is not shown."""
        x, width = _column(depth)
        self.states.append(f'<text class="note" x="{x + 4}" y="{self.top + 10}">{_cut(note, width)}</text>')
        self.top += _SMALL

    def add_state(self, depth: int, index: int) -> None:
        """The row of a state, after that of its parent."""
        (x, width), top, node = _column(depth), self.top, self._nodes[index]
        is_step, is_open = index in self._on_path, node.status == "open"
        if node.parent is not None:
            line = f"M{x - _INDENT} {self._tops[node.parent] + 8}V{top + 8}H{x - 6 if is_open else x}"
            edges, style = (self.proof, "proof") if is_step else (self.edges, "edge")
            edges.append(f'<path class="{style}" d="{line}"/>')
        style = "open" if is_open else "step" if is_step else "dot"
        self.states.append(f'<circle class="{style}" cx="{x}" cy="{top + 8}" r="{6 if is_open else 8}"/>')
        if node.expanded is not None:
            self.states.append(f'<text class="number" x="{x}" y="{top + 11.5}">{node.expanded + 1}</text>')
        tactic = _cut(node.tactic or "the theorem", width - 10)
        score = f"  {node.score:.2f}".replace("-", "−") if node.parent is not None else ""
        self.states += [
            f'<text x="{x + 15}" y="{top + 12}"><tspan class="tactic">{tactic}</tspan>'
            f'<tspan class="goal">{score}</tspan></text>',
            f'<text class="goal" x="{x + 15}" y="{top + 28}">{_cut(_goals(node), width - 2)}</text>',
        ]
        self._tops[index] = top
        self.top += _ROW


def _column(depth: int) -> tuple[int, int]:
    """Where a row of that depth begins, and how many characters fit in it."""
    x = _LEFT + _INDENT * depth
    return x, int((_WIDTH - x - 24) / _LETTER)


def _attempts_note(attempts: Sequence[Attempt]) -> str:
    counts = Counter(attempt.status for attempt in attempts)
    failed = [attempt.tactic for attempt in attempts if attempt.status == "fails"]
    names = [_plain(tactic)[:_MOST_LETTERS] for tactic in failed[:_MOST_NAMED]]
    parts = []
    if counts["fails"]:
        more = ", …" if counts["fails"] > len(names) else ""
        parts.append(f"{counts['fails']} refused ({', '.join(names)}{more})")
    if counts["timeout"]:
        parts.append(f"{counts['timeout']} timed out")
    if counts["known"]:
        parts.append(f"{counts['known']} to states already known")
    if counts["closes"]:
        parts.append(f"{counts['closes']} more that close it")
    return "; ".join(parts)


def _goals(node: TreeNode) -> str:
    if not node.goals:
        return "no goals"
    more = f"   (and {len(node.goals) - 1} more)" if len(node.goals) > 1 else ""
    return f"⊢ {_plain(node.goals[0].rpartition('⊢ ')[2])}{more}"


def _plain(text: str) -> str:
    """The text on one line, without characters that XML does not allow."""
    return _NOT_XML.sub("�", " ".join(text.split()))


def _cut(text: str, letters: int) -> str:
    line = _plain(text)
    return escape(line if len(line) <= letters else f"{line[: max(letters - 1, 1)]}…")
