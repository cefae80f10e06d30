"""The operators of Lean and Mathlib: symbol, precedence, associativity, and the function that each stands for.

Precedences and functions are those of Lean 4 and Mathlib (`infixl:65 " + " => HAdd.hAdd`). All parsers of terms
take their precedences from here. A parser that knows fewer operators, or needs a precedence that differs from
Lean's, notes this where it takes them (`precedences`, `lean_extract.syntax.symbol_terms`).
"""

from __future__ import annotations

from dataclasses import dataclass

MAX = 1024
"""The precedence of an argument of an application."""
ARROW = 25
RELATION = 50
"""The precedence of `=`, `≤`, `∈` and similar relations."""
UNKNOWN = 65
"""The assumed precedence of operators that are not in the table."""
ASCII = {"<->": "↔", "->": "→", "\\/": "∨", "/\\": "∧", "<=": "≤", ">=": "≥", "!=": "≠"}
"""Other spellings of operators."""
NEGATED = {"≠": "=", "∉": "∈", "∤": "∣"}
"""Relations that are the negation of another relation."""
MIRRORED = {"≥": "≤", ">": "<", "⊇": "⊆", "⊃": "⊂", "∋": "∈", "⊋": "⊊"}
"""Relations that are another relation with its sides swapped."""

_INFIX = """
<|  10 r -
$   10 r -
|>  10 l -
|>. 10 l -
→   25 r -
&&  35 l -
||  30 l -
∉   50 n -
∋   50 n -
∤   50 n -
⊃   50 n -
≡   50 n -
∼   50 n -
∥   50 n -
⟂   50 n -
⊢   50 n -
!=  50 n -
≌   10 n -
⟹   10 r -
⋙   80 r CategoryTheory.Functor.comp
∘ₗ  80 r -
⊕ₜ  65 l -
⊗ₜ  100 l -
⊗ₖ  100 l -
→ₗ  25 r -
→ₐ  25 r -
≃ₗ  25 l -
≃ₐ  25 l -
↔   20 n Iff
∨   30 r Or
∧   35 r And
=   50 n Eq
≠   50 n Ne
==  50 n BEq.beq
≤   50 n LE.le
<   50 n LT.lt
≥   50 n GE.ge
>   50 n GT.gt
∈   50 n Membership.mem flipped
∣   50 n Dvd.dvd
⊆   50 n HasSubset.Subset
⊂   50 n HasSSubset.SSubset
⊇   50 n Superset
≈   50 n HasEquiv.Equiv
⋖   50 n CovBy
⩿   50 n WCovBy
∪   65 l Union.union
∩   70 l Inter.inter
\\  70 l SDiff.sdiff
⊔   68 l Max.max
⊓   69 l Min.min
⇨   60 r HImp.himp
∆   100 l symmDiff
+   65 l HAdd.hAdd
-   65 l HSub.hSub
++  65 l HAppend.hAppend
::  67 r List.cons
*   70 l HMul.hMul
/   70 l HDiv.hDiv
%   70 l HMod.hMod
•   73 r HSMul.hSMul
+ᵥ  65 r HVAdd.hVAdd
-ᵥ  65 l VSub.vsub
⬝ᵥ  72 l dotProduct
*ᵥ  73 r Matrix.mulVec
^   75 r HPow.hPow
∘   90 r Function.comp
''  80 l Set.image
⁻¹' 80 l Set.preimage
×ˢ  82 r SProd.sprod
×   35 r Prod
⊕   30 r Sum
≃   25 l Equiv
→*  25 r MonoidHom
→+  25 r AddMonoidHom
→+* 25 r RingHom
→*₀ 25 r MonoidWithZeroHom
→o  25 r OrderHom
→₀  25 r Finsupp
≃*  25 l MulEquiv
≃+  25 l AddEquiv
≃+* 25 l RingEquiv
≃o  25 l OrderIso
≃ₜ  25 l Homeomorph
≃ᵐ  25 l MeasurableEquiv
↪   25 r Function.Embedding
↪o  25 l OrderEmbedding
⟶   10 r Quiver.Hom
≫   80 r CategoryTheory.CategoryStruct.comp
⥤   26 r CategoryTheory.Functor
≅   10 n CategoryTheory.Iso
⊗   70 r CategoryTheory.MonoidalCategoryStruct.tensorObj
≪   50 n MeasureTheory.Measure.AbsolutelyContinuous
⊣   15 n CategoryTheory.Adjunction
▷   81 l CategoryTheory.MonoidalCategoryStruct.whiskerRight
◁   81 r CategoryTheory.MonoidalCategoryStruct.whiskerLeft
⧸   35 l HasQuotient.Quotient
⊻   68 l xor
≍   50 n HEq
"""

_CORE = """
<+:  50 l List.IsPrefix
<:+  50 l List.IsSuffix
<:+: 50 l List.IsInfix
<+   50 l List.Sublist
<+~  50 l List.Subperm
~    50 l List.Perm
~r   50 l List.IsRotated
~ᵤ   50 l Associated
|||  55 l HOr.hOr
^^^  58 l HXor.hXor
&&&  60 l HAnd.hAnd
<<<  75 l HShiftLeft.hShiftLeft
>>>  75 l HShiftRight.hShiftRight
"""

