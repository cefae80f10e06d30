"""Pass rates by level and retriever as bars (SVG), after the paper's Figure 6; for light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from lsp_server.evaluation.figures import Rate
from lsp_server.evaluation.report import Run, names_of

_HEIGHT, _TOP, _BOTTOM, _LEFT, _LEGEND = 320, 30, 44, 46, 190
_BAR, _GAP = 16, 26
_TICKS = (0, 20, 40, 60, 80, 100)
_COLOURS = ("#808890", "#c98a1b", "#2a7fbf", "#d1495b", "#3a9d5d", "#8b5fbf", "#4aa3a2", "#b0557f")
_STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #3b4252 }
.rule { stroke: #8892a2; stroke-opacity: .35 }
.interval { stroke: #3b4252; stroke-width: 1.2 }
@media (prefers-color-scheme: dark) { text { fill: #d8dee9 } .interval { stroke: #d8dee9 } }
</style>"""


def picture(runs: Sequence[Run]) -> str:
    """One group of bars a level, and one for all; one bar a run, with its 95% interval."""
    levels = sorted({level for run in runs for level in run.figures.levels if level})
    rates: list[Mapping[str, Rate | None]] = [
        {**run.figures.levels, "all": run.figures.pass_1} for run in runs
    ]
    groups = [*levels, "all"]
    group_width = _BAR * len(runs) + _GAP
    right = _LEFT + group_width * len(groups)
    width = right + _LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" '
        f'width="{width}" height="{_HEIGHT}" role="img">',
        _STYLE,
        *_axis(right),
    ]
    for index, group in enumerate(groups):
        left = _LEFT + index * group_width + _GAP / 2
        label = f"level {group}" if group.isdigit() else group
        middle = left + _BAR * len(runs) / 2
        parts.append(
            f'<text x="{middle:.0f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{escape(label)}</text>'
        )
        for number, found in enumerate(rates):
            rate = found.get(group)
            if rate is not None:
                parts += _bar(left + number * _BAR, rate, _colour(number))
    for number, name in enumerate(names_of(runs)):
        y = _TOP + 10 + 20 * number
        parts.append(f'<rect x="{right + 8}" y="{y - 10}" width="12" height="12" fill="{_colour(number)}"/>')
        parts.append(f'<text x="{right + 26}" y="{y}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _axis(right: float) -> list[str]:
    found = [f'<text x="{_LEFT}" y="18">problems proved in one pass, %</text>']
    for tick in _TICKS:
        y = _y(tick)
        found.append(f'<path class="rule" d="M{_LEFT} {y:.1f}H{right:.0f}"/>')
        found.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>')
    return found


def _bar(left: float, rate: Rate, colour: str) -> list[str]:
    percent = rate.percent
    top, middle = _y(percent.mean), left + _BAR / 2
    said = f"{percent.mean:.1f}% of {rate.problems} [{percent.low:.1f}, {percent.high:.1f}]"
    return [
        f'<rect x="{left + 1:.1f}" y="{top:.1f}" width="{_BAR - 2}" height="{_y(0) - top:.1f}" '
        f'fill="{colour}"><title>{said}</title></rect>',
        f'<path class="interval" d="M{middle:.1f} {_y(percent.low):.1f}V{_y(percent.high):.1f}"/>',
    ]


def _y(percent: float) -> float:
    bottom = _HEIGHT - _BOTTOM
    return bottom - percent / 100 * (bottom - _TOP)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
