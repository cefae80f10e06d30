"""The order in which to try the candidates of several sources that arrive at different times."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from lean_extract.records import TacticOutcome
from prover.automation import SOURCE as AUTOMATION
from prover.automation import Automation
from prover.candidates import Candidate, key_of
from prover.completing import Completion, completions
from prover.limits import SURVEY_SECONDS
from prover.odds import AcceptanceModel
from prover.refusals import Refusals
from prover.surveys import Surveys

if TYPE_CHECKING:
    from prover.served.written import WrittenTactics

_MISREAD = re.compile(
    r"[Aa]mbiguous|[Uu]nknown (?:identifier|constant)|unexpected token|expected (?:term|identifier)"
)
"""Lean's words on a name that is no name there, or several."""


class CandidateScheduler:
    """Yields candidates one by one: always the next of those that are known by the odds (`AcceptanceModel.in_turn`).

    The odds are chances by what a trial costs (`AcceptanceModel.expected_value`). A tactic is yielded once, whoever
    proposes it; its chance depends on which sources do. While a source is still working, what can be expected
    of it competes: if that alone would fill the trials that are left with better chances than the best known
    candidate has, the next trial waits for it. The first trial never waits.

    What is to come `first` is tried before all else as soon as it is known, whatever the odds say, and does not count
    against the limit.

    Lean's own automation is tried alongside these: one quick tactic at a time, and the slow ones after all
    others. Before the slow ones, `chains` are tried, and then the likeliest steps with what may close
    the goals that they leave (`completing.py`). A tactic with short names that Lean does not understand is tried with
    full ones next, and so are others with these names; what is sure to fail after one of Lean's refusals is not tried
    (`Refusals`). With automation, short names or surveys, `hear` has to be called with every outcome.

    Args:
        sources: each source's candidates, best first, by the name of the source.
        limit: how many candidates of the sources to yield.
        odds: the fitted chances.
        automation: None: without it.
        first: candidates that are tried before all others.
        surveys: those that sources and chains wait for. They are tried at once and do not count against the limit.
            What Lean refuses there is not tried by itself.
        chains: tactics of several steps, as chains of rules, best first. What closes the goal is tried as soon as it
            is known, the others after the sources' candidates. They are not waited for once something closes the goal.
        written: what a model at a server writes. It is tried as it comes and does not count against the limit. Nor is
            it waited for once something closes the goal.
    """

    def __init__(
        self,
        sources: Mapping[str, Awaitable[Sequence[Candidate]]],
        limit: int,
        odds: AcceptanceModel,
        automation: Awaitable[Automation] | None = None,
        first: Sequence[Candidate] = (),
        surveys: Surveys | None = None,
        chains: Awaitable[Sequence[Candidate]] | None = None,
        written: WrittenTactics | None = None,
    ) -> None:
        self.scores: dict[str, float] = {}
        """The chance of each tactic, by its text as yielded, given all sources that have arrived."""
        self.origins: dict[str, str] = {}
        """The theorems that tactics are taken from, by the tactic's text as yielded."""
        self.taken: dict[str, float] = {}
        """The seconds that the sources' tactics took, as far as heard."""
        self._awaited = {name: asyncio.ensure_future(coming) for name, coming in sources.items()}
        self._limit = limit
        self._odds = odds
        self._lists: list[Sequence[Candidate]] = []
        self._left: list[Candidate] = []
        self._refusals = Refusals()
        self._completed: set[str] = set()
        self._steps: list[TacticOutcome] = []
        self._is_closed = False
        self._completions: list[Completion] | None = None
        self._step_of: dict[str, str] = {}
        self._first = list(first)
        self.preferred = frozenset(one.tactic for one in first)
        """The tactics that were to be tried first, which are shown rather than equivalent ones."""
        self._in_full: dict[str, str] = {}
        self._misread: list[Candidate] = []
        self._handed: dict[str, str] = {}
        self._learned: list[str] = []
        self._coming = None if automation is None else asyncio.ensure_future(automation)
        self._automation: Automation | None = None
        self._surveys = surveys or Surveys()
        self._chaining = None if chains is None else asyncio.ensure_future(chains)
        self._chains: list[Candidate] = []
        self._written = written
        self._unheard: dict[str, bool] = {}
        self._news: asyncio.Future[None] | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Candidate:
        """The next candidate to try. Raises what a source raises."""
        while True:
            self._note_arrivals()
            found = self._next()
            if found is not None:
                return self._handed_out(found)
            awaited = self._awaits()
            if not awaited:
                raise StopAsyncIteration
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)

    def hear(self, outcome: TacticOutcome) -> None:
        """Note Lean's verdict on a tactic."""
        if outcome.tactic in self._learned and outcome.milliseconds > 0:
            self.taken[outcome.tactic] = outcome.milliseconds / 1000
        self._unheard.pop(outcome.tactic, None)
        full = self._in_full.get(outcome.tactic)
        if full is not None and outcome.status == "fails" and _MISREAD.search(outcome.message):
            score, origin = self.scores.get(outcome.tactic, 0.0), self.origins.get(outcome.tactic, "")
            self._misread.append(Candidate(full, score, "", origin))
        self._surveys.hear(outcome)
        if self._refusals.hear(outcome) or outcome.surveyed:
            self._left = self._worth_trying(self._left)
        self._note_result(outcome)
        if self._automation is not None:
            self._automation.hear(outcome)
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def is_listed(self, outcome: TacticOutcome) -> bool:
        """Whether an outcome is shown: not that of a step that has been completed, nor of a completion that failed."""
        is_failed = outcome.tactic in self._step_of and outcome.status != "closes"
        is_failed |= self._surveys.is_survey(outcome.tactic)
        return not is_failed and outcome.tactic not in self._completed

    def _note_result(self, outcome: TacticOutcome) -> None:
        """Note what there is to complete, or has been completed."""
        if outcome.status == "closes":
            self._is_closed |= not outcome.rests_on_sorry
            if outcome.tactic in self._step_of and not outcome.rests_on_sorry:
                self._completed.add(self._step_of[outcome.tactic])
        elif outcome.status == "progress" and outcome.tactic not in self._step_of.keys() | self.preferred:
            self._steps.append(outcome)

    def seconds(self, tactic: str, usual: float) -> float:
        """The time for one tactic. `usual`: that for those of the sources."""
        if self._surveys.is_survey(tactic):
            return min(usual, SURVEY_SECONDS)
        return usual if self._automation is None else self._automation.seconds(tactic, usual)

    def close(self) -> None:
        """Stop waiting for the sources."""
        for coming in (*self._awaited.values(), self._coming, self._chaining):
            if coming is not None:
                coming.cancel()
        if self._written is not None:
            self._written.close()

    def _note_arrivals(self) -> None:
        if self._coming is not None and self._coming.done():
            self._automation, self._coming = self._coming.result(), None
        if self._chaining is not None and self._chaining.done():
            self._chains, self._chaining = [*self._chaining.result()], None
        arrived = [name for name, coming in self._awaited.items() if coming.done()]
        if not arrived:
            return
        found = [self._awaited.pop(name).result() for name in arrived]
        self._lists += found
        self._in_full |= {
            one.tactic: one.in_full for candidates in found for one in candidates if one.in_full
        }
        self._left = []
        for candidate in self._odds.in_turn(self._lists, self._learned):
            given = self._handed.get(key_of(candidate.tactic))
            if given is None:
                self._left.append(candidate)
            else:
                self._describe(given, candidate)
        self._left = self._worth_trying(self._left)

    def _worth_trying(self, left: Iterable[Candidate]) -> list[Candidate]:
        """These candidates without those that fail, and with full names for shorter ones that Lean does not know."""
        in_full = [
            replace(one, tactic=full)
            if self._refusals.excludes(one.tactic) and (full := self._in_full.get(one.tactic))
            else one
            for one in left
        ]
        done = self._handed.keys() | self._surveys.refused
        return [
            one
            for one in in_full
            if not self._refusals.excludes(one.tactic) and key_of(one.tactic) not in done
        ]

    def _next(self) -> Candidate | None:
        """The next of what is known; None if there is nothing to try now."""
        if self._first:
            return self._first.pop(0)
        while self._misread:
            candidate = self._misread.pop(0)
            if key_of(candidate.tactic) not in self._handed:
                return candidate
        if (survey := self._surveys.next()) is not None:
            return survey
        if self._written is not None and (written := self._new(self._written.next)) is not None:
            return written
        is_quick_running = any(self._unheard.values())
        if not is_quick_running and (quick := self._next_quick()) is not None:
            return quick
        if len(self._learned) < self._limit:
            if self._left and not self._is_worth_waiting():
                if (chain := self._next_chain(self._left[0].score)) is not None:
                    return chain
                self._learned.append(self._left[0].tactic)
                return self._left.pop(0)
            if self._awaited:
                return None
        sooner = self._next_quick() or self._next_chain(0.0)
        if sooner is not None or (self._chaining is not None and not self._is_closed):
            return sooner
        return self._next_completion() or (None if self._unheard else self._next_slow())

    def _next_chain(self, score: float) -> Candidate | None:
        """The next chain of rules, if it is likelier than this, and nothing closes the goal yet."""
        while self._chains and not self._is_closed and self._chains[0].score > score:
            chain = self._chains.pop(0)
            if key_of(chain.tactic) not in self._handed:
                return chain
        return None

    def _next_completion(self) -> Candidate | None:
        """The next completion of a step, once all else but the slow ones has been heard of and nothing closes."""
        if self._automation is None or self._unheard.keys() - self._step_of.keys():
            return None
        if self._completions is None:
            steps = sorted(self._steps, key=lambda one: -self.scores.get(one.tactic, 0.0))
            self._completions = [] if self._is_closed else completions(steps)
        while self._completions:
            found = self._completions.pop(0)
            if key_of(found.tactic) not in self._handed:
                self._step_of[found.tactic] = found.step
                score, origin = self.scores.get(found.step, 0.0), self.origins.get(found.step, "")
                return Candidate(found.tactic, score, "completion", origin)
        return None

    def _next_quick(self) -> Candidate | None:
        return self._new(self._automation.next_quick) if self._automation is not None else None

    def _next_slow(self) -> Candidate | None:
        return self._new(self._automation.next_slow) if self._automation is not None else None

    def _new(self, following: Callable[[], Candidate | None]) -> Candidate | None:
        """The next one that has not been tried."""
        while (candidate := following()) is not None and key_of(candidate.tactic) in self._handed:
            pass
        return candidate

    def _awaits(self) -> list[asyncio.Future[Any]]:
        """What may bring further candidates."""
        learned = [*self._awaited.values()] if len(self._learned) < self._limit else []
        coming: list[asyncio.Future[Any]]
        coming = [] if self._coming is None else [self._coming]
        if self._chaining is not None and not self._is_closed:
            coming += [self._chaining, self._surveys.news()]
        if self._written is not None and self._written.is_open and not self._is_closed:
            coming += self._written.news()
        if not self._unheard or (self._automation is None and self._in_full.keys().isdisjoint(self._unheard)):
            return [*learned, *coming]
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        return [*learned, *coming, self._news]

    def _is_worth_waiting(self) -> bool:
        """Whether the sources that are still working are expected to fill the trials left with better tactics."""
        best = self._left[0].score
        expected = (chance for name in self._awaited for chance in self._odds.expected.get(name, ()))
        left = self._limit - len(self._learned)
        return bool(self._learned) and sum(chance > best for chance in expected) >= left

    def _handed_out(self, candidate: Candidate) -> Candidate:
        key = key_of(candidate.tactic)
        self._left = [one for one in self._left if key_of(one.tactic) != key]
        self._handed[key] = candidate.tactic
        self._unheard[candidate.tactic] = candidate.source == AUTOMATION
        self._describe(candidate.tactic, candidate)
        return candidate

    def _describe(self, given: str, candidate: Candidate) -> None:
        # The chance by all that is known now, so that the order in which sources arrive makes no difference.
        if given not in self.preferred or given not in self.scores:
            self.scores[given] = candidate.score
        if candidate.origin:
            self.origins[given] = candidate.origin
