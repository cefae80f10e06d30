"""Turns a step of a proof into one standalone tactic. Pure."""

from __future__ import annotations

import re

from lean_extract.syntax.brackets import CLOSERS, OPENERS
from lean_extract.syntax.lexer import raw_tokens
from lean_extract.syntax.tactic_text import proves_nothing

_BLOCK = re.compile(r"(?<!\s)\s*+(?:(?::=\s*)?(?:by|from|calc)|with|=>)\Z")
_OPEN_ENDS = frozenset(
    ("fun", "λ", "↦", "=>", "<|", "$", ":=", "by", "from", "with", ",", "at", "using", "|")
)
_NO_TACTICS = frozenset(
    ("calc", "case", "case'", "next", "·", ".", "|", "conv", "conv_lhs", "conv_rhs", "match", "set_option",
     "open", "stop", "sorry", "done", "all_goals", "any_goals", "try", "repeat", "repeat'", "first", "focus",
     "iterate", "on_goal", "pick_goal", "swap", "rotate_left", "rotate_right", "clear", "trace_state")
)  # fmt: skip
"""First words of steps that are not useful as suggestions: structure, combinators, and tidying up."""
_HEAD = re.compile(r"(?:have|haveI|replace|suffices|induction|cases|rcases|induction'|cases')\b")


def complete(step: str) -> str | None:
    """The step as one complete tactic on one line; None if it is not one.

    `have h : p := by` with a block becomes `have h : p`, and `induction n with` becomes `induction n`. A step that
    continues in a nested block of several tactics is not a standalone tactic.
    """
    tactic = " ".join(step.split())
    if _HEAD.match(tactic):
        tactic = _BLOCK.sub("", tactic)
    texts = [token.rstrip() for token in raw_tokens(tactic)]
    if not texts or texts[0] in _NO_TACTICS or texts[-1] in _OPEN_ENDS or proves_nothing(tactic) is not None:
        return None
    if not _is_balanced(texts) or "·" in texts or ";" in texts or "calc" in texts:
        return None
    return tactic


def _is_balanced(texts: list[str]) -> bool:
    depth = 0
    for text in texts:
        depth += (text in OPENERS) - (text in CLOSERS)
        if depth < 0:
            return False
    return depth == 0


def head(tactic: str) -> str:
    """A tactic's first word (`rw`, `simp`, `exact`); `simp` for both `simp` and `simp only`."""
    return next((token.rstrip() for token in raw_tokens(tactic)), "")
