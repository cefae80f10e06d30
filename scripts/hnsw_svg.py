"""The picture of `hnsw_curve.py`: recall@10 over ef, one line a graph, as SVG text. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 96, 40, 48
_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1")


def curve_svg(points: Sequence[tuple[int, int, float]], goal: float, title: str) -> str:
    """An SVG document of (m, ef, recall) points: ef on a logarithmic axis, the goal as a dashed line."""
    widths = sorted({ef for _, ef, _ in points})
    lowest = math.floor(20 * min([goal, *(recall for _, _, recall in points)])) / 20
    low, high = math.log(widths[0]), math.log(max(widths[-1], widths[0] + 1))

    def x(ef: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (math.log(ef) - low) / (high - low)

    def y(recall: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - recall) / (1 - lowest or 1)

    parts = [_text(_WIDTH / 2, 22, f"HNSW recall@10 against exact search: {title}", "middle", 12)]
    steps = round((1 - lowest) / 0.05) or 1
    stride = max(1, math.ceil(steps / 8))
    for step in range(0, steps + 1, stride):
        value = 1 - 0.05 * step
        parts += [_line(_LEFT, y(value), _WIDTH - _RIGHT, y(value), "#d0d0d0")]
        parts += [_text(_LEFT - 8, y(value) + 4, f"{value:.2f}", "end")]
    parts += [_text(x(ef), _HEIGHT - _BOTTOM + 18, str(ef), "middle") for ef in widths]
    parts += [_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, "ef (width of the search)", "middle")]
    parts += [_line(_LEFT, y(goal), _WIDTH - _RIGHT, y(goal), "#888888", dashed=True)]
    parts += [_text(_WIDTH - _RIGHT + 8, y(goal) + 4, f"goal {goal:g}", "start")]
    for place, m in enumerate(sorted({m for m, _, _ in points})):
        colour = _COLOURS[place % len(_COLOURS)]
        line = sorted((ef, recall) for number, ef, recall in points if number == m)
        path = " ".join(f"{x(ef):.1f},{y(recall):.1f}" for ef, recall in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(ef):.1f}" cy="{y(r):.1f}" r="3" fill="{colour}"/>' for ef, r in line]
        legend = _HEIGHT - _BOTTOM - 14 - 16 * place
        parts.append(_text(_WIDTH - _RIGHT + 8, legend, f"M = {m}", "start", colour=colour))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
    background = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{title}</title>", background, *parts, "</svg>", ""])


def _text(x: float, y: float, words: str, anchor: str, size: int = 11, colour: str = "#333333") -> str:
    font = f'font-family="sans-serif" font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {font} fill="{colour}">{words}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dash}/>'
