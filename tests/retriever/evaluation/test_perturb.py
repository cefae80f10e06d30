"""Goals put differently: what must stay the same, and what the figures make of it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Goal, Hypothesis
from retriever.lean.evaluation.measure import COLUMNS, PER_QUERY, Outcome
from retriever.lean.evaluation.perturb import (
    LONG_CONTEXT,
    PERTURBATIONS,
    changes,
    figure_5,
    perturbed,
    robustness,
)
from retriever.lean.evaluation.pool import HeldOutGoal

NAMES = st.sampled_from(["a", "b", "n", "x", "f", "G", "α", "hab", "s'", "x₁", "inst✝"])
HYPOTHESES = st.builds(
    Hypothesis,
    st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    st.sampled_from(["ℕ", "a < b", "∀ x ∈ s', f x = n", "{x | x ∈ s'}", "α → G"]),
)
GOALS = st.builds(
    Goal, st.lists(HYPOTHESES, max_size=25).map(tuple), st.sampled_from(["a + b = b + a", "∃ n, f n = x"])
)


def ask(goal: Goal) -> HeldOutGoal:
    return HeldOutGoal(goal, "Some.theorem", "Some", 3, frozenset({0}))


@given(GOALS, st.sampled_from(sorted(PERTURBATIONS)), st.integers(0, 5))
def test_a_seed_gives_one_goal_and_all_else_stays(goal: Goal, name: str, seed: int) -> None:
    found = perturbed(ask(goal), name, seed)
    assert found == perturbed(ask(goal), name, seed)
    assert (found.theorem, found.module, found.line, found.gold) == ("Some.theorem", "Some", 3, {0})


@given(GOALS)
def test_a_shuffled_context_has_the_same_hypotheses(goal: Goal) -> None:
    found = perturbed(ask(goal), "shuffle").goal
    assert sorted(map(repr, found.hypotheses)) == sorted(map(repr, goal.hypotheses))
    assert found.target == goal.target


@given(GOALS)
def test_a_fifth_of_a_long_context_is_dropped_in_order(goal: Goal) -> None:
    found, count = perturbed(ask(goal), "drop").goal, len(goal.hypotheses)
    dropped = round(count / 5) if count >= LONG_CONTEXT else 0
    assert len(found.hypotheses) == count - dropped
    rest = iter(goal.hypotheses)
    assert all(hypothesis in rest for hypothesis in found.hypotheses)


def test_the_random_choice_depends_on_the_seed() -> None:
    goal = Goal(tuple(Hypothesis((f"h{n}",), "ℕ") for n in range(20)), "True")
    for name in ("shuffle", "drop", "rename"):
        assert len({PERTURBATIONS[name](goal, Random(seed)) for seed in range(5)}) > 1, name


def _outcome(recall: list[float]) -> Outcome:
    figures = np.zeros((len(recall), len(PER_QUERY)))
    figures[:, PER_QUERY.index("R@10")] = recall
    return Outcome(figures, np.zeros((len(recall), 100)))


def test_the_figures_fall_with_the_share_that_is_perturbed() -> None:
    key = ("state", "dense")
    before, after = {key: _outcome([1.0] * 8)}, {key: _outcome([0.0] * 4 + [1.0] * 4)}
    [found] = robustness(before, after, "rename", np.array([True] * 6 + [False] * 2))
    figures = found.figures["R@10"]
    assert figures[0] == 100.0 and figures[-1] == 50.0
    assert list(figures) == sorted(figures, reverse=True)
    assert found.normalised("R@10")[-1] == pytest.approx(0.5)
    assert found.changed == 0.75
    assert found.change["R@10"].mean == pytest.approx(-50.0)
    assert found.change["R@10"].low < -50.0 < found.change["R@10"].high
    assert set(found.figures) == set(COLUMNS)
    assert "| rename | 75% | dense | 100.0 | 50.0 |" in changes([found])
    assert figure_5([found], "state", "dense").count("| rename |") == 5
