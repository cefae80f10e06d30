"""The tactics that a premise's statement suggests for a goal. Pure: Lean tries them elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lean_extract.records import Goal, Premise
from prover.templates import GoalView, PremiseView, Use, is_theorem, target_uses, unfoldings

_EQUALITY = ("=", "↔", "Eq ", "Iff ")
# Below the scores of closing tactics and of premises whose statements fit, above those that hardly fit.
_FOR_EQUALITIES = (("rw [{}]", 0.44), ("apply {}", 0.4), ("simp [{}]", 0.26), ("rw [← {}]", 0.15))
_FOR_OTHERS = (("apply {}", 0.44), ("exact {}", 0.29), ("rw [{}]", 0.18), ("simp [{}]", 0.18))
_FITS = 0.2
"""Below this, a statement hardly fits as a whole."""
_HARDLY = 0.15
"""The fit of rewriting from left to right where neither side seems to occur."""
_LESS = 0.9
"""How much less likely it is to apply one direction of an equivalence than to rewrite with it."""
_REWRITES = ("rw ", "simp ")


def forms_by_name(goal: Goal, name: str) -> Iterator[Use]:
    """The most common forms of a theorem whose statement is not known, as in the bundled index, best first.

    Equations are more often used for rewriting, other lemmas are more often applied.
    """
    is_equality = any(sign in goal.target for sign in _EQUALITY)
    for form, score in _FOR_EQUALITIES if is_equality else _FOR_OTHERS:
        yield Use(form.format(name), score)


class PremiseForms:
    """The forms of premises for one goal."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._view = GoalView.of(goal)

    def of(self, premise: Premise) -> list[str]:
        """The tactics, best first; at least one. The first is the form to show."""
        view = PremiseView.of(premise)
        # Simplifying with what is no equation may prove the goal, but is not what the statement suggests.
        is_rewriting = not is_theorem(premise) or not premise.conclusion or view.shape.kind in ("eq", "iff")
        found = sorted(
            self._uses(premise, view), key=lambda use: (not is_rewriting and _simplifies(use), -use.fit)
        )
        usual = "apply" if view.explicit or is_theorem(premise) else "exact"
        return list(dict.fromkeys([*(use.tactic for use in found), f"{usual} {premise.written}"]))

    def _uses(self, premise: Premise, view: PremiseView) -> Iterable[Use]:
        if not is_theorem(premise):
            return sorted(unfoldings(self._view, premise), key=_simplifies)
        if not premise.conclusion:
            return forms_by_name(self._goal, premise.written)
        found = target_uses(self._view, view)
        return _of_equation(premise.written, found) if view.shape.kind in ("eq", "iff") else found


def _of_equation(name: str, found: Iterable[Use]) -> Iterator[Use]:
    """The uses of an equation or equivalence, which rewrites, and as a whole proves only what it states."""
    yield Use(f"rw [{name}]", _HARDLY)
    for use in found:
        if use.tactic.startswith(_REWRITES):
            yield use
        elif use.fit >= _FITS:
            yield replace(use, fit=_LESS * use.fit) if use.tactic.startswith("apply ") else use


def _simplifies(use: Use) -> bool:
    """Whether it may do more than unfold; of equal fits, the plainer tactic comes first."""
    return use.tactic.startswith("simp ")
