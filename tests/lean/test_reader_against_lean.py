"""The two extractions of the example library, held against each other: Lean judges the source reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lean_extract.records import Premise, Proof, Record
from lean_extract.source.reader import SourceModule, read_file
from lean_extract.source.resolution.link import Linker
from lean_extract.toolchains.packaged import CORE_SOURCES, PackagedLean
from lean_extract.traced.extract import Compiled
from tests.lean.conftest import EXAMPLE
from tests.lean.judge import LEAN_KINDS, Agreement, pairs, refused_statements

pytestmark = pytest.mark.lean

REQUIRED = 0.97
THEOREM_KINDS = frozenset({"theorem", "lemma", "axiom", "alias", "field"})


@dataclass(frozen=True)
class Both:
    """What the text gives and what Lean gives, for every module of the library."""

    library: Compiled
    modules: dict[str, SourceModule]
    text_proofs: dict[str, Proof]
    traced_premises: dict[str, Premise]
    traced_proofs: dict[str, Proof]
    pool: frozenset[str]
    """Declarations of the library and the mini core that retrieval offers: what proves something."""


@pytest.fixture(scope="module")
def both(packaged_lean: PackagedLean, example_oleans: Path, traced_example: list[Record]) -> Both:
    environment = packaged_lean.environment_for(example_oleans, EXAMPLE)
    library = Compiled(EXAMPLE, example_oleans, packaged_lean.lean_command, environment)
    linker = Linker()
    modules: dict[str, SourceModule] = {}
    pool: set[str] = set()
    for root in (CORE_SOURCES, EXAMPLE):
        for name, path in _modules(root):
            read = read_file(path, name)
            linker.add(read)
            pool |= {premise.name for premise in read.premises if premise.kind in THEOREM_KINDS}
            if root == EXAMPLE and name.startswith("Example"):
                modules[name] = read
    premises: dict[str, Premise] = {}
    proofs: dict[str, Proof] = {}
    for record in traced_example:
        if isinstance(record, Premise) and record.module in modules:
            premises[record.name] = record
        elif isinstance(record, Proof) and record.module in modules:
            proofs[record.theorem] = record
    text_proofs = {proof.theorem: proof for proof in linker.link()}
    return Both(library, modules, text_proofs, premises, proofs, frozenset(pool))


def _modules(root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob("*.lean")):
        yield ".".join(path.relative_to(root).with_suffix("").parts), path


def _public(name: str) -> str:
    """A private name without the mangling by which Lean hides it."""
    return re.sub(r"^_private\..*?\.0\.", "", name)


def test_names(both: Both) -> None:
    read = {
        premise.name
        for module in both.modules.values()
        for premise in module.premises
        if not premise.is_private
    }
    agreement = Agreement(frozenset(read), frozenset(both.traced_premises))
    print(f"\nnames: {agreement}")
    assert len(both.traced_premises) > 150
    assert agreement.precision >= REQUIRED, sorted(read - set(both.traced_premises))
    assert agreement.recall >= REQUIRED, sorted(set(both.traced_premises) - read)


def test_kinds(both: Both) -> None:
    read = {premise.name: premise.kind for module in both.modules.values() for premise in module.premises}
    shared = [name for name in both.traced_premises if name in read]
    wrong = [
        (name, read[name], both.traced_premises[name].kind)
        for name in shared
        if both.traced_premises[name].kind not in LEAN_KINDS[read[name]]
    ]
    print(f"\nkinds: {len(shared) - len(wrong)} of {len(shared)} agree")
    assert len(wrong) <= (1 - REQUIRED) * len(shared), wrong


def test_statements(both: Both) -> None:
    refused: dict[str, str] = {}
    asked = 0
    for module in both.modules.values():
        asked += sum(bool(premise.conclusion) and not premise.is_private for premise in module.premises)
        refused |= refused_statements(module, both.library.lean_command, both.library.environment)
    print(f"\nstatements: Lean takes {asked - len(refused)} of {asked}")
    assert asked > 150
    assert len(refused) <= (1 - REQUIRED) * asked, refused


def test_premises_used(both: Both) -> None:
    text = pairs(((name, both.text_proofs[name].premises) for name in both.traced_proofs), both.pool)
    lean = pairs(
        ((name, map(_public, proof.premises)) for name, proof in both.traced_proofs.items()), both.pool
    )
    agreement = Agreement(text, lean)
    print(f"\npremises used: {agreement}")
    assert agreement.precision >= REQUIRED, sorted(text - lean)
    assert agreement.recall >= REQUIRED, sorted(lean - text)
