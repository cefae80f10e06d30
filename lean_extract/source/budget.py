"""How much may be made of one declaration: where the output could grow faster than the text, the rest is left
out."""

from __future__ import annotations

from dataclasses import dataclass

MAX_FACTS = 200
"""Named facts of a proof that are in force at once. Mathlib has some dozens."""
MAX_TOKENS = 20_000
"""Tokens of a statement or of a proof that are read; the longest of Mathlib have some thousands."""


@dataclass(slots=True)
class Budget:
    """Counts what is made, in whatever unit, down to nothing."""

    left: int
    is_spent: bool = False
    """Whether something was refused."""

    def take(self, amount: int) -> bool:
        """Whether so much may still be made."""
        if amount > self.left:
            self.is_spent = True
            return False
        self.left -= amount
        return True
