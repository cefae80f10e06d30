"""What an answer says of the Lean behind it: that it stands in for another, or has an older build of an import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from lean_extract.common.errors import LeanError, NoGoalHere, ProjectBroken
from lsp_server.engine.running_lean import RunningLean
from lsp_server.engine.schema import Suggestion, TrialsAnswer
from prover.verify import GoalPosition

Answer = TypeVar("Answer", Suggestion, TrialsAnswer)
_UNKNOWN = "nknown "
"""Unknown identifier, unknown constant, Unknown module prefix: a name that Lean does not find."""


def with_remarks(answer: Answer, lean: RunningLean, position: GoalPosition) -> Answer:
    """The answer with what has to be said of its goal and verdicts."""
    warnings = [*lean.warnings_at(position), *answer.warnings]
    notes = [*([lean.note] if lean.note else []), *answer.notes]
    return replace(answer, warnings=warnings, notes=notes)


@asynccontextmanager
async def asking_lean(lean: RunningLean, position: GoalPosition) -> AsyncIterator[None]:
    """Have Lean load what has changed, then ask it.

    Where a name or an import is missing, and it is not the Lean that the project asks for, the error's hint says so.
    """
    await lean.refresh(position)
    try:
        yield
    except (LeanError, NoGoalHere) as error:
        if lean.note and (isinstance(error, ProjectBroken) or _UNKNOWN in str(error)):
            error.hint = f"{error.hint} {lean.note}".strip()
        raise
