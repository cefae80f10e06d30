"""Records of a library with the goals that Lean printed between its tactics.

    python -m lean_extract goal-comments STEPS RECORDS OUT

STEPS holds steps with the target before them (the data set goal-comments), RECORDS what
`python -m lean_extract extract ROOT RECORDS --states` wrote of the same text. The files that the records name
are read again: a printed target is put before its tactic, and the context is rebuilt from the theorem's binders
and from what the proof introduces above. OUT holds the records, the proofs with these states in addition to those
that the text determines. A state is of origin `comment`, or `comment-truncated` where Lean shortened the target.
"""

from __future__ import annotations

import argparse
import hashlib
import lzma
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

from tqdm import tqdm

from lean_extract.common.errors import BadRecords, BadSource
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import format_size, open_regular, read_source
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.common.typed import read_typed
from lean_extract.limits import MAX_CORPUS_BYTES, MAX_CORPUS_LINE_BYTES
from lean_extract.records import (
    PRINTED,
    PRINTED_IN_PART,
    Header,
    Module,
    Position,
    Proof,
    ProofState,
    Record,
    Span,
    TacticStep,
    read_header,
    read_records,
    write_records,
)
from lean_extract.source.proofs.printed_goals import PrintedGoal
from lean_extract.source.proofs.proof import SourceStep
from lean_extract.source.reader import read_module

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
        """The target, or its beginning if Lean shortened it."""
        text = self.goal.strip()
        mark = next((mark for mark in _MARKS if text.startswith(mark)), "")
        text = text.removeprefix(mark)
        return (text.rstrip().removesuffix(_SHORTENED) if self.is_shortened else text).strip()

    @property
    def is_shortened(self) -> bool:
        """Whether only the beginning of the target is known."""
        return self.truncated or self.goal.rstrip().endswith(_SHORTENED)


def read_steps(path: Path, complaints: list[str]) -> Iterator[CommentedStep]:
    """The steps of a file, in order.

    A line that is not such a step is described in `complaints` and skipped. If the file is cut off or damaged,
    that is described too, after the steps before the damage. Raises BadRecords if the file cannot be read.
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
            line = stream.readline(MAX_CORPUS_LINE_BYTES)
        except (EOFError, lzma.LZMAError) as error:
            complaints.append(f"{path} is cut off or damaged after line {number}: {_sentence(error)}")
            return
        if not line:
            return
        read += len(line)
        if read > MAX_CORPUS_BYTES:
            complaints.append(f"{path} is larger than {format_size(MAX_CORPUS_BYTES)}: the rest is not read.")
            return
        number += 1
        if not line.endswith(b"\n") and len(line) >= MAX_CORPUS_LINE_BYTES:
            complaints.append(
                f"{path}:{number}: longer than {format_size(MAX_CORPUS_LINE_BYTES)}; the rest is not read."
            )
            return
        try:
            yield _step(line)
        except (ValueError, TypeError) as error:
            cut = "" if line.endswith(b"\n") else " The file may be cut off here."
            complaints.append(f"{path}:{number}: not a step: {error}.{cut}")


def _sentence(error: Exception) -> str:
    return str(error).rstrip(".") + "."


def _step(line: bytes) -> CommentedStep:
    values = parse_json(line.rstrip(b"\r\n"))
    step = read_typed(CommentedStep, values)
    if step.line < 1:
        raise ValueError(f"there is no line {step.line}")
    if not step.tactic.strip() or not step.target:
        raise ValueError("its tactic or its goal is empty")
    return step


_OPENERS = ("·", ".", ";", "=>", "↦", "by", "(", "⟨", "<;>", "{", "|", "•")
"""What a tactic comes after, if it is not first on its line."""

_NO_MODULE = "of a file that the records do not have"
_NO_SOURCE = "of a file that cannot be read"
_OTHER_TEXT = "whose tactic is not in that line"
_NO_PROOF = "of a declaration whose proof the records do not have"
_NO_STEP = "at no step of the proof"
_NOT_REACHED = "in a part of a proof that is not followed"
_KNOWN = "shortened, and known from the text"


@dataclass
class CommentCounts:
    """How many steps were used, and why others were not."""

    steps: int = 0
    origins: Counter[str] = field(default_factory=Counter)
    """Steps with a state in the records written, by what it is known from."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Steps of STEPS that gave no state, by reason."""
    had_states: bool = False
    """Whether the records that were read have any."""
    seconds: float = 0.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("steps", type=Path, help="steps with their printed goals (.jsonl or .jsonl.xz)")
    parser.add_argument("records", type=Path, help="the records of the same library, extracted with --states")
    parser.add_argument("out", type=Path, help="the records file to write (JSONL)")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        counts = with_comments(options.steps, options.records, options.out, complaints)
    if not counts.had_states:
        print(
            f"note: {options.records} has no states: only proofs with printed goals have any now. "
            "Extract it with --states.",
            file=sys.stderr,
        )
    print(_table(counts))


def with_comments(steps_path: Path, records_path: Path, out: Path, complaints: list[str]) -> CommentCounts:
    """Write the records with the states of the steps; what is wrong in either file goes to `complaints`.

    Raises BadRecords: a file cannot be read, the records are not of text, or no step belongs to them.
    """
    started = time.perf_counter()
    header = read_header(records_path)
    if header.source != "text":
        raise BadRecords(
            f"{records_path} holds records of real elaboration (`{header.source}`), which have states.",
            "Name what `python -m lean_extract extract ROOT RECORDS --states` wrote.",
        )
    counts = CommentCounts()
    by_module: dict[str, list[CommentedStep]] = defaultdict(list)
    for step in read_steps(steps_path, complaints):
        by_module[step.module].append(step)
        counts.steps += 1
    made = _Merging(by_module, counts, complaints)
    records = tqdm(read_records(records_path, complaints), unit=" records", disable=None)
    revision = f"{header.revision} with {_file_hash(steps_path)}"
    write_records(out, Header(header.source, revision), made.records(records, records_path))
    counts.seconds = time.perf_counter() - started
    return counts


