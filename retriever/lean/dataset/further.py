"""Goals inside the proofs of further records, of another revision of the library, as training queries.

The corpus, the statements and the held-out queries of a dataset are those of its first records. Premises go by
their name, so a proof asks for what the first records have under the same name. A theorem that is held out under
any name that either library gives it or its generated twins gives no query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lean_extract.records import Premise, Proof
from retriever.lean.dataset.queries import DatasetQuery, queries_of_proof
from retriever.lean.theorems import is_theorem
from retriever.search.splits import family_roots, split_of


def relatives(name: str, roots: Sequence[Mapping[str, str]]) -> set[str]:
    """The name and what it was generated from in one library after the other."""
    found, waiting = {name}, [name]
    while waiting:
        last = waiting.pop()
        new = {known[last] for known in roots if last in known} - found
        found |= new
        waiting.extend(new)
    return found


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Which theorems of several libraries are never learned from."""

    roots: tuple[Mapping[str, str], ...]
    """Of each library, by name, the declaration whose split a premise follows (`family_roots`)."""
    barred: frozenset[str]
    """The names held out besides those that the hash holds out, with their relatives."""

    @classmethod
    def of(cls, libraries: Iterable[Iterable[Premise]], without: Iterable[str]) -> HeldOut:
        """What the hash of a name holds out in one of the libraries, and the theorems `without`."""
        roots = tuple(family_roots(premises) for premises in libraries)
        return cls(roots, frozenset[str]().union(*(relatives(name, roots) for name in without)))

    def names(self, theorem: str) -> bool:
        """Whether a theorem, or what it was generated from, is one of those held out by name."""
        return not relatives(theorem, self.roots).isdisjoint(self.barred)

    def __contains__(self, theorem: str) -> bool:
        """Whether it is held out by name or by the hash of a name, in any of the libraries."""
        own = relatives(theorem, self.roots)
        return not own.isdisjoint(self.barred) or any(split_of(name) != "train" for name in own)


def further_queries(
    premises: Iterable[Premise],
    proofs: Iterable[Proof],
    number: Mapping[str, int],
    held_out: HeldOut,
    known: set[tuple[str, str]],
) -> Iterator[DatasetQuery]:
    """The goals inside the proofs of further records, by theorem, then in the order of the proof.

    Args:
        premises: those of the further records.
        proofs: those of the further records.
        number: the corpus premises' numbers by their name.
        held_out: what is never learned from.
        known: (theorem, target) of the goals that are queries already; they are not repeated, and new ones
            are added.
    """
    statements = {premise.name: premise for premise in premises}
    for proof in sorted(proofs, key=lambda proof: (proof.theorem, proof.module)):
        theorem = statements.get(proof.theorem)
        if theorem is None or not is_theorem(theorem) or not theorem.conclusion or proof.theorem in held_out:
            continue
        for query in queries_of_proof(theorem, proof, "train", number):
            key = query.theorem, query.goal.target
            if query.origin != "statement" and key not in known:
                known.add(key)
                yield query
