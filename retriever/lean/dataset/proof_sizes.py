"""How long proofs are and how much they rely on other theorems (section 4.1.4), from records.

A tactic proof is as long as it has steps. Text gives the tactics of every `by` block as written, nested ones
too; a step that only opens a block (`·`, `case x =>`) is none, and a tactic inside another one's term counts
for both. A term is one step, `exact TERM`. External premises of a step are the theorems of the corpus that it
names, each once, less the theorem itself.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from lean_extract.records import Premise, Proof, read_header, read_records


@dataclass(frozen=True, slots=True)
class ProofSize:
    """A proof as section 4.1.4 characterises it."""

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
    """What records tell of proofs and families that a dataset does not."""

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
