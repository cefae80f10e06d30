"""Tactics that a goal suggests by itself, each with a rough probability that it helps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.brackets import TERM_DEPTH, first_outside
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.inaccessible import DAGGER
from prover.facts import is_proof, telescope
from prover.limits import MAX_PATTERN_PARTS
from prover.patterns import fresh, pattern_of, taking_apart
from prover.shapes import (
    GoalShape,
    binder_arguments,
    head,
    last_named,
    last_parts,
    shape,
    strip_brackets,
    symbols,
    tokens,
)

_Proposal = tuple[str, float]

LEAN_CLOSERS = ("simp", "grind", "simp_all")
"""Closing tactics of Lean's own that a search tries; for suggestions, see `prover.automation`."""
MATHLIB_CLOSERS = (
    "norm_num", "ring", "positivity", "linarith", "aesop", "gcongr", "fun_prop", "field_simp", "nlinarith",
)  # fmt: skip
"""Tactics that Mathlib provides and that mostly close a goal."""
_ARITHMETIC, _PRODUCTS, _DIVISIONS = frozenset("+-*^"), frozenset("*^"), frozenset("/⁻")
_ORDERED = frozenset("<≤>≥")
_COMPARED = _ORDERED | {"=", "False"}
_OF_FUNCTIONS = frozenset(
    f"{word}{place}"
    for word in ("Continuous", "Measurable", "AEMeasurable", "Differentiable", "ContDiff", "Analytic")
    for place in ("", "On", "At", "WithinAt")
)
_WHERE: Mapping[str, Callable[[GoalShape, frozenset[str]], bool]] = {
    "ring": lambda outer, words: outer.kind == "eq" and not _ARITHMETIC.isdisjoint(words),
    "positivity": lambda outer, words: outer.left == ("0",) or outer.right == ("0",),
    "linarith": lambda outer, words: outer.operator in _COMPARED,
    "nlinarith": lambda outer, words: outer.operator in _ORDERED and not _PRODUCTS.isdisjoint(words),
    "gcongr": lambda outer, words: outer.operator in _ORDERED | {"⊆"} and _is_alike(outer),
    "fun_prop": lambda outer, words: not _OF_FUNCTIONS.isdisjoint(words),
    "field_simp": lambda outer, words: outer.kind == "eq" and not _DIVISIONS.isdisjoint(words),
    "norm_num": lambda outer, words: any(word[:1].isdigit() for word in words),
}
"""What the target has to be like, by its shape and words, for each of these to be likely."""
_NUMBERS = frozenset({"ℕ", "Nat", "ℤ", "Int", "Fin"})
_INDUCTIVE = frozenset({"ℕ", "Nat", "List", "Multiset", "Finset"})
_SETS = frozenset("∪∩∅∘") | {"fun", "\\", "Set"}
_MANY_NAMES = 6
_MANY_TERMS = 3


@dataclass(frozen=True, slots=True)
class _Read:
    """A goal's tokens, without dot notation."""

    target: tuple[str, ...]
    hypotheses: tuple[tuple[Hypothesis, tuple[str, ...]], ...]
    """The last named ones, each with its type."""
    local: frozenset[str]
    """All names of the context."""

    @classmethod
    def of(cls, goal: Goal) -> _Read:
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)

        def read(text: str) -> tuple[str, ...]:
            return undotted(strip_brackets(tokens(text)), local)

        hypotheses = tuple((one, read(one.type)) for one in last_named(goal))
        return cls(read(goal.target), hypotheses, local)


def closing(goal: Goal, extra: tuple[str, ...] = ()) -> Iterator[_Proposal]:
    """Tactics that either close the goal or fail."""
    read = _Read.of(goal)
    target, types = read.target, {type_ for _, type_ in read.hypotheses}
    outer = shape(target)
    yield "rfl", 0.72 if outer.kind in ("eq", "iff") else 0.2
    yield "assumption", 0.99 if target in types else 0.05
    yield "simp", 0.7
    yield "simp_all", 0.45 if types else 0.2
    yield "trivial", 0.9 if outer.kind == "true" else 0.3
    if read.local.isdisjoint(target):
        yield "decide", 0.6
    if "False" in target or ("False",) in types:
        yield "contradiction", 0.6
    else:
        yield "contradiction", 0.2 if any(shape(type_).kind == "not" for type_ in types) else 0.05
    if _is_arithmetic(read):
        yield "omega", 0.6
    words = frozenset(target)
    for tactic in extra:
        is_likely = tactic not in _WHERE or _WHERE[tactic](outer, words)
        yield tactic, 0.5 if is_likely else 0.05
        if tactic == "nlinarith" and is_likely:
            squares = [f"sq_nonneg ({one} - {other})" for one, other in pairwise(_data(read, target))]
            yield f"nlinarith [{', '.join(squares)}]", 0.4 if squares else 0.0


