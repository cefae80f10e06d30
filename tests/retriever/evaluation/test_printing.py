"""Training states as a newer Lean prints them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_goal
from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.symbol_terms import SymbolTerm, parse_term
from retriever.lean.augmentation.augment import dotted, shortened
from retriever.lean.structure.hashes import of_goal

CONTEXT = "m n : ℕ\nl : List ℕ\nH K : Subgroup G\nx : ℝ\nf : ℕ → ℕ\n"


@pytest.mark.parametrize(
    ("target", "printed"),
    [
        ("Nat.Even (m + n)", "(m + n).Even"),
        ("Nat.Even (Nat.succ m * n)", "(m.succ * n).Even"),
        ("Nat.IsGcd m n (n + 1)", "m.IsGcd n (n + 1)"),
        ("f (Nat.succ n) = Nat.succ n", "f n.succ = n.succ"),
        ("Subgroup.Normal (H ⊓ K) → Subgroup.Normal H", "(H ⊓ K).Normal → H.Normal"),
        ("Foo.Subgroup.Normal H", "H.Normal"),
        ("List.map f l = l", "List.map f l = l"),
        ("Int.Even m", "Int.Even m"),
        ("Nat.Even (f m)", "Nat.Even (f m)"),
        ("Even m", "Even m"),
        ("∀ k, Nat.Even k → Nat.Even n", "∀ k, Nat.Even k → n.Even"),
        ("{k | Nat.Even n} = {k | k < Nat.succ (Nat.pred n)}", "{k | n.Even} = {k | k < Nat.succ n.pred}"),
    ],
)
def test_applications_are_dotted_where_the_type_is_known(target: str, printed: str) -> None:
    assert dotted(parse_goal(f"{CONTEXT}⊢ {target}")).target == printed


def test_names_are_shortened_alike_in_all_texts() -> None:
    goal = parse_goal("h : Foo.Bar.Baz a\n⊢ Foo.Bar.Baz b ∧ Nat.Even n")
    found = {shortened(goal, Random(seed)) for seed in range(20)}
    names = {one.hypotheses[0].type.split()[0] for one in found}
    assert names == {"Foo.Bar.Baz", "Bar.Baz", "Baz"}
    assert all(one.target.startswith(one.hypotheses[0].type.split()[0]) for one in found)
    assert {one.target.split()[3] for one in found} == {"Nat.Even", "Even"}


TEXTS = st.lists(
    st.sampled_from(
        [
            *"mnlHx()+*=∧¬∀,→ []{}",
            " ",
            "Nat.Even ",
            "Nat.succ ",
            "List.length ",
            "Subgroup.Normal ",
            "x.foo",
            "fun k ↦ ",
        ]
    ),
    max_size=24,
).map("".join)


@given(TEXTS)
def test_any_text_is_printed_again_and_again(text: str) -> None:
    goal = Goal((Hypothesis(("m", "n"), "ℕ"), Hypothesis(("l",), "List ℕ")), text)
    once = dotted(goal)
    assert dotted(once) == once
    shortened(goal, Random(1))


TERMS = st.recursive(
    st.sampled_from(["m", "n", "k"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["Nat.succ", "Nat.pred", "f"]), inner).map(
            lambda pair: f"({pair[0]} {pair[1]})"
        ),
        st.tuples(inner, st.sampled_from("+*"), inner).map(lambda three: f"({' '.join(three)})"),
    ),
    max_leaves=8,
)


def read(text: str) -> SymbolTerm:
    return parse_term(text, frozenset("mnk"))


@given(TERMS)
def test_a_term_stays_the_same_term(term: str) -> None:
    goal = Goal((Hypothesis(("m", "n"), "ℕ"),), f"Nat.Even {term}")
    assert read(dotted(goal).target) == read(goal.target)
    assert of_goal(dotted(goal)).target == of_goal(goal).target
