"""The tree of a search, drawn as SVG."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from html import escape

from prover.search.tree import Attempt, SearchTree, TreeNode

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
