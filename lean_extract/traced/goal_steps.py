"""Steps with the goal that Lean printed before them, one JSON object a line: the reader of such a file.

The lines are those of the data set goal-comments: theorem, file, line (from 1), goal (the target alone),
truncated, tactic, goal_after, premises. The file may be packed (`.xz`).
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import MAX_CORPUS, format_size, open_regular
from lean_extract.common.typed import read_typed

_LONGEST_LINE = 1 << 20
_MARKS = "⊢", "|-"
_SHORTENED = "…"


@dataclass(frozen=True, slots=True)
class CommentedStep:
    """A tactic with the target that Lean printed before it; `line` counts from 1."""

    theorem: str | None
    file: str
    line: int
    goal: str
    tactic: str
    truncated: bool = False
    goal_after: str | None = None
    premises: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module of its file, which is named from the library's root."""
        return self.file.removesuffix(".lean").replace("/", ".")

    @property
    def target(self) -> str:
        """The target; of one that was shortened, its beginning."""
        text = self.goal.strip()
        mark = next((mark for mark in _MARKS if text.startswith(mark)), "")
        text = text.removeprefix(mark)
        return (text.rstrip().removesuffix(_SHORTENED) if self.is_shortened else text).strip()

    @property
    def is_shortened(self) -> bool:
        """Whether only the beginning of the target is there."""
        return self.truncated or self.goal.rstrip().endswith(_SHORTENED)


def read_steps(path: Path, complaints: list[str]) -> Iterator[CommentedStep]:
    """The steps of a file, in order.

    A line that is no such step is described in `complaints` and passed over; where the file is cut off or
    damaged, that is told there, too, and what was whole has been given. Raises BadRecords where the file
    cannot be read at all.
    """
    with _opened(path) as stream:
        yield from _steps(path, stream, complaints)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    hint = "Name a file of steps, .jsonl or .jsonl.xz."
    try:
        with open_regular(path) as stream:
            if path.suffix != ".xz":
                yield stream
                return
            with lzma.open(stream) as unpacked:
                yield cast(BinaryIO, unpacked)
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror or error}.", hint) from error


def _steps(path: Path, stream: BinaryIO, complaints: list[str]) -> Iterator[CommentedStep]:
    read = number = 0
    while True:
        try:
            line = stream.readline(_LONGEST_LINE)
        except (EOFError, lzma.LZMAError) as error:
            complaints.append(f"{path} is cut off or damaged behind line {number}: {_said(error)}")
            return
        if not line:
            return
        read += len(line)
        if read > MAX_CORPUS:
            complaints.append(f"{path} is larger than {format_size(MAX_CORPUS)}: the rest is not read.")
            return
        number += 1
        if not line.endswith(b"\n") and len(line) >= _LONGEST_LINE:
            complaints.append(
                f"{path}:{number}: longer than {format_size(_LONGEST_LINE)}; the rest is not read."
            )
            return
        try:
            yield _step(line)
        except (ValueError, TypeError) as error:
            cut = "" if line.endswith(b"\n") else " The file may be cut off here."
            complaints.append(f"{path}:{number}: not a step: {error}.{cut}")


def _said(error: Exception) -> str:
    return str(error).rstrip(".") + "."


def _step(line: bytes) -> CommentedStep:
    values = parse_json(line.rstrip(b"\r\n"))
    step = read_typed(CommentedStep, values)
    if step.line < 1:
        raise ValueError(f"line {step.line} is none")
    if not step.tactic.strip() or not step.target:
        raise ValueError("its tactic or its goal is empty")
    return step
