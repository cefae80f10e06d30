"""How a premise may be used on a goal, judged by the two shapes (see `prover.shapes`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise
from prover.matching import match, occurs
from prover.shapes import Argument, Shape, head, shape, symbols, telescope, tokens

_DEFINITIONS = frozenset({"def", "abbrev", "irreducible_def"})
_MANY_HYPOTHESES = 128
_MOST_RULES = 5
_TYPES = frozenset({"structure", "class", "inductive", "class inductive", "instance", "axiom type"})


@dataclass(frozen=True, slots=True)
class Use:
    """One tactic that uses a premise, and how well it fits the goal (0 to 1)."""

    tactic: str
    fit: float


@dataclass(frozen=True, slots=True)
class GoalView:
    """What the templates look at in a goal, computed once for all premises."""

    target: tuple[str, ...]
    shape: Shape
    head: str
    symbols: frozenset[str]
    hypotheses: tuple[tuple[str, tuple[str, ...], str], ...]
    """Name, type and head symbol of every hypothesis that can be named."""

    @classmethod
    def of(cls, goal: Goal) -> GoalView:
        """The view of a goal."""
        target = tokens(goal.target)
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        named = tuple(
            (name, tokens(hypothesis.type), head(tokens(hypothesis.type)))
            for hypothesis in goal.hypotheses[-_MANY_HYPOTHESES:]
            for name in hypothesis.names
            if "✝" not in name and name != "this"
        )
        return cls(target, shape(target), head(target), symbols(target, local), named)


@dataclass(frozen=True, slots=True)
class PremiseView:
    """A premise's explicit arguments, its variables, and its conclusion without `∀` and `→`."""

    name: str
    explicit: tuple[Argument, ...]
    variables: frozenset[str]
    core: tuple[str, ...]
    shape: Shape

    @classmethod
    def of(cls, premise: Premise) -> PremiseView:
        """The view of a premise."""
        arguments, core = telescope(premise.context, premise.conclusion)
        variables = frozenset(argument.name for argument in arguments if argument.name)
        explicit = tuple(argument for argument in arguments if argument.is_explicit)
        return cls(premise.written, explicit, variables, core, shape(core))

    @property
    def proofs(self) -> tuple[Argument, ...]:
        """The explicit arguments that are likely proofs."""
        return tuple(argument for argument in self.explicit if argument.is_proof)


def uses(goal: GoalView, premise: Premise) -> Iterator[Use]:
    """Every way to use the premise on the goal that its kind and shape allow, unsorted."""
    if premise.kind in _TYPES:
        return
    if premise.kind in _DEFINITIONS:
        yield from _definition(goal, premise)
        return
    view = PremiseView.of(premise)
    yield from _application(goal, view)
    if view.shape.kind in ("eq", "iff"):
        yield from _rewriting(goal, view)
    yield from _simplification(goal, view)
    yield from _forward(goal, view)


def _definition(goal: GoalView, premise: Premise) -> Iterator[Use]:
    last = premise.name.rsplit(".", 1)[-1]
    if {premise.written, last} & goal.symbols or any(symbol.endswith(f".{last}") for symbol in goal.symbols):
        yield Use(f"unfold {premise.written}", 0.3)
        yield Use(f"simp [{premise.written}]", 0.35)
        yield Use(f"simp only [{premise.written}]", 0.25)


