"""The keywords and marks of tactics and proof terms."""

from __future__ import annotations

FOCUS_DOTS = frozenset(("·", ".", "•"))
SEPARATORS = frozenset((";", "<;>"))
"""Marks between two tactics on one line."""
TACTIC_BLOCKS = frozenset(("by", "decreasing_by"))
"""Words that are followed by a block of tactics."""
FUNCTIONS = frozenset(("fun", "λ"))
ARROWS = frozenset(("=>", "↦"))
"""Marks before the body of a function."""

LETS = frozenset(("have", "let", "haveI", "letI"))
"""Words that define or state something inside a term, with a `:=` of their own."""
FACTS = frozenset(("have", "haveI", "replace"))
"""Tactics that add a fact to the context."""
STATING = FACTS | {"show", "suffices"}
"""Words that state a goal, besides `calc`."""
INTRO_PATTERNS = frozenset(("intro", "rintro"))
INTRODUCING = INTRO_PATTERNS | {"intros"}
GIVING = frozenset(("exact", "refine", "refine'"))
"""Tactics that take a term as a proof of the goal."""
SPLITTING = frozenset(("constructor", "and_intros"))
"""Tactics that leave a goal for each part of a conjunction or equivalence."""
UNCHANGING = frozenset(("classical", "skip"))
"""Tactics that leave the goal and its context unchanged."""
GOAL_KEEPING = (
    UNCHANGING
    | LETS
    | FACTS
    | {"obtain", "by_cases", "rcases", "induction", "cases", "set", "subst", "specialize", "cases'"}
    | {"induction'"}
)
"""Tactics that leave the target, or at least its form, unchanged."""

CONTAINERS = frozenset(
    ("case", "case'", "next", "on_goal", "conv", "conv_lhs", "conv_rhs", "conv'", "|", "slice_lhs",
     "slice_rhs")
)  # fmt: skip
"""First tokens of steps in which `=>` opens a tactic block."""
COMBINATORS = frozenset(
    ("try", "repeat", "repeat'", "repeat1", "all_goals", "any_goals", "first", "focus", "fail_if_success",
     "iterate", "classical", "unhygienic", "success_if_fail_with_msg", "solve", "work_on_goal", "run_tac",
     "only_goal", "with_reducible", "with_unfolding_all", "with_reducible_and_instances", "swap",
     "checkpoint",
     "stop")
)  # fmt: skip
"""Words that are followed by a tactic."""
