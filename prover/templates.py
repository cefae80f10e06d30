"""The ways to use a premise on a goal, judged by their shapes (see `prover.shapes`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.records import Goal, Premise
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.inaccessible import DAGGER
from prover.facts import Way, telescope, ways_of_hypothesis, ways_of_premise
from prover.matching import occurs, resolved, unify
from prover.mentions import means
from prover.patterns import pattern_of, taking_apart
from prover.proofs import key, proofs
from prover.shapes import Argument, GoalShape, head, last_named, last_parts, shape, symbols, tokens
from prover.terms import Term, parse

_DEFINITIONS = frozenset({"def", "abbrev", "irreducible_def"})
_MOST_LEMMAS = 2
_SURE, _STEP_COSTS, _RANK_COSTS = 0.985, 0.985, 0.01
"""The fit of a proof term of one step, and how it falls with each further step and with the rank."""
_LINEAR = frozenset("<≤>≥=")
_FITTING = 0.9
"""What fits as well as this is applied as it is."""
_TYPES = frozenset({"structure", "class", "inductive", "class inductive", "instance", "axiom type"})


@dataclass(frozen=True, slots=True)
class Use:
    """A tactic that uses a premise, and how well it fits the goal (0 to 1)."""

    tactic: str
    fit: float


@dataclass(frozen=True, slots=True)
class GoalView:
    """What the templates need of a goal, computed once for all premises."""

    target: tuple[str, ...]
    """Its tokens, without dot notation."""
    term: Term
    shape: GoalShape
    head: str
    symbols: frozenset[str]
    names: frozenset[str]
    """The symbols without their namespaces."""
    local: frozenset[str]
    hypotheses: tuple[tuple[str, Term, str], ...]
    """Name, type and head symbol of every hypothesis that has an accessible name."""
    ways: tuple[Way, ...]
    """The ways to use the hypotheses."""

    @classmethod
    def of_target(cls, target: tuple[str, ...], local: frozenset[str]) -> GoalView:
        """The view of a goal without what its hypotheses say. `local`: their names."""
        target = undotted(target, local)
        term, own = parse(target, frozenset(), local), symbols(target, local)
        return cls(target, term, shape(target), head(target, local), own, last_parts(own), local, (), ())

    @classmethod
    def of(cls, goal: Goal) -> GoalView:
        """The view of a goal."""
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        named = tuple(
            (name, type_, outer)
            for hypothesis in last_named(goal)
            for type_, outer in [_read(hypothesis.type, local)]
            for name in hypothesis.names
            if DAGGER not in name and name != "this"
        )
        ways = tuple(way for name, type_, _ in named for way in ways_of_hypothesis(name, type_))
        return replace(cls.of_target(tokens(goal.target), local), hypotheses=named, ways=ways)


def _read(type_: str, local: frozenset[str]) -> tuple[Term, str]:
    parts = tokens(type_)
    return parse(parts, frozenset(), local), head(parts, local)


@dataclass(frozen=True, slots=True)
class PremiseView:
    """A premise's explicit arguments, variables, conclusion without `∀` and `→` (`core`), and ways to use it."""

    name: str
    explicit: tuple[Argument, ...]
    variables: frozenset[str]
    core: tuple[str, ...]
    shape: GoalShape
    ways: tuple[Way, ...]

    @classmethod
    def of(cls, premise: Premise, rank: int = 0) -> PremiseView:
        """The view of a premise at a rank, from 0."""
        arguments, core = telescope(premise.context, premise.conclusion)
        variables = frozenset(argument.name for argument in arguments if argument.name)
        explicit = tuple(argument for argument in arguments if argument.is_explicit)
        found = ways_of_premise(premise.written, explicit, parse(core, variables), variables, rank)
        return cls(premise.written, explicit, variables, core, shape(core), tuple(found))

    @property
    def proofs(self) -> tuple[Argument, ...]:
        """The explicit arguments that are probably proofs."""
        return tuple(argument for argument in self.explicit if argument.is_proof)

    def term(self, parts: tuple[str, ...]) -> Term:
        """The tree of a part of its statement."""
        return parse(parts, self.variables)


def is_theorem(premise: Premise) -> bool:
    """Whether a premise is a theorem, not a definition or a type."""
    return premise.kind not in _TYPES | _DEFINITIONS


