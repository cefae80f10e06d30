"""Hypotheses that were printed on one line are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadState
from lean_extract.goals import format_state
from lean_extract.pasted import doubts, read_pasted

pytestmark = pytest.mark.field_case


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (
            "f : ℝ → ℝ h : ∀ (x y z : ℝ), (x + y + z) * f (x * y * z) = 0 ⊢ f 0 = 0",
            "f : ℝ → ℝ\nh : ∀ (x y z : ℝ), (x + y + z) * f (x * y * z) = 0\n⊢ f 0 = 0",
        ),
        ("x y z : ℝ h : x < y hz : 0 < z ⊢ x < z", "x y z : ℝ\nh : x < y\nhz : 0 < z\n⊢ x < z"),
        ("α : Type u_1 inst✝ : Group α a b : α ⊢ a = b", "α : Type u_1\ninst✝ : Group α\na b : α\n⊢ a = b"),
        ("n : ℕ k : ℕ := n + 1 hk : k = n ⊢ p", "n : ℕ\nk : ℕ := n + 1\nhk : k = n\n⊢ p"),
        ("p q : Prop hp : p hq : q ⊢ p ∧ q", "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"),
        ("s : Set ℝ hs : ∃ x : ℝ, x ∈ s f g : ℝ → ℝ ⊢ p", "s : Set ℝ\nhs : ∃ x : ℝ, x ∈ s\nf g : ℝ → ℝ\n⊢ p"),
        ("x : ℕ h : let y : ℕ := x; y = x k : x = 1 ⊢ p", "x : ℕ\nh : let y : ℕ := x; y = x\nk : x = 1\n⊢ p"),
        ("h : if c : q then a else b k : q ⊢ r", "h : if c : q then a else b\nk : q\n⊢ r"),
        ("g : (i : ι) → f i hg : g = 0 ⊢ p", "g : (i : ι) → f i\nhg : g = 0\n⊢ p"),
        (
            "G : Type inst : Group G H : Subgroup G ⊢ H = ⊤",
            "G : Type\ninst : Group G\nH : Subgroup G\n⊢ H = ⊤",
        ),
        ("a✝ b : ℕ h✝ : a✝ = b c : ℕ ⊢ p", "a✝ b : ℕ\nh✝ : a✝ = b\nc : ℕ\n⊢ p"),
        ("x : ℝ\nh : 0 < x hx : x < 1\n⊢ p", "x : ℝ\nh : 0 < x\nhx : x < 1\n⊢ p"),
    ],
)
def test_each_hypothesis_stands_apart(line: str, lines: str) -> None:
    assert format_state(read_pasted(line)) == lines
    assert doubts(line) == []


@pytest.mark.parametrize(
    "state",
    [
        "h : ∀ x : ℝ, ∃ y : ℝ, x < y\n⊢ p",
        "f : ℝ → ℝ := fun x : ℝ ↦ x\n⊢ p",
        "s : Finset ℕ\nh : ∑ i : Fin 3, a i = 0\n⊢ p",
        "h : {x : ℕ | x < 2} = {x : ℕ // x < 2}\nl : a :: b = c\n⊢ p",
        "h : have z : p := q; r\n⊢ p",
    ],
)
def test_colons_of_terms_begin_no_hypothesis(state: str) -> None:
    assert format_state(read_pasted(state)) == state


def test_what_is_not_certain_is_said() -> None:
    line = "x : Foo bar baz : p ⊢ q"
    assert format_state(read_pasted(line)) == "x : Foo bar\nbaz : p\n⊢ q"
    [doubt] = doubts(line)
    assert "`baz`" in doubt and "line of its own" in doubt


_NAMES = st.sampled_from(("x", "y", "z", "a", "b", "c", "n", "m", "k"))
_TYPES = st.sampled_from(("ℝ", "ℕ → ℝ", "∀ (t : ℝ), 0 < t", "Set (Set ℕ)", "∃ t, t = 2", "(0 : ℕ) = 1"))


@given(st.lists(st.tuples(_NAMES, _TYPES), min_size=1, max_size=6, unique_by=lambda pair: pair[0]))
def test_a_state_on_one_line_is_that_on_several(hypotheses: list[tuple[str, str]]) -> None:
    lines = [*(f"{name} : {type_}" for name, type_ in hypotheses), "⊢ p"]
    assert format_state(read_pasted(" ".join(lines))) == "\n".join(lines)


@given(st.text(alphabet="hxyℝ :=→∀∃,()[]⟨|⊢\n✝¹.1fun↦let"))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        state = read_pasted(text)
    except BadState:
        return
    assert isinstance(doubts(text), list)
    again = read_pasted(format_state(state)) if state.goals else state
    assert len(again.goals) == len(state.goals)
