"""The goals of a file's `sorry`s, in one answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from lean_extract.common.errors import BadSettings, UserError
from lean_extract.goals import format_goal
from lean_extract.records import Position
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.schema import SorryGoals, SorryGoalsAnswer
from lsp_server.engine.schema_items import SorryItem
from lsp_server.engine.sorries import sorries
from prover.verify import GoalPosition

GoalAt = Callable[[GoalPosition], Awaitable[GoalFound]]
"""`Engine.goal_at`."""


async def sorry_goals(goal_at: GoalAt, path: Path, text: str, k: int) -> SorryGoalsAnswer:
    """The first `k` `sorry`s of a file with this text, each with its goals, or why it has none.

    Raises BadSettings, and LeanError where no Lean answers.
    """
    found = sorries(text)
    return SorryGoalsAnswer([await _asked(goal_at, path, text, one) for one in found[:k]], len(found))


async def _asked(goal_at: GoalAt, path: Path, text: str, item: SorryItem) -> SorryGoals:
    place = GoalPosition(path, text, Position(item.line - 1, item.column - 1))
    try:
        state = (await goal_at(place)).state
    except BadSettings:
        raise  # the same for every `sorry`
    except UserError as error:
        return SorryGoals(item, [], str(error))
    return SorryGoals(item, [format_goal(goal) for goal in state.goals])
