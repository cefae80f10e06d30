"""How often tactics are the proofs' own: one comparison, and one table of shares in percent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lean_extract.syntax.complete_tactics import head
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from retriever.metrics.bootstrap import Bootstrap, Interval, table


def one_line(tactic: str) -> str:
    """The tactic with one space for any white space."""
    return " ".join(tactic.split())


def last_parts(tactic: str) -> str:
    """The tactic with the last parts of all names, one space between tokens."""
    tokens = [raw.rstrip() for raw in raw_tokens(one_line(tactic))]
    return " ".join(token.rpartition(".")[2] if is_identifier(token) else token for token in tokens)


def matches(
    tactics: Sequence[str], wanted: str, count: int, form: Callable[[str], str] = last_parts
) -> tuple[float, float, float]:
    """(exact@1, exact@n, head@n) of the first `count` tactics that differ, each 0 or 1.

    `form`: what is compared; by default names count by their last parts.
    """
    distinct = list({form(tactic): tactic for tactic in reversed(tactics)}.items())[::-1][:count]
    same = [text == form(wanted) for text, _ in distinct]
    heads = [head(tactic) == head(wanted) for _, tactic in distinct]
    return float(same[:1] == [True]), float(any(same)), float(any(heads))


def shares(names: Sequence[str], values: Sequence[Sequence[float]]) -> dict[str, Interval]:
    """The means of each column over steps, with their intervals. Values are [steps, names], each 0 or 1."""
    return dict(zip(names, Bootstrap(len(values)).intervals(np.array(values)), strict=True))


def share_table(label: str, rows: Sequence[tuple[str, Mapping[str, Interval], str]], last: str = "ms") -> str:
    """The rows in Markdown, each a name, its figures by column, and the text of the last column."""
    names = list(rows[0][1]) if rows else []
    lines = [[name, *map(_percent, figures.values()), text] for name, figures, text in rows]
    return table([label, *names, last], lines)


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"
