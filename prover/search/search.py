"""Best-first search for a proof, after LeanDojo's scheme, which the paper measures with (section 4.5)."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from lean_extract.common.errors import BadSettings, PremiseSuggestError
from lean_extract.records import Goal, ProofState, TacticOutcome
from prover.candidates import is_unfinished
from prover.limits import SEARCH_NODES, SEARCH_SECONDS, SEARCH_TACTIC_SECONDS, SEARCH_TACTICS
from prover.search.environment import ProofEnvironment, Proposed, Proposer, TacticPath
from prover.search.frontier import Frontier
from prover.search.theorem import script
from prover.search.tree import SearchTree
from prover.states import fingerprint
from prover.tactic_words import heads, unknown_word

_QUICK_SECONDS, _QUICK_PARTS = 0.5, 10
"""The time for a tactic that is tried for the first time: at least, and as a part of the search's time."""

SearchStatus = Literal["proved", "exhausted", "limit", "failed"]


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of one search. Raises BadSettings: a limit is not positive.

    `seconds`: wall time, from the first state on. `nodes`: states to expand. `tactics`: tactics to try on a
    state. `tactic_seconds`: time for one tactic.
    """

    seconds: float = SEARCH_SECONDS
    nodes: int = SEARCH_NODES
    tactics: int = SEARCH_TACTICS
    tactic_seconds: float = SEARCH_TACTIC_SECONDS

    def __post_init__(self) -> None:
        for name in ("seconds", "nodes", "tactics", "tactic_seconds"):
            value = getattr(self, name)
            if not value > 0:
                raise BadSettings(f"The search's limit {name} is {value}.", "Give a number above 0.")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended.

    `proved`: `proof` holds the tactics in order, each for the main goal that those before it leave. `exhausted`:
    nothing was left to expand. `limit`: `reason` names the limit, or says that the caller stopped it. `failed`: the
    environment or the proposer failed; `reason` is its error.
    `seconds`: wall time without the environment's start. `nodes`: states expanded. `tactics`: tactics with an
    outcome.
    """

    status: SearchStatus
    proof: TacticPath = ()
    seconds: float = 0.0
    nodes: int = 0
    tactics: int = 0
    reason: str = ""
    tree: SearchTree = field(default_factory=SearchTree)


OnSearched = Callable[[SearchResult], None]
"""Called with the search so far; its tree grows on."""


async def search(
    environment: ProofEnvironment,
    proposer: Proposer,
    limits: SearchLimits,
    *,
    stop: asyncio.Event | None = None,
    on_outcome: OnSearched | None = None,
) -> SearchResult:
    """Search for a proof of the environment's theorem.

    The likeliest pair of a state and a tactic comes next (`Frontier`), a few tactics of one state at a time. When a
    tactic leaves no goals, the search ends with those under way; if there are several, the shortest wins. The result
    does not depend on the order in which outcomes arrive. While Lean runs tactics, those for a probable next state are
    requested; while a state waits for its tactics, others are tried.

    The clock starts when the environment has started. If Lean or the proposer fails (PremiseSuggestError), the
    search ends as `failed`. It can be cancelled like any task. The environment belongs to the caller and stays
    open.

    Args:
        stop: when it is set, the search ends with what it has found.
        on_outcome: called after each tactic that Lean has judged.
    """
    try:
        first = await environment.start()
    except PremiseSuggestError as error:
        return SearchResult("failed", reason=str(error))
    run = _Run(environment, proposer, limits, first, on_outcome)
    timer = asyncio.timeout(limits.seconds)
    try:
        async with timer, _ended_by(stop, timer):
            await run.go()
    except TimeoutError:
        if not timer.expired():
            raise
        run.take()  # The outcomes of the last expansion may hold the proof.
        is_stopped = stop is not None and stop.is_set()
        reason = "It was stopped." if is_stopped else f"Time ran out ({limits.seconds:g} s)."
        run.stopped = run.stopped or ("limit", reason)
    except PremiseSuggestError as error:
        run.take()
        run.stopped = run.stopped or ("failed", str(error))
    finally:
        await run.close()
    return run.result()


@asynccontextmanager
async def _ended_by(stop: asyncio.Event | None, timer: asyncio.Timeout) -> AsyncGenerator[None, None]:
    """A context in which the timer ends as soon as the event is set."""

    async def end(event: asyncio.Event) -> None:
        await event.wait()
        timer.reschedule(asyncio.get_running_loop().time())

    waiting = None if stop is None else asyncio.create_task(end(stop))
    try:
        yield
    finally:
        if waiting is not None:
            waiting.cancel()


def choose(proposed: Iterable[Proposed], most: int) -> list[Proposed]:
    """At most `most` tactics, likeliest first, each once, without unfinished ones (`sorry`).

    One-line tactics that differ only in spacing count as one; in longer ones, spacing counts. A tactic without a
    finite log-probability is left out; a log-probability above 0 counts as 0.
    """
    best: dict[str, Proposed] = {}
    for item in proposed:
        tactic = script([item.tactic])
        key = tactic if "\n" in tactic else " ".join(tactic.split())
        if not key or is_unfinished(key) or not math.isfinite(item.log_probability):
            continue
        if key not in best or best[key].log_probability < item.log_probability:
            best[key] = Proposed(key, min(item.log_probability, 0.0))
    return sorted(best.values(), key=lambda item: -item.log_probability)[:most]


def _key(goal: Goal) -> Hashable:
    return fingerprint(ProofState((goal,)))


