"""Lean's verdicts on tactics that the caller sent, each of them, in the order in which they were sent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from lean_extract.errors import UserError
from lean_extract.goals import format_goal
from lean_extract.records import ProofState, TacticOutcome
from lsp_server.engine.items import tactic_item
from lsp_server.engine.proof_states import ProofStates
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.requests import main_goal
from lsp_server.engine.schema import TacticItem, TacticVerdict, TrialsAnswer
from lsp_server.engine.timing import Timer
from prover.candidates import Candidate, is_unfinished
from prover.verify import GoalPosition, verify

MOST_TACTICS = 32
"""How many may be sent at once."""
LONGEST_TACTIC = 4000
"""Characters of one of them."""
_GIVEN = "given"


async def try_given(
    context: RequestContext, states: ProofStates, position: GoalPosition, tactics: Sequence[str]
) -> TrialsAnswer:
    """Lean's verdicts; see `Engine.try_tactics`."""
    asked = _checked(tactics)
    timer = Timer()
    await context.catch_up()
    state = await states.at(context.lean, position)
    goal = main_goal(state)
    timer.lap("goal")
    found = await _outcomes(context, position, state, asked)
    timer.lap("tactics")
    return TrialsAnswer(format_goal(goal), [_item(found, tactic) for tactic in asked], timer.total())


def _checked(tactics: Sequence[str]) -> list[str]:
    """The tactics without white space around them. Raises UserError: none, too many, empty or too long."""
    if not 1 <= len(tactics) <= MOST_TACTICS:
        raise UserError(
            f"{len(tactics)} tactics were sent.", f"Send at least one and at most {MOST_TACTICS} at once."
        )
    asked = [tactic.strip() for tactic in tactics]
    for number, tactic in enumerate(asked, start=1):
        if not tactic or "\0" in tactic:
            raise UserError(f"Tactic {number} is empty or has a zero byte.", "Send Lean's text of it.")
        if len(tactic) > LONGEST_TACTIC:
            raise UserError(
                f"Tactic {number} has {len(tactic):,} characters.", f"At most {LONGEST_TACTIC:,} are tried."
            )
    return asked


async def _outcomes(
    context: RequestContext, position: GoalPosition, state: ProofState, tactics: Sequence[str]
) -> dict[str, TacticOutcome]:
    """What Lean said in the time there is, by the tactic."""
    settings = context.settings
    verdicts = verify(
        await context.lean.session(),
        position,
        state,
        [Candidate(tactic, 1.0, _GIVEN) for tactic in dict.fromkeys(tactics)],
        timeout=settings.lean.tactic_seconds,
        within=settings.tactics.seconds,
        keep_failures=True,
    )
    async with aclosing(verdicts):
        return {outcome.tactic: outcome async for outcome in verdicts}


def _item(found: dict[str, TacticOutcome], tactic: str) -> TacticItem:
    outcome = found.get(tactic)
    if outcome is not None:
        return tactic_item(outcome)
    reason = "The time was over before its turn."
    if is_unfinished(tactic):
        reason = "It proves nothing (`sorry`, `admit`) or trusts compiled code (`native_decide`)."
    return TacticItem(tactic, TacticVerdict.UNTRIED, [], reason)