_BRACKETED = """
→ₗ 25 r LinearMap (RingHom.id {}) {} {}
≃ₗ 25 l LinearEquiv (RingHom.id {}) {} {}
→ₐ 25 r AlgHom {} {} {}
≃ₐ 25 l AlgEquiv {} {} {}
→L 25 r ContinuousLinearMap (RingHom.id {}) {} {}
≃L 25 l ContinuousLinearEquiv (RingHom.id {}) {} {}
⊗  100 l TensorProduct {} {} {}
=ᶠ 50 n Filter.EventuallyEq {} {} {}
≤ᶠ 50 n Filter.EventuallyLE {} {} {}
=ᵐ 50 n Filter.EventuallyEq (MeasureTheory.ae {}) {} {}
≤ᵐ 50 n Filter.EventuallyLE (MeasureTheory.ae {}) {} {}
"""

_PREFIX = """
¬  40 Not
-  75 Neg.neg
√  100 Real.sqrt
#  1024 Finset.card
𝟙  1024 CategoryTheory.CategoryStruct.id
𝓝  100 nhds
⋃₀ 110 Set.sUnion
⋂₀ 110 Set.sInter
"""

_BIG = """
∃  0  Exists
∃! 0  ExistsUnique
∑  67 Finset.sum
∏  67 Finset.prod
∑' 67 tsum
∏' 67 tprod
∑ᶠ 67 finsum
∏ᶠ 67 finprod
⋃  60 Set.iUnion
⋂  60 Set.iInter
⨆  60 iSup
⨅  60 iInf
"""

NULLARY = {
    "⊤": "Top.top",
    "⊥": "Bot.bot",
    "∞": "Top.top",
    "∅": "EmptyCollection.emptyCollection",
    "ℕ": "Nat",
    "ℤ": "Int",
    "ℚ": "Rat",
    "ℝ": "Real",
    "ℂ": "Complex",
    "ℝ≥0": "NNReal",
    "ℝ≥0∞": "ENNReal",
    "ℚ≥0": "NNRat",
    "ℕ∞": "ENat",
}
POSTFIX = {
    "⁻¹": "Inv.inv",
    "ᶜ": "Compl.compl",
    "ᵒᵖ": "Opposite",
    "ˣ": "Units",
    "ᵀ": "Matrix.transpose",
    "!": "Nat.factorial",
}
ENCLOSING = {
    "‖": {"‖": "Norm.norm", "‖₊": "NNNorm.nnnorm", "‖ₑ": "ENorm.enorm"},
    "|": {"|": "abs"},
    "⌊": {"⌋": "Int.floor", "⌋₊": "Nat.floor"},
    "⌈": {"⌉": "Int.ceil", "⌉₊": "Nat.ceil"},
}
"""By opening symbol: the closing symbols, and the function of each pair."""
OVER = {"[X]": "Polynomial", "⟦X⟧": "PowerSeries"}
"""The constants that `R[X]` and `R⟦X⟧` stand for, by what follows the ring without white space."""
CONGRUENT = {"MOD": "Nat.ModEq", "ZMOD": "Int.ModEq", "PMOD": "AddCommGroup.ModEq", "SMOD": "SModEq"}


@dataclass(frozen=True, slots=True)
class Infix:
    """An operator between two operands."""

    precedence: int
    is_right: bool
    """Whether `a op b op c` is `a op (b op c)`."""
    constant: str = ""
    """The function's name, if known. For a bracketed operator (`→ₗ[R]`), a template with holes for R and the
    operands."""
    is_flipped: bool = False
    """Whether the function takes the right operand first."""


def _infix(table: str, *, is_form: bool) -> dict[str, Infix]:
    found = {}
    for line in table.strip().split("\n"):
        symbol, precedence, side, constant = line.split(maxsplit=3)
        flipped = not is_form and constant.endswith(" flipped")
        name = constant.removesuffix(" flipped")
        found[symbol] = Infix(int(precedence), side == "r", "" if name == "-" else name, flipped)
    return found


def _pairs(table: str) -> dict[str, tuple[int, str]]:
    rows = (line.split() for line in table.strip().split("\n"))
    return {symbol: (int(precedence), constant) for symbol, precedence, constant in rows}


CORE = _infix(_CORE, is_form=False)
"""Operators of Lean's core, and those of Mathlib that begin like one, for which names have no word of their own:
they are read as their functions."""
OPERATORS = {**_infix(_INFIX, is_form=False), **CORE}
"""All operators between two operands."""
INFIX = {symbol: operator for symbol, operator in OPERATORS.items() if operator.constant}
"""The operators whose function is known."""
BRACKETED = _infix(_BRACKETED, is_form=True)
PREFIX = _pairs(_PREFIX)
"""Precedence of the operand, and constant."""
BIG = _pairs(_BIG)
"""Precedence of the body, and constant."""
_CLOSERS = tuple(close for pairs in ENCLOSING.values() for close in pairs)
_OTHERS = ("//", "∀ᶠ", "∃ᶠ", "∀ᵐ", "∫⁻", "..")
GLUED = sorted(
    (
        symbol
        for symbol in (*INFIX, *BRACKETED, *PREFIX, *BIG, *NULLARY, *POSTFIX, *_CLOSERS, *_OTHERS)
        if len(symbol) > 1
    ),
    key=len,
    reverse=True,
)
"""Symbols of several characters, the longest first."""


def precedences(symbols: str) -> dict[str, int]:
    """The precedences of some operators, their symbols separated by spaces."""
    return {symbol: OPERATORS[symbol].precedence for symbol in symbols.split()}
