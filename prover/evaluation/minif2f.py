"""Problems in miniF2F's format: JSONL, each line with `name`, `header`, `statement` and optionally `level`."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import MAX_TEXT, read_regular
from prover.evaluation.problems import InvalidProblem, Posed, Problem, uniquely_named
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
    return uniquely_named(list(_numbered(lines, project / FILE)))


def _numbered(lines: list[bytes], path: Path) -> Iterator[tuple[int, Posed]]:
    for number, line in enumerate(lines, start=1):
        yield number, _problem(line, number, path)


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
