"""What training reads of a query's goal."""

from __future__ import annotations

from dataclasses import replace

from lean_extract.records import Goal
from retriever.lean.dataset.dataset import DatasetQuery

_UNKNOWN = "_"


def goal_to_read(query: DatasetQuery) -> Goal:
    """A training query's goal without the hypotheses whose type is not known; a held-out one as it is.

    The text of a proof often names what a tactic introduces and does not tell its type (`h : _`). Lean
    always prints one.
    """
    return without_unknown(query.goal) if query.split == "train" else query.goal


def without_unknown(goal: Goal) -> Goal:
    """The goal without its hypotheses `h : _`."""
    known = tuple(one for one in goal.hypotheses if one.type != _UNKNOWN or one.value is not None)
    return goal if len(known) == len(goal.hypotheses) else replace(goal, hypotheses=known)
