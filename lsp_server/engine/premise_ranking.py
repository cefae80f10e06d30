"""The step from a goal to its ranked premises."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from lean_extract.common.lru import Cache
from lean_extract.records import Premise
from lean_extract.session.faults import Fault
from lsp_server.documents.goal_positions import broken_names, cache_key
from lsp_server.engine.open_index import CurrentIndex
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from lsp_server.limits import CACHED_GOALS
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.lean.goal_context import GoalContext

NOTHING_FITS = "No premise fits: none of those that were searched has a symbol of this goal."
DEPTH = 200
"""The fewest premises to rank, so that hover, completion and quick fixes can share one ranking."""


class PremiseRanking:
    """Ranks premises, in threads. Rankings are cached by goal, position, and version of the index."""

    def __init__(self) -> None:
        self._known: Cache[list[RankedPremise]] = Cache(CACHED_GOALS)

    async def rank(
        self,
        context: RequestContext,
        current: CurrentIndex,
        request: RankRequest,
        position: GoalPosition | None,
    ) -> list[RankedPremise]:
        """The best premises for the goal; with a position, each says whether it is in scope there.

        Those whose module the file cannot import are left out, and if the settings say so all that need an import.

        Raises PremiseIndexError, ModelError, BadSource.
        """
        depth = request.k if request.kinds else max(request.k, DEPTH)
        deep = replace(request, k=depth)
        key = (current.version, deep, cache_key(position) if position else None)
        ranked = self._known.get(key)
        if ranked is None:
            ranked = await asyncio.to_thread(_ranked, current.index, deep, position)
            if position is None or position.text is not None:
                self._known.put(key, ranked)
        with_import = context.settings.premises.out_of_scope
        usable = (one for one in ranked if one.in_scope is not False or (with_import and one.import_line))
        return list(islice(usable, request.k))


def _ranked(index: ProjectIndex, request: RankRequest, position: GoalPosition | None) -> list[RankedPremise]:
    return index.rank(replace(request, where=index.context_of(position)))


def with_errors(
    ranked: Sequence[RankedPremise], faults: Sequence[Fault], context: GoalContext
) -> list[RankedPremise]:
    """The ranking with those premises of the open file marked in which Lean reports an error."""
    broken = set(broken_names(faults, context))
    if not broken:
        return list(ranked)
    return [
        replace(one, has_error=True)
        if one.premise.module == context.module and one.premise.name in broken
        else one
        for one in ranked
    ]


def in_scope(ranked: Sequence[RankedPremise]) -> list[Premise]:
    """The premises that the present imports allow, or for which this is unknown."""
    return [one.premise for one in ranked if one.in_scope is not False]
