"""Fits the weights by which neighbours' tactics are ordered, to steps whose own tactics are known."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.records import NearStep, Premise
from prover.neighbours.features import FEATURES, StepQuery
from prover.neighbours.proposals import proposals
from prover.training.steps import WantedStep, last_parts

PARTS = 5
"""Parts of the theorems in cross-validation."""


AskedStep = tuple[WantedStep, Sequence[NearStep], Sequence[Premise]]
"""A step with its neighbours, and the premises ranked for it."""


@dataclass(frozen=True, slots=True)
class FittingExample:
    """The proposals of one step, n of them."""

    features: list[list[float]]
    """[n, len(FEATURES)]"""
    own: list[bool]
    """Which of them are the proof's own tactic."""


def examples_of(asked: Sequence[AskedStep]) -> list[FittingExample]:
    """What the weights are fitted to, one for each step."""
    found = []
    for one, steps, premises in asked:
        made, features = proposals(StepQuery(one.goal, one.module, one.theorem), steps, premises)
        own = [last_parts(proposal.tactic) == last_parts(one.tactic) for proposal in made]
        found.append(FittingExample(features, own))
    return found


def part_of(theorem: str) -> int:
    """Which part of the theorems one belongs to."""
    return int(hashlib.sha256(theorem.encode()).hexdigest(), 16) // 50 % PARTS


def fitted(examples: Sequence[FittingExample]) -> dict[str, float]:
    """The weights under which the proofs' own tactics are likeliest: a softmax over each step's proposals.

    Steps whose own tactic nobody proposes are left out; where only such are left, the weights are 0. A small L2
    penalty acts on standardised features.
    """
    import torch

    useful = [one for one in examples if any(one.own)]
    rows = [row for one in useful for row in one.features]
    own = [is_own for one in useful for is_own in one.own]
    lengths = [len(one.own) for one in useful]
    if not lengths:
        return dict.fromkeys(FEATURES, 0.0)
    matrix = torch.tensor(rows, dtype=torch.float64)
    spread = matrix.std(dim=0) + 1e-6
    matrix = (matrix - matrix.mean(dim=0)) / spread
    groups = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    mine = torch.tensor(own)
    weights = torch.zeros(len(FEATURES), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=100)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        chances = torch.exp(torch.clamp(matrix @ weights, max=50.0))
        whole = torch.zeros(len(lengths), dtype=torch.float64).index_add(0, groups, chances)
        right = torch.zeros(len(lengths), dtype=torch.float64).index_add(0, groups, chances * mine)
        value = torch.log(whole / right).mean() + 0.01 * (weights * weights).sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return {
        name: round(float(weight), 4)
        for name, weight in zip(FEATURES, (weights.detach() / spread).tolist(), strict=True)
    }
