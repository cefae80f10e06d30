"""Short proof terms from premises and hypotheses, by backward chaining over the texts of their statements.

Only what matches without doubt is built, so a found term is likely to be right; Lean is asked afterwards. The
search is bounded by how many premises a term uses and by how many unifications are tried in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from prover.facts import Hole, Way, bracketed, ways_of_hypothesis
from prover.matching import Bindings, is_closed, resolved, unfolded, unify
from prover.terms import FALSE, TRUE, Term, instantiate, operator

_MOST_TRIED = 1200
"""Unifications for one goal."""
_MOST_FOUND = 6
_MOST_SHOWN = 4
_LONGER = 2
"""Terms of so many more steps than the shortest are given beside it."""
_MOST_ALTERNATIVES = 3
"""So many proofs of one argument are tried, each with the arguments behind it."""
_MOST_INTRODUCED = 4
_DEEPEST = 8
"""So many parts stand within one another, which ends what a hypothesis `p n → p (n + 1)` would go on with."""
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
"""How two relations are chained, and which comes of it."""


@dataclass(frozen=True, slots=True)
class ChainedProof:
    """A term, what its variables turned out to be, and what it is made of."""

    text: str
    bindings: Bindings
    lemmas: int
    steps: int
    rank: int

    def joined(self, text: str, other: ChainedProof) -> ChainedProof:
        """Both as parts of one term."""
        lemmas, steps = self.lemmas + other.lemmas, self.steps + other.steps
        return ChainedProof(text, other.bindings, lemmas, steps, max(self.rank, other.rank))

    def written(self, text: str) -> ChainedProof:
        """The same within a longer text."""
        return ChainedProof(text, self.bindings, self.lemmas, self.steps + 1, self.rank)


@dataclass(frozen=True, slots=True)
class Left:
    """What a part of a term may still use: so many premises, and so many parts within one another."""

    lemmas: int
    depth: int

    def spent(self, lemmas: int) -> Left:
        """What is left once so many premises are used."""
        return Left(self.lemmas - lemmas, self.depth)

    def deeper(self) -> Left:
        """What is left for a part."""
        return Left(self.lemmas, self.depth - 1)


def proofs(goal: Term, ways: Sequence[Way], used: frozenset[str], lemmas: int) -> list[ChainedProof]:
    """Proof terms of the goal, shortest first; at most a few.

    Args:
        goal: what is to be proved; without variables.
        ways: the uses of premises and hypotheses.
        used: names that introduced hypotheses must not have.
        lemmas: how many premises one term may use.
    """
    search = _Search(ways, used)
    found: dict[str, ChainedProof] = {}
    for most in range(lemmas + 1):
        search.begin()
        for proof in islice(search.whole(goal, Left(most, _DEEPEST)), _MOST_FOUND):
            found.setdefault(proof.text, proof)
        if len(found) >= _MOST_FOUND:
            break
    best = sorted(found.values(), key=lambda one: (one.lemmas, one.steps, one.rank))
    return [one for one in best if one.steps <= best[0].steps + _LONGER][:_MOST_SHOWN]


def key(term: Term) -> str:
    """What a statement and a goal that unify have in common."""
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
        """Have the whole budget again."""
        self._tried = 0

    def _add(self, ways: Sequence[Way]) -> None:
        by_key: dict[str, list[Way]] = {}
        for way in sorted(ways, key=lambda way: (not way.is_local, len(way.proofs))):
            if way.proves.kind not in ("variable", "opaque"):
                by_key.setdefault(key(way.proves), []).append(way)
        self._local.append(by_key)

    def _proving(self, wanted: str) -> list[Way]:
        return [way for by_key in reversed(self._local) for way in by_key.get(wanted, ())]

    def whole(self, goal: Term, left: Left) -> Iterator[ChainedProof]:
        """Proofs of the goal itself: also by transitivity, by cases, and from what is absurd."""
        yield from self._prove(goal, {}, left)
        yield from self._chained(goal, left)
        if unfolded(goal) != FALSE:
            for proof in self._prove(FALSE, {}, left):
                yield proof.written(f"{bracketed(proof.text)}.elim")
            yield from self._eliminated(goal, left)

    def _prove(self, goal: Term, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        self._tried += 1
        left = left.deeper()
        goal = resolved(goal, bindings)
        if goal.kind in ("variable", "opaque") or self._tried > _MOST_TRIED or left.depth < 0:
            return
        is_found = False
        for way in self._proving(key(goal)):
            for proof in self._by(way, goal, bindings, left):
                is_found = True
                yield proof
        if not is_found:
            yield from self._built(unfolded(goal), bindings, left)

    def _argument(self, goal: Term, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        """Proofs of a part: also of what is obvious, for which the whole goal has tactics of its own."""
        goal = resolved(goal, bindings)
        done = ChainedProof("", bindings, 0, 1, 0)
        if goal == TRUE:
            yield done.written("trivial")
        elif goal.head in ("=", "↔") and len(set(goal.args)) == 1 and is_closed(goal):
            yield done.written(".rfl" if goal.head == "↔" else "rfl")
        else:
            yield from self._prove(goal, bindings, left)

    def _by(self, way: Way, goal: Term, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        own = self._own(way, left)
        found = unify(own.proves, goal, bindings) if own is not None else None
        if own is not None and found is not None and found.verdict == "yes":
            yield from self._applied(own, found.bindings, left)

    def _own(self, way: Way, left: Left) -> Way | None:
        """The way with variables of its own; None where it, or the search, costs too much."""
        if way.cost > left.lemmas or self._tried > _MOST_TRIED:
            return None
        self._tried += 1
        self._instances += 1
        return way.renamed(self._instances)

    def _applied(self, way: Way, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        start = ChainedProof("", bindings, way.cost, 1, way.rank)
        for texts, proof in self._filled(way.holes, start, left.spent(way.cost)):
            yield proof.written(way.text(texts))

    def _filled(
        self, holes: Sequence[Hole], before: ChainedProof, left: Left
    ) -> Iterator[tuple[tuple[str, ...], ChainedProof]]:
        """Texts for the holes, the first ones first: what they fix, the others have to keep."""
        if not holes:
            yield (), before
            return
        hole, rest = holes[0], holes[1:]
        if not hole.is_proof:
            for texts, proof in self._filled(rest, before, left):
                if is_closed(resolved(hole.term, proof.bindings)):
                    yield ("_", *texts), proof
            return
        for first in islice(self._argument(hole.term, before.bindings, left), _MOST_ALTERNATIVES):
            joined = before.joined("", first)
            for texts, proof in self._filled(rest, joined, left.spent(first.lemmas)):
                yield (first.text, *texts), proof

    def _built(self, goal: Term, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        """Proofs by what stands outermost in the goal."""
        sides = goal.args if goal.kind == "operator" else ()
        if goal.head == "∧" and sides:
            yield from self._pair(sides, bindings, left)
        elif goal.head == "↔" and sides:
            there, back = operator("→", *sides), operator("→", *reversed(sides))
            yield from self._pair((there, back), bindings, left)
        elif goal.head == "∨" and sides:
            for side, name in zip(sides, ("Or.inl", "Or.inr"), strict=True):
                for proof in self._argument(side, bindings, left):
                    yield proof.written(f"{name} {bracketed(proof.text)}")
        elif (goal.kind, goal.head) == ("binder", "∃"):
            yield from self._witnessed(goal, bindings, left)
        elif goal.head in ("→", "¬") or (goal.kind, goal.head) == ("binder", "∀"):
            yield from self._introduced(goal, bindings, left)

    def _pair(self, sides: Sequence[Term], bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        holes = [Hole(side, is_proof=True) for side in sides]
        for texts, proof in self._filled(holes, ChainedProof("", bindings, 0, 0, 0), left):
            yield proof.written(f"⟨{', '.join(texts)}⟩")

    def _witnessed(self, goal: Term, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        self._instances += 1
        witness = Term("?", kind="variable", instance=self._instances)
        for proof in self._argument(instantiate(goal.args[0], witness), bindings, left):
            if is_closed(resolved(witness, proof.bindings)):
                yield proof.written(f"⟨_, {proof.text}⟩")

    def _introduced(self, goal: Term, bindings: Bindings, left: Left) -> Iterator[ChainedProof]:
        """`fun x h => …`; what is introduced is known in the body alone."""
        names: list[str] = []
        before = len(self._local)
        while len(names) < _MOST_INTRODUCED and (step := self._introduction(unfolded(goal))) is not None:
            name, goal = step
            names.append(name)
        found = list(islice(self._argument(goal, bindings, left), _MOST_ALTERNATIVES))
        del self._local[before:]
        self._used.difference_update(names)
        for proof in found:
            yield proof.written(f"fun {' '.join(names)} => {proof.text}")

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

    def _chained(self, goal: Term, left: Left) -> Iterator[ChainedProof]:
        """`X.trans Y` and its kin: the first relation begins where the goal does."""
        if goal.kind != "operator" or len(goal.args) != 2:
            return
        for (first, second), (suffix, result) in _TRANSITIVE.items():
            for way in self._proving(f"operator {first}") if result == goal.head else ():
                own = self._own(way, left)
                if own is None or own.proves.head != first or own.pieces[-1] in (".le", ".ge"):
                    continue
                found = unify(own.proves.args[0], goal.args[0])
                if found.verdict == "yes":
                    yield from self._linked(own, found.bindings, (second, goal.args[1], suffix), left)

    def _linked(
        self, way: Way, bindings: Bindings, then: tuple[str, Term, str], left: Left
    ) -> Iterator[ChainedProof]:
        second, end, suffix = then
        for proof in islice(self._applied(way, bindings, left), _MOST_ALTERNATIVES):
            middle = resolved(way.proves.args[1], proof.bindings)
            if middle == end or not is_closed(middle):
                continue
            for last in self._prove(operator(second, middle, end), {}, left.spent(proof.lemmas)):
                yield proof.joined(f"{bracketed(proof.text)}{suffix} {bracketed(last.text)}", last)

    def _eliminated(self, goal: Term, left: Left) -> Iterator[ChainedProof]:
        """`X.elim …` where `X` proves a disjunction, or that something exists."""
        for way in [*self._proving("operator ∨"), *self._proving("binder ∃")]:
            own = self._own(way, left)
            if own is None:
                continue
            for proof in islice(self._applied(own, {}, left), _MOST_ALTERNATIVES):
                proved = resolved(own.proves, proof.bindings)
                if not is_closed(proved):
                    continue
                holes = [Hole(case, is_proof=True) for case in _cases(proved, goal)]
                start = ChainedProof("", {}, proof.lemmas, proof.steps, proof.rank)
                for texts, whole in self._filled(holes, start, left.spent(proof.lemmas)):
                    given = " ".join(bracketed(text) for text in texts)
                    yield whole.written(f"{bracketed(proof.text)}.elim {given}")


def _cases(proved: Term, goal: Term) -> list[Term]:
    """What has to be shown in each case; the goal has no bound names outside of its binders."""
    if proved.kind == "binder":
        return [Term("∀", (operator("→", proved.args[0], goal),), "binder")]
    return [operator("→", case, goal) for case in proved.args]