def _application(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    fit = fits(goal.shape, goal.target, view.shape, view.core, view.variables)
    turned = _turned_fit(goal, view)
    yield from _apply(goal, view, view.name, fit)
    if turned > fit:
        yield Use(f"exact {_applied(view.name, view.explicit)}.symm", turned)
    if view.shape.kind == "iff" and goal.shape.kind != "iff":
        forward = fits(goal.shape, goal.target, shape(view.shape.left), view.shape.left, view.variables)
        backward = fits(goal.shape, goal.target, shape(view.shape.right), view.shape.right, view.variables)
        function = _applied(view.name, view.explicit)
        yield Use(f"apply {function}.mpr", 0.85 * forward)
        yield Use(f"apply {function}.mp", 0.85 * backward)


def _apply(goal: GoalView, view: PremiseView, function: str, fit: float) -> Iterator[Use]:
    proofs = view.proofs
    if not view.explicit:
        yield Use(f"exact {function}", fit)
        yield Use(f"apply {function}", 0.6 * fit)
    elif not proofs:
        yield Use(f"exact {function}{' _' * len(view.explicit)}", fit)
        yield Use(f"apply {function}", 0.7 * fit)
    else:
        chosen = _from_hypotheses(goal, view)
        known = sum(name is not None for name in chosen.values())
        yield Use(f"apply {function}", 0.9 * fit)
        if known == len(proofs):
            yield Use(f"exact {function}{_fill(view, chosen, '_')}", 0.98 * fit)
        elif known:
            yield Use(f"refine {function}{_fill(view, chosen, '?_')}", 0.8 * fit)
        yield Use(f"exact {function}{_fill(view, {}, '(by assumption)')}", (0.3 if known else 0.4) * fit)
        yield Use(f"refine {function}{_fill(view, {}, '?_')}", 0.45 * fit)


def _fill(view: PremiseView, chosen: dict[Argument, str | None], missing: str) -> str:
    parts = [(chosen.get(arg) or missing) if arg.is_proof else "_" for arg in view.explicit]
    return "".join(f" {part}" for part in parts)


def _applied(function: str, explicit: tuple[Argument, ...]) -> str:
    return f"({function}{' _' * len(explicit)})" if explicit else function


def _from_hypotheses(goal: GoalView, view: PremiseView) -> dict[Argument, str | None]:
    """For every proof the premise asks for, a hypothesis that can be it, as far as the texts tell."""
    bindings = match(view.core, goal.target, view.variables).bindings
    chosen: dict[Argument, str | None] = {}
    for argument in view.proofs:
        chosen[argument] = None
        taken = set(chosen.values())
        for name, type_, outer in sorted(goal.hypotheses, key=lambda item: item[0] in taken):
            found = match(argument.type, type_, view.variables, bindings)
            alike = outer == head(argument.type) and len(type_) > 1 and name not in taken
            if found.verdict == "yes" and len(argument.type) > 1:
                chosen[argument], bindings = name, found.bindings
                break
            if found.verdict == "open" and alike and chosen[argument] is None:
                chosen[argument] = name
    return chosen


def _rewriting(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    left = _occurs(goal, view.shape.left, view.variables)
    right = _occurs(goal, view.shape.right, view.variables)
    yield Use(f"rw [{view.name}]", 0.78 * left)
    yield Use(f"rw [← {view.name}]", 0.7 * right if right > left else 0.45 * right)


def _simplification(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    if view.shape.kind in ("eq", "iff"):
        fit = _occurs(goal, view.shape.left, view.variables)
    else:
        fit = 0.5 * _share(symbols(view.core, view.variables), goal.symbols)
    yield Use(f"simp [{view.name}]", 0.75 * fit)
    if view.shape.kind in ("eq", "iff"):
        yield Use(f"simp only [{view.name}]", 0.4 * fit)


def together(goal: GoalView, premises: Sequence[Premise]) -> Iterator[Use]:
    """`simp` with the best few rewriting premises at once."""
    rules = [
        premise.written
        for premise in premises
        if premise.kind not in _TYPES | _DEFINITIONS and _is_rule(goal, PremiseView.of(premise))
    ][:_MOST_RULES]
    if len(rules) > 1:
        yield Use(f"simp [{', '.join(rules)}]", 0.6)


def _is_rule(goal: GoalView, view: PremiseView) -> bool:
    return view.shape.kind in ("eq", "iff") and _occurs(goal, view.shape.left, view.variables) >= 0.6


def _forward(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    """`have := X h` where a hypothesis is what the premise asks for."""
    proofs = view.proofs
    if not proofs:
        return
    chosen = _from_hypotheses(goal, view)
    if all(chosen.values()):
        yield Use(f"have := {view.name}{_fill(view, chosen, '_')}", 0.15)


def fits(
    goal: Shape,
    target: tuple[str, ...],
    premise: Shape,
    core: tuple[str, ...],
    variables: frozenset[str],
) -> float:
    """How likely the premise's conclusion unifies with the target, 0 to 1, as far as the texts tell."""
    if len(core) == 1 and core[0] in variables:
        return 0.2  # an eliminator: it fits everything
    if goal.kind != premise.kind:
        return 0.3 if goal.kind == "not" and premise.kind == "false" else 0.04
    verdict = match(core, target, variables).verdict
    if verdict == "yes":
        return 0.95
    if verdict == "no":
        return 0.05
    if goal.kind == "other":
        return 0.7 if head(target) == head(core) else 0.04
    if goal.operator != premise.operator:
        return 0.04
    if goal.kind in ("not", "exists", "forall"):
        return _side(goal.right, premise.right, variables)
    return _side(goal.left, premise.left, variables) * _side(goal.right, premise.right, variables)


def _turned_fit(goal: GoalView, view: PremiseView) -> float:
    """The fit of the premise read from right to left, for equations and equivalences."""
    if view.shape.kind not in ("eq", "iff") or goal.shape.kind != view.shape.kind:
        return 0.0
    turned = Shape(view.shape.kind, view.shape.right, view.shape.operator, view.shape.left)
    core = (*turned.left, turned.operator, *turned.right)
    return 0.9 * fits(goal.shape, goal.target, turned, core, view.variables)


def _side(goal: tuple[str, ...], premise: tuple[str, ...], variables: frozenset[str]) -> float:
    """How likely a premise's subterm (with pattern variables) unifies with the goal's."""
    inner = tuple(premise)
    if len(inner) == 1 and inner[0] in variables:
        return 0.93
    if head(goal) == head(inner):
        return 0.95 if symbols(inner, variables) <= symbols(goal) else 0.45
    return 0.5 if head(inner) in variables else 0.12


def _occurs(goal: GoalView, pattern: tuple[str, ...], variables: frozenset[str]) -> float:
    """How likely the pattern occurs somewhere in the goal."""
    wanted = symbols(pattern, variables)
    if not wanted:
        return 0.1  # a bare variable rewrites anything, or nothing
    verdict = occurs(pattern, goal.target, variables).verdict
    if verdict == "yes":
        return 1.0
    share = _share(wanted, frozenset(goal.target))
    return 0.1 * share if verdict == "no" else 0.6 if share == 1 else 0.3 * share


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0
