"""The parts of a target that can be selected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import format_goal, offset_in_print, parse_goal
from lean_extract.syntax.symbol_terms import parse_term
from retriever.lean.patterns.rewriting import is_part, parts_of
from retriever.lean.rewriting_search import checked_part, target_parts

LOCAL = frozenset(("n", "m", "f", "s"))


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("n + 1 = m", ["n + 1 = m", "n + 1", "n", "1", "m"]),
        ("2 * (n✝¹ + m) = f n", ["2 * (n✝¹ + m)", "n✝¹ + m", "n✝¹", "f n"]),
        ("a - b - c = 0", ["a - b - c", "a - b"]),
        ("∃ x, f x = (↑n : ℝ)", ["f x = (↑n : ℝ)", "(↑n : ℝ)", "↑n"]),
        ("f = fun x => x + 1", ["fun x => x + 1", "x + 1"]),
        ("n ≥ Nat.succ m", ["n ≥ Nat.succ m", "Nat.succ m", "m"]),
        ("‖f n - 𝔸‖ ≤ n", ["‖f n - 𝔸‖", "f n - 𝔸", "𝔸"]),
        ("f (n\n    + m) = 0", ["n\n    + m"]),
    ],
)
def test_subexpressions_are_parts(target: str, parts: list[str]) -> None:
    found = [target[part.start : part.end] for part in parts_of(target, LOCAL)]
    assert [part for part in found if part in parts] == parts


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("a - b - c = 0", "b - c"),
        ("f n = 0", "f"),
        ("2 * (n + m) = 0", "(n + m)"),
        ("n + m * n = 0", "n + m"),
    ],
)
def test_other_ranges_are_no_parts(target: str, text: str) -> None:
    assert text not in [target[part.start : part.end] for part in parts_of(target, LOCAL)]


NAMES = st.sampled_from(["n", "m", "Nat.succ n", "f x", "3", "h.symm", "∅", "n✝"])
OPERATORS = st.sampled_from(["+", "-", "*", "=", "≤", "≥", "∧", "∘", "→", "•", "∈", "⁻¹ +", "=> y", "<|"])
TERMS = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, OPERATORS, inner).map(" ".join),
        inner.map("({})".format),
        inner.map("f ({})".format),
        inner.map("∑ i ∈ s, {}".format),
        inner.map("{{x | {}}}".format),
        inner.map("(↑({}) : ℝ)".format),
        inner.map("fun x ↦ {}".format),
    ),
    max_leaves=12,
)


@given(st.one_of(TERMS, st.text(alphabet="nf +()[]{}|⟨⟩∑,∀¬-=.✝¹:↦", max_size=40)))
def test_each_part_can_be_selected_and_parts_nest(target: str) -> None:
    open_until = [len(target)]
    last = (-1, 0)
    for start, end in parts_of(target, LOCAL):
        assert is_part(parse_term(target[start:end], LOCAL), parse_term(target, LOCAL))
        assert (start, -end) > last
        last = (start, -end)
        while open_until[-1] <= start:
            open_until.pop()
        assert end <= open_until[-1]
        open_until.append(end)


def test_parts_are_those_of_the_printed_goal() -> None:
    goal = parse_goal("case one\nn m : ℕ\nh : n\n    = m\n⊢ n +\n      m = m\n    + n")
    text = format_goal(goal)
    shown = [
        text[offset_in_print(goal, start) : offset_in_print(goal, end)] for start, end in target_parts(goal)
    ]
    assert shown[:2] == ["n +\n      m = m\n    + n", "n +\n      m"]
    assert all(checked_part(goal, part) == " ".join(part.split()) for part in shown)


def test_work_on_a_long_target_is_bounded() -> None:
    parts = parts_of(" + ".join(["f n"] * 50_000), LOCAL)
    assert 0 < len(parts) < 2_000
