"""The order of theorems and definitions for a caller, and which goals ask for data."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from lsp_server.engine.definitions import in_order, is_data
from prover.mentions import definitions_to_try
from retriever.lean.callers import CALLERS, Caller
from retriever.lean.eligibility import RankedPremise, admits, kinds_for

GOAL = parse_goal("n : ℕ\nh : Odd n\n⊢ double n = twice n")


def ranked(premise: Premise, score: float = 1.0) -> RankedPremise:
    return RankedPremise(premise, score, True, None, None)


def theorems(count: int) -> list[RankedPremise]:
    return [ranked(Premise(f"t{n}", "theorem", "M"), 100.0 - n) for n in range(count)]


def definitions(*names: str) -> list[RankedPremise]:
    return [ranked(Premise(name, "def", "M"), 500.0) for name in names]


def places(names: list[str], caller: Caller) -> dict[str, int]:
    found = in_order(GOAL, [theorems(60), definitions("Other", "Odd", "twice", "double")], caller)
    return {one.premise.name: place for place, one in enumerate(found, 1) if one.premise.name in names}


def test_definitions_that_the_target_mentions_stand_among_the_first_theorems() -> None:
    assert places(["twice", "double"], "simplify") == {"twice": 3, "double": 8}
    assert places(["twice", "double"], "rewrite") == {"twice": 7, "double": 20}


def test_the_others_stand_behind_the_theorems_that_are_likely() -> None:
    found = places(["Odd", "Other"], "simplify")
    assert 32 < found["Odd"] < found["Other"]


def test_to_unfold_what_the_goal_mentions_comes_first() -> None:
    found = in_order(GOAL, [definitions("Other", "Odd", "twice", "double")], "unfold")
    assert [one.premise.name for one in found] == ["twice", "double", "Odd", "Other"]


def test_what_is_not_imported_is_not_what_the_goal_mentions() -> None:
    [far] = definitions("Far.double")
    found = in_order(GOAL, [[replace(far, in_scope=False), *definitions("double")]], "unfold")
    assert [one.premise.name for one in found] == ["double", "Far.double"]


KIND = st.sampled_from(["theorem", "def", "instance", "structure", "constructor", "field"])


@given(st.lists(KIND, max_size=80), st.sampled_from(CALLERS), st.booleans())
def test_every_premise_that_a_caller_can_use_stands_once_with_falling_scores(
    kinds: list[str], caller: Caller, data: bool
) -> None:
    premises = [Premise(f"p{n}", kind, "M") for n, kind in enumerate(kinds)]
    parts = [
        [ranked(premise, -float(n)) for n, premise in enumerate(premises) if admits(part, premise)]
        for part in kinds_for(caller, is_data=data)
    ]
    found = in_order(GOAL, parts, caller)
    usable = {one.premise.name for part in parts for one in part}
    assert sorted(one.premise.name for one in found) == sorted(usable)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    if caller in ("rewrite", "simplify", ""):
        plain = [premise.name for premise in premises if premise.kind == "theorem"]
        assert [one.premise.name for one in found if one.premise.kind == "theorem"] == plain


def test_types_and_constructors_are_for_terms_only() -> None:
    usable = {
        caller: {
            kind
            for kind in ("theorem", "def", "instance", "structure", "constructor")
            if any(admits(part, Premise("p", kind, "M")) for part in kinds_for(caller))
        }
        for caller in CALLERS
    }
    assert usable == {
        "": {"theorem"},
        "rewrite": {"theorem", "def"},
        "simplify": {"theorem", "def", "instance"},
        "apply": {"theorem"},
        "unfold": {"def", "instance"},
    }
    assert kinds_for("apply", is_data=True) == ("all",)


def test_tactics_are_tried_with_the_best_definitions_and_with_all_that_are_mentioned() -> None:
    premises = [Premise(f"d{n}", "def", "M") for n in range(10)]
    premises += [Premise(name, "def", "M") for name in ("double", "Odd", "Even")]
    found = [premise.name for premise in definitions_to_try(GOAL, premises)]
    assert found == ["d0", "d1", "d2", "d3", "d4", "d5", "double", "Odd"]


DECLARED = {
    premise.name: premise
    for premise in (
        Premise("Subgroup", "structure", "M", ("(G : Type u)", "[Group G]")),
        Premise("Subgroup.Normal", "structure", "M", ("(H : Subgroup G)",), "Prop"),
        Premise("Set", "def", "M", ("(α : Type u)",), "Type u"),
        Premise("Even", "def", "M", ("(n : ℕ)",), "Prop"),
        Premise("Perm", "inductive", "M", (), "List α → List α → Prop"),
        Premise("Tree", "inductive", "M", ("(α : Type u)",)),
        Premise("Nat.Numbers", "def", "M", ("(n : ℕ)",), "Type"),
        Premise("Nat.Odd", "def", "M", ("(n : ℕ)",), "Prop"),
        Premise("add_comm", "theorem", "M", (), "a + b = b + a"),
    )
}


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("⊢ Subgroup G", True),
        ("⊢ Set α", True),
        ("⊢ Tree ℕ → ℕ → Tree ℕ", True),
        ("⊢ ℕ", True),
        ("⊢ Type u", True),
        ("⊢ ℕ × ℕ", True),
        ("⊢ α ≃ β", True),
        ("α : Type u\n⊢ α", True),
        ("F : ℕ → Type u\n⊢ F 0", True),
        ("p : Prop\n⊢ p", False),
        ("p : ℕ → Prop\n⊢ p 0", False),
        ("⊢ Even 2", False),
        ("⊢ Perm [] []", False),
        ("⊢ Subgroup.Normal H", False),
        ("G : Type\nH : Subgroup G\n⊢ H.Normal", False),
        ("n : ℕ\n⊢ n.Numbers", True),
        ("n : ℕ\n⊢ n.Odd", False),
        ("⊢ ∃ n : ℕ, Even n", False),
        ("⊢ 1 ≤ 2", False),
        ("⊢ a = b", False),
        ("⊢ Unknown x", False),
        ("⊢ add_comm", False),
    ],
)
def test_which_goals_ask_for_data(goal: str, expected: bool) -> None:
    assert is_data(parse_goal(goal), DECLARED.get) is expected


@given(st.text("αβ→×≃()∀∃,:= .pNat⊢¬{}", max_size=60))
def test_no_target_is_too_odd_to_be_judged(target: str) -> None:
    assert is_data(parse_goal(f"⊢ {target.replace('⊢', '')}x"), lambda name: None) in (True, False)
