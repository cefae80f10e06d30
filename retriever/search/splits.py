"""Which theorems are held out: decided by the hash of a name, so that no list has to be kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal

from lean_extract.records import Premise

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
_PARTS = 50


def split_of(name: str) -> Split:
    """The split of a theorem: sha256 of its full name (UTF-8) modulo 50; 0 is test, 1 is valid."""
    rest = int(hashlib.sha256(name.encode()).hexdigest(), 16) % _PARTS
    return "test" if rest == 0 else "valid" if rest == 1 else "train"


def root_name(premise: Premise) -> str:
    """The declaration that a premise was made from: its source for a generated twin, else itself."""
    return premise.generated_from or premise.name


def family_roots(premises: Iterable[Premise]) -> dict[str, str]:
    """By name, the declaration whose split a premise follows: where its chain of sources begins.

    Twins of twins are common: `to_additive` of a theorem makes one, and one of its `_iff`.
    """
    sources: dict[str, str] = {}
    for premise in premises:
        sources.setdefault(premise.name, root_name(premise))
    return {name: _chased(name, sources) for name in sources}


def _chased(name: str, sources: dict[str, str]) -> str:
    met = [name]
    while (source := sources.get(met[-1], met[-1])) != met[-1]:
        if source in met:  # a circle, in records that are wrong: any one of its names, but the same for all
            return min(met[met.index(source) :])
        met.append(source)
    return met[-1]
