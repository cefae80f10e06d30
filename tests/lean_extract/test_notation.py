"""Notation off: operators become the functions they stand for, in the order that precedence gives them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.operators import INFIX
from lean_extract.syntax.without_notation import functional
from lean_extract.syntax.words import WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b = b + a", "Eq (HAdd.hAdd a b) (HAdd.hAdd b a)"),
        ("a - b - c", "HSub.hSub (HSub.hSub a b) c"),
        ("a ^ b ^ c", "HPow.hPow a (HPow.hPow b c)"),
        ("-a * b", "HMul.hMul (Neg.neg a) b"),
        ("¬p ∧ q → r", "And (Not p) q → r"),
        ("(p → q) → r", "(p → q) → r"),
        ("x ∈ s ∩ t", "Membership.mem (Inter.inter s t) x"),
        ("x ∉ s", "Not (Membership.mem s x)"),
        ("f x⁻¹", "f (Inv.inv x)"),
        ("(f x)⁻¹.foo", "(Inv.inv (f x)).foo"),
        ("∀ x ∈ s, p x", "∀ x, Membership.mem s x → p x"),
        ("∃ x > 0, p x ∧ q", "Exists fun x ↦ And (GT.gt x 0) (And (p x) q)"),
        ("∑ i ∈ s, f i + g", "HAdd.hAdd (Finset.sum s fun i ↦ f i) g"),
        ("∏ i, f i", "Finset.prod Finset.univ fun i ↦ f i"),
        ("⋃ i ∈ s, t i", "Set.iUnion fun i ↦ Set.iUnion fun (_ : Membership.mem s i) ↦ t i"),
        ("{x : ℝ | |x| < 1}", "setOf fun (x : Real) ↦ LT.lt (abs x) 1"),
        ("{a, b}", "Insert.insert a (Singleton.singleton b)"),
        ("(a, b).1 = a", "Eq (Prod.mk a b).1 a"),
        ("‖x‖₊ ≤ ‖y‖", "LE.le (NNNorm.nnnorm x) (Norm.norm y)"),
        ("∫ x in a..b, f x ∂μ", "intervalIntegral (fun x ↦ f x) a b μ"),
        ("∫ x in s, f x ∂μ", "MeasureTheory.integral (MeasureTheory.Measure.restrict μ s) fun x ↦ f x"),
        (
            "∀ᶠ x in 𝓝[≠] a, p x",
            "Filter.Eventually (fun x ↦ p x) (nhdsWithin a (Compl.compl (Singleton.singleton a)))",
        ),
        ("a ≡ b [ZMOD n]", "Int.ModEq n a b"),
        ("f : M →ₗ[R] N", "f : M →ₗ[R] N"),
        ("M →ₗ[R] N", "LinearMap (RingHom.id R) M N"),
        ("Continuous fun x => f x + 1", "Continuous fun x ↦ HAdd.hAdd (f x) 1"),
        ("f <| x + 1", "f (HAdd.hAdd x 1)"),
        ("n ! = 1", "Eq (Nat.factorial n) 1"),
        ("R[X]", "Polynomial R"),
        ("foo (n := k + 1) x", "foo (n := HAdd.hAdd k 1) x"),
        ("(↑) ∘ f", "Function.comp (↑) f"),
    ],
)
def test_known_notation(text: str, expected: str) -> None:
    assert functional(text) == expected


@pytest.mark.parametrize(
    "text", ["", "f x", "x ⋈ y", "a +", "(a", "α → β", "fun x => x", "Γ(X, U) = 0", "h |>.1"]
)
def test_what_has_no_notation_or_an_unknown_one_is_left_as_it_is(text: str) -> None:
    assert functional(text) == text


def test_every_text_of_a_goal_is_read_by_itself() -> None:
    goal = Goal((Hypothesis(("h",), "a ⋈ b"), Hypothesis(("x",), "ℕ", "1 + 1")), "a = b", "case")
    found = goal.rewritten(functional)
    assert found.hypotheses == (Hypothesis(("h",), "a ⋈ b"), Hypothesis(("x",), "Nat", "HAdd.hAdd 1 1"))
    assert (found.target, found.case) == ("Eq a b", "case")


def test_operators_and_their_functions_are_one_word_to_bm25() -> None:
    """`lean_extract.syntax.words` gives both the same token, so turning notation off costs BM25 nothing there."""
    shared = {symbol: operator.constant for symbol, operator in INFIX.items() if symbol in WORDS}
    assert len(shared) > 30
    odd = {symbol: name for symbol, name in shared.items() if name in WORDS and WORDS[symbol] != WORDS[name]}
    assert not odd


@dataclass(frozen=True)
class Tree:
    """A term with operators; `symbol` is empty for a leaf."""

    symbol: str
    children: tuple[Tree, ...] = ()
    leaf: str = ""

    @property
    def functional(self) -> str:
        if not self.symbol:
            return self.leaf
        texts = [f"({child.functional})" if child.symbol else child.functional for child in self.children]
        operator = INFIX[self.symbol]
        return " ".join([operator.constant, *(reversed(texts) if operator.is_flipped else texts)])

    def written(self) -> str:
        """With as few parentheses as precedence allows."""
        if not self.symbol:
            return self.leaf
        left, right = self.children
        return f"{self._operand(left, on_right=False)} {self.symbol} {self._operand(right, on_right=True)}"

    def _operand(self, child: Tree, *, on_right: bool) -> str:
        if not child.symbol:
            return child.leaf
        outer, inner = INFIX[self.symbol], INFIX[child.symbol]
        level = inner.precedence == outer.precedence and inner.is_right == outer.is_right == on_right
        return child.written() if level or inner.precedence > outer.precedence else f"({child.written()})"


PLAIN = sorted(symbol for symbol, operator in INFIX.items() if operator.precedence != 50)
LEAVES = st.sampled_from(["a", "b", "x₁", "f y", "0", "s.card"]).map(lambda leaf: Tree("", (), leaf))
TREES = st.recursive(
    LEAVES.filter(lambda tree: " " not in tree.leaf),
    lambda below: st.builds(
        lambda symbol, left, right: Tree(symbol, (left, right)), st.sampled_from(PLAIN), below, below
    ),
    max_leaves=12,
)


@given(TREES)
def test_any_term_is_read_as_it_was_written(tree: Tree) -> None:
    assert functional(tree.written()) == tree.functional


@given(TREES, TREES, st.sampled_from(["=", "≤", "∈", "∣", "⊆", "≠"]))
def test_relations_bind_loosest_of_the_rest(left: Tree, right: Tree, symbol: str) -> None:
    tree = Tree(symbol, (left, right))
    assert functional(f"({left.written()}) {symbol} ({right.written()})") == tree.functional


@given(st.text("abfx()[]{}|+-*∑∈,:∃∀ ⟨⟩⁻¹‖.₀Rℝ≥∞→↦", max_size=30))
@example(".{")
def test_no_text_breaks_it(text: str) -> None:
    functional(text)
