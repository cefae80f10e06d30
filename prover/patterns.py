"""The pattern that takes a fact apart (`⟨x, hx⟩`, `h | h`), by the outer shape of what it says. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set

from prover.limits import MAX_PATTERN_PARTS
from prover.shapes import binder_arguments, head, shape

_ONE_FIELD = frozenset(("Nonempty", "PLift", "ULift"))
"""Types with one constructor, of one field."""


def taking_apart(term: str, pattern: str) -> str:
    """The tactic that takes what a term proves apart."""
    return f"rcases {term} with {pattern}" if " | " in pattern else f"obtain {pattern} := {term}"


def pattern_of(says: Sequence[str], taken: Set[str], wish: str = "h") -> str:
    """The pattern for `rcases` and `obtain`; empty where there is nothing to take apart.

    Args:
        says: the tokens of the proposition.
        taken: the names of the context, which new ones do not hide.
        wish: the name for a part without variables of its own.
    """
    pattern = _Pattern(taken)
    found = pattern.cases(tuple(says), wish)
    return found if pattern.splits else ""


class _Pattern:
    """Gives names to the parts of one fact."""

    def __init__(self, taken: Set[str]) -> None:
        self._taken, self._bound = set(taken), set[str]()
        self.splits = 0

    def cases(self, says: tuple[str, ...], wish: str) -> str:
        """`p | q` for a disjunction, else the pattern of its only case."""
        outer = shape(says)
        if outer.kind != "or" or not self._may_split():
            fields = self._fields(says, wish)
            return f"⟨{', '.join(fields)}⟩" if len(fields) > 1 or head(says) in _ONE_FIELD else fields[0]
        before = set(self._taken)
        left = self._nested(outer.left, wish)
        self._taken = before  # the cases may have equal names
        return f"{left} | {self.cases(outer.right, wish)}"

    def _nested(self, says: tuple[str, ...], wish: str) -> str:
        found = self.cases(says, wish)
        return f"({found})" if shape(says).kind == "or" and " | " in found else found

    def _fields(self, says: tuple[str, ...], wish: str) -> list[str]:
        outer = shape(says)
        if outer.kind == "eq" and {outer.left, outer.right} & {(name,) for name in self._bound}:
            return ["rfl"]
        if outer.kind == "or" and self.splits < MAX_PATTERN_PARTS:
            return [self._nested(says, wish)]
        if outer.kind not in ("and", "exists") or not self._may_split():
            is_split = head(says) in _ONE_FIELD and self._may_split()
            return [self._fresh("x" if is_split else wish)]
        found = []
        if outer.kind == "and":
            found.append(self._nested(outer.left, wish))
        for argument in binder_arguments(outer.left) if outer.kind == "exists" else ():
            is_data = argument.name not in ("", "_") and not argument.is_condition
            if is_data:
                self._bound.add(argument.name)
                wish = f"h{argument.name}"
            found.append(self._fresh(argument.name if is_data else wish))
        return [*found, *self._fields(outer.right, wish)]

    def _may_split(self) -> bool:
        self.splits += self.splits < MAX_PATTERN_PARTS
        return self.splits < MAX_PATTERN_PARTS

    def _fresh(self, wish: str) -> str:
        name = fresh(wish, self._taken)
        self._taken.add(name)
        return name


def fresh(wish: str, taken: Set[str]) -> str:
    """The name, with a number if it is taken."""
    names = (wish, *(f"{wish}{number}" for number in range(1, len(taken) + 2)))
    return next(name for name in names if name == "_" or name not in taken)
