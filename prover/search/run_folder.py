"""The folder of an evaluation: its settings and the rows so far. However the process ends, they stay readable.

run.json        the settings, their hash, the number of problems and of passes
results.jsonl   one row per problem and pass (`ProblemRow`), in the order in which they finished
proofs/         the proofs found, as Lean files that a fresh Lean accepted
lock            held by the process that writes
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Any, Literal

from lean_extract.common.errors import BadRecords, PremiseSuggestError, UserError
from lean_extract.common.file_lock import open_lock_file, read_holder, try_lock, write_holder
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json, read_json
from lean_extract.common.terminal_text import reason
from lean_extract.common.typed import read_typed
from lean_extract.records import to_json
from lean_extract.source.projects.walking import EVALUATION_FILE, EVALUATION_FORMAT
from prover.limits import MAX_LOCK_BYTES
from prover.spending import ModelUse

_VERSION = 1
DESCRIPTION, RESULTS, _PROOFS, _LOCK = EVALUATION_FILE, "results.jsonl", "proofs", "lock"
Settings = Mapping[str, str | int | float]
"""Everything that determines the results, as plain values by name."""
RowStatus = Literal["proved", "exhausted", "limit", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem in one pass.

    `status`: how the search ended (`prover.search.SearchResult`), but `proved` only if a fresh Lean accepted
    the whole file, and `refused` if it did not. `failed`: Lean cannot state this problem, or Lean gave
    up. `error`: the reason, in all cases but `proved`. `seconds`: the search's wall time. `nodes`, `tactics`:
    states expanded, tactics tried. `axioms`: those that the proof depends on. `memory_mb`, `processes`: the most
    private memory of the search's Lean processes, and the most of them at once. `settings`: the hash of the run's
    settings. `model`: what a model at a server was asked, if one is.
    """

    name: str
    pass_number: int
    status: RowStatus
    level: str = ""
    proof: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    seconds: float = 0.0
    nodes: int = 0
    tactics: int = 0
    error: str = ""
    retriever: str = ""
    tactics_from: str = ""
    generator: str = ""
    settings: str = ""
    memory_mb: int = 0
    processes: int = 0
    model: ModelUse | None = None

    @property
    def is_proved(self) -> bool:
        """Whether there is a proof that Lean accepted."""
        return self.status == "proved"


def to_line(row: ProblemRow) -> str:
    """The row as a line of JSON, with its line end."""
    return json.dumps(to_json(row), ensure_ascii=False) + "\n"


def from_line(line: bytes) -> ProblemRow:
    """The row of a line. Raises ValueError, TypeError: the line is not a row."""
    return read_typed(ProblemRow, parse_json(line))


class FolderInUse(UserError):
    """Another evaluation is writing to this folder."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder's lock for the block. Raises FolderInUse (the message says which process holds it), OSError."""
    path = folder / _LOCK
    with open_lock_file(path) as descriptor:
        if not try_lock(descriptor):
            raise FolderInUse(
                f"Another evaluation is writing to {folder}: {_holder(path) or 'another process'}.",
                "Wait until it ends, or name another folder with --out.",
            )
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
        write_holder(descriptor, json.dumps(holder))
        yield


def _holder(lock: Path) -> str | None:
    """Who holds a lock file; empty if the holder has not written its name yet; None: it is not an evaluation's.

    Raises OSError: it cannot be read.
    """
    if not lock.is_file():
        return None
    content = read_holder(lock, MAX_LOCK_BYTES).strip()
    if not content:
        return ""
    try:
        holder = parse_json(content)
        return f"process {holder['pid']} on {holder['host']}, since {holder['since']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


class ResultsNotWritten(PremiseSuggestError):
    """A row or a proof could not be written (disk full, permissions); what was there is untouched."""


def not_written(what: str, error: OSError) -> ResultsNotWritten:
    """The error to raise when a part of a run could not be written."""
    return ResultsNotWritten(
        f"{what} could not be written: {error.strerror or error}.",
        "Free some space, or remove what is in the way, then run the same command with --resume.",
    )


@dataclass(frozen=True, slots=True)
class RunDescription:
    """The task of a run. `problems` counts those of one pass."""

    settings: Settings
    problems: int
    passes: int

    @property
    def digest(self) -> str:
        """A hash of the settings."""
        text = json.dumps(dict(self.settings), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, object]:
        """The content of `run.json`."""
        return {
            "format": EVALUATION_FORMAT,
            "version": _VERSION,
            "settings": dict(self.settings),
            "settings_hash": self.digest,
            "problems": self.problems,
            "passes": self.passes,
        }


