from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.syntax.symbol_terms import MOST_TOKENS, SymbolTerm, parse_term

TOKENS = st.lists(
    st.sampled_from(
        [*"abfx01", *"()[]{}⟨⟩|‖.,:", *"+*=≤→∧¬-∣", "∀", "∃", "fun", "↦", "∑", "∈", "h.symm", "Nat.succ"]
    ),
    max_size=40,
)


def read(text: str, *variables: str) -> str:
    return told(parse_term(text, frozenset(variables)))


def told(term: SymbolTerm) -> str:
    inner = " ".join([term.symbol, *map(told, term.arguments)])
    return f"({inner})" if term.arguments else inner


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("a + b * c = d", "(eq (add a (mul b c)) d)"),
        ("a - b - c", "(sub (sub a b) c)"),
        ("a ^ b ^ c", "(pow a (pow b c))"),
        ("p → q ∧ r ↔ s", "(iff (→ p (and q r)) s)"),
        ("¬p ∨ q", "(or (not p) q)"),
        ("-x * y ≤ z⁻¹", "(le (mul (neg x) y) (inv z))"),
        ("HAdd.hAdd a b", "(add a b)"),
        ("f '' s ⊆ t", "(subset (image f s) t)"),
        ("Set.image f s ⊆ t", "(subset (image f s) t)"),
        ("‖x + y‖ ≤ ‖x‖ + |y|", "(le (norm (add x y)) (add (norm x) (abs y)))"),
        ("s.card = (n : ℤ)", "(eq (card s) n)"),
        ("h.symm.trans g", "(trans (symm h) g)"),
        ("(f x).1 = ↑n", "(eq (.1 (f x)) n)"),
        ("∑ i ∈ s, f i = 0", "(eq (sum s (f i)) zero)"),
        ("∀ x ∈ s, p x", "(forall s (p x))"),
        ("{x | p x ∧ |x| < 2} = {a, b}", "(eq (setOf (and (p x) (lt (abs x) two))) ({} a b))"),
        ("Continuous fun x ↦ f x + g x", "(Continuous (λ (add (f x) (g x))))"),
        ("f <| g x", "(f (g x))"),
        ("⟪x, y⟫ = 0", "(eq (inner x y) zero)"),
        ("f ≫ g ≫ h ▷ X", "(comp f (comp g (▷ h X)))"),
        ("f ∘ₗ g ∘ₗ h", "(∘ₗ f (∘ₗ g h))"),
        ("‖‖x‖ - y‖", "(norm (sub (norm x) y))"),
        ("if a = b then c else d", "(ite (eq a b) c d)"),
        ("⁅x, y⁆ = 0", "(eq (⁅ x y) zero)"),
        ("#s ≤ n", "(le (card s) n)"),
        ("⌈a⌉₊ ≤ b", "(le (₊ (ceil a)) b)"),
        ("C ⥤ D ≌ E ⥤ D", "(≌ (functor C D) (functor E D))"),
        ("l ++ a :: m", "(append l (cons a m))"),
        ("f ⁻¹' s ×ˢ t", "(preimage f (prod s t))"),
        ("∫ x, f x + g x ∂μ = c", "(eq (integral μ (add (f x) (g x))) c)"),
        ("∫ x in s, f x = c", "(eq (integral (restrict volume s) (f x)) c)"),
        ("f =ᵐ[μ] g x + c", "(=ᵐ f (add (g x) c) μ)"),
        ("M →ₗ[R] N", "(→ₗ M N R)"),
        ("f |x| |y| = a", "(eq (f (abs x) (abs y)) a)"),
        ("∀ᶠ x in l, p x", "(∀ᶠ l (p x))"),
        ("∀ᵐ x ∂μ, p x", "(∀ᵐ μ (p x))"),
        ("∀ᵉ (x ∈ s) (y ∈ t), p x y", "(forall s (forall t (p x y)))"),
        ("f^[n] x = a", "(eq (iterate f n x) a)"),
        ("Commute f f^[n]", "(Commute f (iterate f n))"),
        ("{x : α // p x}", "(setOf (p x))"),
        ("R[X]", "([X] R)"),
        ("f <$> x = g >>= y", "(eq (<$> f x) (>>= g y))"),
        ("𝓝[s] a ≤ 𝓝 a", "(le (nhds s a) (nhds a))"),
        ("∮ z in C(c, R), f z = 0", "(eq (∮ (C ((,) c R)) (f z)) zero)"),
        ("f a (by simp) = b", "(eq (f a …) b)"),
    ],
)
def test_a_text_is_read_as_lean_reads_it(text: str, term: str) -> None:
    assert read(text) == term


def test_a_binder_names_its_variables() -> None:
    assert parse_term("∃ x y, x ≤ y").binds == ("x", "y")
    assert parse_term("fun x ↦ x").binds == ("x",)
    assert parse_term("∀ (x : T) {y : U}, p x y").binds == ("x", "y")


def test_a_hypothesis_may_have_a_long_name() -> None:
    assert read("Hyp.le", "Hyp") == "(le Hyp)"
    assert read("Hyp.le") == "le"


@given(TOKENS)
def test_any_tokens_are_some_term(tokens: list[str]) -> None:
    waiting, size = [parse_term(" ".join(tokens))], 0
    while waiting:
        here = waiting.pop()
        waiting += here.arguments
        size += 1
    assert size <= 3 * len(tokens) + 1


@pytest.mark.parametrize("token", ["(", "¬", "f", "∀", "a +", "{ x |", "‖", "fun x ↦", "x ^", "."])
def test_long_and_deep_texts_are_read_as_far_as_they_may_be(token: str) -> None:
    parse_term(f"{token} " * 50 * MOST_TOKENS)