class _Merging:
    """Passes records on, the proofs with the states of their steps; one module's states at a time."""

    def __init__(
        self, by_module: dict[str, list[CommentedStep]], counts: CommentCounts, complaints: list[str]
    ) -> None:
        self._by_module = by_module
        self._counts = counts
        self._complaints = complaints
        self._paths: dict[str, Path] = {}
        self._module: str | None = None
        self._states: Mapping[Span, SourceStep] = {}
        self._waiting: dict[Position, CommentedStep] = {}
        """The printed goals of the module that have not been matched with a step yet."""
        self._theorems: set[str] = set()

    def records(self, records: Iterable[Record], path: Path) -> Iterator[Record]:
        """The records, in order. Raises BadRecords where no proof gets a printed goal."""
        for record in records:
            if isinstance(record, Module):
                self._paths[record.name] = Path(record.path)
            if isinstance(record, Proof):
                record = self._proof(record)
            yield record
        self._close()
        for steps in self._by_module.values():
            self._counts.left_out[_NO_MODULE] += len(steps)
        if not (self._counts.origins[PRINTED] or self._counts.origins[PRINTED_IN_PART]):
            raise BadRecords(
                f"No step belongs to a proof in {path}.",
                "Extract the text that the goals were printed for, and leave it where it was.",
            )

    def _proof(self, proof: Proof) -> Proof:
        if proof.module != self._module:
            self._close()
            self._open(proof.module)
        self._theorems.add(proof.theorem)
        self._counts.had_states |= any(step.origin for step in proof.steps)
        steps = tuple([self._step(step) for step in proof.steps]) if self._states else proof.steps
        self._counts.origins.update(step.origin for step in steps if step.origin)
        return replace(proof, steps=steps) if self._states else proof

    def _step(self, step: TacticStep) -> TacticStep:
        if step.span is None:
            return step
        found = self._states.get(step.span)
        printed = self._waiting.pop(step.span.start, None)
        if found is None or found.before is None:
            self._counts.left_out[_NOT_REACHED] += printed is not None
            return step
        is_known = found.origin not in (PRINTED, PRINTED_IN_PART)
        if printed and is_known:
            self._counts.left_out[_KNOWN if printed.is_shortened else _NOT_REACHED] += 1
        return replace(step, before=ProofState((found.before,)), origin=found.origin)

    def _open(self, module: str) -> None:
        """Read a module again, with its printed goals."""
        self._module, self._states, self._waiting, self._theorems = module, {}, {}, set()
        steps = self._by_module.pop(module, None)
        if steps is None or module not in self._paths:
            if steps is not None:
                self._by_module[module] = steps
            return
        path = self._paths[module]
        try:
            text = read_source(path)
        except BadSource as error:
            self._complaints.append(str(error))
            self._counts.left_out[_NO_SOURCE] += len(steps)
            return
        self._waiting = positions_of(steps, text)
        self._counts.left_out[_OTHER_TEXT] += len(steps) - len(self._waiting)
        printed = {
            position: PrintedGoal(step.target, not step.is_shortened)
            for position, step in self._waiting.items()
        }
        read = read_module(text, module, str(path), states=True, printed=printed)
        self._states = {step.span: step for proof in read.proofs for step in proof.steps}

    def _close(self) -> None:
        """Count the printed goals of the module that matched no step."""
        for step in self._waiting.values():
            self._counts.left_out[_NO_STEP if step.theorem in self._theorems else _NO_PROOF] += 1


def positions_of(steps: Iterable[CommentedStep], text: str) -> dict[Position, CommentedStep]:
    """The positions of the tactics in their file; those that are not in their line are left out."""
    lines = text.replace("\r\n", "\n").split("\n")
    found: dict[Position, CommentedStep] = {}
    after = Position(0, 0)
    for step in sorted(steps, key=lambda step: step.line):
        line = step.line - 1
        if line >= len(lines):
            continue
        start = after.column if after.line == line else 0
        tactic = step.tactic.split("\n", 1)[0].strip()
        column = _column(lines[line], tactic, start)
        if column is not None:
            found[Position(line, column)] = step
            after = Position(line, column + len(tactic))
    return found


def _column(line: str, tactic: str, start: int) -> int | None:
    """Where a tactic begins in a line, from a column on; first where a tactic may begin."""
    columns: list[int] = []
    column = line.find(tactic, start)
    while column >= 0 and len(columns) < 20:
        before = line[:column].rstrip()
        if not before or before.endswith(_OPENERS):
            return column
        columns.append(column)
        column = line.find(tactic, column + 1)
    return columns[0] if columns else None


def _file_hash(path: Path) -> str:
    digest = hashlib.sha256()
    with open_regular(path) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]


def _table(counts: CommentCounts) -> str:
    """The counts as lines of text."""
    rows = [
        ("steps with a printed goal", f"{counts.steps:,}"),
        *(
            (f"  left out: {reason}", f"{count:,}")
            for reason, count in counts.left_out.most_common()
            if count
        ),
        ("steps with a state", f"{sum(counts.origins.values()):,}"),
        *((f"  known from `{name}`", f"{count:,}") for name, count in counts.origins.most_common()),
        ("seconds", f"{counts.seconds:.1f}"),
    ]
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {value}" for label, value in rows)
