"""Shares of goals with their intervals, as a Markdown table in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retriever.metrics.bootstrap import Interval
from retriever.metrics.tables import table


def share_table(label: str, rows: Sequence[tuple[str, Mapping[str, Interval], str]], last: str = "ms") -> str:
    """The rows, each a name, its figures by column, and the text of the last column."""
    names = list(rows[0][1]) if rows else []
    lines = [[name, *map(_percent, figures.values()), said] for name, figures, said in rows]
    return table([label, *names, last], lines)


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"