@dataclass(slots=True)
class Results:
    """The rows of a folder that is held open. `complaints`: one for each line that is not a row."""

    description: RunDescription
    proofs: Path
    rows: list[ProblemRow]
    complaints: list[str]
    _stream: FileIO = field(repr=False)

    def append(self, row: ProblemRow) -> None:
        """Write a row; it is on disk when this returns. Raises ResultsNotWritten."""
        end = self._stream.seek(0, os.SEEK_END)
        try:
            # A lone surrogate (from a file name that is not UTF-8) is written as a JSON escape.
            left = to_line(row).encode(errors="backslashreplace")
            while left:
                left = left[self._stream.write(left) :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            os.ftruncate(self._stream.fileno(), end)
            raise not_written(f"The row of {row.name}", error) from error
        self.rows.append(row)


@contextmanager
def opened(folder: Path, description: RunDescription, *, resume: bool) -> Iterator[Results]:
    """Hold a run's folder for the block; with `resume`, continue the run that it holds.

    The number of passes never decreases. Nothing is written to a folder that is refused.

    Raises:
        FolderInUse: another process holds it.
        UserError: it holds results and `resume` is not set, results of other settings, or other files.
        BadRecords: its description cannot be read. ResultsNotWritten: it cannot be written to.
    """
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _compare(folder, description, resume)  # before the lock is written
            stack.enter_context(held(folder))
            before = _compare(folder, description, resume)  # again: another may have come first
            if before is not None:
                description = replace(description, passes=max(before.passes, description.passes))
            with replacing(folder / DESCRIPTION) as stream:
                stream.write(json.dumps(description.to_json(), ensure_ascii=False, indent=2) + "\n")
            results = stack.enter_context((folder / RESULTS).open("ab+", buffering=0))
            _repair(results)
            rows, complaints = read_rows(folder / RESULTS)
        except OSError as error:
            raise ResultsNotWritten(
                f"The folder {folder} cannot be written to: {error.strerror or error}.",
                "Name another one with --out, or change its permissions.",
            ) from error
        yield Results(description, folder / _PROOFS, rows, complaints, results)


def read_description(folder: Path) -> RunDescription:
    """The task of a folder's run. Raises BadRecords: not a run's folder, or of another version."""
    path = folder / DESCRIPTION
    hint = "Name a folder that `premise-suggest eval` wrote."
    try:
        values: dict[str, Any] = read_json(path)
        if (values["format"], values["version"]) != (EVALUATION_FORMAT, _VERSION):
            raise BadRecords(f"{path} is {values['format']} {values['version']}.", hint)
        return RunDescription(dict(values["settings"]), int(values["problems"]), int(values["passes"]))
    except FileNotFoundError as error:
        raise BadRecords(f"{folder} is not the folder of an evaluation.", hint) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} cannot be read: {reason(error)}.", hint) from error


def read_rows(path: Path) -> tuple[list[ProblemRow], list[str]]:
    """The rows of a results file, and a complaint for each line that is not a row."""
    rows: list[ProblemRow] = []
    complaints: list[str] = []
    if not path.exists():
        return rows, complaints
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(from_line(line))
        except (ValueError, TypeError, RecursionError) as error:
            complaints.append(f"{path}:{number}: not a row: {error}")
    return rows, complaints


def _repair(stream: FileIO) -> None:
    """Remove the partial row that a killed run left; a row that lacks only its line end is completed."""
    stream.seek(0)
    whole = stream.read()
    if not whole or whole.endswith(b"\n"):
        return
    torn = whole.rpartition(b"\n")[2]
    try:
        from_line(torn)
    except (ValueError, TypeError, RecursionError):
        os.ftruncate(stream.fileno(), len(whole) - len(torn))
    else:
        stream.write(b"\n")
    os.fsync(stream.fileno())


def _shown(settings: Settings, name: str) -> str:
    """The value of a setting, for a person."""
    value = settings.get(name, "")
    return "not set" if value == "" else str(value)


def _compare(folder: Path, wanted: RunDescription, resume: bool) -> RunDescription | None:
    """The description that the folder already has, if any. Raises UserError, BadRecords: it is refused."""
    lock = folder / _LOCK
    if (lock.exists() or lock.is_symlink()) and _holder(lock) is None:
        raise UserError(
            f"{lock} is not an evaluation's lock, and would be overwritten.",
            "Move it elsewhere, or name another folder with --out.",
        )
    if not (folder / DESCRIPTION).exists():
        if foreign := sorted(item.name for item in folder.iterdir() if not _is_ours(item.name)):
            raise UserError(
                f"{folder} holds other files ({foreign[0]}) and no evaluation.",
                "Name a new folder with --out.",
            )
        return None
    before = read_description(folder)
    changed = [
        f"{name} was {_shown(before.settings, name)} and is now {_shown(wanted.settings, name)}"
        for name in dict.fromkeys((*before.settings, *wanted.settings))
        if before.settings.get(name) != wanted.settings.get(name)
    ]
    if changed:
        raise UserError(
            f"{folder} holds an evaluation with other settings: {'; '.join(changed)}.",
            "Use the same settings, or name another folder with --out.",
        )
    if not resume and read_rows(folder / RESULTS)[0]:
        raise UserError(
            f"{folder} already holds results of this evaluation.",
            "Add --resume to continue where it stopped, or name another folder with --out.",
        )
    return before


def _is_ours(name: str) -> bool:
    """Whether a file is the lock, or the temporary file of a description that is being written."""
    return name == _LOCK or (name.startswith(f".{DESCRIPTION}.") and name.endswith(".tmp"))
