"""What the title of a quick fix tells of the goals that are left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.engine.schema_items import TacticItem
from lsp_server.features.code_actions import title

targets = st.lists(st.text("abxy =+→", min_size=1, max_size=300).filter(str.strip), min_size=1, max_size=40)


def of(goals: list[str]) -> str:
    return title(TacticItem("constructor", "progress", goals))


def test_what_closes_the_goal_leaves_nothing_to_tell() -> None:
    assert title(TacticItem("rfl", "closes", [])) == "Try this: rfl"


def test_the_proof_that_a_tactic_is_taken_from_is_named() -> None:
    assert title(TacticItem("rfl", "closes", [], origin="Nat.t")) == "Try this: rfl  (as in Nat.t)"
    left = title(TacticItem("intro h", "progress", ["⊢ p"], origin="Nat.t"))
    assert left == "Try this: intro h  (leaves 1 goal: ⊢ p; as in Nat.t)"


def test_steps_below_each_other_are_told_apart() -> None:
    shown = title(TacticItem("have h : p := by\n  simp\nexact h", "closes", []))
    assert shown == "Try this: have h : p := by simp; exact h"
    cases = title(TacticItem("cases n with\n| zero => rfl\n| succ n => simp", "closes", []))
    assert cases == "Try this: cases n with | zero => rfl | succ n => simp"


def test_every_goal_is_named_by_its_target() -> None:
    told = of(["h : p\n⊢ 0 <\n    k", "case right\n⊢ k ≤ n"])
    assert told == "Try this: constructor  (leaves 2 goals: ⊢ 0 < k; ⊢ k ≤ n)"


def test_equal_goals_are_named_once_with_their_number() -> None:
    told = of(["x : a\n⊢ p", "⊢ q", "y : b\n⊢ p"])
    assert told == "Try this: constructor  (leaves 3 goals: ⊢ p (2 times); ⊢ q)"


def test_a_long_goal_does_not_hide_the_short_ones() -> None:
    told = of(["⊢ " + "x + " * 200 + "x = 0", "⊢ p ∧ q", "⊢ r"])
    assert told.endswith("…; ⊢ p ∧ q; ⊢ r)")
    assert 120 < len(told) < 150


def test_where_there_are_very_many_the_others_are_counted() -> None:
    assert of([f"⊢ P {at}" for at in range(40)]).endswith("; ⊢ P 11; and 28 more)")


@given(targets)
def test_a_title_is_short_and_begins_every_goal_that_it_names(goals: list[str]) -> None:
    told = of([f"h : p\n⊢ {goal}" for goal in goals])
    assert len(told) < 400
    distinct = list(dict.fromkeys(" ".join(goal.split()) for goal in goals))
    for goal in distinct[:12]:
        assert f"⊢ {goal[:8].rstrip()}" in told
    assert ("more)" in told) == (len(distinct) > 12)
