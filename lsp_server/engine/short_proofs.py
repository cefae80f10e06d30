"""Proofs of a few steps, searched for in the time that the trials of a suggestion have left."""

from __future__ import annotations

from lean_extract.common.errors import LeanError, ModelError
from lean_extract.records import TacticOutcome
from lsp_server.engine.goal_places import GoalFound
from lsp_server.engine.proof_scripts import ScriptWriter
from lsp_server.engine.proposing import proposer_at
from lsp_server.engine.request_context import RequestContext
from lsp_server.limits import SHORT_PROOF_STATES
from prover.search.environment import LeanEnvironment
from prover.search.search import SearchLimits, search


async def short_proof(context: RequestContext, found: GoalFound, seconds: float) -> TacticOutcome | None:
    """A proof of the goal, as Lean accepts it in the document; None if a search of this time finds none.

    Raises PremiseIndexError, BadSource.
    """
    limits = SearchLimits(seconds, SHORT_PROOF_STATES)
    try:
        proposer = await proposer_at(context, found.asked, [])
        lean = await context.lean.session()
        result = await search(LeanEnvironment(lean, found.asked), proposer, limits)
        if result.status != "proved":
            return None
        return await ScriptWriter(lean, found, limits.tactic_seconds).proved(result.tree)
    except (LeanError, ModelError):  # what was tried before is shown without it
        return None
