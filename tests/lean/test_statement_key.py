"""Statements compared up to the names of variables and the order of arguments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.lean.statement_key import statement_key

CONTEXT = ["(a b c : ℕ)", "(h : a ≤ b)", "(g : b < c)", "(p : ∀ x, x < a)"]


@given(st.permutations("abcxyz"), st.permutations(range(4)), st.booleans())
def test_neither_names_nor_order_matter(names: list[str], order: list[int], arrow: bool) -> None:
    k, m, n, h, g, x = names
    context = [f"({h} : {k} ≤ {m})", f"({g} : {m} < {n})", f"({k} {m} {n} : ℕ)", f"(p : ∀ {x}, {x} < {k})"]
    conclusion = f"∃ {x}, {k} + {x} = {n}"
    left = [context[index] for index in order if not (arrow and index == 1)]
    written = f"{m} < {n} → {conclusion}" if arrow else conclusion
    key = statement_key(left, written)
    assert key == statement_key(CONTEXT, "∃ x, a + x = c")
    assert key != statement_key(CONTEXT, "∃ x, c + x = a")
    assert key != statement_key(CONTEXT[:3], "∃ x, a + x = c")


def test_universes_do_not_matter() -> None:
    key = statement_key(["{α : Type u}", "[Lattice α]", "(s : Set.{u} α)"], "s = s")
    assert key == statement_key(["{β : Type u_1}", "[Lattice β]", "(t : Set β)"], "t = t")
    assert key != statement_key(["{β : Type u_1}", "[Group β]", "(t : Set β)"], "t = t")


def test_a_quantified_statement_is_its_introduction() -> None:
    quantified = statement_key(["(b : ℕ)"], "∀ (a c : ℕ), a ∣ b → b ∣ c → a ∣ c")
    assert quantified == statement_key(["{a b c : ℕ}", "(h : b ∣ c)", "(g : a ∣ b)"], "a ∣ c")
    assert quantified != statement_key(["{a b c : ℕ}", "(h : b ∣ c)", "(g : b ∣ a)"], "a ∣ c")


def test_an_equivalence_is_not_taken_apart() -> None:
    contraposition = statement_key(["(a b : Prop)"], "¬a → ¬b ↔ b → a")
    assert contraposition != statement_key(["(a b : Prop)", "(h : ¬a)"], "¬b ↔ b → a")
