"""Bound variables renamed: another text, the same statement."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.lexer import raw_tokens
from retriever.lean.augmentation.renaming import bound_names, new_names, rename, renamed
from retriever.lean.tokens import shape_tokens, text_tokens


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fun x y ↦ f x", ["x", "y"]),
        ("∀ x ∈ s, ∃ y > 0, p x y", ["x", "y"]),
        ("∀ ε > 0, ∃ (δ : ℝ) (h : 0 < δ), q δ", ["ε", "δ", "h"]),
        ("∑ i ∈ range n, ∏ j, g i j", ["i", "j"]),
        ("∀ ⦃x y : α⦄, x = y", ["x", "y"]),
        ("∀ᶠ x in l, p x", ["x"]),
        ("∫⁻ a, f a ∂μ", ["a"]),
        ("{x | p x} ⊆ {y : α | q y}", ["x", "y"]),
        ("{x ∈ s | p x}", ["x"]),
        ("{n : ℕ // 0 < n}", ["n"]),
        ("{a, b}", []),
        ("{(x, y) | x < y}", ["x", "y"]),
        ("fun ⟨x, hx⟩ ↦ x", ["x", "hx"]),
        ("(i : ι) → α i", ["i"]),
        ("(i : ι) = j", []),
        ("if h : p then f h else 0", ["h"]),
        ("⋃₀ (compl '' S)", []),
        ("s.sum fun i => i", ["i"]),
        ("let k := 3; k", ["k"]),
    ],
)
def test_what_binders_introduce(text: str, names: list[str]) -> None:
    assert bound_names(Goal((), text)) == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.foo x", "z.foo z"),
        ("Nat.x x", "Nat.x z"),
        ("f (x := x)", "f (x := z)"),
        ("x✝ = xs", "z✝ = xs"),
        ("(f x).x", "(f z).x"),
        ("x⁻¹ * x'", "z⁻¹ * x'"),
        ("|x| + ‖x‖", "|z| + ‖z‖"),
    ],
)
def test_only_variables_are_renamed(text: str, expected: str) -> None:
    assert rename(Goal((), text), {"x": "z"}).target == expected


def test_hypotheses_and_target_agree_and_instances_keep_their_names() -> None:
    goal = Goal(
        (
            Hypothesis(("G",), "Type*"),
            Hypothesis(("inst✝",), "Group G"),
            Hypothesis(("a✝", "b"), "G"),
            Hypothesis(("hab",), "a * b = 1", "foo a"),
        ),
        "b⁻¹ = a",
    )
    found = rename(goal, {"G": "K", "a": "u", "b": "v", "hab": "hq"})
    assert found.hypotheses[0].names == ("K",)
    assert found.hypotheses[1] == Hypothesis(("inst✝",), "Group K")
    assert found.hypotheses[2] == Hypothesis(("u✝", "v"), "K")
    assert found.hypotheses[3] == Hypothesis(("hq",), "u * v = 1", "foo u")
    assert found.target == "v⁻¹ = u"


VARIABLES = ("a", "b", "x", "y₁", "n'", "α", "S", "hx")
CONSTANTS = ("one", "Nat.succ", "π", "f")


@st.composite
def terms(draw: st.DrawFn, bound: Sequence[str] = (), depth: int = 3) -> str:
    """Terms whose variables are all bound, by a hypothesis or inside."""
    leaf = st.sampled_from([*bound, *CONSTANTS, "0"])
    if depth == 0:
        return draw(leaf)
    name = draw(st.sampled_from(VARIABLES))
    inside = terms((*bound, name), depth - 1)
    below = terms(bound, depth - 1)
    form = draw(st.integers(0, 7))
    if form == 0:
        return draw(leaf)
    if form == 1:
        return f"({draw(below)} + {draw(below)})"
    if form == 2:
        return f"Set.image (fun {name} ↦ {draw(inside)}) {draw(leaf)}"
    if form == 3:
        return f"(∀ {name} ∈ {draw(leaf)}, {draw(inside)})"
    if form == 4:
        return f"{{{name} : ℕ | {draw(inside)}}}"
    if form == 5:
        return f"(∑ {name} ∈ s, {draw(inside)})"
    if form == 6:
        return f"(({name} : ℕ) → {draw(inside)})"
    return f"foo {draw(leaf)} (g := {draw(below)})"


@st.composite
def goals(draw: st.DrawFn) -> Goal:
    names = draw(st.lists(st.sampled_from(VARIABLES), unique=True, max_size=4))
    hypotheses = tuple(Hypothesis((name,), draw(terms(names, 2))) for name in names)
    return Goal(hypotheses, draw(terms(names)))


@given(goals(), st.integers(0, 20))
def test_renaming_can_be_undone_and_takes_fresh_names(goal: Goal, seed: int) -> None:
    names = new_names(goal, Random(seed))
    assert set(names) == set(bound_names(goal))
    assert len(set(names.values())) == len(names)
    words = {token.strip() for token in raw_tokens(goal.target)}
    assert words.isdisjoint(names.values())
    found = rename(goal, names)
    assert found == renamed(goal, Random(seed))
    assert rename(found, {new: old for old, new in names.items()}) == goal


@given(goals(), st.integers(0, 20))
def test_no_variable_is_left_and_the_shape_stays(goal: Goal, seed: int) -> None:
    """Every name below is either bound or a constant, so the lexical tokens without variables stay."""
    found = renamed(goal, Random(seed))
    before, after = bound_names(goal), bound_names(found)
    assert text_tokens(goal.target, before) == text_tokens(found.target, after)
    assert shape_tokens(goal.target, before) == shape_tokens(found.target, after)
