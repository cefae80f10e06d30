"""What is to be proved, and what could not be made a problem."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prover.search.theorem import Theorem


@dataclass(frozen=True, slots=True)
class Problem:
    """A theorem to prove.

    `name`: what the rows call it; no two problems share one. `theorem`: the file as Lean gets it, `sorry`
    in the place of the proof. `full_name`: the theorem's, with the namespace around it. `level`: how hard
    it is said to be, or what family it is of; may be empty. `seen`: the text as a retriever may see it,
    line for line the same, but without the proofs of other problems; empty: as Lean gets it.
    """

    name: str
    theorem: Theorem
    full_name: str = ""
    level: str = ""
    module: str = ""
    """Where a theorem of a library stands; empty for one that was stated by itself."""
    seen: str = ""

    @property
    def text_seen(self) -> str:
        """The text that a retriever may read."""
        return self.seen or self.theorem.text


@dataclass(frozen=True, slots=True)
class Unposed:
    """A line or name that no problem could be made of, and why; it counts as not proved."""

    name: str
    message: str
    level: str = ""


Posed = Problem | Unposed


def digest(posed: Iterable[Posed]) -> str:
    """A hash of what is to be proved: names, and texts up to the goals."""
    found = hashlib.sha256()
    for one in posed:
        said = one.theorem.text if isinstance(one, Problem) else one.message
        found.update(f"{one.name}\0{one.level}\0{said}\0".encode(errors="surrogatepass"))
    return found.hexdigest()[:16]


def told_apart(posed: Sequence[tuple[int, Posed]]) -> list[Posed]:
    """The problems with their line numbers, from 1; a name that comes again is no problem of its own."""
    found: dict[str, Posed] = {}
    lines: dict[str, int] = {}
    given = frozenset(one.name for _, one in posed)
    for line, one in posed:
        if one.name in found:
            said = f"The name {one.name} stands in line {lines[one.name]} already."
            again = f"{one.name} (line {line})"
            while again in given or again in found:
                again += "+"
            found[again] = Unposed(again, said if isinstance(one, Problem) else one.message, one.level)
        else:
            found[one.name] = one
            lines[one.name] = line
    return list(found.values())
