"""The place in a Lean file that a user names: `A.lean:6`, `A.lean:6:3`, `A.lean:THEOREM`, or `A.lean` alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lean_extract.common.errors import BadPosition, BadSource, UserError
from lean_extract.common.files.reading import is_file, is_folder
from lean_extract.common.nearest import question
from lean_extract.common.terminal_text import shown
from lean_extract.records import Position
from lsp_server.commands.common import named, read_text
from lsp_server.documents.positions import goal_position
from lsp_server.documents.theorem_places import named_position
from lsp_server.engine.schema_items import SorryItem
from lsp_server.engine.sorries import sorries
from lsp_server.rendering.labels import counted
from prover.verify import GoalPosition

_SUFFIX = re.compile(r"\.lean(?=:)")
_MOST_COLONS = 16
_NUMBERS = re.compile(r"([0-9]+)(?::([0-9]+))?:?")
_LONGEST_NUMBER = 9
_LISTED = 6
FORMS = "Write FILE:LINE, FILE:LINE:COLUMN or FILE:THEOREM."


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and a line (and column) of it, counting from 1, or the name of a declaration, or neither."""

    path: Path
    line: int | None = None
    column: int | None = None
    name: str = ""


def read_place(text: str) -> Place:
    """A place as it is written on the command line; colons in the path are no separators.

    A colon after the last number is ignored, as in places that Lean prints. Raises UserError.
    """
    path, rest = _split(text)
    numbers = _NUMBERS.fullmatch(rest)
    if numbers is not None:
        line, column = numbers.groups()
        return Place(path, _number(line), None if column is None else _number(column))
    if path != Path(text) and not rest:
        raise UserError(f"After {named(path)}: a line or a name is missing.", FORMS)
    return Place(path, name=rest)


def _split(text: str) -> tuple[Path, str]:
    """The path, and what is written after it: the shortest path that is a file, else the longest."""
    found = [match.end() for match in islice(_SUFFIX.finditer(text), _MOST_COLONS)]
    if not found or is_file(Path(text)):
        return Path(text), ""
    end = next((end for end in found if is_file(Path(text[:end]))), found[-1])
    return Path(text[:end]), text[end + 1 :]


def _number(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise BadPosition(f"No file has a line or column {shown(digits, longest=20)}.", FORMS)
    return int(digits)


def position_of(place: Place, text: str | None = None) -> GoalPosition:
    """The position of its goal.

    That is, of a line, its `sorry` or what it begins with; of a theorem, its first `sorry`, else its first tactic;
    of a file, its only `sorry`. `text`: the file's, if it was read already. Raises BadSource, BadPosition, UserError.
    """
    text = lean_text(place.path) if text is None else text
    if place.line is not None:
        position = goal_position(text, place.line, place.column)
        return GoalPosition(place.path.resolve(), text, position)
    if place.name:
        position = named_position(text, place.name, named(place.path), f"{shown(place.path)}:")
        return GoalPosition(place.path.resolve(), text, position)
    return sorry_position(place.path, text, _only(sorries(text), place.path))


def sorry_position(path: Path, text: str, item: SorryItem) -> GoalPosition:
    """The position of a `sorry` of a file's text."""
    return GoalPosition(path.resolve(), text, Position(item.line - 1, item.column - 1))


def lean_text(path: Path) -> str:
    """The text of a Lean file. Raises BadSource: there is none, or it is not a Lean file."""
    if path.suffix != ".lean":
        raise BadSource(f"{named(path)} is not a Lean file.", _lean_file_meant(path))
    return read_text(path)


def _lean_file_meant(path: Path) -> str:
    """What `Lib` or `Lib:6` may stand for."""
    if "⊢" in str(path):
        return "Give a goal as text with --text."
    stem, colon, rest = path.name.partition(":")
    near = path.with_name(f"{stem}.lean") if stem else path
    if is_file(near):
        return question([f"{shown(near)}{colon}{shown(rest)}"])
    kind = "It is a folder; give" if is_folder(path) else "Give"
    return f"{kind} a file whose name ends in .lean."


def _only(found: Sequence[SorryItem], path: Path) -> SorryItem:
    """A file's only `sorry`. Raises UserError: it has none, or several."""
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"No sorry in {named(path)}.", f"Say which goal. {FORMS}")
    on_line = Counter(one.line for one in found)
    listed = []
    for one in found[:_LISTED]:
        column = f":{one.column}" if on_line[one.line] > 1 else ""
        declaration = f" ({shown(one.declaration, longest=60)})" if one.declaration else ""
        listed.append(f"{shown(path)}:{one.line}{column}{declaration}")
    more = f" and {len(found) - _LISTED:,} more" if len(found) > _LISTED else ""
    raise UserError(
        f"{named(path)} has {counted(len(found), 'sorry')}.",
        f"Name one: {', '.join(listed)}{more}. `suggest --all` and `fill` take them all.",
    )
