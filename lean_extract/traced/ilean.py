"""Lean's own account of a module, from the `.ilean` file that `lean -i` writes beside the `.olean`.

It says where each declaration stands and which declaration mentions which constant: premise use from
real elaboration, with no metaprogram. Its positions are LSP's: lines from 0, columns in UTF-16 units;
they are converted to code points here, once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.errors import BadSource
from lean_extract.records import Position, Span
from lean_extract.utf16 import code_point_column

OLDEST_VERSION = 4


@dataclass(frozen=True, slots=True)
class Usage:
    """One mention of a constant; `inside` is the declaration around it, if there is one."""

    span: Span
    inside: str | None


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant that the module declares or mentions."""

    name: str
    module: str
    definition: Span | None
    """Where its name stands, when this module declares it."""
    usages: tuple[Usage, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The whole range of a declaration and the range of its name."""

    full: Span
    name: Span


@dataclass(frozen=True, slots=True)
class Ilean:
    """A module as Lean saw it."""

    module: str
    declared: Mapping[str, Declared]
    constants: tuple[Constant, ...]


def read_ilean(path: Path, text: str) -> Ilean:
    """Read an `.ilean` file.

    Args:
        path: the file.
        text: the module's source text, by which columns are converted.

    Raises:
        BadSource: the file is not an `.ilean` file, or of a version that is not known here.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["version"] < OLDEST_VERSION:
            raise BadSource(
                f"{path} is an .ilean file of version {raw['version']}.",
                "Build the project with a newer Lean.",
            )
        columns = Columns(text)
        return Ilean(
            module=raw["module"],
            declared={name: _declared(numbers, columns) for name, numbers in raw["decls"].items()},
            constants=tuple(
                constant
                for key, value in raw["references"].items()
                if (constant := _constant(key, value, columns)) is not None
            ),
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise BadSource(f"{path} is not an .ilean file: {error!r}.", "Build the project again.") from error


def _declared(numbers: Sequence[int], columns: Columns) -> Declared:
    return Declared(columns.span(numbers[:4]), columns.span(numbers[4:8]))


def _constant(key: str, value: Mapping[str, Any], columns: Columns) -> Constant | None:
    identity = json.loads(key).get("c")
    if identity is None:  # a local variable, not a constant
        return None
    definition = value["definition"]
    return Constant(
        name=identity["n"],
        module=identity["m"],
        definition=columns.span(definition[:4]) if definition else None,
        usages=tuple(
            Usage(columns.span(usage[:4]), usage[4] if len(usage) > 4 else None) for usage in value["usages"]
        ),
    )


class Columns:
    """Converts UTF-16 columns to code points, line by line, for one text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def span(self, numbers: Sequence[int]) -> Span:
        """The span of four numbers: start line and column, end line and column."""
        start_line, start_column, end_line, end_column = numbers
        return Span(self._position(start_line, start_column), self._position(end_line, end_column))

    def _position(self, line: int, column: int) -> Position:
        if line >= len(self._lines):
            return Position(line, column)
        return Position(line, code_point_column(self._lines[line], column))
