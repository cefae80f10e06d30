"""First-order unification of premises' texts with goals'."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.matching import Bindings, Unification, occurs, resolved, unify
from prover.shapes import tokens
from prover.terms import Term, parse, subterms

VARIABLES = frozenset("abcpqfsx")


def tree(text: str, local: str = "") -> Term:
    return parse(tokens(text), frozenset(), frozenset(local))


def pattern(text: str) -> Term:
    return parse(tokens(text), VARIABLES)


def match(one: str, other: str, known: Bindings | None = None) -> Unification:
    return unify(pattern(one), parse(tokens(other), frozenset(), frozenset("n")), known)


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [
        ("a + b = b + a", "n + m = m + n", "yes"),
        ("a + b = b + a", "n + m = n + m", "no"),
        ("a + 0 = a", "(n * m) + 0 = n * m", "yes"),
        ("a * 1 = a", "1 * n = n", "no"),
        ("a ≤ c", "n + 1 ≤ k", "yes"),
        ("a ≤ c", "n < k", "no"),
        ("a * (b + c) = a * b + a * c", "x * (y + f z) = x * y + x * f z", "yes"),
        ("a * b = c", "f x y * g z = 1", "yes"),
        ("succ a ≤ b", "Nat.succ n ≤ m", "yes"),
        ("succ a ≤ b", "n.succ ≤ m", "yes"),
        ("succ a ≤ b", "n.pred ≤ m", "open"),
        ("f (a + 2)", "g (n + 2 + 2)", "yes"),
        ("g (a + 2)", "g (n * 2)", "no"),
        ("a ≤ b", "m ≥ n + 1", "yes"),
        ("a ≠ b", "¬n = m", "yes"),
        ("a ≠ b", "n = m → False", "yes"),
        ("a < b → a ≠ b", "n < m → ¬(n : ℕ) = m", "yes"),
        ("∃ y, p y", "∃ k, Even k", "yes"),
        ("∀ y, y ∈ s → a ≤ y", "∀ k ∈ S, 0 ≤ k", "yes"),
        ("∀ y, a ≤ y", "∀ k, k ≤ k", "open"),
        ("a = a", "n = m", "no"),
        ("a⁻¹ = b", "n⁻¹ = m", "yes"),
        ("p a", "q ∧ r", "open"),
        ("a ∧ b", "r ∨ s", "no"),
        ("p → q", "r → s", "yes"),
    ],
)
def test_verdicts(pattern: str, text: str, verdict: str) -> None:
    assert match(pattern, text).verdict == verdict


def test_bindings_are_kept_from_one_match_to_the_next() -> None:
    first = match("a ≤ c", "n ≤ k + 1")
    assert resolved(pattern("c"), first.bindings) == tree("k + 1")
    second = match("a ≤ b", "n ≤ m", first.bindings)
    assert second.verdict == "yes"
    assert resolved(pattern("b"), second.bindings) == tree("m")
    assert match("a ≤ b", "m ≤ n", first.bindings).verdict == "no"


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [
        ("a * 0", "n + m * 0 ≤ n", "yes"),
        ("a * 0", "n + 0 * m ≤ n", "no"),
        ("a + b", "f (n + m) = 0", "yes"),
        ("a", "n = m", "open"),
        ("length a", "Other.size y = 0", "open"),
        ("length a", "n.length = 0", "yes"),
    ],
)
def test_a_pattern_is_sought_in_every_part(pattern: str, text: str, verdict: str) -> None:
    assert occurs(parse(tokens(pattern), VARIABLES), tree(text, "n")).verdict == verdict


TEXTS = st.text(alphabet="ab cn01()[]{}|⟨⟩∀∃→¬,:+*=≤.", max_size=40)


@given(TEXTS)
def test_a_closed_text_matches_itself(text: str) -> None:
    assert unify(tree(text), tree(text)).verdict == "yes"


@given(TEXTS, TEXTS)
def test_any_two_texts_have_a_verdict(one: str, other: str) -> None:
    found = match(one, other)
    assert found.verdict in ("yes", "no", "open")
    assert {name for name, _ in found.bindings} <= VARIABLES
    occurs(pattern(one), tree(other))


@given(TEXTS, TEXTS)
def test_what_matches_is_one_term_with_the_bindings_put_in(one: str, other: str) -> None:
    found = unify(pattern(one), tree(other))
    if found.verdict == "yes":
        assert unify(resolved(pattern(one), found.bindings), tree(other)).verdict == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "(" * 500,
        " → ".join(["a"] * 5000),
        " + ".join(["a"] * 290),
        "¬" * 600,
        "a" + ".b" * 590,
        "a" + " ⁻" * 500,
        "∀ x, " * 500,
        "f " + "(f a) " * 100,
    ],
)
def test_long_and_deep_texts_have_a_tree_of_bounded_depth(text: str) -> None:
    found = pattern(text)
    assert sum(1 for _ in subterms(found)) < 2000
    assert unify(found, found).verdict == "yes"
    assert found.size < 1000


def test_bindings_do_not_grow_without_end() -> None:
    names = [f"v{number}" for number in range(60)]
    variables = frozenset(names)
    doubled = " ∧ ".join(f"{one} = g {two} {two}" for one, two in pairwise(names))
    found = unify(parse(tokens(doubled), variables), parse(tokens(doubled.replace("v", "w")), variables))
    assert all(value.size <= 400 for value in found.bindings.values())
