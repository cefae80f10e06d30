"""The tactics to try on a goal, those of all sources; and the order in which Lean's verdicts are shown."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from lean_extract.records import Goal, Premise, TacticOutcome
from lsp_server.unstated import Unstated
from prover.candidates import Candidate, CandidateSource, Closers, Templates, merge
from prover.verify import order


def propose(goal: Goal, premises: Sequence[Premise], extra: tuple[str, ...], limit: int) -> list[Candidate]:
    """The tactics to try, of all sources. A generator is one more source here."""
    sources: list[CandidateSource] = [Templates(), Closers(extra), Unstated()]
    return merge([source.candidates(goal, premises, limit) for source in sources], limit)


async def in_order(
    verdicts: AsyncGenerator[TacticOutcome, None],
    candidates: Sequence[Candidate],
    heard: Callable[[list[TacticOutcome]], None] | None = None,
) -> list[TacticOutcome]:
    """Lean's verdicts on candidates in the order to show; `heard` is given those so far as each comes.

    Raises what the verdicts raise.
    """
    scores = {candidate.tactic: candidate.score for candidate in candidates}
    known: list[TacticOutcome] = []
    async with aclosing(verdicts):
        async for verdict in verdicts:
            known = order([*known, verdict], scores)
            if heard is not None:
                heard(known)
    return known
