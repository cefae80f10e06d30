"""The one exception tree. Every message says what happened and where; `hint` says what to do next."""

from __future__ import annotations


class PremiseSuggestError(Exception):
    """Something a person has to hear about.

    Args:
        message: one sentence: what happened, and where.
        hint: one sentence: what to do next; may be empty.
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
    """The request cannot be met as it was put; the command line exits with 2."""

    exit_code = 2


class BadPosition(UserError):
    """The position lies outside the document."""


class NoGoalHere(UserError):
    """Lean has no goal at the position."""


class GoalBroken(NoGoalHere):
    """What Lean shows at the position holds a `sorry`, so it is not the goal that was meant."""


class BadState(UserError):
    """A printed proof state that cannot be read."""


class BadQuery(UserError):
    """A search without anything to search for."""


class BadSource(UserError):
    """A source file that cannot be read as text, or is not Lean."""


class BadSettings(UserError):
    """A setting of the wrong name, type or range."""


class LeanError(PremiseSuggestError):
    """Lean is missing, or did not do its part."""


class LeanNotFound(LeanError):
    """No Lean could be found or made ready."""


class NoCoreSources(LeanError):
    """The Lean in use came without the sources of its own library, or they cannot be read."""


class LeanDied(LeanError):
    """The Lean server ended, or broke off in mid-request."""


class LeanTimeout(LeanError):
    """Lean did not answer within the limit."""


class ProjectBroken(LeanError):
    """The project's own files keep Lean from elaborating (imports missing, build failed)."""


class BadRecords(PremiseSuggestError):
    """A records file of another format or version."""


class PremiseIndexError(PremiseSuggestError):
    """The premise index is missing, damaged, or belongs to something else."""


class IndexMissing(PremiseIndexError):
    """There is no index."""


class IndexDamaged(PremiseIndexError):
    """An index file is cut off, altered, or of an unknown version."""


class IndexUnreadable(IndexDamaged):
    """What keeps an index from being read is this process's own want: of handles, of memory."""


class IndexLocked(PremiseIndexError):
    """Another process is writing this index."""


class IndexWriteFailed(PremiseIndexError):
    """The index could not be written (disk full, permissions); the old one is untouched."""


class ModelError(PremiseSuggestError):
    """A model folder is missing, damaged, or does not belong to the index."""
