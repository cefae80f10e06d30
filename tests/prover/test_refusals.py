"""What Lean refuses once is not tried again in another form, where that is sure to fail, too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position, TacticOutcome
from lean_extract.session import LeanSession
from lean_extract.session.live import LeanLimits
from lean_extract.toolchains.packaged import PackagedLean
from prover.candidates import Candidate
from prover.refusals import Refusals
from prover.turns import CandidateScheduler
from prover.verify import GoalPosition, verify
from tests.lean_extract.session_helpers import toolchain_of
from tests.prover.odds import odds_of

TEXT = """namespace Own
axiom known (a b : Nat) : a + b = b + a
end Own
theorem t (a b : Nat) (h : a = b) : a + b = b + a := by
  sorry
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakefile.toml").write_text('name = "own"\n', encoding="utf-8")
    (tmp_path / "Own.lean").write_text(TEXT, encoding="utf-8")
    return tmp_path


async def tried(
    project: Path, packaged_lean: PackagedLean, candidates: Sequence[Candidate]
) -> list[tuple[str, str]]:
    """What Lean tries of these at the `sorry`, one after another in this order, and its verdicts."""
    limits, place = LeanLimits(slots=1), Position(TEXT.count("\n") - 1, 2)

    async def proposed() -> Sequence[Candidate]:
        return candidates

    async with await LeanSession.start(project, toolchain_of(packaged_lean), limits) as session:
        at = GoalPosition(project / "Own.lean", TEXT, place)
        before = await session.goals_at(at.path, at.text, at.position)
        turns = CandidateScheduler({"templates": proposed()}, 24, odds_of())
        verdicts = verify(session, at, before, turns, timeout=20, keep_failures=True, hear=turns.hear)
        return [(one.tactic, one.status) async for one in verdicts]


@pytest.mark.lean
async def test_what_is_sure_to_fail_as_well_is_not_tried(project: Path, packaged_lean: PackagedLean) -> None:
    texts = (
        "rw [no_such_name]", "exact known a b", "intro x y", "ext x", "frob x", "exact h.no_field",
        "exact no_such_name a b", "intro x y z", "intro x", "intros x", "ext y", "constructor <;> frob",
        "exact (h.no_field).symm", "refine known _ _", "exact no_such_name' a b", "exact Own.known a b",
    )  # fmt: skip
    full = {text: text.replace("known", "Own.known") for text in texts if " known " in text}
    given = [
        Candidate(text, 0.9 - place / 100, "premise", in_full=full.get(text, ""))
        for place, text in enumerate(texts)
    ]
    verdicts = await tried(project, packaged_lean, given)
    expected = dict.fromkeys((*texts[:6], "intro x", "intros x", "exact no_such_name' a b"), "fails")
    closing = dict.fromkeys(("exact Own.known a b", "refine Own.known _ _"), "closes")
    assert dict(verdicts) == expected | closing
    assert len(verdicts) == len(expected | closing)


def refused(tactic: str, message: str) -> TacticOutcome:
    return TacticOutcome(tactic, "fails", message=message)


def test_only_what_is_sure_is_excluded() -> None:
    here = Refusals()
    assert here.hear(refused("exact x", "Unknown identifier `x`"))
    assert not here.hear(refused("exact x", "Unknown identifier `x`"))
    assert not here.hear(refused("simp", "`simp` made no progress"))
    assert here.excludes("rw [x]") and not here.excludes("intro x") and not here.excludes("rw [x.y, x']")
    assert not here.excludes("obtain ⟨x, h⟩ := k")
    assert here.hear(refused("rintro y", "There are no additional binders")) is False
    assert not here.excludes("intro y") and not here.excludes("simp")
    assert here.hear(refused("ext y", "No applicable extensionality theorem found for type\n  Nat"))
    assert here.excludes("ext z") and not here.excludes("constructor <;> ext z")


@given(
    st.text(),
    st.sampled_from(["Unknown identifier `a`", "unknown tactic", "There are no additional binders"]),
)
def test_any_text_can_be_refused(tactic: str, message: str) -> None:
    here = Refusals()
    is_told = here.hear(refused(tactic, message))
    assert is_told or not here.excludes(tactic)
    assert not here.excludes("simp")
