"""Charts as SVG by matplotlib, readable on a light and on a dark page; the text in them stays text; and histograms."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

from lean_extract.common.terminal_text import import_extra

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
_INK, _RULE = "#3b4252", "#8892a2"
_DARK = f"""<style>
@media (prefers-color-scheme: dark) {{
[style*="fill: {_INK}"] {{ fill: #d8dee9 !important }}
[style*="stroke: {_INK}"] {{ stroke: #d8dee9 !important }}
}}
</style>"""
_POINTS = 72
"""SVG units an inch."""
_SETTINGS: Mapping[str, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "premise-suggest",
    "path.simplify": False,
    "font.size": 9,
    "axes.edgecolor": _RULE,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "grid.color"), _RULE),
    "grid.alpha": 0.35,
    "legend.frameon": False,
}


@dataclass(frozen=True, slots=True)
class PlotLine:
    """One named line: points (x, y) in the units of the axes."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class LinePanel:
    """One chart of lines."""

    title: str
    lines: Sequence[PlotLine]
    x_title: str
    y_title: str
    x_ticks: Sequence[float]
    is_log: bool = False
    """Whether the x axis is logarithmic."""
    starts_at_zero: bool = True
    """Whether the y axis does."""
    goal: float | None = None
    """A level to draw across."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; `note` is shown when a pointer rests on it, `label` above it."""

    height: float
    interval: tuple[float, float] | None = None
    """Lower and upper end of the error bar."""
    label: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class BarPanel:
    """One chart of bars: for each group one of every series."""

    title: str
    groups: Sequence[str]
    series: Sequence[tuple[str, Sequence[Bar | None]]]
    """The name of each series, and its bar for each group, None where there is none."""
    y_title: str = ""
    top: float | None = None
    """Where the y axis ends; None: above the bars."""


@dataclass(slots=True)
class _Chart:
    """A figure that is being drawn, with what pointers are shown."""

    figure: Any
    axes: Sequence[Any]
    notes: dict[str, str] = field(default_factory=dict)

    def note(self, artist: Any, text: str) -> None:
        """Give a part of the drawing a text of its own."""
        name = f"part-{len(self.notes)}"
        artist.set_gid(name)
        self.notes[name] = text


def require_charts() -> None:
    """Raises UserError where charts cannot be drawn: for commands that compute for long before they draw."""
    import_extra("matplotlib.figure", "docs", "A picture")


def line_chart(panels: Sequence[LinePanel], *, shares_y: bool = True) -> str:
    """The panels side by side with one legend; a name has one colour in all of them.

    `shares_y`: whether there is one y axis for all.

    The legend has the names in order of the lines' ends. Raises UserError without matplotlib.
    """
    ends = {line.name: line.points[-1][1] for panel in panels for line in panel.lines}
    names = sorted(ends, key=lambda name: -ends[name])
    styles = {name: _style(number) for number, name in enumerate(names)}
    with _drawing(len(panels), shares_y=shares_y) as (chart, result):
        handles: dict[str, Any] = {}
        for axes, panel in zip(chart.axes, panels, strict=True):
            for line in panel.lines:
                x, y = zip(*line.points, strict=True)
                [drawn] = axes.plot(x, y, linewidth=1.8, **styles[line.name])
                chart.note(drawn, line.name)
                handles[line.name] = drawn
            _finish_lines(axes, panel)
        for axes in chart.axes[1:] if shares_y else ():
            axes.set_ylabel("")
        chart.figure.legend([handles[name] for name in names], names, loc="outside right upper")
    return result[0]


def _finish_lines(axes: Any, panel: LinePanel) -> None:
    axes.set(title=panel.title, xlabel=panel.x_title, ylabel=panel.y_title)
    if panel.is_log:
        axes.set_xscale("log")
    axes.minorticks_off()
    axes.set_xticks(panel.x_ticks, [f"{tick:g}" for tick in panel.x_ticks])
    if panel.starts_at_zero:
        axes.set_ylim(bottom=0)
    if panel.goal is not None:
        axes.axhline(panel.goal, color=_RULE, linestyle="--", linewidth=1)
    axes.grid(axis="y")


def _style(number: int) -> dict[str, str]:
    return {
        "color": _COLOURS[number % len(_COLOURS)],
        "linestyle": "-" if number < len(_COLOURS) else "--",
    }


def bar_chart(panels: Sequence[BarPanel]) -> str:
    """The panels side by side; the first one's series have a legend where there are several.

    Raises UserError without matplotlib.
    """
    with _drawing(len(panels)) as (chart, result):
        for axes, panel in zip(chart.axes, panels, strict=True):
            _draw_bars(chart, axes, panel)
        names = [name for name, _ in panels[0].series]
        if len(names) > 1:
            patches = import_extra("matplotlib.patches", "docs", "A picture")
            handles = [patches.Patch(color=_style(number)["color"]) for number in range(len(names))]
            chart.figure.legend(handles, names, loc="outside right upper")
    return result[0]


def _draw_bars(chart: _Chart, axes: Any, panel: BarPanel) -> None:
    width = 0.8 / max(len(panel.series), 1)
    for number, (name, bars) in enumerate(panel.series):
        shift = (number - (len(panel.series) - 1) / 2) * width
        for position, bar in enumerate(bars):
            if bar is None:
                continue
            [drawn] = axes.bar(position + shift, bar.height, 0.92 * width, color=_style(number)["color"])
            chart.note(drawn, bar.note or name)
            if bar.interval is not None:
                axes.vlines(position + shift, *bar.interval, colors=_INK, linewidth=1)
            axes.annotate(
                bar.label,
                (position + shift, bar.height),
                (0, 2),
                textcoords="offset points",
                ha="center",
                size=8,
            )
    axes.set(title=panel.title, ylabel=panel.y_title)
    axes.set_xticks(range(len(panel.groups)), panel.groups)
    axes.set_ylim(0, panel.top)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


@contextmanager
def _drawing(panels: int, *, shares_y: bool = False) -> Iterator[tuple[_Chart, list[str]]]:
    """A chart to draw in; after the block the list has its SVG."""
    require_charts()
    matplotlib = import_extra("matplotlib", "docs", "A picture")
    result: list[str] = []
    with matplotlib.rc_context(_SETTINGS):
        size = (420 * panels / _POINTS + 1.7, 320 / _POINTS)
        figure = matplotlib.figure.Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, panels, sharey=shares_y, squeeze=False)[0]
        chart = _Chart(figure, axes)
        yield chart, result
        result.append(_svg(chart))


def _svg(chart: _Chart) -> str:
    stream = io.StringIO()
    # No date and no version: the same figures give the same file.
    empty = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    chart.figure.savefig(stream, format="svg", transparent=True, metadata=empty)
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :].replace(">", f' role="img">\n{_DARK}', 1)
    for name, text in chart.notes.items():
        svg = svg.replace(f'<g id="{name}">', f'<g id="{name}">\n<title>{escape(text)}</title>', 1)
    return svg


_BAR = 40


@dataclass(frozen=True, slots=True)
class Histogram:
    """Whole numbers counted in bins of one width; the last bin has all above it as well."""

    title: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    mean: float

    @classmethod
    def of(cls, title: str, values: Iterable[int], *, width: int, bars: int, first: int = 0) -> Histogram:
        """The histogram of values of at least `first`, in `bars` bins."""
        every = Counter(values)
        bins: Counter[int] = Counter()
        for value, count in every.items():
            bins[min((value - first) // width, bars - 1)] += count
        starts = [first + width * index for index in range(bars)]
        labels = [str(start) if width == 1 else f"{start}-{start + width - 1}" for start in starts[:-1]]
        total = every.total()
        mean = sum(value * count for value, count in every.items()) / total if total else 0.0
        counts = tuple([bins[index] for index in range(bars)])
        return cls(title, (*labels, f"{starts[-1]}+"), counts, mean)

    @property
    def shares(self) -> tuple[float, ...]:
        """Each bin's share of all, from 0 to 1."""
        total = sum(self.counts) or 1
        return tuple([count / total for count in self.counts])


def as_text(histogram: Histogram) -> str:
    """A line for each bin: label, share in percent, bar."""
    highest = max(histogram.shares) or 1.0
    width = max(map(len, histogram.labels))
    lines = [f"{histogram.title}: {sum(histogram.counts):,}, mean {histogram.mean:.2f}"]
    for label, share in zip(histogram.labels, histogram.shares, strict=True):
        bar = "#" * round(_BAR * share / highest)
        lines.append(f"{label:>{width}} {100 * share:5.1f}% {bar}".rstrip())
    return "\n".join(lines)


def as_svg(histograms: Sequence[Histogram]) -> str:
    """Panels side by side; bars are shares of all. Raises UserError without matplotlib."""
    return bar_chart([_panel(histogram) for histogram in histograms])


def _panel(histogram: Histogram) -> BarPanel:
    bars = [Bar(100 * share, label=f"{100 * share:.0f}%") for share in histogram.shares]
    return BarPanel(histogram.title, histogram.labels, [("", bars)], "%")
