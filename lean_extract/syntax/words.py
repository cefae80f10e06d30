"""The words that Mathlib's naming convention uses for operators and their functions.

With this table `a + b`, `HAdd.hAdd a b` and the name `add_comm` share one token, `add`.
"""

from __future__ import annotations

from lean_extract.syntax.operators import CORE

_TABLE = """
add        + HAdd.hAdd Add.add
sub        - HSub.hSub Sub.sub Neg.neg neg
mul        * HMul.hMul Mul.mul
div        / HDiv.hDiv Div.div
mod        % HMod.hMod Mod.mod
pow        ^ HPow.hPow Monoid.npow
inv        ⁻¹ Inv.inv
smul       • HSMul.hSMul SMul.smul
vadd       +ᵥ HVAdd.hVAdd
eq         = Eq
ne         ≠ Ne
le         ≤ LE.le
lt         < LT.lt
ge         ≥ GE.ge
gt         > GT.gt
dvd        ∣ Dvd.dvd
modeq      ≡
and        ∧ And
or         ∨ Or
not        ¬ Not
iff        ↔ Iff
exists     ∃ Exists
forall     ∀
mem        ∈ Membership.mem
notmem     ∉
subset     ⊆ HasSubset.Subset
ssubset    ⊂ HasSSubset.SSubset
union      ∪ Union.union
inter      ∩ Inter.inter
empty      ∅ EmptyCollection.emptyCollection
iunion     ⋃ Set.iUnion
iinter     ⋂ Set.iInter
sunion     ⋃₀ Set.sUnion
sinter     ⋂₀ Set.sInter
compl      ᶜ Compl.compl HasCompl.compl
sdiff      \\ SDiff.sdiff
symmdiff   ∆ symmDiff
image      '' Set.image
preimage   ⁻¹' Set.preimage
sup        ⊔ Max.max Sup.sup
inf        ⊓ Min.min Inf.inf
isup       ⨆ iSup
iinf       ⨅ iInf
bot        ⊥ Bot.bot
top        ⊤ Top.top
covby      ⋖ CovBy
comp       ∘ ≫ Function.comp CategoryTheory.CategoryStruct.comp
hom        ⟶ Quiver.Hom
equiv      ≃ ≈ Equiv
iso        ≅ CategoryTheory.Iso
functor    ⥤ CategoryTheory.Functor
tensor     ⊗ ⊗ₜ
prod       × ×ˢ ∏ Prod SProd.sprod Finset.prod
sum        ⊕ ∑ Sum Finset.sum
integral   ∫ MeasureTheory.integral
sqrt       √ Real.sqrt
pi         π Real.pi
norm       ‖ Norm.norm
abs        |
inner      ⟪ Inner.inner
factorial  ! Nat.factorial
append     ++ HAppend.hAppend List.append
cons       :: List.cons
nhds       𝓝
infty      ∞
deriv      ∂
coe        ⇑ DFunLike.coe
zero       0
one        1
two        2
nat        ℕ
int        ℤ
rat        ℚ
real       ℝ
complex    ℂ
"""

WORDS: dict[str, str] = {
    symbol: word for word, *symbols in map(str.split, _TABLE.split("\n")[1:-1]) for symbol in symbols
}

NOISE = frozenset(
    (
        *("(", ")", "{", "}", "[", "]", "⦃", "⦄", "⟨", "⟩", ",", ":", ":=", "↦", ".", ";", "_", "@", "#"),
        *("fun", "Type", "Sort", "Type*", "Sort*", "↑", "→", "Prop"),
    )
)
"""Tokens that carry no information about the content of a statement."""

SYMBOLS = (
    *CORE,
    "~m",
    *(
        "⁻¹'",
        "⁻¹",
        "×ˢ",
        "ᵒᵖ",
        "∃!",
        "⋃₀",
        "⋂₀",
        "''",
        ":=",
        "::",
        "++",
        "&&",
        "||",
        "==",
        "!=",
        "<|>",
        "<$>",
    ),
    *(
        ">>=",
        "<|",
        "|>",
        "→+*",
        "→*",
        "→+",
        "→ₗ",
        "→ₐ",
        "≃+*",
        "≃*",
        "≃+",
        "≃ₗ",
        "≃ₐ",
        "≃ₜ",
        "∘ₗ",
        "+ᵥ",
        "⊗ₜ",
    ),
)
"""Operators of several characters. Any other character that is not a letter or digit is a token by itself."""
