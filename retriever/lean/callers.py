"""The tactic that premises are for, as Lean's own `LibrarySuggestions` calls it: the caller.

After `rw [` an equation is wanted whose side occurs in the goal, after `simp [` whatever simplifies (definitions,
too), after `apply` what concludes the goal.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, get_args

from lean_extract.records import Goal

Caller = Literal["", "rewrite", "simplify", "apply", "unfold"]
"""The group of a tactic; empty where it is not known, or of no group."""
CALLERS: tuple[Caller, ...] = get_args(Caller)

_GROUPS: dict[Caller, str] = {
    "rewrite": "rw rwa erw rewrite nth_rw nth_rewrite simp_rw rw_mod_cast",
    "simplify": "simp simpa simp_all simp_arith dsimp norm_num norm_cast push_cast field_simp",
    "apply": "apply exact exacts refine refine' exact_mod_cast apply_mod_cast convert have use exists",
    "unfold": "unfold delta",
}
_OF: dict[str, Caller] = {name: caller for caller, names in _GROUPS.items() for name in names.split()}
TACTICS = frozenset(_OF)
"""The tactics that are of a group."""
_FIRST = re.compile(r"[\s·<;>(]*([a-zA-Z_][\w']*)")
_LOCATION = re.compile(r"\bat\s+([^\s()\[\],;⊢|*]+)(?![^\n]*⊢)")


def caller_of(tactic: str) -> Caller:
    """The group of a tactic by its first word: `simp only [foo]` and `simp` alike are "simplify"."""
    found = _FIRST.match(tactic)
    return _OF.get(found[1], "") if found else ""


def location_of(tactic: str) -> str:
    """The first hypothesis that a tactic changes: `h` of `rw [foo] at h ⊢`; empty where it changes the target, too."""
    found = _LOCATION.search(tactic)
    return found[1] if found else ""


def at_location(goal: Goal, name: str) -> Goal:
    """The goal as a tactic sees it that changes a hypothesis: what that says is the target.

    It stays as it is if there is no such hypothesis.
    """
    for hypothesis in goal.hypotheses:
        if name and name in hypothesis.names:
            others = tuple(one for one in goal.hypotheses if one is not hypothesis)
            return replace(goal, hypotheses=others, target=hypothesis.type)
    return goal
