"""All exceptions of the project. A message says what happened and where; its `hint` says what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class PremiseSuggestError(Exception):
    """An error that is reported to the user.

    Args:
        message: what happened and where, in one sentence.
        hint: what to do next, in one sentence; may be empty.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        if not self.hint:
            return self.message
        stop = "" if self.message.rstrip().endswith((".", "!", "?")) else "."
        return f"{self.message.rstrip()}{stop} {self.hint}".strip()


class UserError(PremiseSuggestError):
    """The request contains a mistake that the caller can fix. The command line exits with 2."""

    exit_code = 2


class BadPosition(UserError):
    """The position lies outside the document."""


class NoGoalHere(UserError):
    """Lean has no goal at the position."""


class TextUnread(UserError):
    """Lean cannot read the declaration at the position up to there, so it has no goal."""


class GoalBroken(NoGoalHere):
    """The goal that Lean shows at the position contains `sorry`, so it is not the intended goal."""


class BadState(UserError):
    """A printed proof state that cannot be read."""


class BadQuery(UserError):
    """A search with an empty query."""


class BadSource(UserError):
    """A source file that cannot be read as text, or is not Lean."""


class BadSettings(UserError):
    """A setting with an unknown name, or a value of the wrong type or out of range."""


class LeanError(PremiseSuggestError):
    """Lean is missing or failed."""

    modules: frozenset[str] = frozenset()
    """The modules that could not be compiled because of it."""


class LeanNotFound(LeanError):
    """No Lean was found, or it could not be prepared."""


class NoCoreSources(LeanError):
    """The Lean in use does not include the sources of its own library, or they cannot be read."""


class LeanDied(LeanError):
    """The Lean server exited, or stopped in the middle of a request."""

    is_of_memory = False
    """Whether it was stopped because it used too much memory, which it would do again."""


class LeanTimeout(LeanError):
    """Lean did not answer within the limit."""


@dataclass(frozen=True, slots=True)
class ErrorPlace:
    """Lean's first error in a file: its line and column, from 1, and its message."""

    path: Path
    line: int
    column: int
    message: str


class ProjectBroken(LeanError):
    """The project's own files prevent elaboration: imports are missing, or the build failed."""

    place: ErrorPlace | None = None
    """Where Lean found an error, if it did."""


class Busy(PremiseSuggestError):
    """Too much other work is waiting."""


class BadRecords(PremiseSuggestError):
    """A records file that cannot be read, or has another format or version."""


class PremiseIndexError(PremiseSuggestError):
    """The premise index is missing or damaged, or belongs to something else."""


class IndexMissing(PremiseIndexError):
    """There is no index."""


class IndexDamaged(PremiseIndexError):
    """An index file is truncated, altered, or of an unknown version."""


class IndexUnreadable(IndexDamaged):
    """The index cannot be read because this process lacks resources (file handles, memory)."""


class IndexLocked(PremiseIndexError):
    """Another process is writing this index."""


class IndexWriteFailed(PremiseIndexError):
    """The index could not be written (disk full, permissions). The old one is unchanged."""


class StoreUnavailable(PremiseIndexError):
    """The database of an index does not answer, or cannot be used."""


class ModelError(PremiseSuggestError):
    """A model folder is missing, damaged, or does not belong to the index."""


class ModelUnreachable(ModelError):
    """A model at a server that does not answer, and would not answer another question, either."""


class ClusterLost(PremiseSuggestError):
    """The scheduler of a cluster has ended, or its workers cannot be used."""


class TaskFailed(PremiseSuggestError):
    """A task could not be done elsewhere; the others were."""


class WorkersDied(TaskFailed):
    """A task was given up, because workers died with it."""
