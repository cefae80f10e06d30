import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.source.proofs.propositions import (
    Sequent,
    conjuncts,
    destructured,
    disjunct,
    introduced,
    renamed,
    top_level,
)


@pytest.mark.parametrize(
    ("target", "patterns", "context", "rest"),
    [
        ("p → q", ["h"], ("(h : p)",), "q"),
        ("∀ x y : ℕ, x < y → y > x", ["a", "b", "h"], ("(a : ℕ)", "(b : ℕ)", "(h : a < b)"), "b > a"),
        ("∀ x ∈ s, p x", ["y", "hy"], ("(y : _)", "(hy : y ∈ s)"), "p y"),
        (
            "∀ x y z ∈ s, p x y z",
            ["a", "ha", "b", "hb", "c", "hc"],
            ("(a : _)", "(ha : a ∈ s)", "(b : _)", "(hb : b ∈ s)", "(c : _)", "(hc : c ∈ s)"),
            "p a b c",
        ),
        ("∀ x (h : p x), q x", ["y", "hy"], ("(y : _)", "(hy : p y)"), "q y"),
        ("∀ ε > 0, q ε", ["e", "he"], ("(e : _)", "(he : e > 0)"), "q e"),
        ("¬ a = b", ["h"], ("(h : a = b)",), "False"),
        ("a ≠ b", ["h"], ("(h : a = b)",), "False"),
        ("s ⊆ t", ["x", "hx"], ("(x : _)", "(hx : x ∈ s)"), "x ∈ t"),
        ("(∃ x, p x ∧ q x) → r", ["⟨x, hp, hq⟩"], ("(x : _)", "(hp : p x)", "(hq : q x)"), "r"),
        ("∀ x, f x.1 = x", ["y"], ("(y : _)",), "f y.1 = y"),
        ("p → q → r", ["_", "h"], ("(h : q)",), "r"),
        ("p", [], (), "p"),
    ],
)
def test_intro(target: str, patterns: list[str], context: tuple[str, ...], rest: str) -> None:
    assert introduced(target, patterns) == [Sequent(context, rest)]


def test_a_pattern_with_alternatives_makes_a_goal_of_each() -> None:
    after = introduced("a ∨ b → c", ["h | h"])
    assert after == [Sequent(("(h : a)",), "c"), Sequent(("(h : b)",), "c")]


@pytest.mark.parametrize(
    ("target", "patterns"),
    [
        ("p", ["h"]),  # a definition may hide an arrow
        ("x = y → p", ["rfl"]),  # Lean substitutes, in a direction of its own
        ("∀ x, p x", ["_"]),  # the rest would speak of what has no name
        ("∀ [Group G], p", ["h"]),
        ("a ∧ b", ["h"]),
        ("¬ a = b ∧ c", ["h"]),  # `¬` takes the equation only
    ],
)
def test_what_the_text_does_not_settle(target: str, patterns: list[str]) -> None:
    assert introduced(target, patterns) is None


def test_the_goals_of_constructor() -> None:
    assert conjuncts("a ∧ b ∧ c") == ["a", "b ∧ c"]
    assert conjuncts("(¬∀ x, p x) ↔ ∃ x, q x") == ["(¬∀ x, p x) → ∃ x, q x", "(∃ x, q x) → ¬∀ x, p x"]
    assert conjuncts("∃ x, p x") is None
    assert disjunct("a ∨ b ∨ c", "right") == "b ∨ c"
    assert disjunct("a ∧ b", "left") is None


def test_rcases_patterns() -> None:
    assert destructured("∃ x ∈ s, f x = y", "⟨z, hz, h⟩") == [("(z : _)", "(hz : z ∈ s)", "(h : f z = y)")]
    assert destructured("a ↔ b", "⟨f, g⟩") == [("(f : a → b)", "(g : b → a)")]
    assert destructured("p", "(h : q)") == [("(h : q)",)]
    assert destructured("p", "⟨a, b⟩") is None
    assert destructured("a ∧ (b ∨ c)", "⟨h, hb | hc⟩") == [("(h : a)", "(hb : b)"), ("(h : a)", "(hc : c)")]


NAMES = st.sampled_from(["x", "y", "foo", "h'", "α"])
TEXTS = st.lists(
    st.sampled_from(["x", "y.1", "foo", " + ", " ", "(", ")", "=", "x.y", "h'"]), max_size=12
).map("".join)


@given(TEXTS, NAMES)
def test_renaming_to_a_fresh_name_and_back_changes_nothing(text: str, name: str) -> None:
    assert renamed(renamed(text, name, "fresh₀"), "fresh₀", name) == text


@given(TEXTS)
def test_the_parts_at_top_level_are_the_text(text: str) -> None:
    assert "=".join(part.replace(" ", "") for part in top_level(text, "=")) == text.replace(" ", "")
