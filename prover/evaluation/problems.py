"""Problems to prove, and inputs from which no problem could be made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prover.search.theorem import Theorem


@dataclass(frozen=True, slots=True)
class Problem:
    """A theorem to prove.

    `name`: its name in the rows; unique among the problems. `theorem`: the file as Lean gets it, with `sorry`
    for the proof. `full_name`: the theorem's name with its namespace. `level`: its stated difficulty or its
    family; may be empty. `seen`: the text that a retriever may read, the same line for line but without the
    proofs of other problems; if empty, the retriever reads what Lean gets.
    """

    name: str
    theorem: Theorem
    full_name: str = ""
    level: str = ""
    module: str = ""
    """The module of a library's theorem; empty for a theorem that was stated by itself."""
    seen: str = ""

    @property
    def text_seen(self) -> str:
        """The text that a retriever may read."""
        return self.seen or self.theorem.text


@dataclass(frozen=True, slots=True)
class InvalidProblem:
    """A line or name from which no problem could be made, and why; it counts as not proved."""

    name: str
    message: str
    level: str = ""


Posed = Problem | InvalidProblem


def digest(posed: Iterable[Posed]) -> str:
    """A hash of the problems: their names, levels, and texts up to the goals."""
    found = hashlib.sha256()
    for one in posed:
        text = one.theorem.text if isinstance(one, Problem) else one.message
        found.update(f"{one.name}\0{one.level}\0{text}\0".encode(errors="surrogatepass"))
    return found.hexdigest()[:16]


def uniquely_named(posed: Sequence[tuple[int, Posed]]) -> list[Posed]:
    """The problems, given with their line numbers (from 1). A repeated name gives an `InvalidProblem`."""
    found: dict[str, Posed] = {}
    lines: dict[str, int] = {}
    given = frozenset(one.name for _, one in posed)
    for line, one in posed:
        if one.name in found:
            message = f"The name {one.name} already occurs in line {lines[one.name]}."
            again = f"{one.name} (line {line})"
            while again in given or again in found:
                again += "+"
            reason = message if isinstance(one, Problem) else one.message
            found[again] = InvalidProblem(again, reason, one.level)
        else:
            found[one.name] = one
            lines[one.name] = line
    return list(found.values())
