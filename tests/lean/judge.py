"""Lean as the judge of the source reader: its own names, its verdict on statements, its premise use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lean_extract.records import Premise
from lean_extract.source.reader import SourceModule
from lean_extract.toolchains.compile import lean_messages

LEAN_KINDS = {
    "theorem": {"theorem"},
    "lemma": {"theorem"},
    "alias": {"theorem", "def"},
    "def": {"def", "theorem"},
    "abbrev": {"def"},
    "instance": {"def", "theorem"},
    "field": {"def", "theorem"},
    "constructor": {"constructor"},
    "structure": {"structure"},
    "class": {"class"},
    "inductive": {"inductive"},
    "axiom": {"axiom"},
    "opaque": {"opaque"},
}
"""What `#print` may call a declaration of each keyword: to Lean, a def of a proposition is a theorem."""


@dataclass(frozen=True)
class Agreement:
    """Two sets held against each other; `reference` is Lean's."""

    found: frozenset[object]
    reference: frozenset[object]

    @property
    def precision(self) -> float:
        return len(self.found & self.reference) / max(1, len(self.found))

    @property
    def recall(self) -> float:
        return len(self.found & self.reference) / max(1, len(self.reference))

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.4f} ({len(self.found)} read), "
            f"recall {self.recall:.4f} ({len(self.reference)} in Lean)"
        )


def refused_statements(
    module: SourceModule, command: Sequence[str], environment: Mapping[str, str]
) -> dict[str, str]:
    """The declarations whose type Lean says is not what the reader read, with Lean's message.

    Each statement is elaborated in the namespace of its declaration as a type ascription on it.
    """
    asked = [premise for premise in module.premises if premise.conclusion and not premise.is_private]
    lines = [f"import {module.module.name}", "universe u v w u₁ u₂ v₁ v₂"]
    place: dict[int, str] = {}
    opened = sorted(
        {space for proof in module.proofs for opened in proof.scope.opens for space in [opened.namespace]}
    )
    for premise in asked:
        namespace = premise.name.rpartition(".")[0]
        if namespace:
            lines.append(f"namespace {namespace}")
        lines += [f"open {space} in" for space in opened]
        lines.append(f"#check (@_root_.{premise.name} : {as_type(premise)})")
        place[len(lines)] = premise.name
        if namespace:
            lines.append(f"end {namespace}")
    refused: dict[str, str] = {}
    answered = set()
    for message in lean_messages(command, environment, "\n".join(lines)):
        line = message["pos"]["line"]
        name = next((place[at] for at in range(line, line + 2 + len(opened)) if at in place), None)
        if message["severity"] == "error":
            refused[str(name)] = message["data"]
        answered.add(name)
    return refused | {premise.name: "no answer" for premise in asked if premise.name not in answered}


def as_type(premise: Premise) -> str:
    """The reader's statement as one type."""
    return f"∀ {' '.join(premise.context)}, {premise.conclusion}" if premise.context else premise.conclusion


def pairs(proofs: Iterable[tuple[str, Iterable[str]]], pool: frozenset[str]) -> frozenset[object]:
    """(theorem, premise) for every premise of the pool."""
    return frozenset((theorem, name) for theorem, names in proofs for name in names if name in pool)
