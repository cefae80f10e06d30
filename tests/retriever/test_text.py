from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.canonical import normal_form
from retriever.models.text import premise_texts, state_text, unrelated_share
from tests.retriever.support import goal, theorem


def test_a_state_and_the_same_premise_read_alike() -> None:
    state = goal("n + m = m + n", ("n m", "Nat"))
    premise = theorem("Nat.add_comm", "Nat", "n + m = m + n", "(n m : Nat)")
    assert state_text(state) == "<VAR> n m : ℕ <GOAL> n + m = m + n"  # the paper's example, section 3.2.1
    assert premise_texts(premise) == ("<VAR> n m : ℕ", "<GOAL> n + m = m + n")


def test_printing_marks_do_not_reach_the_model() -> None:
    state = Goal(
        (
            Hypothesis(("G",), "Type u_1"),
            Hypothesis(("inst✝",), "Group G"),
            Hypothesis(("x✝¹", "y"), "G"),
            Hypothesis(("z",), "G", "x✝¹ * y"),
        ),
        "x✝¹ *\n    y = z",
        "inl",
    )
    assert state_text(state) == (
        "<VAR> G : Type* <VAR> Group G <VAR> x y : G <VAR> z : G := x * y <GOAL> x * y = z"
    )


@pytest.mark.parametrize(
    ("binder", "read"),
    [
        ("{G : Type*}", "G : Type*"),
        ("[Group G]", "Group G"),
        ("[inst : Group G]", "Group G"),
        ("⦃a b : G⦄", "a b : G"),
        ("(h : p := by simp)", "h : p"),
        ("(f : (n : ℕ) → Fin (n := 2) k)", "f : (n : ℕ) → Fin (n := 2) k"),
        ("(s : Type (max u v))", "s : Type*"),
    ],
)
def test_binders_read_like_hypotheses(binder: str, read: str) -> None:
    assert premise_texts(theorem("a", "M", "p", binder))[0] == f"<VAR> {read}"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a -> b <-> c", "a → b ↔ c"),
        ("fun x => x", "fun x ↦ x"),
        ("a ≠ b", "a ≠ b"),
        ("m >>= f", "m >>= f"),
        ("a >= b /\\ c <= d", "b ≤ a ∧ c ≤ d"),
        ("Nat.succ Nat", "Nat.succ ℕ"),
        ("foo.{u, v} x : Sort u_2", "foo x : Sort*"),
        ("Typeable x", "Typeable x"),
        ("a != b", "a != b"),
    ],
)
def test_one_spelling(written: str, read: str) -> None:
    assert normal_form(written) == read


@given(st.text(alphabet="ab Type_u1.{},✝¹->=<NatFin()[]:λ∀\n", max_size=60))
def test_canonical_is_idempotent_up_to_spelling(text: str) -> None:
    once = normal_form(text)
    assert "✝" not in once and "\n" not in once
    assert normal_form(once).split() == normal_form(normal_form(once)).split()


def test_a_premise_without_a_statement_is_read_by_its_name() -> None:
    assert premise_texts(theorem("foo_bar", "M", "")) == ("", "<GOAL> foo_bar")


def test_what_the_target_reaches_is_related() -> None:
    """Through types of variables, and what is said of such variables alone."""
    state = goal("x ∈ s", ("α", "Type"), ("s", "Set α"), ("x", "α"), ("h", "s.Finite"))
    assert unrelated_share(state) == 0.0


def test_the_unrelated_part_of_a_context_is_measured_by_length() -> None:
    state = goal("n = 0", ("n", "ℕ"), ("p", "Bool"))
    assert unrelated_share(state) == pytest.approx(5 / 7)  # `p` and `Bool` against `n` and `ℕ`


def test_a_hypothesis_that_also_speaks_of_something_else_is_unrelated() -> None:
    assert unrelated_share(goal("n = 0", ("n", "ℕ"), ("k", "ℕ"), ("h", "n = k"))) > 0.5
    assert unrelated_share(goal("n = k", ("n", "ℕ"), ("k", "ℕ"), ("h", "n = k"))) == 0.0


def test_no_context_is_wholly_related() -> None:
    assert unrelated_share(goal("1 + 1 = 2")) == 0.0


def test_a_long_chain_of_hypotheses_is_followed_to_its_end() -> None:
    chain = [(f"x{i}", f"P x{i + 1}") for i in range(3000)]
    assert unrelated_share(goal("x0 = x0", *chain)) == 0.0


@given(st.lists(st.sampled_from("abcdef"), max_size=6), st.sampled_from("abcdef"))
def test_the_share_is_a_share(names: list[str], target: str) -> None:
    state = goal(f"{target} = 0", *((name, "ℕ") for name in names))
    assert 0.0 <= unrelated_share(state) <= 1.0
    assert (unrelated_share(state) == 0.0) == (set(names) <= {target})
