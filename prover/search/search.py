"""Best-first search for a proof: LeanDojo's scheme, which the paper measures with (section 4.5)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing

from lean_extract.common.errors import PremiseSuggestError
from prover.search.environment import ProofEnvironment, Proposer, Reached, Verdict
from prover.search.frontier import Frontier
from prover.search.prefetch import PrefetchingProposer
from prover.search.proposals import choose
from prover.search.result import SearchLimits, SearchProgress, SearchResult, SearchStatus

OnProgress = Callable[[SearchProgress], None]


async def search(
    environment: ProofEnvironment,
    proposer: Proposer,
    limits: SearchLimits,
    on_progress: OnProgress | None = None,
) -> SearchResult:
    """Search for a proof of the environment's theorem.

    The open state with the highest sum of log-probabilities is expanded next: the proposer names tactics, all of
    them are run, and every new state becomes open. When a tactic leaves no goals, the search ends with that
    expansion; if there are several, the shortest wins. The result depends on the verdicts, not on the order in
    which they arrive. While Lean runs tactics, those for the probable next state are requested.

    The clock starts when the environment has started. If Lean or the proposer fails (PremiseSuggestError), the
    search ends as `failed`. It can be cancelled like any task. The environment belongs to the caller and stays
    open.

    Args:
        on_progress: called after each expansion.
    """
    try:
        first = await environment.start()
    except PremiseSuggestError as error:
        return SearchResult("failed", reason=str(error))
    run = _Run(environment, proposer, limits, on_progress)
    timer = asyncio.timeout(limits.seconds)
    try:
        async with timer:
            await run.go(first)
    except TimeoutError:
        if not timer.expired():
            raise
        run.take()  # The verdicts of the last expansion may hold the proof.
        run.stopped = run.stopped or ("limit", f"It took {limits.seconds:g} s.")
    except PremiseSuggestError as error:
        run.take()
        run.stopped = run.stopped or ("failed", str(error))
    finally:
        await run.close()
    return run.result()


class _Run:
    """One search under way."""

    def __init__(
        self,
        environment: ProofEnvironment,
        proposer: Proposer,
        limits: SearchLimits,
        on_progress: OnProgress | None,
    ) -> None:
        self._environment = environment
        self._proposer = PrefetchingProposer(proposer)
        self._limits = limits
        self._on_progress = on_progress
        self._begin = time.monotonic()
        self._frontier = Frontier()
        self._scores: dict[str, float] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._tried = 0
        self.stopped: tuple[SearchStatus, str] | None = None

    async def go(self, first: Reached) -> None:
        """Expand states until something ends the search."""
        self._frontier.begin(first)
        if not first.state.goals:
            self.stopped = ("proved", "")
        while self.stopped is None:
            if self._frontier.waiting == 0:
                self.stopped = ("exhausted", "No state is left to expand.")
            elif self._frontier.expanded >= self._limits.nodes:
                self.stopped = ("limit", f"It expanded {self._limits.nodes} states.")
            else:
                await self._expand(self._frontier.pop())

    async def _expand(self, node: Reached) -> None:
        proposed = choose(await self._proposer.tactics(node.state.goals), self._limits.tactics)
        self._scores = {item.tactic: item.log_probability for item in proposed}
        if self._scores:
            verdicts = self._environment.run(node, list(self._scores), timeout=self._limits.tactic_seconds)
            async with aclosing(verdicts):
                self._prefetch()
                async for verdict in verdicts:
                    self._verdicts[verdict.tactic] = verdict
                    self._prefetch()
        self.take()
        if self._on_progress is not None:
            self._on_progress(
                SearchProgress(
                    self._frontier.expanded,
                    self._tried,
                    self._frontier.waiting,
                    time.monotonic() - self._begin,
                )
            )

    def _prefetch(self) -> None:
        """While Lean is busy, request tactics for the state that is next according to the verdicts so far."""
        if not self._proposer.is_idle:
            return
        arrived = (
            (one.reached, self._scores[one.tactic])
            for one in self._verdicts.values()
            if one.reached is not None and one.status == "progress"
        )
        likely = self._frontier.likely_next(arrived)
        if likely is not None:
            self._proposer.begin(likely.state.goals)

    async def close(self) -> None:
        """Cancel the prefetch that is running."""
        await self._proposer.close()

    def take(self) -> None:
        """Enter the verdicts of the current expansion, in the order of the proposals."""
        verdicts = [self._verdicts[tactic] for tactic in self._scores if tactic in self._verdicts]
        scores, self._scores, self._verdicts = self._scores, {}, {}
        self._tried += len(verdicts)
        closing = sorted((item for item in verdicts if item.status == "closes"), key=_length)
        for verdict in verdicts:
            if verdict.status != "closes":
                self._frontier.enter(verdict, scores[verdict.tactic])
        if closing:
            self._frontier.prove(closing[0], scores[closing[0].tactic], closing[1:])
            self.stopped = ("proved", "")

    def result(self) -> SearchResult:
        """The result so far."""
        status, reason = self.stopped or ("failed", "It was stopped.")
        tree = self._frontier.tree()
        end = tree.proved
        return SearchResult(
            status=status,
            proof=() if end is None else tuple(tree.nodes[index].tactic for index in tree.path(end)[1:]),
            seconds=time.monotonic() - self._begin,
            nodes=self._frontier.expanded,
            tactics=self._tried,
            reason=reason,
            tree=tree,
        )


def _length(verdict: Verdict) -> int:
    return len(verdict.tactic)
