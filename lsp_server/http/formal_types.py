"""Statements as the types that clients put after `have :`. Pure."""

from __future__ import annotations

from lean_extract.syntax.brackets import PAIR_DEPTH


def formal_type(statement: str) -> str:
    """A statement (binders, then `: conclusion`) as a type, `∀ (a b : ℕ), a + b = b + a`; empty if it has none."""
    depth = 0
    for place, letter in enumerate(statement):
        depth += PAIR_DEPTH.get(letter, 0)
        if depth == 0 and letter == ":":
            binders, conclusion = statement[:place].strip(), statement[place + 1 :].strip()
            return f"∀ {binders}, {conclusion}" if binders else conclusion
    return ""
