"""Counts in bins, as text and as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_BAR = 40
_PANEL, _PLOT, _MARGIN = 420, 160, 40


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
    """One panel beside the other; bars are shares of all."""
    width, height = _PANEL * len(histograms), _PLOT + 2 * _MARGIN
    panels = [_panel(histogram, _PANEL * index) for index, histogram in enumerate(histograms)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{"".join(panels)}</svg>\n'
    )


def _panel(histogram: Histogram, left: int) -> str:
    highest = max(histogram.shares) or 1.0
    step = (_PANEL - _MARGIN) / len(histogram.shares)
    floor = _MARGIN + _PLOT
    parts = [f'<text x="{left + _MARGIN / 2}" y="20" font-size="13">{escape(histogram.title)}</text>\n']
    for index, (label, share) in enumerate(zip(histogram.labels, histogram.shares, strict=True)):
        x, tall = left + _MARGIN / 2 + step * index, _PLOT * share / highest
        middle = x + step * 0.4
        parts.append(
            f'<rect x="{x:.1f}" y="{floor - tall:.1f}" width="{step * 0.8:.1f}" height="{tall:.1f}" '
            f'fill="#3b6ea5"/>\n'
            f"{_centred(middle, floor - tall - 4, f'{100 * share:.0f}%')}"
            f"{_centred(middle, floor + 14, label)}"
        )
    return "".join(parts)


def _centred(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>\n'
