"""Templates and generator as one distribution, for the search."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.evaluation.tactics import mixed
from prover.candidates import Candidate
from prover.generator.model import Generated

TACTICS = st.sampled_from(["simp", "simp ", "rw [a]", "rw  [a]", "exact h", "omega", "ring"])
READY = st.lists(st.builds(Candidate, TACTICS, st.floats(0, 1), st.just("premise")), max_size=8)


@st.composite
def generated(draw: st.DrawFn) -> list[Generated]:
    """Different tactics whose chances sum to at most one."""
    tactics = draw(st.lists(TACTICS, unique_by=lambda tactic: "".join(tactic.split()), max_size=5))
    weights = [draw(st.floats(0.01, 1)) for _ in tactics]
    whole = sum(weights) + draw(st.floats(0, 1))
    return [Generated(tactic, math.log(w / whole)) for tactic, w in zip(tactics, weights, strict=True)]


@given(READY, generated())
def test_it_is_a_distribution_over_what_was_proposed(
    ready: list[Candidate], written: list[Generated]
) -> None:
    found = mixed(ready, written)
    folded = {" ".join(one.tactic.split()) for one in (*ready, *written)}
    assert {one.tactic for one in found} <= folded
    assert len({one.tactic for one in found}) == len(found)
    assert sum(math.exp(one.log_probability) for one in found) <= 1 + 1e-6
    assert [one.log_probability for one in found] == sorted(
        (one.log_probability for one in found), reverse=True
    )
    assert {" ".join(one.tactic.split()) for one in written} <= {one.tactic for one in found}


def test_each_has_half() -> None:
    ready = [Candidate("simp", 0.6, "closer"), Candidate("rw [a]", 0.2, "premise")]
    found = {
        one.tactic: math.exp(one.log_probability) for one in mixed(ready, [Generated("simp", math.log(0.5))])
    }
    assert found == pytest.approx({"simp": 0.5 * 0.75 + 0.5 * 0.5, "rw [a]": 0.5 * 0.25})
    alone = {
        one.tactic: math.exp(one.log_probability) for one in mixed([], [Generated("simp", math.log(0.5))])
    }
    assert alone == pytest.approx({"simp": 0.5})


def test_what_proves_nothing_is_left_out() -> None:
    assert mixed([], [Generated("sorry", -0.1), Generated("exact sorry", -0.2)]) == []
