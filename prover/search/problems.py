"""Problems to prove, inputs from which no problem could be made, and files in miniF2F's format: JSONL, each line with
`name`, `header`, `statement` and optionally `level`."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import MAX_TEXT, read_regular
from prover.search.theorem import Theorem

FILE = "problem.lean"
"""The file name that Lean is given: the same for all problems, so that imports are loaded once. The file is
never written."""
_FAMILIES = (
    "mathd_algebra",
    "mathd_numbertheory",
    "numbertheory",
    "induction",
    "algebra",
    "aime",
    "amc",
    "imo",
)
_NEEDED = ("name", "header", "statement")
_SHOWN = 60


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


def read_minif2f(path: Path, project: Path) -> list[Posed]:
    """The problems of a file, in order. A line that is not a problem gives an `InvalidProblem` with the reason.

    Raises:
        BadSource: the file cannot be read, or holds nothing.
    """
    try:
        lines = read_regular(path, MAX_TEXT).removeprefix(codecs.BOM_UTF8).split(b"\n")
    except OSError as error:
        hint = "Name a JSONL file with `name`, `header` and `statement` on each line."
        raise BadSource(f"{path} cannot be read: {error.strerror}.", hint) from error
    if not lines[-1].strip():
        lines.pop()
    if not lines:
        raise BadSource(f"There is no problem in {path}.", "Name a file with one problem per line.")
    return uniquely_named(
        [(number, _problem(line, number, project / FILE)) for number, line in enumerate(lines, start=1)]
    )


def _problem(line: bytes, number: int, path: Path) -> Posed:
    name = f"line {number}"
    if not line.strip():
        return InvalidProblem(name, f"Line {number} is empty.")
    try:
        text = line.decode("utf-8")
        values = parse_json(text)
    except ValueError as error:  # UnicodeDecodeError is a ValueError
        return InvalidProblem(name, f"Line {number} is not JSON: {error}")
    if not isinstance(values, dict):
        return InvalidProblem(name, f"Line {number} is not a JSON object: {text[:_SHOWN]}")
    if halves := [key for key in (*_NEEDED, "level") if not _is_whole(values.get(key))]:
        return InvalidProblem(
            name, f"Line {number} has half a character (a lone surrogate) in its `{halves[0]}`."
        )
    if isinstance(values.get("name"), str) and values["name"].strip():
        name = values["name"].strip()
    level = values.get("level", family(name))
    level = str(level) if isinstance(level, str | int) else ""
    wrong = [key for key in _NEEDED if not isinstance(values.get(key), str)]
    if wrong or not values["statement"].strip():
        return InvalidProblem(
            name, f"Line {number} has no text as its `{(wrong or ['statement'])[0]}`.", level
        )
    try:
        theorem = Theorem.stated(path, values["header"], values["statement"])
        return Problem(name, theorem, theorem.name, level)
    except BadSource as error:
        return InvalidProblem(name, f"Line {number}: {error.message}", level)


def _is_whole(value: object) -> bool:
    """Whether a text can be encoded: JSON can contain half of a UTF-16 surrogate pair."""
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)


def family(name: str) -> str:
    """Which part of miniF2F a name belongs to (`imo`, `mathd_algebra`, ...); empty for other names."""
    return next((one for one in _FAMILIES if name.startswith(one)), "")