def uses(goal: GoalView, view: PremiseView, has_mathlib: bool) -> Iterator[Use]:
    """Every use of a theorem that the goal's shape allows, in no particular order."""
    yield from target_uses(goal, view)
    yield from _forward(goal, view, has_mathlib)


def target_uses(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    """Those uses that change the target, rather than add a fact."""
    yield from _application(goal, view)
    yield from _projection(goal, view)
    if view.shape.kind in ("eq", "iff"):
        yield from _rewriting(goal, view)
    yield from _simplification(goal, view)


def closed(goal: GoalView, views: Sequence[PremiseView]) -> Iterator[Use]:
    """Complete proof terms from hypotheses and at most two premises."""
    known = [*goal.ways, *(way for view in views for way in view.ways)]
    for proof in proofs(goal.term, known, goal.local, _MOST_LEMMAS):
        fit = _SURE * _STEP_COSTS ** (proof.steps - 1) / (1 + _RANK_COSTS * proof.rank)
        yield Use(f"exact {proof.text}", fit)


def unfoldings(goal: GoalView, premise: Premise) -> Iterator[Use]:
    """Uses of a definition that the goal mentions, or that a hypothesis is made with."""
    if premise.kind not in _DEFINITIONS:
        return
    name = premise.written
    if any(means(premise, symbol) for symbol in goal.symbols):
        trust = 1.0 if means(premise, goal.head) else 0.9
        yield Use(f"simp [{name}]", 0.5 * trust)
        yield Use(f"unfold {name}", 0.5 * trust)
        yield Use(f"rw [{name}]", 0.4 * trust)
        yield Use(f"simp only [{name}]", 0.3 * trust)
    for hypothesis, _, outer in goal.hypotheses:
        if means(premise, outer):
            yield Use(f"unfold {name} at {hypothesis}", 0.2)
            yield Use(f"simp [{name}] at {hypothesis}", 0.18)


def _application(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    fit = fits(goal, view.shape, view.core, view.variables)
    turned = _turned_fit(goal, view)
    yield from _apply(goal, view, fit)
    if turned > fit:
        applied = f"({view.name}{' _' * len(view.explicit)})" if view.explicit else view.name
        yield Use(f"exact {applied}.symm", turned)


def _projection(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    """Uses of a part of what the premise proves, if the goal may be that part: `(X ?_).1`, `X.mpr`."""
    for way in view.ways:
        if not way.is_projected or way.pieces[-1] == ".symm" or way.proves.kind == "variable":
            continue
        verdict = unify(way.proves, goal.term).verdict
        fit = (
            0.95
            if verdict == "yes"
            else 0.6
            if verdict == "open" and key(way.proves) == key(goal.term)
            else 0
        )
        if not fit:
            continue
        begun = way.unapplied
        open_text = begun.text(["?_" if hole.is_proof else "_" for hole in begun.holes])
        if begun is not way and not begun.proofs:
            yield Use(f"apply {open_text}", 0.85 * fit)
        elif way.proofs:
            yield Use(f"refine {way.text(['?_' if hole.is_proof else '_' for hole in way.holes])}", 0.7 * fit)
            assumed = ["(by assumption)" if hole.is_proof else "_" for hole in way.holes]
            yield Use(f"exact {way.text(assumed)}", 0.6 * fit)
        else:
            yield Use(f"exact {open_text}", 0.9 * fit)


def _apply(goal: GoalView, view: PremiseView, fit: float) -> Iterator[Use]:
    function, proofs = view.name, view.proofs
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


def _from_hypotheses(goal: GoalView, view: PremiseView) -> dict[Argument, str | None]:
    """For every proof that the premise needs, a hypothesis that fits according to the texts, or None."""
    bindings = unify(view.term(view.core), goal.term).bindings
    chosen: dict[Argument, str | None] = {}
    for argument in view.proofs:
        chosen[argument] = None
        taken = set(chosen.values())
        wanted = resolved(view.term(argument.type), bindings)
        is_anything = wanted.kind == "variable" and not wanted.args
        for name, type_, _ in sorted(goal.hypotheses, key=lambda item: item[0] in taken):
            found = unify(wanted, type_, bindings)
            alike = key(type_) == key(wanted) and type_.args and name not in taken
            if found.verdict == "yes" and not is_anything:
                chosen[argument], bindings = name, found.bindings
                break
            if found.verdict == "open" and alike and chosen[argument] is None:
                chosen[argument] = name
    return chosen


def _rewriting(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    left = occurs_in(goal, view.shape.left, view.variables)
    right = occurs_in(goal, view.shape.right, view.variables)
    yield Use(f"rw [{view.name}]", 0.78 * left)
    yield Use(f"rw [← {view.name}]", 0.7 * right if right > left else 0.45 * right)


def _simplification(goal: GoalView, view: PremiseView) -> Iterator[Use]:
    if view.shape.kind in ("eq", "iff"):
        fit = occurs_in(goal, view.shape.left, view.variables)
    else:
        fit = 0.5 * _share(last_parts(symbols(view.core, view.variables)), goal.names)
    yield Use(f"simp [{view.name}]", 0.75 * fit)
    if view.shape.kind in ("eq", "iff"):
        yield Use(f"simp only [{view.name}]", 0.4 * fit)


def _forward(goal: GoalView, view: PremiseView, has_mathlib: bool) -> Iterator[Use]:
    """`have := X h`, or the same taken apart, if hypotheses provide all proofs that the premise needs."""
    chosen = _from_hypotheses(goal, view)
    if not all(chosen.values()):
        return
    term = f"{view.name}{_fill(view, chosen, '_')}"
    pattern = pattern_of(view.core, goal.local)
    if pattern:
        yield Use(taking_apart(term, pattern), 0.15 if view.proofs else 0.1)
    elif view.proofs:
        yield Use(f"have := {term}", 0.15)
        if has_mathlib and view.shape.operator in _LINEAR and goal.shape.operator in _LINEAR:
            yield Use(f"linarith [{term}]", 0.1)
    is_near = head(view.core, view.variables) == goal.head and view.shape.kind not in ("forall", "imp")
    if is_near and fits(goal, view.shape, view.core, view.variables) < _FITTING:
        yield Use(f"simpa using {term}", 0.12)
        if has_mathlib:
            yield Use(f"convert {term} using 1", 0.08)


def fits(goal: GoalView, premise: GoalShape, core: tuple[str, ...], variables: frozenset[str]) -> float:
    """How likely the premise's conclusion unifies with the target, 0 to 1, judged by the texts."""
    term = parse(core, variables)
    if term.kind == "variable" and not term.args:
        return 0.2  # an eliminator: it fits everything
    verdict = unify(term, goal.term).verdict
    if verdict == "yes":
        return 0.95
    if verdict == "no":
        return 0.05
    outer = goal.shape
    if outer.kind != premise.kind:
        return 0.3 if outer.kind == "not" and premise.kind == "false" else 0.04
    if outer.kind == "other":
        return 0.7 if key(goal.term) == key(term) else 0.04
    if outer.operator != premise.operator:
        return 0.04
    right = _side(goal, outer.right, premise.right, variables)
    if outer.kind in ("not", "exists", "forall"):
        return right
    return _side(goal, outer.left, premise.left, variables) * right


def _turned_fit(goal: GoalView, view: PremiseView) -> float:
    """The fit of an equation or equivalence read from right to left."""
    if view.shape.kind not in ("eq", "iff") or goal.shape.kind != view.shape.kind:
        return 0.0
    turned = GoalShape(view.shape.kind, view.shape.right, view.shape.operator, view.shape.left)
    core = (*turned.left, turned.operator, *turned.right)
    return 0.9 * fits(goal, turned, core, view.variables)


def _side(
    goal: GoalView, part: tuple[str, ...], premise: tuple[str, ...], variables: frozenset[str]
) -> float:
    """How likely a premise's subterm (with pattern variables) unifies with one of the goal's target."""
    if len(premise) == 1 and premise[0] in variables:
        return 0.93
    outer = head(premise, variables)
    if last_parts([outer]) == last_parts([head(part, goal.local)]):
        theirs, ours = symbols(premise, variables), symbols(part, goal.local)
        return 0.95 if last_parts(theirs) <= last_parts(ours) else 0.45
    return 0.5 if outer in variables else 0.12


def occurs_in(goal: GoalView, pattern: tuple[str, ...], variables: frozenset[str]) -> float:
    """How likely the pattern occurs somewhere in the goal, 0 to 1, judged by the texts."""
    wanted = last_parts(symbols(pattern, variables))
    if not wanted:
        return 0.1  # a bare variable matches anything
    verdict = occurs(parse(pattern, variables), goal.term).verdict
    if verdict == "yes":
        return 1.0
    share = _share(wanted, goal.names)
    return 0.1 * share if verdict == "no" else 0.6 if share == 1 else 0.3 * share


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0
