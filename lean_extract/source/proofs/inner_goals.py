"""Finds the goals stated inside proofs: `have`, `show`, `suffices`, `calc`, `replace`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lean_extract.limits import MAX_CALCULATION_LINES, MAX_GOAL_TOKENS, MAX_STATED_GOALS
from lean_extract.source.budget import Budget
from lean_extract.source.proofs.binding import goal_end
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import SEPARATORS, STATING

_RELATIONS = frozenset(
    ("=", "≤", "<", "≥", ">", "↔", "≠", "∣", "⊆", "⊂", "≡", "≃", "≅", "∈", "→", "<=", ">=", "~", "≈", "⊇")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StatedGoal:
    """A stated goal: its keyword, name and proposition, and the range of its own proof, as token indices."""

    keyword: str
    name: str
    conclusion: str
    binders: tuple[str, ...]
    begin: int
    proof_begin: int
    proof_end: int


def stated_goals(tokens: Tokens, begin: int, end: int) -> Iterator[StatedGoal]:
    """The goals stated in the tokens [begin, end), in order of their keyword."""
    texts = tokens.texts
    left, lines = Budget(MAX_STATED_GOALS), Budget(MAX_CALCULATION_LINES)
    for index in range(begin, end):
        text = texts[index]
        if text in STATING:
            if not left.take(1):
                return
            if goal := _stated(tokens, index, end):
                yield goal
        elif text == "calc":
            steps = list(_calc_steps(tokens, index, end, lines))
            if not left.take(len(steps)):
                return
            yield from _calculation(tokens, steps)


def layout_end(tokens: Tokens, index: int, end: int) -> int:
    """The end of what begins at `index`: a later line at or left of its column, a closing bracket, or `;`."""
    limit = tokens.lines.next_within(index + 1, end, tokens.column(index))
    return tokens.brackets.stop(index, limit, SEPARATORS)


def _stated(tokens: Tokens, index: int, end: int) -> StatedGoal | None:
    texts = tokens.texts
    keyword = texts[index]
    limit = layout_end(tokens, index, end)
    position = index + 1
    name = ""
    binders: list[str] = []
    if keyword != "show":
        if position < limit and is_identifier(texts[position]) and texts[position] not in KEYWORDS - {"this"}:
            name = texts[position]
            position += 1
        while position < min(limit, index + MAX_GOAL_TOKENS) and texts[position] in ("(", "{", "[", "⦃"):
            after = tokens.brackets.close(position, limit) + 1
            binders.append(tokens.source(position, after))
            position = after
        if position >= limit or texts[position] != ":":
            return None
        position += 1
    stop = goal_end(tokens, position, limit)
    if stop - index > MAX_GOAL_TOKENS:
        return None
    conclusion = tokens.source(position, stop)
    if not conclusion or (keyword == "show" and stop < limit and texts[stop] in ("then", "with")):
        return None
    proof_end = limit
    if stop >= limit or keyword == "suffices":
        stop, proof_end = limit, _rest_of_block(tokens, index, limit, end)
    return StatedGoal(keyword, name, conclusion, tuple(binders), index, stop, proof_end)


def _rest_of_block(tokens: Tokens, index: int, begin: int, end: int) -> int:
    """The end of the block of the step at `index`. `show T` and `suffices` are proved by what follows them."""
    return tokens.lines.next_within(begin, end, tokens.column(index) - 1)


def _calculation(tokens: Tokens, steps: Iterable[tuple[int, int]]) -> Iterator[StatedGoal]:
    """The goals of a calculation's steps. `_` on the left is replaced by the previous right side."""
    left = ""
    for begin, stop in steps:
        proof = goal_end(tokens, begin, stop)
        if proof - begin > MAX_GOAL_TOKENS:
            continue
        relation = tokens.brackets.stop(begin, proof, _RELATIONS)
        if relation >= proof or tokens.texts[relation] not in _RELATIONS:
            # `calc a` with `_ = b` on the next line
            left = left or tokens.source(begin, proof)
            continue
        first = tokens.source(begin, relation)
        right = tokens.source(relation + 1, proof)
        if first == "_":
            first = left
        left = right
        if first and right and proof < stop:
            text = f"{first} {tokens.texts[relation]} {right}"
            yield StatedGoal("calc", "", text, (), begin, proof, stop)


def _calc_steps(tokens: Tokens, index: int, end: int, lines: Budget) -> Iterator[tuple[int, int]]:
    """The token ranges of a calculation's steps: the first, then each line that begins with `_`.

    `lines` counts the lines that are read.
    """
    texts = tokens.texts
    if index + 1 >= end:
        return
    outer = min(tokens.column(index), tokens.column(index + 1))
    starts = [index + 1]
    limit = end
    step_column: int | None = None
    first = index + 1
    while (first := tokens.lines.next_line(first + 1, end)) < end and lines.take(1):
        column = tokens.column(first)
        if step_column is None and texts[first] == "_":
            step_column = column
        if column == step_column and texts[first] == "_":
            starts.append(first)
        elif column == step_column or column < (
            outer if step_column is None else min(outer + 1, step_column)
        ):
            limit = first
            break
    for start, following in pairwise([*starts, limit]):
        yield start, min(following, layout_end(tokens, start, following))
