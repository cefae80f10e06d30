"""When two proof states are one: as they are printed, but for spacing, case tags and metavariable numbers."""

from __future__ import annotations

import re
from collections.abc import Hashable

from lean_extract.records import Goal, ProofState

_METAVARIABLE = re.compile(r"\?(\w+)\.(\d+)")


def fingerprint(state: ProofState) -> Hashable:
    """Equal for states that differ in spacing, case tags and the numbers of metavariables at most."""
    numbers: dict[str, str] = {}
    return tuple(_plain(goal, numbers) for goal in state.goals)


def _plain(goal: Goal, numbers: dict[str, str]) -> Hashable:
    hypotheses = tuple(
        (item.names, _fold(item.type, numbers), None if item.value is None else _fold(item.value, numbers))
        for item in goal.hypotheses
    )
    return hypotheses, _fold(goal.target, numbers)


def _fold(text: str, numbers: dict[str, str]) -> str:
    """One blank for any spacing; metavariables numbered as they come, which keeps two of them apart."""
    return _METAVARIABLE.sub(
        lambda found: numbers.setdefault(found[0], f"?{found[1]}.{len(numbers)}"), " ".join(text.split())
    )
