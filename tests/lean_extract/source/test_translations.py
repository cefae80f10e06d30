"""What translating attributes make of statements: every operator keeps its operands, and numbers stay numbers."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.source.attributes.translation import TO_ADDITIVE, TO_DUAL, Translation
from lean_extract.syntax.symbol_terms import parse_term
from tests.lean_extract.source.reading import premises


@pytest.mark.parametrize(
    ("translation", "name", "expected"),
    [
        (TO_ADDITIVE, "mul_comm'", "add_comm'"),
        (TO_ADDITIVE, "MulEquiv.map_one_le", "AddEquiv.map_nonneg"),
        (TO_ADDITIVE, "CommMonoid.one_lt_iff", "AddCommMonoid.pos_iff"),
        (TO_ADDITIVE, "Submonoid.mem_closure", "AddSubmonoid.mem_closure"),
        (TO_ADDITIVE, "pow_succ", "nsmul_succ"),
        (TO_ADDITIVE, "DivisionMonoid", "SubtractionMonoid"),
        (TO_ADDITIVE, "CancelCommMonoid", "AddCancelCommMonoid"),
        (TO_ADDITIVE, "Finset.prod_eq_one", "Finset.sum_eq_zero"),
        (TO_ADDITIVE, "Prod.mk_mul_mk", "Prod.mk_add_mk"),
        (TO_ADDITIVE, "Function.Injective.mul", "Function.Injective.add"),
        (TO_ADDITIVE, "mulSupport_eq", "support_eq"),
        (TO_ADDITIVE, "eventuallyLE_one", "eventuallyLE_zero"),
        (TO_ADDITIVE, "hasFPowerSeries", "hasFPowerSeries"),
        (TO_DUAL, "sup_le", "inf_le"),
        (TO_DUAL, "iSup_le_iff", "iInf_le_iff"),
        (TO_DUAL, "OrderTop.le", "OrderBot.le"),
        (TO_DUAL, "IsLUB.unique", "IsGLB.unique"),
        (TO_DUAL, "Set.Ioc_inter", "Set.Ico_inter"),
        (TO_DUAL, "epi_of_epi", "mono_of_mono"),
        (TO_DUAL, "CategoryTheory.Limits.limit.hom", "CategoryTheory.Limits.colimit.hom"),
    ],
)
def test_names(translation: Translation, name: str, expected: str) -> None:
    assert translation.name(name) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a * b⁻¹ = a / b * 1", "a + -b = a - b + 0"),
        ("[CommGroup G]", "[AddCommGroup G]"),
        ("{G : Type*}", "{G : Type*}"),
        ("a ^ (n + 1) = a ^ n * a", "(n + 1) • a = n • a + a"),
        ("∏ i ∈ s, f i = 1", "∑ i ∈ s, f i = 0"),
        ("f (a * b)⁻¹ = f b⁻¹", "f (-(a + b)) = f (-b)"),
        ("f ⁻¹' s = t", "f ⁻¹' s = t"),
        ("(f : M →* N) (e : M ≃* N)", "(f : M →+ N) (e : M ≃+ N)"),
        ("p.1 = (1 : M)", "p.1 = (0 : M)"),
        ("(1 : ℕ) = n", "(1 : ℕ) = n"),
        ("f x ^ g x = 1", "g x • f x = 0"),
        ("∏ i ∈ s, f i ^ n = (∏ i ∈ s, f i) ^ n", "∑ i ∈ s, n • f i = n • (∑ i ∈ s, f i)"),
        ("f (a ^ n) = f a ^ n", "f (n • a) = n • f a"),
        ("a ^ #s ≤ b", "#s • a ≤ b"),
        ("x = ∏ i, f i ^ a i", "x = ∑ i, a i • f i"),
        ("p.1 ^ p.2 = (x.fst ^ n).foo", "p.2 • p.1 = (n • x.fst).foo"),
        ("(a ^ m)⁻¹ ^ n = (f a)⁻¹", "n • -(m • a) = -f a"),
        ("a⁻¹⁻¹ = a", "- -a = a"),
        ("f⁻¹ x = (f x)⁻¹", "(-f) x = -f x"),
        ("(a * ·)^[n] 1 = a ^ n", "(a + ·)^[n] 0 = n • a"),
        ("C^n⟮I, N; I', G⟯", "C^n⟮I, N; I', G⟯"),
        ("|a * b|ₘ ≤ |a|ₘ * |b|ₘ", "|a + b| ≤ |a| + |b|"),
        ("‖|a|ₘ‖₊ ≤ r → b = a⁺ᵐ * a⁻ᵐ", "‖|a|‖₊ ≤ r → b = a⁺ + a⁻"),
        ("{ x // p x } → Mᵐᵒᵖ", "{ x // p x } → Mᵃᵒᵖ"),
        ("(u : Mˣ) (v : Foo Mˣ)", "(u : AddUnits M) (v : Foo (AddUnits M))"),
        ("⇑(e : A →ₜ* B) ∈ N ≃ₜ* M", "⇑(e : A →ₜ+ B) ∈ N ≃ₜ+ M"),
        ("p /ₛ q = f →ₘ[μ] g", "p -ᵥ q = f →ₘ[μ] g"),
        ("⁅a, b⁆⁻¹ = ⁅b, a⁆", "-⁅a, b⁆ = ⁅b, a⁆"),
        ("f =ᵐ[μ] g * h", "f =ᵐ[μ] g + h"),
        ("g ^ c =ᶠ[𝓝 1] f ^ c", "c • g =ᶠ[𝓝 0] c • f"),
        ("Category.{v, u} (a * b)", "Category.{v, u} (a + b)"),
        # brackets are added where the sum binds less tightly
        ("s ⊔ t * u = (s ⊔ t) * u", "s ⊔ (t + u) = (s ⊔ t) + u"),
        ("s * t ∩ u ⊆ s * (t ∩ u)", "(s + t) ∩ u ⊆ s + (t ∩ u)"),
        ("∏ i, f i * g i = (∏ i, f i) * ∏ i, g i", "∑ i, (f i + g i) = (∑ i, f i) + ∑ i, g i"),
        ("(g • a) * b = g • a * b", "(g +ᵥ a) + b = (g +ᵥ a) + b"),
        ("f a⁻¹ (s⁻¹).foo = s⁻¹ ×ˢ t⁻¹", "f (-a) (-s).foo = (-s) ×ˢ (-t)"),
        ("(if p then a else b) ^ n = if p then a ^ n else b ^ n",
         "n • (if p then a else b) = if p then n • a else n • b"),
    ],
)  # fmt: skip
def test_additive_statements_keep_operands(statement: str, expected: str) -> None:
    assert TO_ADDITIVE.statement(statement) == expected


@pytest.mark.parametrize(
    ("binders", "statement", "expected"),
    [
        ("(m n : ℕ)", "a ^ (m * n) = (a ^ m) ^ n", "(m * n) • a = n • m • a"),
        ("(n : ℕ)", "orderOf (x ^ n) = orderOf x / gcd (orderOf x) n",
         "addOrderOf (n • x) = addOrderOf x / gcd (addOrderOf x) n"),
        ("", "Nat.card S ≤ 1 ↔ S = 1", "Nat.card S ≤ 1 ↔ S = 0"),
        ("", "‖a / b‖ ≤ 2 * ‖a‖ ^ 2", "‖a - b‖ ≤ 2 * ‖a‖ ^ 2"),
        ("(f : ι → ℝ)", "∀ i, f i * 1 ≤ f i / #(A * B)", "∀ i, f i * 1 ≤ f i / #(A + B)"),
        ("(s : Set ℕ)", "f s * g = 1", "f s + g = 0"),
        ("", "g ^ (k % (period g a : ℤ)) = a ^ k", "(k % (period g a : ℤ)) • g = k • a"),
        ("", "∀ (m : ℕ) n, x * y = 1 → m * 2 = n", "∀ (m : ℕ) n, x + y = 0 → m * 2 = n"),
    ],
)  # fmt: skip
def test_numbers_are_not_translated(binders: str, statement: str, expected: str) -> None:
    text = f"@[to_additive]\ntheorem mul_foo {binders} : {statement} := x"
    assert premises(text)["add_foo"].conclusion == expected


def test_types_that_are_not_to_be_translated() -> None:
    text = (
        "@[to_additive (dont_translate := R)]\ntheorem mul_foo (r s : R) (a : G) : r * s = 1 → a * a = 1 := x"
    )
    assert premises(text)["add_foo"].conclusion == "r * s = 1 → a + a = 0"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a ⊓ b ≤ c", "c ≤ a ⊔ b"),
        ("a ≤ b → b < c + d ∧ p", "b ≤ a → c + d < b ∧ p"),
        ("⨆ i, f i ≤ a ↔ ∀ i, f i ≤ a", "a ≤ ⨅ i, f i ↔ ∀ i, a ≤ f i"),
        ("(h : ∀ x, f x ≤ g x)", "(h : ∀ x, g x ≤ f x)"),
        ("⊥ = a", "⊤ = a"),
        ("x ∈ Set.Icc a (b ⊔ c)", "x ∈ Set.Icc (b ⊓ c) a"),
        ("Ico (Icc a b) ⊤ = s", "Ioc ⊥ (Icc b a) = s"),
        ("(gc : GaloisConnection l u)", "(gc : GaloisConnection u l)"),
        ("Icc a", "Icc a"),
        ("Icc", "Icc"),
        ("{α : Type u}", "{α : Type u}"),
        ("x ⊓ z ⊔ y ⊓ z = (x ⊓ z ⊔ y) ⊓ z", "(x ⊔ z) ⊓ (y ⊔ z) = ((x ⊔ z) ⊓ y) ⊔ z"),
        ("∀ b > a, ∃ c ≤ b, p", "∀ b < a, ∃ c ≥ b, p"),
        ("⨆ i, f i ≤ ⨆ (i) (_ : p i), f i", "⨅ (i) (_ : p i), f i ≤ ⨅ i, f i"),
        ("Total (· ≤ ·) → p (a < ·)", "Total (· ≥ ·) → p (· < a)"),
        ("h ≤ᶠ[l] f ⊔ g", "f ⊓ g ≤ᶠ[l] h"),
        ("{ x : α // x < y }", "{ x : α // y < x }"),
        ("min a b = if a < b then a else b", "max a b = if b < a then a else b"),
        ("f ≫ (g ≫ h) = (k ≫ l) ≫ m", "(h ≫ g) ≫ f = m ≫ (l ≫ k)"),
        ("f ≫ g ≫ h = i", "(h ≫ g) ≫ f = i"),
        ("∀ i : ℕ, i ≤ n → a ≤ f i", "∀ i : ℕ, i ≤ n → f i ≤ a"),
    ],
)
def test_duals_swap_sides(statement: str, expected: str) -> None:
    assert TO_DUAL.statement(statement) == expected


@pytest.mark.parametrize(
    ("attribute", "statement", "expected"),
    [
        ("reassoc", "f ≫ g = k", "f ≫ g ≫ h = k ≫ h"),
        ("reassoc", "(f ≫ g) ≫ i.hom = 𝟙 _", "f ≫ g ≫ i.hom ≫ h = h"),
        ("reassoc", "R ◁ f = f ⊗ g", "R ◁ f ≫ h = (f ⊗ g) ≫ h"),
        ("reassoc", "p ↔ q", "p ↔ q"),
        ("elementwise", "f ≫ F.map g = k", "(F.map g) (f x) = k x"),
        ("elementwise", "f ≫ g = 𝟙 X", "g (f x) = x"),
    ],
)
def test_equations_of_composed_morphisms(attribute: str, statement: str, expected: str) -> None:
    made = [
        premise
        for premise in premises(f"@[{attribute}] theorem foo (k : A) : {statement} := y").values()
        if premise.generated_by == attribute
    ]
    assert [premise.conclusion for premise in made] == [expected]


@dataclass(frozen=True)
class _Term:
    """A term of a group, as a product and as a sum, each with the precedence of its operator."""

    product: str
    sum: str
    tight: int
    tight_sum: int


def _in(text: str, level: int, least: int) -> str:
    return text if level >= least else f"({text})"


def _binary(symbol: tuple[str, int], added: tuple[str, int], left: _Term, right: _Term) -> _Term:
    (op, level), (plus, level_sum) = symbol, added
    return _Term(
        f"{_in(left.product, left.tight, level)} {op} {_in(right.product, right.tight, level + 1)}",
        f"{_in(left.sum, left.tight_sum, level_sum)} {plus} {_in(right.sum, right.tight_sum, level_sum + 1)}",
        level,
        level_sum,
    )


def _power(base: _Term, exponent: str) -> _Term:
    return _Term(
        f"{_in(base.product, base.tight, 76)} ^ {exponent}",
        f"{exponent} • {_in(base.sum, base.tight_sum, 73)}",
        75,
        73,
    )


def _inverse(term: _Term) -> _Term:
    return _Term(
        f"{_in(term.product, term.tight, 1024)}⁻¹", f"-{_in(term.sum, term.tight_sum, 76)}", 1024, 75
    )


def _value(name: str, argument: _Term) -> _Term:
    return _Term(
        f"{name} {_in(argument.product, argument.tight, 1024)}",
        f"{name} {_in(argument.sum, argument.tight_sum, 1024)}",
        1023,
        1023,
    )


_ATOMS = st.sampled_from(
    [_Term(name, name, 1024, 1024) for name in ("a", "b", "x")] + [_Term("1", "0", 1024, 1024)]
)
_TERMS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.builds(_binary, st.just(("*", 70)), st.just(("+", 65)), inner, inner),
        st.builds(_binary, st.just(("/", 70)), st.just(("-", 65)), inner, inner),
        st.builds(_binary, st.just(("⊔", 68)), st.just(("⊔", 68)), inner, inner),
        st.builds(_binary, st.just(("⊓", 69)), st.just(("⊓", 69)), inner, inner),
        st.builds(_power, inner, st.sampled_from(("n", "2", "(m * n)", "f k"))),
        st.builds(_inverse, inner),
        st.builds(_value, st.sampled_from(("f", "g")), inner),
    ),
    max_leaves=8,
)


@given(_TERMS, _TERMS)
def test_the_sum_has_the_structure_of_the_product(left: _Term, right: _Term) -> None:
    translated = TO_ADDITIVE.statement(f"{left.product} = {right.product}", frozenset("mnk"))
    assert parse_term(translated) == parse_term(f"{left.sum} = {right.sum}"), translated


@given(st.text(alphabet="ab1 .*/^⁻¹•()|{}∏∑∀,:ₘ≤→ifthenelse[]{↦ᵐˣ", max_size=60))
def test_no_text_stops_a_translation(text: str) -> None:
    for translation in (TO_ADDITIVE, TO_DUAL):
        assert isinstance(translation.statement(text), str)
