"""A premise with the arguments with which one of its sides is a given term."""

from __future__ import annotations

import pytest

from lean_extract.records import Goal
from prover.rewriting import Side, instantiated, rewritten
from retriever.lean.rewriting_search import target_parts
from tests.retriever.support import theorem


@pytest.mark.parametrize(
    ("context", "conclusion", "side", "term", "expected"),
    [
        (["(n m : ℕ)"], "n + m = m + n", "left", "b + c", "Lib.rule b c"),
        (["(n m : ℕ)"], "n + m = m + n", "right", "b + c", "Lib.rule c b"),
        (["(n m : ℕ)"], "n + m = m + n", "left", "f x * 2 + (b - c)", "Lib.rule (f x * 2) (b - c)"),
        (["(n : ℕ)"], "n + n = 2 * n", "left", "b + b", "Lib.rule b"),
        (["(n : ℕ)"], "n + n = 2 * n", "left", "b + c", None),
        (["{n m : ℕ}"], "n + m = m + n", "left", "b + c", None),
        (["{n : ℕ}", "(m : ℕ)", "(h : n ≤ m)"], "m - n + n = m", "left", "b - a + a", "Lib.rule b"),
        (["(a b c : ℕ)"], "a * (b + c) = a * b + a * c", "left", "x * (y + z)", "Lib.rule x y z"),
        (["(a b c : ℕ)"], "a * (b + c) = a * b + a * c", "left", "x * y", None),
        (["(n : ℕ)"], "Nat.succ n = n + 1", "left", "Nat.succ (x + y)", "Lib.rule (x + y)"),
        (["(n : ℕ)"], "n.succ = n + 1", "left", "Nat.succ (x + y)", "Lib.rule (x + y)"),
        (["(n : ℕ)"], "n.succ = n + 1", "left", "(x + y).succ", "Lib.rule (x + y)"),
        (["(n : ℕ)"], "Nat.succ n = n + 1", "left", "x.pred.succ", "Lib.rule x.pred"),
        (["(m n : ℕ)"], "m.succ + n = (m + n).succ", "left", "x.succ + y", "Lib.rule x y"),
        (["(m n : ℕ)"], "m.succ + n = (m + n).succ", "right", "(x + f y).succ", "Lib.rule x (f y)"),
        (["(n : ℕ)"], "n.succ = n + 1", "left", "x.pred", None),
        (["(p : α × β)"], "(p.1, p.2) = p", "left", "(x.1, x.2)", "Lib.rule x"),
        (["(f : ℕ → ℕ)", "(n : ℕ)"], "f n + n = n", "left", "g x + x", "Lib.rule _ x"),
        (["(p q : Prop)"], "p ∧ q ↔ q ∧ p", "left", "a = b ∧ c", "Lib.rule (a = b) c"),
        (["(n m : ℕ)"], "n ≤ m", "left", "b", None),
        (["(n m : ℕ)"], "n + m = m + n", "left", "if p then", None),
    ],
)
def test_arguments_are_read_from_the_texts(
    context: list[str], conclusion: str, side: Side, term: str, expected: str | None
) -> None:
    assert instantiated(theorem("Lib.rule", "Lib", conclusion, *context), term, side) == expected


@pytest.mark.parametrize(
    ("context", "conclusion", "side", "target", "expected"),
    [
        (["(n m : ℕ)"], "n + m = m + n", "left", "a + b = c", "(b + a) = c"),
        (["(n m : ℕ)"], "f n m = m * n", "left", "f (a + b) c < 2 * f (a + b) c", "(c * (a + b)) < 2 * (c * (a + b))"),
        (["(n m : ℕ)"], "f n m = m * n", "right", "x = 3 * (a - b)", "x = (f (a - b) 3)"),
        (["(n : ℕ)"], "Nat.succ n = n + 1", "left", "Nat.succ x = x.succ", "(x + 1) = x.succ"),
        (["(n : ℕ)"], "n.succ = n.next", "left", "y = (x + z).succ", "y = (x + z).next"),
        (["{n m : ℕ}"], "n - n = m * 0", "left", "a - a = a - b", "(_ * 0) = a - b"),
        (["(p q : Prop)"], "p ∧ q ↔ q ∧ p", "left", "a = b ∧ c", "(c ∧ (a = b))"),
        (["(n : ℕ)"], "n = n + 0", "left", "a + b = c", "a + b = c"),
        (["(n : ℕ)"], "f n = 0", "left", "a + b = c", "a + b = c"),
        (["(n : ℕ)"], "f n ≤ 0", "left", "f b = c", "f b = c"),
        (["(n : ℕ)"], "f n = 0", "left", "f (", "f ("),
    ],
)  # fmt: skip
def test_a_target_is_rewritten_as_text(
    context: list[str], conclusion: str, side: Side, target: str, expected: str
) -> None:
    premise = theorem("Lib.rule", "Lib", conclusion, *context)
    assert rewritten(premise, target, target_parts(Goal((), target)), side) == expected
