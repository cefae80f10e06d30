"""How the tests read Lean: from strings, through the public doors."""

from __future__ import annotations

from collections.abc import Mapping

from lean_extract.records import Premise, Proof
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.source.resolution.link import resolve


def read(text: str, name: str = "Test") -> SourceModule:
    return read_module(text, name, f"{name}.lean")


def premises(text: str) -> dict[str, Premise]:
    return {premise.name: premise for premise in read(text).premises}


def names(text: str) -> list[str]:
    return [premise.name for premise in read(text).premises]


def context(text: str, name: str) -> str:
    """The binders of a premise as one line."""
    return " ".join(premises(text)[name].context)


def link(files: Mapping[str, str]) -> dict[str, Proof]:
    """The linked proofs of some modules, by theorem."""
    return {proof.theorem: proof for proof in resolve([read(text, name) for name, text in files.items()])}


def uses(text: str, theorem: str) -> set[str]:
    """The premises of a theorem of a one-module project."""
    return set(link({"Test": text})[theorem].premises)
