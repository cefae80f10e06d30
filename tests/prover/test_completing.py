"""Which steps are tried with what may close the goals that they leave, and how that is written."""

from __future__ import annotations

import asyncio

import pytest

from lean_extract.goals import parse_state
from lean_extract.records import ProofState, TacticOutcome
from prover.automation import Automation
from prover.candidates import Candidate
from prover.completing import completions
from prover.limits import MAX_COMPLETED_GOALS, MAX_COMPLETIONS
from prover.turns import CandidateScheduler
from tests.prover.odds import odds_of

P, Q = "hp : p\nhq : q\n⊢ p", "hp : p\nhq : q\n⊢ q"
OPEN = "hp : p\n⊢ r"


def step(tactic: str, *goals: str) -> TacticOutcome:
    return TacticOutcome(tactic, "progress", parse_state("\n\n".join(goals)))


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (step("left", P), ["left\nexact hp"]),
        (step("constructor", P, Q), ["constructor\n· exact hp\n· exact hq"]),
        (step("constructor", P, OPEN), ["constructor\n· exact hp\n· simp_all"]),
        (step("constructor", OPEN, OPEN), ["constructor <;> simp_all"]),
        (step("cases h", "left✝ : p\n⊢ p"), ["cases h\nassumption"]),
        (step("refine ⟨?_, ?_⟩", *[P] * (MAX_COMPLETED_GOALS + 1)), []),
        (step("apply Exists.intro", "case h\n⊢ q ?w", "case w\n⊢ ℕ"), []),
        (step("intro x; left", P), []),
    ],
)
def test_each_goal_is_closed_by_its_hypothesis_or_guessed(
    outcome: TacticOutcome, expected: list[str]
) -> None:
    assert [one.tactic for one in completions([outcome], [])] == expected


def test_what_closes_the_goal_is_not_tried_in_a_step_again() -> None:
    steps = [step("apply Own.le", P), step("apply Own.lt", P), step("apply Own.eq", OPEN), step("left", Q)]
    found = completions(steps, ["exact Own.le hp"])
    assert [one.step for one in found] == ["apply Own.lt", "left"]


def test_hypotheses_come_before_guesses_and_few_are_tried() -> None:
    steps = [*(step(f"apply t{number}", OPEN) for number in range(9)), step("left", P)]
    found = completions(steps, [])
    assert len(found) == MAX_COMPLETIONS and found[0].step == "left"


class _Everything:
    def can_run(self, tactic: str) -> bool:
        return True

    def hear(self, outcome: TacticOutcome) -> None:
        pass


@pytest.mark.parametrize("closes", [True, False])
async def test_a_completed_step_is_shown_once_after_the_others_and_before_the_slow_ones(closes: bool) -> None:
    async def now(found: list[Candidate]) -> list[Candidate]:
        return found

    async def automation() -> Automation:
        return Automation([], ["exact?"], _Everything(), 9.0)

    found = [Candidate("left", 0.6, "premise", "Own.t"), Candidate("right", 0.5, "premise")]
    turns = CandidateScheduler({"templates": now(found)}, 2, odds_of(), asyncio.ensure_future(automation()))
    outcomes = []
    async for candidate in turns:
        outcome = TacticOutcome(candidate.tactic, "fails")
        if candidate.tactic == "left":
            outcome = step("left", P)
        elif closes and "\n" in candidate.tactic:
            outcome = TacticOutcome(candidate.tactic, "closes", ProofState(()))
        outcomes.append(outcome)
        turns.hear(outcome)
    tried = [one.tactic for one in outcomes]
    assert tried == ["left", "right", "left\nexact hp", *([] if closes else ["exact?"])]
    listed = [one.tactic for one in outcomes if one.status != "fails" and turns.is_listed(one)]
    assert listed == (["left\nexact hp"] if closes else ["left"])
    assert turns.origins["left\nexact hp"] == "Own.t"
