"""The words and marks that tactics and proof terms are made of."""

from __future__ import annotations

FOCUS_DOTS = frozenset(("·", ".", "•"))
SEPARATORS = frozenset((";", "<;>"))
"""What stands between two tactics of one line."""
TACTIC_BLOCKS = frozenset(("by", "decreasing_by"))
"""Words behind which a block of tactics stands."""
FUNCTIONS = frozenset(("fun", "λ"))
ARROWS = frozenset(("=>", "↦"))
"""What stands before the body of a function."""

LETS = frozenset(("have", "let", "haveI", "letI"))
"""What defines or states something inside of a term, with a `:=` of its own."""
FACTS = frozenset(("have", "haveI", "replace"))
"""Tactics that add a fact to the context."""
STATING = FACTS | {"show", "suffices"}
"""What states a goal, beside `calc`."""
INTRO_PATTERNS = frozenset(("intro", "rintro"))
INTRODUCING = INTRO_PATTERNS | {"intros"}
GIVING = frozenset(("exact", "refine", "refine'"))
"""Tactics that take a term for the goal."""
SPLITTING = frozenset(("constructor", "and_intros"))
"""Tactics that leave a goal for each part of a conjunction or equivalence."""
UNCHANGING = frozenset(("classical", "skip"))
"""Tactics that leave goal and context as they are."""
GOAL_KEEPING = (
    UNCHANGING
    | LETS
    | FACTS
    | {"obtain", "by_cases", "rcases", "induction", "cases", "set", "subst", "specialize", "cases'"}
    | {"induction'"}
)
"""Tactics that leave the goal, or at least its form, as it is."""

CONTAINERS = frozenset(
    ("case", "case'", "next", "on_goal", "conv", "conv_lhs", "conv_rhs", "conv'", "|", "slice_lhs",
     "slice_rhs")
)  # fmt: skip
"""First tokens of steps whose `=>` opens a tactic block."""
COMBINATORS = frozenset(
    ("try", "repeat", "repeat'", "repeat1", "all_goals", "any_goals", "first", "focus", "fail_if_success",
     "iterate", "classical", "unhygienic", "success_if_fail_with_msg", "solve", "work_on_goal", "run_tac",
     "only_goal", "with_reducible", "with_unfolding_all", "with_reducible_and_instances", "swap",
     "checkpoint",
     "stop")
)  # fmt: skip
"""Words behind which a tactic stands."""