def _is_alike(outer: GoalShape) -> bool:
    """Whether both sides begin with the same symbol, so that they may differ inside."""
    return bool(outer.left) and head(outer.left) == head(outer.right)


def _is_arithmetic(read: _Read) -> bool:
    types = {token for _, type_ in read.hypotheses for token in type_}
    return bool(types & _NUMBERS) and shape(read.target).kind in ("eq", "rel", "not", "false", "or", "and")


def structural(goal: Goal) -> Iterator[_Proposal]:
    """Tactics that take the target apart by its outer shape."""
    outer = shape(goal.target)
    if outer.kind in ("forall", "imp", "not"):
        yield f"intro {' '.join(_introduced(goal))}", 0.8
    elif outer.kind in ("and", "iff"):
        yield "constructor", 0.62
        yield f"refine ⟨{', '.join(_parts(outer))}⟩", 0.3
    elif outer.kind == "or":
        yield "left", 0.3
        yield "right", 0.3
    elif outer.kind in ("exists", "other"):
        yield "constructor", 0.2
    if outer.kind == "eq":
        yield "funext x", 0.3 if {"fun", "∘"} & set(tokens(goal.target)) else 0.08
        yield "ext x", 0.25 if _SETS & set(tokens(goal.target)) else 0.05
    elif outer.operator == "⊆":
        yield "intro x hx", 0.4
    read = _Read.of(goal)
    for hypothesis, type_ in read.hypotheses:
        if head(type_) in _INDUCTIVE:
            for name in hypothesis.names:
                if _asks_for(name, read):
                    yield f"induction {name}", 0.16
    if outer.kind == "exists":
        yield from ((f"refine ⟨{name}, ?_⟩", 0.2) for name in _data(read, read.local))
    yield from _by_cases(read, outer)


def _parts(outer: GoalShape) -> Iterator[str]:
    """What proves a conjunction or an equivalence, with the proofs of its parts left open."""
    if outer.kind == "iff":
        yield from ("fun h => ?_",) * 2
        return
    for _ in range(MAX_PATTERN_PARTS):
        if outer.kind != "and":
            break
        yield "?_"
        outer = shape(outer.right)
    yield "?_"


def _data(read: _Read, among: Container[str]) -> list[str]:
    """The last variables of the context that are neither proofs nor types."""
    names = (
        name
        for hypothesis, type_ in reversed(read.hypotheses)
        if type_ and not type_[0].startswith(("Type", "Sort", "Prop")) and not is_proof("", type_, {})
        for name in reversed(hypothesis.names)
        if DAGGER not in name and name in among
    )
    return list(islice(names, _MANY_TERMS))


def _by_cases(read: _Read, outer: GoalShape) -> Iterator[_Proposal]:
    """Case distinctions on a condition of the target, and proofs by contradiction."""
    h = fresh("h", read.local)
    if "if" in read.target:
        begin = read.target.index("if") + 1
        condition = read.target[begin : first_outside(read.target, begin, len(read.target), ("then",))]
        if ":" not in condition:
            yield f"by_cases {h} : {' '.join(condition)}", 0.3
        yield "split", 0.4
    if outer.kind in ("rel", "or", "exists"):
        yield f"by_contra {h}", 0.1


def is_worth_cases(goal: Goal, name: str) -> bool:
    """Whether a case distinction on `name` is likely to help.

    On a proof, always. On a number, a list or the like, if the target computes with it, or if the target
    mentions it and no hypothesis does.
    """
    for hypothesis in goal.hypotheses:
        if name in hypothesis.names and head(tokens(hypothesis.type)) in _INDUCTIVE | _NUMBERS:
            return _asks_for(name, _Read.of(goal))
    return True


