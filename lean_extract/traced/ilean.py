"""Reads `.ilean` files, which `lean -i` writes next to the `.olean` of a module.

They contain the position of each declaration, and which declaration mentions which constant. This gives the use
of premises from real elaboration, without a metaprogram. The positions are those of LSP: lines from 0, columns in
UTF-16 units. They are converted to code points here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSource
from lean_extract.common.files.json_text import parse_json, read_json
from lean_extract.common.utf16 import utf16_columns
from lean_extract.limits import MAX_ILEAN_BYTES
from lean_extract.records import Position, Span

_OLDEST_VERSION = 4


@dataclass(frozen=True, slots=True)
class _Usage:
    """One mention of a constant. `inside` is the enclosing declaration, if any."""

    span: Span
    inside: str | None


@dataclass(frozen=True, slots=True)
class _Constant:
    """A constant that the module declares or mentions."""

    name: str
    module: str
    definition: Span | None
    """The span of its name, if this module declares it."""
    usages: tuple[_Usage, ...]


@dataclass(frozen=True, slots=True)
class IleanDeclaration:
    """The whole range of a declaration and the range of its name."""

    full: Span
    name: Span


@dataclass(frozen=True, slots=True)
class Ilean:
    """The contents of an `.ilean` file."""

    module: str
    declared: Mapping[str, IleanDeclaration]
    constants: tuple[_Constant, ...]

    def mentions(self) -> dict[str, list[tuple[Position, str]]]:
        """For each declaration, the constants that it mentions with their positions, in order."""
        found: dict[str, list[tuple[Position, str]]] = {}
        for constant in self.constants:
            for usage in constant.usages:
                if usage.inside is not None:
                    found.setdefault(usage.inside, []).append((usage.span.start, constant.name))
        for mentions in found.values():
            mentions.sort()
        return found


def read_ilean(path: Path, text: str) -> Ilean:
    """Read an `.ilean` file.

    Args:
        path: the file.
        text: the module's source text, which is needed to convert columns.

    Raises:
        BadSource: the file is missing, cannot be read, is too large, is not an `.ilean` file, or has a version
            that is too old.
    """
    try:
        raw = read_json(path, MAX_ILEAN_BYTES)
        if raw["version"] < _OLDEST_VERSION:
            raise BadSource(
                f"{path} is an .ilean file of version {raw['version']}.",
                "Build the project with a newer Lean.",
            )
        columns = _Columns(text)
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
    except OSError as error:
        raise BadSource(
            f"{path} cannot be read: {error.strerror or error}.", "Build the project first."
        ) from error


def _declared(numbers: Sequence[int], columns: _Columns) -> IleanDeclaration:
    return IleanDeclaration(columns.span(numbers[:4]), columns.span(numbers[4:8]))


def _constant(key: str, value: Mapping[str, Any], columns: _Columns) -> _Constant | None:
    identity = parse_json(key).get("c")
    if identity is None:  # a local variable, not a constant
        return None
    definition = value["definition"]
    return _Constant(
        name=identity["n"],
        module=identity["m"],
        definition=columns.span(definition[:4]) if definition else None,
        usages=tuple(
            _Usage(columns.span(usage[:4]), usage[4] if len(usage) > 4 else None) for usage in value["usages"]
        ),
    )


class _Columns:
    """Converts the UTF-16 columns in one text to code points."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._units: dict[int, list[int]] = {}
        """A cache of the UTF-16 column of each character, by line."""

    def span(self, numbers: Sequence[int]) -> Span:
        """The span of four numbers: start line and column, end line and column."""
        start_line, start_column, end_line, end_column = numbers
        return Span(self._position(start_line, start_column), self._position(end_line, end_column))

    def _position(self, line: int, column: int) -> Position:
        if line >= len(self._lines):
            return Position(line, column)
        units = self._units.get(line)
        if units is None:
            units = self._units[line] = utf16_columns(self._lines[line])
        return Position(line, bisect_left(units, column))
