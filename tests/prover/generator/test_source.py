"""The generator beside other sources of candidates."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_goal
from prover.candidates import Candidate, CandidateSource, Closers, Templates, merge
from prover.generator.model import Generator
from prover.generator.source import GeneratorSource, score
from tests.prover.generator.conftest import PREMISES

COMMUTES = parse_goal("n m : ℕ\n⊢ n + m = m + n")
numbers = st.floats(max_value=0, min_value=-1e6)


@given(numbers, numbers)
def test_a_likelier_tactic_scores_no_less(one: float, other: float) -> None:
    low, high = sorted([one, other])
    assert 0 <= score(low) <= score(high) <= 1


def test_scores_lie_where_those_of_templates_do() -> None:
    assert math.isclose(score(0.0), 0.9)
    assert 0.4 < score(-3.0) < 0.6
    assert score(-20.0) < 0.01
    assert score(-math.inf) >= 0


def test_its_tactics_are_merged_with_the_others(generator: Generator) -> None:
    source: CandidateSource = GeneratorSource(generator)
    own = source.candidates(COMMUTES, PREMISES, 16)
    assert own[0].tactic == "exact Nat.add_comm n m"
    assert {candidate.source for candidate in own} == {"generator"}
    assert len(own) <= 8
    others = [each.candidates(COMMUTES, PREMISES, 16) for each in (Templates(), Closers())]
    merged = merge([own, *others], 40)
    assert {"generator", "premise", "closer"} == {candidate.source for candidate in merged}
    tactics = [" ".join(candidate.tactic.split()) for candidate in merged]
    assert len(set(tactics)) == len(tactics)
    assert [candidate.score for candidate in merged] == sorted((c.score for c in merged), reverse=True)


def test_no_more_than_the_limit(generator: Generator) -> None:
    assert len(GeneratorSource(generator).candidates(COMMUTES, PREMISES, 2)) == 2
    assert len(GeneratorSource(generator, per_goal=3).candidates(COMMUTES, PREMISES, 16)) == 3
    assert GeneratorSource(generator).candidates(COMMUTES, PREMISES, 0) == []
    named: list[Candidate] = GeneratorSource(generator, name="byt5").candidates(COMMUTES, PREMISES, 1)
    assert named[0].source == "byt5"