def _asks_for(name: str, read: _Read) -> bool:
    if name not in read.target:
        return False
    if not any(name in type_ for _, type_ in read.hypotheses):
        return True
    return _is_computed_with(name, read.target, read.local)


def _is_computed_with(name: str, parts: tuple[str, ...], local: frozenset[str]) -> bool:
    """Whether the name occurs inside a term, not only as a whole side of a relation.

    True of `n` in `k ∣ n.factorial` and `n + 0 = n`, but not of `k`. Being an argument of a local predicate
    counts, too.
    """
    left = [parts]
    while left:
        part = left.pop()
        outer = shape(part)
        sides = [strip_brackets(side) for side in (outer.left, outer.right) if side]
        if outer.kind in ("eq", "rel"):
            if any(side != (name,) and name in side for side in sides):
                return True
        elif outer.kind == "other":
            if _is_argument_inside(name, part, local):
                return True
        else:
            left += sides
    return False


def _is_argument_inside(name: str, parts: tuple[str, ...], local: frozenset[str]) -> bool:
    """Whether an application has the name in brackets, or applies a local predicate to it."""
    if parts and parts[0] in local and name in parts[1:]:
        return True
    depth = 0
    for part in parts:
        depth += TERM_DEPTH.get(part, 0)
        if part == name and depth > 0:
            return True
    return False


def _introduced(goal: Goal) -> list[str]:
    """Fresh names for everything that `intro` can introduce."""
    arguments, core = telescope((), goal.target)
    wanted = [argument.name or "h" for argument in arguments] + ["h"] * (shape(core).kind == "not")
    used = {name for hypothesis in goal.hypotheses for name in hypothesis.names}
    names: list[str] = []
    for wish in wanted[:_MANY_NAMES]:
        names.append(fresh(wish, used))
        used.add(names[-1])
    return names


def local(goal: Goal) -> Iterator[_Proposal]:
    """Tactics that use a hypothesis: apply it, rewrite with it, take it apart."""
    read = _Read.of(goal)
    target, mentioned = read.target, last_parts(symbols(read.target))
    known = {name: type_ for hypothesis, type_ in read.hypotheses for name in hypothesis.names}
    for hypothesis, _ in read.hypotheses:
        arguments, core = telescope((), hypothesis.type, known)
        core = undotted(core, read.local.union(argument.name for argument in arguments))
        outer = shape(core)
        for name in hypothesis.names:
            if DAGGER in name or not name:
                continue
            if arguments and (core == target or head(core) == head(target)):
                explicit = sum(argument.is_explicit for argument in arguments)
                yield f"apply {name}", 0.75 if core == target else 0.4
                if core != target and not any(argument.is_proof for argument in arguments):
                    yield f"exact {name}{' _' * explicit}", 0.4
            if outer.kind in ("eq", "iff"):
                yield (
                    f"rw [{name}]",
                    0.5 if last_parts(symbols(outer.left, _names(hypothesis.type))) <= mentioned else 0.1,
                )
                yield f"rw [← {name}]", 0.25 if last_parts(symbols(outer.right)) <= mentioned else 0.05
            if head(core) == head(target) and (arguments or core != target):
                yield f"simpa using {name}", 0.3
            if not arguments:
                yield from _taken_apart(name, core, outer, read)


def _taken_apart(name: str, core: tuple[str, ...], outer: GoalShape, read: _Read) -> Iterator[_Proposal]:
    if outer.kind == "and":
        yield f"exact {name}.1", 0.9 if strip_brackets(outer.left) == read.target else 0.02
        yield f"exact {name}.2", 0.9 if strip_brackets(outer.right) == read.target else 0.02
        yield f"cases {name}", 0.2
    elif outer.kind in ("or", "exists"):
        yield f"cases {name}", 0.4
    elif outer.kind == "eq" and any(
        len(side) == 1 and side[0] in read.local for side in (outer.left, outer.right)
    ):
        yield f"subst {name}", 0.2
    if pattern := pattern_of(core, read.local - {name}, name):
        yield taking_apart(name, pattern), 0.4


def _names(type_text: str) -> frozenset[str]:
    """The variables that a hypothesis quantifies over."""
    outer = shape(type_text)
    return frozenset(a.name for a in binder_arguments(outer.left)) if outer.kind == "forall" else frozenset()
