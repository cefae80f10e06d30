"""Which theorems are held out: decided by the hash of a name, so that no list has to be kept."""

from __future__ import annotations

import hashlib
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
    """The declaration whose split a premise follows: its source for a generated twin, else itself."""
    return premise.generated_from or premise.name
