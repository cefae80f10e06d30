"""A search tree drawn as an SVG outline that is readable on light and dark pages. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from prover.search.result import Attempt, SearchTree, TreeNode

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


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the outline: a state, or (if `node` is None) a note on what is not shown."""

    depth: int
    parent: int | None
    node: int | None = None
    note: str = ""

    @property
    def height(self) -> int:
        return _SMALL if self.node is None else _ROW


def tree_svg(tree: SearchTree, title: str) -> str:
    """The outline of a tree: every expanded state, numbered in the order of expansion, with the path of the proof
    marked, the refused tactics counted, and a few of the states that were still waiting."""
    end = tree.proved
    on_path = frozenset(tree.path(end)) if end is not None else frozenset()
    rows = list(_rows(tree, on_path))
    tops: dict[int, float] = {}
    parts: list[str] = []
    top = float(_TOP)
    for row in rows:
        if row.node is not None:
            tops[row.node] = top
        parts += _drawn(row, top, tree, tops, on_path)
        top += row.height
    height = round(top + 14)
    title = _plain(title)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">'
    heading = f'<text class="title" x="{_LEFT - 8}" y="24">{escape(title)}</text>'
    edges = sorted((part for part in parts if part.startswith("<path")), key=lambda part: "proof" in part)
    others = [part for part in parts if not part.startswith("<path")]
    legend = f'<text class="note" x="{_LEFT - 8}" y="42">{escape(_legend(tree))}</text>'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", _STYLE, heading, legend, *edges, *others, "</svg>", ""]
    )


def _legend(tree: SearchTree) -> str:
    tried = sum(len(node.attempts) for node in tree.nodes) + len(tree.nodes) - 1
    expanded = sum(node.expanded is not None for node in tree.nodes)
    outcome = "green: the proof" if tree.proved is not None else "no proof was found"
    return (
        f"{expanded} states expanded (numbered in order), {tried} tactics tried; {outcome}; "
        "hollow: not expanded"
    )


def _rows(tree: SearchTree, on_path: frozenset[int]) -> Iterator[_Row]:
    children: dict[int | None, list[int]] = defaultdict(list)
    for index, node in enumerate(tree.nodes):
        children[node.parent].append(index)
    waiting: list[tuple[int, int]] = [(0, index) for index in reversed(children[None])]
    while waiting:
        depth, index = waiting.pop()
        node = tree.nodes[index]
        yield _Row(depth, node.parent, index)
        shown, hidden = _shown(children[index], tree.nodes, on_path)
        if node.attempts:
            yield _Row(depth + 1, index, note=_attempts_note(node.attempts))
        if hidden:
            yield _Row(depth + 1, index, note=f"{hidden} more states were not expanded")
        waiting += [(depth + 1, child) for child in reversed(shown)]


def _shown(
    children: Sequence[int], nodes: Sequence[TreeNode], on_path: frozenset[int]
) -> tuple[list[int], int]:
    """The children to show, in the order of their expansion, and the number of those that are not shown."""
    expanded = [index for index in children if nodes[index].expanded is not None or index in on_path]
    rest = sorted((index for index in children if index not in expanded), key=lambda i: -nodes[i].score)
    kept = rest if len(rest) <= _MOST_WAITING + 1 else rest[:_MOST_WAITING]
    order = {index: nodes[index].expanded for index in expanded}
    expanded.sort(key=lambda index: (order[index] is None, order[index] or 0))
    return expanded + kept, len(rest) - len(kept)


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


def _drawn(
    row: _Row, top: float, tree: SearchTree, tops: Mapping[int, float], on_path: frozenset[int]
) -> list[str]:
    x = _LEFT + _INDENT * row.depth
    width = int((_WIDTH - x - 24) / _LETTER)
    if row.node is None:
        return [f'<text class="note" x="{x + 4}" y="{top + 10}">{_cut(row.note, width)}</text>']
    node = tree.nodes[row.node]
    is_step = row.node in on_path
    parts = []
    if row.parent is not None:
        above = tops[row.parent] + 8
        style = "proof" if is_step else "edge"
        end = x - 6 if node.status == "open" else x
        parts.append(f'<path class="{style}" d="M{x - _INDENT} {above}V{top + 8}H{end}"/>')
    style = "open" if node.status == "open" else "step" if is_step else "dot"
    parts.append(f'<circle class="{style}" cx="{x}" cy="{top + 8}" r="{8 if style != "open" else 6}"/>')
    if node.expanded is not None:
        parts.append(f'<text class="number" x="{x}" y="{top + 11.5}">{node.expanded + 1}</text>')
    first = node.tactic or "the theorem"
    score = f"  {node.score:.2f}".replace("-", "−") if node.parent is not None else ""
    parts.append(
        f'<text x="{x + 15}" y="{top + 12}"><tspan class="tactic">{_cut(first, width - 10)}</tspan>'
        f'<tspan class="goal">{score}</tspan></text>'
    )
    parts.append(f'<text class="goal" x="{x + 15}" y="{top + 28}">{_cut(_goals(node), width - 2)}</text>')
    return parts


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
