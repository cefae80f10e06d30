"""Which premises are proofs, rather than data."""

from __future__ import annotations

import re

from lean_extract.records import Premise
from lean_extract.syntax.axioms import UNPROVED

_THEOREM_KINDS = frozenset({"theorem", "lemma", "axiom", "alias"})
_PROPOSITION = re.compile(r"[=≠≤<≥>↔∧∨¬∈∉⊆⊂∣≡∃∀≈⋖]")


def is_theorem(premise: Premise) -> bool:
    """Whether a premise is a proof that `exact` and `apply` may use, rather than data.

    A field of a class counts when what it states reads as a proposition (`mul_assoc`), which the text
    alone can only guess. Axioms that prove nothing (`sorryAx`, `unsafe` ones) do not.
    """
    if premise.kind in _THEOREM_KINDS:
        return premise.name.rpartition(".")[2] not in UNPROVED
    return premise.kind == "field" and bool(_PROPOSITION.search(premise.conclusion))
