"""Short proof terms from premises and hypotheses, by backward chaining over the texts of their statements.

A term is built only from parts that surely match, so it is likely to be right; Lean checks it afterwards. The
search is bounded by the premises that a term uses and by the total number of unifications.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from prover.facts import Hole, Way, bracketed, ways_of_hypothesis
from prover.limits import MAX_PROOF_TERM_DEPTH, MAX_UNIFICATIONS
from prover.matching import Bindings, is_closed, resolved, unfolded, unify
from prover.shapes import tokens
from prover.terms import FALSE, TRUE, Term, instantiate, operator

_MOST_FOUND = 6
_MOST_SHOWN = 4
_LONGER = 2
"""Terms with up to this many steps more than the shortest are kept, too."""
_MOST_ALTERNATIVES = 3
"""The most proofs of one argument to try, each with the arguments after it."""
_MOST_INTRODUCED = 4
_TRANSITIVE = {
    ("=", "="): (".trans", "="),
    ("↔", "↔"): (".trans", "↔"),
    ("≤", "≤"): (".trans", "≤"),
    ("<", "<"): (".trans", "<"),
    ("≤", "<"): (".trans_lt", "<"),
    ("<", "≤"): (".trans_le", "<"),
    ("=", "≤"): (".trans_le", "≤"),
    ("≤", "="): (".trans_eq", "≤"),
    ("=", "<"): (".trans_lt", "<"),
    ("<", "="): (".trans_eq", "<"),
    ("∣", "∣"): (".trans", "∣"),
    ("⊆", "⊆"): (".trans", "⊆"),
}
"""(first relation, second relation) -> (the method that chains them, the resulting relation)."""


@dataclass(frozen=True, slots=True)
class ChainedProof:
    """A proof term, the values of its variables, and what it uses."""

    text: str
    bindings: Bindings
    lemmas: int
    steps: int
    rank: int

    def joined(self, text: str, other: ChainedProof) -> ChainedProof:
        """The combination of both, with this text."""
        lemmas, steps = self.lemmas + other.lemmas, self.steps + other.steps
        return ChainedProof(text, other.bindings, lemmas, steps, max(self.rank, other.rank))

    def written(self, text: str) -> ChainedProof:
        """The same proof inside a longer text, one step more."""
        return ChainedProof(text, self.bindings, self.lemmas, self.steps + 1, self.rank)


@dataclass(frozen=True, slots=True)
class _Budget:
    """What a part of a term may still use: the number of premises, and the depth of nesting."""

    lemmas: int
    depth: int

    def spent(self, lemmas: int) -> _Budget:
        """The budget after this many premises are used."""
        return _Budget(self.lemmas - lemmas, self.depth)

    def deeper(self) -> _Budget:
        """The budget of a nested part."""
        return _Budget(self.lemmas, self.depth - 1)


def proofs(goal: Term, ways: Sequence[Way], used: frozenset[str], lemmas: int) -> list[ChainedProof]:
    """Proof terms of the goal, shortest first; at most a few.

    Args:
        goal: the proposition to prove, without variables.
        ways: the ways to use premises and hypotheses.
        used: names that introduced hypotheses must not have.
        lemmas: the most premises that one term may use.
    """
    search = _Search(ways, used)
    found: dict[str, ChainedProof] = {}
    for most in range(lemmas + 1):
        search.begin()
        for proof in islice(search.whole(goal, _Budget(most, MAX_PROOF_TERM_DEPTH)), _MOST_FOUND):
            found.setdefault(proof.text, proof)
        if len(found) >= _MOST_FOUND:
            break
    best = sorted(found.values(), key=lambda one: (one.lemmas, one.steps, one.rank))
    return [one for one in best if one.steps <= best[0].steps + _LONGER][:_MOST_SHOWN]


def key(term: Term) -> str:
    """A key that is equal for a statement and a goal if they can unify."""
    term = unfolded(term)
    return term.head.rpartition(".")[2] if term.kind == "name" else f"{term.kind} {term.head}"


class _Search:
    def __init__(self, ways: Sequence[Way], used: frozenset[str]) -> None:
        self._tried = 0
        self._instances = 1
        self._used = set(used)
        self._local: list[dict[str, list[Way]]] = []
        self._add(ways)

    def begin(self) -> None:
        """Start counting unifications again."""
        self._tried = 0

    def _add(self, ways: Sequence[Way]) -> None:
        by_key: dict[str, list[Way]] = {}
        for way in sorted(ways, key=lambda way: (not way.is_local, len(way.proofs))):
            if way.proves.kind not in ("variable", "opaque"):
                by_key.setdefault(key(way.proves), []).append(way)
        self._local.append(by_key)

    def _proving(self, wanted: str) -> list[Way]:
        return [way for by_key in reversed(self._local) for way in by_key.get(wanted, ())]

    def whole(self, goal: Term, budget: _Budget) -> Iterator[ChainedProof]:
        """Proofs of the goal itself: also by transitivity, by cases, and by contradiction."""
        yield from self._prove(goal, {}, budget)
        yield from self._chained(goal, budget)
        if unfolded(goal) != FALSE:
            for proof in self._prove(FALSE, {}, budget):
                yield proof.written(f"{bracketed(proof.text)}.elim")
            yield from self._eliminated(goal, budget)

    def _prove(self, goal: Term, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        self._tried += 1
        budget = budget.deeper()
        goal = resolved(goal, bindings)
        if goal.kind in ("variable", "opaque") or self._tried > MAX_UNIFICATIONS or budget.depth < 0:
            return
        is_found = False
        for way in self._proving(key(goal)):
            for proof in self._by(way, goal, bindings, budget):
                is_found = True
                yield proof
        if not is_found:
            yield from self._built(unfolded(goal), bindings, budget)

    def _argument(self, goal: Term, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        """Proofs of a part. Trivial ones are included; for a whole goal there are tactics for that."""
        goal = resolved(goal, bindings)
        done = ChainedProof("", bindings, 0, 1, 0)
        if goal == TRUE:
            yield done.written("trivial")
        elif goal.head in ("=", "↔") and len(set(goal.args)) == 1 and is_closed(goal):
            yield done.written(".rfl" if goal.head == "↔" else "rfl")
        else:
            yield from self._prove(goal, bindings, budget)

    def _by(self, way: Way, goal: Term, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        own = self._own(way, budget)
        found = unify(own.proves, goal, bindings) if own is not None else None
        if own is not None and found is not None and found.verdict == "yes":
            yield from self._applied(own, found.bindings, budget)

    def _own(self, way: Way, budget: _Budget) -> Way | None:
        """The way with fresh variables; None if the way or the search has become too expensive."""
        if way.cost > budget.lemmas or self._tried > MAX_UNIFICATIONS:
            return None
        self._tried += 1
        self._instances += 1
        return way.renamed(self._instances)

    def _applied(self, way: Way, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        start = ChainedProof("", bindings, way.cost, 1, way.rank)
        for texts, proof in self._filled(way.holes, start, budget.spent(way.cost)):
            yield proof.written(way.text(texts))

    def _filled(
        self, holes: Sequence[Hole], before: ChainedProof, budget: _Budget
    ) -> Iterator[tuple[tuple[str, ...], ChainedProof]]:
        """Texts for the holes, filled from the left: a hole's bindings hold for those after it."""
        if not holes:
            yield (), before
            return
        hole, rest = holes[0], holes[1:]
        if not hole.is_proof:
            for texts, proof in self._filled(rest, before, budget):
                if is_closed(resolved(hole.term, proof.bindings)):
                    yield ("_", *texts), proof
            return
        for first in islice(self._argument(hole.term, before.bindings, budget), _MOST_ALTERNATIVES):
            joined = before.joined("", first)
            for texts, proof in self._filled(rest, joined, budget.spent(first.lemmas)):
                yield (first.text, *texts), proof

    def _built(self, goal: Term, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        """Proofs by the goal's outermost connective."""
        sides = goal.args if goal.kind == "operator" else ()
        if goal.head == "∧" and sides:
            yield from self._pair(sides, bindings, budget)
        elif goal.head == "↔" and sides:
            there, back = operator("→", *sides), operator("→", *reversed(sides))
            yield from self._pair((there, back), bindings, budget)
        elif goal.head == "∨" and sides:
            for side, name in zip(sides, ("Or.inl", "Or.inr"), strict=True):
                for proof in self._argument(side, bindings, budget):
                    yield proof.written(f"{name} {bracketed(proof.text)}")
        elif (goal.kind, goal.head) == ("binder", "∃"):
            yield from self._witnessed(goal, bindings, budget)
        elif goal.head in ("→", "¬") or (goal.kind, goal.head) == ("binder", "∀"):
            yield from self._introduced(goal, bindings, budget)

    def _pair(self, sides: Sequence[Term], bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        holes = [Hole(side, is_proof=True) for side in sides]
        for texts, proof in self._filled(holes, ChainedProof("", bindings, 0, 0, 0), budget):
            yield proof.written(f"⟨{', '.join(texts)}⟩")

    def _witnessed(self, goal: Term, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        self._instances += 1
        witness = Term("?", kind="variable", instance=self._instances)
        for proof in self._argument(instantiate(goal.args[0], witness), bindings, budget):
            if is_closed(resolved(witness, proof.bindings)):
                yield proof.written(f"⟨_, {proof.text}⟩")

    def _introduced(self, goal: Term, bindings: Bindings, budget: _Budget) -> Iterator[ChainedProof]:
        """`fun x h => …`, with `_` for what is not used; the introduced hypotheses are known in the body only."""
        names: list[str] = []
        before = len(self._local)
        while len(names) < _MOST_INTRODUCED and (step := self._introduction(unfolded(goal))) is not None:
            name, goal = step
            names.append(name)
        found = list(islice(self._argument(goal, bindings, budget), _MOST_ALTERNATIVES))
        del self._local[before:]
        self._used.difference_update(names)
        for proof in found:
            used = {token.partition(".")[0] for token in tokens(proof.text)}
            written = (name if name in used else "_" for name in names)
            yield proof.written(f"fun {' '.join(written)} => {proof.text}")

    def _introduction(self, goal: Term) -> tuple[str, Term] | None:
        if (goal.kind, goal.head) == ("binder", "∀"):
            name = self._fresh("x")
            return name, instantiate(goal.args[0], Term(name))
        if goal.kind != "operator" or goal.head not in ("→", "¬"):
            return None
        name = self._fresh("h")
        self._add(ways_of_hypothesis(name, goal.args[0]))
        return name, goal.args[1] if goal.head == "→" else FALSE

    def _fresh(self, wish: str) -> str:
        name, number = wish, 1
        while name in self._used:
            name, number = f"{wish}{number}", number + 1
        self._used.add(name)
        return name

    def _chained(self, goal: Term, budget: _Budget) -> Iterator[ChainedProof]:
        """`X.trans Y` and the like, where X's left side is the goal's."""
        if goal.kind != "operator" or len(goal.args) != 2:
            return
        for (first, second), (suffix, result) in _TRANSITIVE.items():
            for way in self._proving(f"operator {first}") if result == goal.head else ():
                own = self._own(way, budget)
                if own is None or own.proves.head != first or own.pieces[-1] in (".le", ".ge"):
                    continue
                found = unify(own.proves.args[0], goal.args[0])
                if found.verdict == "yes":
                    yield from self._linked(own, found.bindings, (second, goal.args[1], suffix), budget)

    def _linked(
        self, way: Way, bindings: Bindings, then: tuple[str, Term, str], budget: _Budget
    ) -> Iterator[ChainedProof]:
        second, end, suffix = then
        for proof in islice(self._applied(way, bindings, budget), _MOST_ALTERNATIVES):
            middle = resolved(way.proves.args[1], proof.bindings)
            if middle == end or not is_closed(middle):
                continue
            for last in self._prove(operator(second, middle, end), {}, budget.spent(proof.lemmas)):
                yield proof.joined(f"{bracketed(proof.text)}{suffix} {bracketed(last.text)}", last)

    def _eliminated(self, goal: Term, budget: _Budget) -> Iterator[ChainedProof]:
        """`X.elim …` where `X` proves a disjunction, or that something exists."""
        for way in [*self._proving("operator ∨"), *self._proving("binder ∃")]:
            own = self._own(way, budget)
            if own is None:
                continue
            for proof in islice(self._applied(own, {}, budget), _MOST_ALTERNATIVES):
                proved = resolved(own.proves, proof.bindings)
                if not is_closed(proved):
                    continue
                holes = [Hole(case, is_proof=True) for case in _cases(proved, goal)]
                start = ChainedProof("", {}, proof.lemmas, proof.steps, proof.rank)
                for texts, whole in self._filled(holes, start, budget.spent(proof.lemmas)):
                    given = " ".join(bracketed(text) for text in texts)
                    yield whole.written(f"{bracketed(proof.text)}.elim {given}")


def _cases(proved: Term, goal: Term) -> list[Term]:
    """What has to be shown in each case. The goal must have no loose bound names."""
    if proved.kind == "binder":
        return [Term("∀", (operator("→", proved.args[0], goal),), "binder")]
    return [operator("→", case, goal) for case in proved.args]
