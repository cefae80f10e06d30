"""First-order matching of premises' texts against goals'."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.matching import match, occurs
from prover.shapes import tokens

VARIABLES = frozenset("abcpqfsx")


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
        ("succ a ≤ b", "n.succ ≤ m", "open"),
        ("p a", "q ∧ r", "open"),
        ("a ∧ b", "r ∨ s", "no"),
        ("p → q", "r → s", "yes"),
    ],
)
def test_verdicts(pattern: str, text: str, verdict: str) -> None:
    assert match(tokens(pattern), tokens(text), VARIABLES).verdict == verdict


def test_bindings_are_kept_from_one_match_to_the_next() -> None:
    first = match(tokens("a ≤ c"), tokens("n ≤ k + 1"), VARIABLES)
    assert dict(first.bindings) == {"a": ("n",), "c": ("k", "+", "1")}
    second = match(tokens("a ≤ b"), tokens("n ≤ m"), VARIABLES, first.bindings)
    assert second.verdict == "yes"
    assert second.bindings["b"] == ("m",)
    assert match(tokens("a ≤ b"), tokens("m ≤ n"), VARIABLES, first.bindings).verdict == "no"


@pytest.mark.parametrize(
    ("pattern", "text", "verdict"),
    [
        ("a * 0", "n + m * 0 ≤ n", "yes"),
        ("a * 0", "n + 0 * m ≤ n", "no"),
        ("a + b", "f (n + m) = 0", "yes"),
        ("a", "n = m", "open"),
        ("length a", "xs.length = 0", "open"),
    ],
)
def test_a_pattern_is_sought_in_every_part(pattern: str, text: str, verdict: str) -> None:
    assert occurs(tokens(pattern), tokens(text), VARIABLES).verdict == verdict


TERMS = st.text(alphabet="ab cn01()+*=≤", max_size=30).map(tokens)


@given(TERMS)
def test_a_closed_text_matches_itself(text: tuple[str, ...]) -> None:
    assert match(text, text, frozenset()).verdict == "yes"


@given(TERMS, TERMS)
def test_any_two_texts_have_a_verdict(pattern: tuple[str, ...], text: tuple[str, ...]) -> None:
    found = match(pattern, text, VARIABLES)
    assert found.verdict in ("yes", "no", "open")
    assert set(found.bindings) <= VARIABLES
    occurs(pattern, text, VARIABLES)


def test_ambiguous_patterns_take_no_long_time() -> None:
    pattern = tokens(" ".join(["a"] * 20) + " + 1")
    assert match(pattern, tokens(" ".join(["n"] * 150)), frozenset("abc")).verdict == "open"