class _Run:
    """One search under way."""

    def __init__(
        self,
        environment: ProofEnvironment,
        proposer: Proposer,
        limits: SearchLimits,
        first: ProofState,
        on_outcome: OnSearched | None,
    ) -> None:
        self._on_outcome = on_outcome
        self.stopped: tuple[SearchStatus, str] | None = None if first.goals else ("proved", "")
        self._environment, self._proposer, self._limits = environment, proposer, limits
        self._begin = time.monotonic()
        self._frontier = Frontier(first, proposer.quick)
        self._index, self._is_slow = 0, False
        self._refused: dict[Hashable, set[str]] = {}
        """By goal, the tactics that Lean refused on it."""
        self._unknown: frozenset[str] = frozenset()
        """Words that are no tactics here."""
        self._scores: dict[str, float] = {}
        self._outcomes: dict[str, TacticOutcome] = {}
        self._tried = 0
        self._begun: dict[tuple[Goal, ...], asyncio.Task[list[Proposed]]] = {}
        """The requests for tactics of states that may be needed, one at a time. They do not change the answers."""

    async def go(self) -> None:
        """Try tactics until something ends the search."""
        frontier = self._frontier
        while self.stopped is None:
            index = frontier.best()
            if index is None:
                self.stopped = ("exhausted", "No state is left to expand.")
            elif frontier.expanded >= self._limits.nodes and frontier.tree.nodes[index].expanded is None:
                self.stopped = ("limit", f"It expanded {self._limits.nodes} states.")
            elif frontier.lacks_tactics(index):
                await self._propose(index)
            else:
                await self._try(index)

    async def _propose(self, index: int) -> None:
        """Enter the tactics for a state; until they are known, try something on another one."""
        self._frontier.expand(index)
        goals = self._frontier.tree.nodes[index].state.goals
        if goals not in self._begun:
            self._begun[goals] = asyncio.create_task(self._proposer.tactics(goals))
        await asyncio.wait([self._begun[goals]], timeout=0)
        other = self._frontier.best(is_ready=True)
        if other is not None and not self._begun[goals].done():
            await self._try(other)
        else:
            self._frontier.propose(index, choose(await self._begun.pop(goals), self._limits.tactics))

    async def _try(self, index: int) -> None:
        self._frontier.expand(index)
        batch, is_slow = self._frontier.batch(index)
        self._index, self._is_slow = index, is_slow
        self._scores = {item.tactic: item.log_probability for item in batch if self._is_new(index, item)}
        if self._scores:
            outcomes = self._environment.run(
                self._frontier.tree.path(index), list(self._scores), timeout=self._seconds()
            )
            async with aclosing(outcomes):
                self._prefetch()
                async for outcome in outcomes:
                    self._outcomes[outcome.tactic] = outcome
                    self._prefetch()
                    if self._on_outcome is not None:
                        self._on_outcome(self.result())
        self.take()

    def _seconds(self) -> float:
        """The time for one tactic: at first a part of the search's, so that a slow one holds up nothing."""
        usual = self._limits.tactic_seconds
        return (
            usual if self._is_slow else min(usual, max(_QUICK_SECONDS, self._limits.seconds / _QUICK_PARTS))
        )

    def _is_new(self, index: int, item: Proposed) -> bool:
        """Whether Lean has not refused the tactic on the same goal in another state, or a word of it."""
        goal = self._frontier.tree.nodes[index].state.goals[0]
        if item.tactic in self._refused.get(_key(goal), ()):
            return False
        return self._unknown.isdisjoint(heads(item.tactic))

    def _prefetch(self) -> None:
        """While Lean is busy, request tactics for the state that needs them next according to the outcomes so far."""
        if not all(task.done() for task in self._begun.values()):
            return
        arrived = ((self._index, one, self._scores[one.tactic]) for one in self._outcomes.values())
        likely = self._frontier.next_without_tactics(arrived)
        if likely is not None and likely.goals not in self._begun:
            self._begun[likely.goals] = asyncio.create_task(self._proposer.tactics(likely.goals))

    def take(self) -> None:
        """Enter the outcomes of the tactics being tried, in the order of the proposals."""
        outcomes = [self._outcomes[tactic] for tactic in self._scores if tactic in self._outcomes]
        scores, self._scores, self._outcomes = self._scores, {}, {}
        self._tried += len(outcomes)
        closing = sorted((one for one in outcomes if one.status == "closes"), key=lambda one: len(one.tactic))
        for outcome in outcomes:
            if outcome.status != "closes":
                self._enter(outcome, scores[outcome.tactic])
        if closing:
            self._frontier.prove(self._index, closing[0], scores[closing[0].tactic], closing[1:])
            self.stopped = ("proved", "")

    def _enter(self, outcome: TacticOutcome, log_probability: float) -> None:
        index = self._index
        if outcome.status == "timeout" and self._seconds() < self._limits.tactic_seconds:
            self._frontier.put_back(index, Proposed(outcome.tactic, log_probability))
            return
        if outcome.status == "fails":
            goal = self._frontier.tree.nodes[index].state.goals[0]
            self._refused.setdefault(_key(goal), set()).add(outcome.tactic)
            self._unknown |= {word for word in [unknown_word(outcome)] if word is not None}
        self._frontier.enter(index, outcome, log_probability)

    async def close(self) -> None:
        """Cancel the requests that are still running."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    def result(self) -> SearchResult:
        """The result so far."""
        status, reason = self.stopped or ("failed", "It was stopped.")
        tree = self._frontier.tree
        return SearchResult(
            status=status,
            proof=() if tree.proved is None else tree.path(tree.proved),
            seconds=time.monotonic() - self._begin,
            nodes=self._frontier.expanded,
            tactics=self._tried + len(self._outcomes),
            reason=reason,
            tree=tree,
        )
