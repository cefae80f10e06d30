"""The tactics of a search: of all sources, by the fitted odds."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from lean_extract.goals import parse_goal
from lean_extract.records import Goal, Premise
from prover.candidates import Candidate, CandidateSource, FinishingTactics, Templates
from prover.generator.model import Generated
from prover.search.environment import Proposed, SourcesProposer

GOAL = parse_goal("p q : Prop\nh : p ∧ q\n⊢ q ∧ p")


class Writes:
    """A generator that writes these tactics."""

    def __init__(self, *tactics: str) -> None:
        self._tactics = tactics

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        return [Generated(tactic, -0.5 - rank) for rank, tactic in enumerate(self._tactics)][:count]


def proposed(
    *written: str, sources: tuple[CandidateSource, ...] = (Templates(), FinishingTactics()), limit: int = 40
) -> list[Proposed]:
    proposer = SourcesProposer(None, sources, limit, generator=Writes(*written), generated=8)
    return asyncio.run(proposer.tactics([GOAL]))


class Near:
    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        return [Candidate("exact And.comm.mp h", 0.7, "neighbour", "Lib.swap")]


ALL = (Templates(), FinishingTactics(), Near())


def test_all_sources_propose_and_the_likeliest_comes_first() -> None:
    found = proposed("exact ⟨h.2, h.1⟩", sources=ALL)
    tactics = [one.tactic for one in found]
    assert {"exact ⟨h.2, h.1⟩", "exact And.comm.mp h", "constructor"} <= set(tactics)
    assert len(set(tactics)) == len(tactics)
    chances = [one.log_probability for one in found]
    assert chances == sorted(chances, reverse=True)
    assert all(-math.inf < chance < 0 for chance in chances)
    few = [one.tactic for one in proposed("exact ⟨h.2, h.1⟩", sources=ALL, limit=3)]
    assert len(few) == 3 and few[0] == tactics[0]


def test_what_the_generator_proposes_too_is_likelier() -> None:
    def of(found: list[Proposed]) -> float:
        return next(one.log_probability for one in found if one.tactic == "constructor")

    assert of(proposed("constructor")) > of(proposed())


def test_the_generator_alone_keeps_its_own_probabilities() -> None:
    found = proposed("simp", "rfl", sources=())
    assert found == [Proposed("simp", -0.5), Proposed("rfl", -1.5)]


def test_what_proves_nothing_is_left_out() -> None:
    assert "sorry" not in [one.tactic for one in proposed("sorry", "exact sorry")]
    assert "exact sorry" not in [one.tactic for one in proposed("sorry", "exact sorry")]
