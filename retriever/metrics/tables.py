"""Markdown tables of figures with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from retriever.metrics.bootstrap import Interval


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(
        [
            "| " + " | ".join(head) + " |",
            "|---" * len(head) + "|",
            *("| " + " | ".join(line) + " |" for line in lines),
        ]
    )


def cell(interval: Interval, *, signed: bool = False, intervals: bool = True) -> str:
    """`12.3 [11.0, 13.6]`, or the figure alone."""
    form = "+.1f" if signed else ".1f"
    if not intervals:
        return f"{interval.mean:{form}}"
    return f"{interval.mean:{form}} [{interval.low:{form}}, {interval.high:{form}}]"
