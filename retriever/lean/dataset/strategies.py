"""The split strategies of section 4.1.4, and one by time: which families of theorems are held out.

A family is a theorem with all that was generated from it; it goes to one part whole. Draws depend on the seed
and on names alone, not on the order of anything.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lean_extract.records import Premise, Proof, read_header, read_records
from retriever.lean.dataset.queries import DatasetQuery
from retriever.search.splits import Split

Strategy = Literal["rd", "ri", "pl", "pf", "time"]
STRATEGIES: tuple[Strategy, ...] = ("rd", "ri", "pl", "pf", "time")
HELD_OUT = 2000
"""Theorems in each held-out part (section 4.1.4)."""


@dataclass(frozen=True, slots=True)
class Family:
    """A declaration and all that was generated from it."""

    root: str
    names: frozenset[str]
    """Every member, with queries or without."""
    theorems: frozenset[str]
    """The members that have queries; at least one."""


def families_of(queries: Iterable[DatasetQuery], roots: Mapping[str, str]) -> list[Family]:
    """The families that have queries, by root; a theorem without a root is its own."""
    names: dict[str, set[str]] = {}
    for name, root in roots.items():
        names.setdefault(root, set()).add(name)
    theorems: dict[str, set[str]] = {}
    for theorem in {query.theorem for query in queries}:
        theorems.setdefault(roots.get(theorem, theorem), set()).add(theorem)
    return [
        Family(root, frozenset(names.get(root, set()) | members | {root}), frozenset(members))
        for root, members in sorted(theorems.items())
    ]


def hold_out(
    strategy: Strategy,
    families: Sequence[Family],
    *,
    seed: int = 0,
    size: int = HELD_OUT,
    sizes: Mapping[str, ProofSize] | None = None,
    older: Container[str] = frozenset(),
) -> dict[str, Split | None]:
    """The part of every family by its root; None for what is in no part.

    Valid and test have `size` theorems each, at most a tenth of all; by time, at most half of the new ones.

    Args:
        sizes: the proofs that `pl` and `pf` weigh; a theorem whose proof is not there is not drawn.
        older: the names that the older library has; a family is new when it shares none.
    """
    everyone: dict[str, Split | None] = {family.root: "train" for family in families}
    if strategy == "time":
        new = [family for family in families if not any(name in older for name in family.names)]
        chosen = _draw(new, dict.fromkeys(everyone, 1.0), min(size, _theorems(new) // 2), seed)
        return everyone | {family.root: chosen.get(family.root) for family in new}
    weights = {family.root: _weight(strategy, family, sizes or {}) for family in families}
    return everyone | _draw(families, weights, min(size, _theorems(families) // 10), seed)


def _theorems(families: Iterable[Family]) -> int:
    return sum(len(family.theorems) for family in families)


def _weight(strategy: Strategy, family: Family, sizes: Mapping[str, ProofSize]) -> float:
    found = [sizes[theorem] for theorem in family.theorems if theorem in sizes]
    if strategy == "pl":
        return max((float(proof.length) for proof in found), default=0.0)
    if strategy == "pf":
        return max((proof.frequency for proof in found), default=0.0)
    return 1.0


def _draw(
    families: Sequence[Family], weights: Mapping[str, float], size: int, seed: int
) -> dict[str, Split | None]:
    """Families drawn without replacement by weight, dealt to test and valid in turn so that both are alike.

    Each has the key -log(u) / weight, u uniform, and the smallest keys are drawn (Efraimidis and Spirakis,
    2006). A family that would make a part larger than `size` is passed over.
    """
    keys = {family.root: _key(family.root, weights[family.root], seed) for family in families}
    room = {"test": size, "valid": size}
    drawn: dict[str, Split | None] = {}
    for family in sorted(families, key=lambda family: (keys[family.root], family.root)):
        part: Split = "test" if room["test"] >= room["valid"] else "valid"
        if math.isinf(keys[family.root]) or room[part] == 0:
            break
        if len(family.theorems) <= room[part]:
            room[part] -= len(family.theorems)
            drawn[family.root] = part
    return drawn


def _key(root: str, weight: float, seed: int) -> float:
    if weight <= 0:
        return math.inf
    number = int.from_bytes(hashlib.sha256(f"{seed}\0{root}".encode()).digest()[:8])
    return -math.log((number + 1) / 2**64) / weight


def isolate(queries: Sequence[DatasetQuery]) -> list[DatasetQuery]:
    """RI: every gold premise of a held-out query is struck from the gold of training queries.

    A training query that loses all of them goes.
    """
    held = frozenset(gold for query in queries if query.split != "train" for gold in query.gold)
    kept: list[DatasetQuery] = []
    for query in queries:
        if query.split != "train":
            kept.append(query)
        elif gold := tuple([number for number in query.gold if number not in held]):
            later = tuple([number for number in query.later if number not in held])
            earlier = tuple([number for number in query.earlier if number not in held])
            kept.append(replace(query, gold=gold, later=later, earlier=earlier))
    return kept


@dataclass(frozen=True, slots=True)
class ProofSize:
    """How long a proof is, and how much it relies on other theorems (section 4.1.4).

    A tactic proof is as long as it has steps. Text gives the tactics of every `by` block as written, nested ones
    too; a step that only opens a block (`·`, `case x =>`) does not count, a tactic inside another one's term counts
    for both. A term is one step, `exact TERM`. External premises of a step are the theorems of the corpus that it
    names, each once, less the theorem itself.
    """

    counts: tuple[int, ...]
    """External premises of each step, in order; never empty."""
    is_tactic: bool

    @property
    def length(self) -> int:
        """|P|, the number of steps."""
        return len(self.counts)

    @property
    def frequency(self) -> float:
        """The mean of PremiseNum over the steps."""
        return sum(self.counts) / len(self.counts)


@dataclass(frozen=True, slots=True)
class ProofFacts:
    """What records know of proofs and families and a dataset does not."""

    revision: str
    sizes: dict[str, ProofSize]
    """By theorem."""
    premises: tuple[Premise, ...]
    """The generated ones, private ones among them."""


def size_of(proof: Proof, corpus: Container[str]) -> ProofSize:
    """The size of one proof."""
    steps = [step.premises for step in proof.steps] or [proof.premises]
    counts = [len({name for name in names if name in corpus and name != proof.theorem}) for names in steps]
    return ProofSize(tuple(counts), bool(proof.steps))


def read_facts(records: Path, corpus: Container[str], complaints: list[str] | None = None) -> ProofFacts:
    """The facts in a records file; of two proofs of one name the first counts. Raises BadRecords."""
    sizes: dict[str, ProofSize] = {}
    generated: list[Premise] = []
    for record in read_records(records, complaints):
        if isinstance(record, Proof):
            sizes.setdefault(record.theorem, size_of(record, corpus))
        elif isinstance(record, Premise) and record.generated_from:
            generated.append(record)
    return ProofFacts(read_header(records).revision, sizes, tuple(generated))
