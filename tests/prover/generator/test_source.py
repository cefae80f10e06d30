"""The generator's tactics as candidates."""

from __future__ import annotations

import math

from prover.generator.source import Generated, as_candidates


def test_their_scores_are_its_probabilities() -> None:
    found = as_candidates(
        [Generated("simp", math.log(0.5)), Generated("rfl", -math.inf), Generated("a", 1e-9)]
    )
    assert [one.score for one in found] == [0.5, 0.0, 1.0]
    assert {one.source for one in found} == {"generator"}
