"""The generator's log-probabilities as scores of candidates."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from prover.generator.source import score

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
