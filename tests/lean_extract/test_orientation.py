from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.syntax.orientation import oriented

PIECES = st.lists(
    st.sampled_from([*"abxyε012", *"≥>≤<=≠∈∉⊇¬∧∨→↔∀∃∑,|", "(", ")", "{", "}", "fun", "↦", "f x"]), max_size=24
).map(" ".join)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("x ^ 2 ≥ 0", "0 ≤ x ^ 2"),
        ("a > b ∧ c ≥ d", "b < a ∧ d ≤ c"),
        ("s ⊇ t", "t ⊆ s"),
        ("¬a = b", "a ≠ b"),
        ("¬ (a ∈ s) → p", "a ∉ s → p"),
        ("¬a ≤ b", "b < a"),
        ("¬a > b", "a ≤ b"),
        ("a < b ↔ ¬b ≤ a", "a < b ↔ ¬b ≤ a"),
        ("∀ ε > 0, ∃ δ > 0, f δ < ε", "∀ ε, 0 < ε → ∃ δ, 0 < δ ∧ f δ < ε"),
        ("∃ x y ≥ n, p x y", "∃ x y, n ≤ x ∧ n ≤ y ∧ p x y"),
        ("∑ i ∈ s, f i ≥ 3", "3 ≤ ∑ i ∈ s, f i"),
        ("{x | |x| > 3} ⊇ g (a ≥ b)", "g (b ≤ a) ⊆ {x | 3 < |x|}"),
        ("(h : a > b)", "(h : b < a)"),
    ],
)
def test_a_relation_faces_one_way(written: str, read: str) -> None:
    assert oriented(written) == read


@pytest.mark.parametrize(
    "text", ["a ≤ b", "p ∧ ¬q", "m >>= f", "a >", "> b", "¬", "a > b > c", "¬(p ∧ a = b)"]
)
def test_what_is_no_single_relation_stays(text: str) -> None:
    assert oriented(text) == text


@given(PIECES)
def test_reading_twice_changes_nothing_and_loses_no_name(text: str) -> None:
    once = oriented(text)
    assert oriented(once) == once
    assert sorted(set(filter(str.isalnum, once))) == sorted(set(filter(str.isalnum, text)))


def test_deep_brackets_are_left_alone() -> None:
    text = "(" * 1000 + "a > b" + ")" * 1000
    assert oriented(text) == text
