"""How queries are read: words, names, goals and patterns."""

from __future__ import annotations

import time

import pytest

from prover.search.sets import EXAMPLE
from retriever.lean.words.reading import Reading, readings
from retriever.lean.words.vocabulary import word_tokens
from tests.contract.goals import LIBRARY_SEARCHES, library_goals, printed_goals

WORDS, NAME, GOAL, PATTERN = Reading


@pytest.mark.parametrize(
    "text",
    [
        "dominated convergence theorem (DCT)",
        "the sum of two even numbers is even (a + b)",
        "compact = closed and bounded",
        "closure = smallest closed superset",
        "topological group + metric",
        "for all n, n < n + 1",
        "if x < y then there is a z with x < z < y",
        "a map with `f (x * y) = f x * f y`",
        "`IsCompact s` iff `s` is closed",
        r"$\sup_i x_i \le \lim_{n \to \infty} y_n$",
        r"\|x + y\| \le \|x\| + \|y\|",
        r"$\mathcal{F}_{i} \to _{j}$",
        'what is the "open mapping" theorem?',
        "p-adic valuation of n!",
        "连续函数 a = b",
        "непрерывная функция f = g",
        "≤ ≤ $ + (",
        "the of",
        "",
    ],
)
def test_english_and_latex_stay_words(text: str) -> None:
    assert readings(text)[0] is WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add_comm", (NAME,)),
        ("`Nat.add_comm`", (NAME,)),
        ("leftInverse", (NAME,)),
        ("lattice", (WORDS, NAME)),
        ("a + b = b + a", (GOAL,)),
        ("`Continuous f → Continuous g`", (GOAL,)),
        ("∀ ε > 0, ∃ N, ∀ n ≥ N, |u n - a| < ε", (GOAL,)),
        ("(s t : Set α) [Finite s] : s ∩ t = t ∩ s", (GOAL,)),
        ("IsCompact (f '' s)", (GOAL,)),
        ("theorem t (n : ℕ) : n = n := by", (GOAL,)),
        ("the goal is ⊢ a = b", (GOAL, WORDS)),
        ("map succ l = l", (GOAL, WORDS)),
        ("x * Real.log x + 1", (WORDS, GOAL)),
        ("?a * _ ≤ ?b * _", (PATTERN,)),
        ('"mul", _ + _', (PATTERN,)),
        ("is there a bound of ?a", (WORDS, PATTERN)),
        ("`_ + _`", (PATTERN, WORDS)),
    ],
)
def test_what_a_query_looks_like(text: str, expected: tuple[Reading, ...]) -> None:
    assert readings(text) == expected


def test_goals_and_patterns_are_read_as_such() -> None:
    goals = [*printed_goals(), *(goal.statement for goal in library_goals(EXAMPLE))]
    assert {readings(goal) for goal in goals} == {(GOAL,)}
    patterns = [text for text in LIBRARY_SEARCHES if "_ " in text or "?" in text or '"' in text]
    assert len(patterns) > 5 and {readings(text) for text in patterns} == {(PATTERN,)}


@pytest.mark.parametrize(
    "piece", ["the ", "≤", "a = ", "`", "((", "^ ", "\\", "$", "x_", "数", "_ ", "?a ", "∀ x, "]
)
def test_a_long_query_takes_bounded_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    begin = time.process_time()
    readings(text)
    word_tokens(text)
    assert time.process_time() - begin < 5  # linear; what grows with the square takes minutes
