"""Line charts as SVG, readable on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log, log10

import numpy as np
from numpy.typing import NDArray

from retriever.lean.evaluation.rankers import Setting

Curve = NDArray[np.float64]
Ticks = Sequence[float]

_WIDTH, _HEIGHT = 420, 320
_LEFT, _TOP, _BOTTOM, _LEGEND = 46, 34, 44, 120
_COLOURS = (
    "#d1495b",
    "#2a7fbf",
    "#3a9d5d",
    "#c98a1b",
    "#8b5fbf",
    "#4aa3a2",
    "#b0557f",
    "#7a8b3c",
    "#8a6d5a",
    "#808890",
)
_STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #3b4252 }
.head { font-weight: 600 }
.rule { stroke: #8892a2; stroke-opacity: .35 }
.line { fill: none; stroke-width: 2 }
.dashed { stroke-dasharray: 5 3 }
@media (prefers-color-scheme: dark) { text { fill: #d8dee9 } }
</style>"""


@dataclass(frozen=True, slots=True)
class PlotLine:
    """One named line: points (x, y) in the units of the axes."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart of a picture."""

    title: str
    lines: Sequence[PlotLine]
    x_title: str
    y_title: str
    x_ticks: Sequence[float]
    is_log: bool = False
    """Whether the x axis is logarithmic."""


def recall_plot(curves: Mapping[tuple[Setting, str], Curve]) -> str:
    """Recall@k of every method with all candidates and with importable ones; a curve is [recall@1, ...]."""
    titles: dict[Setting, str] = {"state": "all candidates", "importable": "importable only"}
    panels = []
    for setting, title in titles.items():
        lines = [
            PlotLine(name, [(k + 1, 100 * float(value)) for k, value in enumerate(curve)])
            for (where, name), curve in curves.items()
            if where == setting
        ]
        panels.append(Panel(title, lines, "k", "recall@k, %", (1, 2, 5, 10, 20, 50, 100), is_log=True))
    return picture(panels)


def picture(panels: Sequence[Panel]) -> str:
    """The panels side by side with one y axis and one legend; a name has one colour in all of them."""
    last = {line.name: line.points[-1][1] for panel in panels for line in panel.lines}
    names = sorted(last, key=lambda name: -last[name])
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(names)}
    dashed = {name: place >= len(_COLOURS) for place, name in enumerate(names)}
    ticks = _ticks(panels)
    width = _WIDTH * len(panels) + _LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" '
        f'width="{width}" height="{_HEIGHT}" role="img">',
        _STYLE,
    ]
    for place, panel in enumerate(panels):
        parts.append(f'<g transform="translate({place * _WIDTH} 0)">')
        parts += [
            *_axes(panel, ticks),
            *(_path(panel, ticks, line, colours[line.name], dashed[line.name]) for line in panel.lines),
        ]
        parts.append("</g>")
    for place, name in enumerate(names):
        y = _TOP + 10 + 20 * place
        x = _WIDTH * len(panels) + 4
        kind = "line dashed" if dashed[name] else "line"
        parts.append(f'<path class="{kind}" stroke="{colours[name]}" d="M{x} {y - 4}h18"/>')
        parts.append(f'<text x="{x + 24}" y="{y}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _axes(panel: Panel, ticks: Ticks) -> list[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - 16
    found = [f'<text class="head" x="{_LEFT}" y="20">{escape(panel.title)}</text>']
    for tick in ticks:
        y = _y(ticks, tick)
        found.append(f'<path class="rule" d="M{_LEFT} {y:.1f}H{right}"/>')
        found.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for tick in panel.x_ticks:
        found.append(
            f'<text x="{_x(panel, tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
        )
    middle = (_LEFT + right) / 2
    found.append(
        f'<text x="{middle:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(panel.x_title)}</text>'
    )
    found.append(
        f'<text transform="translate(12 {(_TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(panel.y_title)}</text>"
    )
    return found


def _path(panel: Panel, ticks: Ticks, line: PlotLine, colour: str, is_dashed: bool) -> str:
    points = " ".join(f"{_x(panel, x):.1f},{_y(ticks, y):.1f}" for x, y in line.points)
    kind = "line dashed" if is_dashed else "line"
    title = f"<title>{escape(line.name)}</title>"
    return f'<polyline class="{kind}" stroke="{colour}" points="{points}">{title}</polyline>'


def _x(panel: Panel, value: float) -> float:
    low, high = panel.x_ticks[0], panel.x_ticks[-1]
    share = log(value / low) / log(high / low) if panel.is_log else (value - low) / (high - low)
    return _LEFT + share * (_WIDTH - 16 - _LEFT)


def _y(ticks: Ticks, value: float) -> float:
    bottom = _HEIGHT - _BOTTOM
    return bottom - (value - ticks[0]) / (ticks[-1] - ticks[0]) * (bottom - _TOP)


def _ticks(panels: Sequence[Panel]) -> Ticks:
    """Round values from 0 to above all points, at most seven."""
    most = max((y for panel in panels for line in panel.lines for _, y in line.points), default=1.0)
    size = 10.0 ** floor(log10(max(most, 1e-9)))
    step = next(step for part in (0.1, 0.2, 0.5, 1, 2) if (step := part * size) * 6 >= most)
    return [place * step for place in range(max(1, ceil(most / step)) + 1)]
