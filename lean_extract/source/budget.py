"""Limits on what is made of one declaration. Where the output could grow faster than the text, the rest is left
out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Budget:
    """Counts down what may still be made, in any unit."""

    left: int
    is_spent: bool = False
    """Whether a request was refused."""

    def take(self, amount: int) -> bool:
        """Take this amount from the budget; False, and nothing is taken, if less is left."""
        if amount > self.left:
            self.is_spent = True
            return False
        self.left -= amount
        return True
