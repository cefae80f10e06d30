"""The dictionaries of `to_additive` and `to_dual`: name parts, corrections, and symbols.

Name parts are looked up in lower case, and their translations are capitalised, one word per part. Corrections
are then applied to runs of parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _words(text: str) -> dict[str, str]:
    """Parse `a>B c>D` into a dictionary."""
    return dict(pair.split(">") for pair in text.split())


def _both_ways(text: str) -> dict[str, str]:
    """Parse `Top/Bot Min/Max` into a dictionary with both directions and keys in lower case."""
    pairs = [pair.split("/") for pair in text.split()]
    return {a.lower(): b for a, b in pairs} | {b.lower(): a for a, b in pairs}


ADDITIVE_PARTS: Mapping[str, str] = MappingProxyType(
    _words(
        "one>Zero mul>Add smul>VAdd inv>Neg div>Sub sdiv>VSub prod>Sum hmul>HAdd hsmul>HVAdd hdiv>HSub "
        "hpow>HSMul finprod>Finsum tprod>TSum pow>NSMul npow>NSMul zpow>ZSMul mabs>Abs mconv>Conv "
        "mlconvolution>LConvolution rootable>Divisible zpowers>ZMultiples powers>Multiples "
        "multipliable>Summable gpfree>APFree square>Even"
    )
    | {
        word: f"Add{word.capitalize()}"
        for word in [
            "monoid",
            "submonoid",
            "group",
            "subgroup",
            "semigroup",
            "torsor",
            "magma",
            "haar",
            "prehaar",
            "unit",
            "units",
            "cyclic",
            "semigrp",
            "grp",
            "commute",
            "semiconj",
            "conjugates",
            "conj",
            "commutator",
            "quantale",
            "irreducible",
        ]
    }
)
ADDITIVE_CORRECTIONS: Mapping[str, str] = MappingProxyType(
    _words(
        "isCancelAdd>IsCancelAdd isLeftCancelAdd>IsLeftCancelAdd isRightCancelAdd>IsRightCancelAdd "
        "cancelAdd>AddCancel leftCancelAdd>AddLeftCancel rightCancelAdd>AddRightCancel "
        "cancelCommAdd>AddCancelComm commAdd>AddComm "
        "zero_le>Nonneg zeroLE>Nonneg zero_lt>Pos zeroLT>Pos le_zero>Nonpos lezero>Nonpos lt_zero>Neg "
        "ltzero>Neg "
        "zeroLePart>PosPart leZeroPart>NegPart isEven>Even negFun>InvFun uniqueProds>UniqueSums "
        "addAntidiagonal>Antidiagonal addSingle>Single addSupport>Support addTSupport>TSupport "
        "addPointed>Pointed addSpanning>Spanning addIndicator>Indicator addShift>Shift addSubshift>Subshift "
        "addExact>Exact isRegular>IsAddRegular isLeftRegular>IsAddLeftRegular "
        "isRightRegular>IsAddRightRegular "
        "hasFundamentalDomain>HasAddFundamentalDomain quotientMeasure>AddQuotientMeasure orderOf>AddOrderOf "
        "isScalarTower>VAddAssocClass isCentralScalar>IsCentralVAdd isOfFinOrder>IsOfFinAddOrder "
        "function_addSemiconj>Function_semiconj function_addCommute>Function_commute "
        "divisionAddMonoid>SubtractionMonoid subNegZeroAddMonoid>SubNegZeroMonoid "
        "modularCharacter>AddModularCharacter isQuotientCoveringMap>IsAddQuotientCoveringMap "
        "isMonHom>IsAddMonHom mapMon>MapAddMon monObj>AddMonObj isModHom>IsAddModHom mapMod>MapAddMod "
        "modObj>AddModObj yonedaMon>YonedaAddMon conGen>AddConGen"
    )
)
ADDITIVE_NAMESPACES: Mapping[str, str] = MappingProxyType(
    _words(
        "QuotientGroup>QuotientAddGroup MulOneClass>AddZeroClass DivInvMonoid>SubNegMonoid "
        "DivisionMonoid>SubtractionMonoid DivisionCommMonoid>SubtractionCommMonoid "
        "DivInvOneMonoid>SubNegZeroMonoid "
        "MulAction>AddAction MulHom>AddHom Units>AddUnits MulOpposite>AddOpposite Con>AddCon "
        "conGen>addConGen "
        "orderOf>addOrderOf IsOfFinOrder>IsOfFinAddOrder Monoid.exponent>AddMonoid.exponent "
        "IsMulLeftInvariant>IsAddLeftInvariant IsMulRightInvariant>IsAddRightInvariant "
        "HasCompactMulSupport>HasCompactSupport mulSupport>support mulTSupport>tsupport "
        "mulIndicator>indicator "
        "MulSalemSpencer>ThreeAPFree ThreeGPFree>ThreeAPFree mulEnergy>addEnergy Localization>AddLocalization"
    )
)
ADDITIVE_FIXED = frozenset(
    (
        "Prod", "Unit", "PUnit", "PProd", "Nat", "Int", "MulZeroClass", "MulZeroOneClass", "MonoidWithZero",
        "CommMonoidWithZero", "GroupWithZero", "CommGroupWithZero", "Semigroup.WithZero", "Units.mk0",
        "Multiplicative", "Additive", "ofMul", "toMul", "ofAdd", "toAdd", "MulPosMono", "PosMulMono",
        "PosMulStrictMono", "MulPosStrictMono", "OneLE", "Product", "IsUnit0", "haar", "Set.prod",
        "Filter.prod",
    )
)  # fmt: skip
"""Names that are not translated, since they are of another kind or do not name an operation."""

ADDITIVE_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "*": "+", "/": "-", "∏": "∑", "•": "+ᵥ", "∏ᶠ": "∑ᶠ", "∏'": "∑'", "/ₛ": "-ᵥ", "ₘ": "", "∗ₘ": "∗", "⁺ᵐ": "⁺",
        "⁻ᵐ": "⁻", "ᵐᵒᵖ": "ᵃᵒᵖ", "ᵈᵐᵃ": "ᵈᵃᵃ",
    }
)  # fmt: skip

DUAL_PARTS: Mapping[str, str] = MappingProxyType(
    _both_ways(
        "Top/Bot Inf/Sup Inf₂/Sup₂ SInf/SSup Min/Max Untop/Unbot Minimal/Maximal Lower/Upper Below/Above "
        "Least/Greatest GLB/LUB Cofinal/Coinitial Succ/Pred Disjoint/Codisjoint Atom/Coatom Lfp/Gfp "
        "Ioi/Iio Ici/Iic "
        "Ioc/Ico Next/Prev Heyting/Coheyting Frame/Coframe Epigraph/Hypograph Terminal/Initial "
        "Precompose/Postcompose Cone/Cocone Cones/Cocones Fan/Cofan Limit/Colimit Limits/Colimits "
        "Product/Coproduct Products/Coproducts Pushout/Pullback Pushouts/Pullbacks Span/Cospan "
        "Kernel/Cokernel "
        "Kernels/Cokernels Unit/Counit Monad/Comonad Monadic/Comonadic Section/Retraction"
    )
    | {"epi": "Mono"}
)
DUAL_CORRECTIONS: Mapping[str, str] = MappingProxyType(
    _words(
        "wellFoundedLT>WellFoundedGT wellFoundedGT>WellFoundedLT nhdsLT>NhdsGT nhdsGT>NhdsLT nhdsLE>NhdsGE "
        "nhdsGE>NhdsLE relIsoLT>RelIsoGT relIsoGT>RelIsoLT succColimit>SuccLimit predColimit>PredLimit "
        "codirectedOrder>DirectedOrder directedOrder>CodirectedOrder galoisInsertion>GaloisCoinsertion "
        "galoisCoinsertion>GaloisInsertion leftOrdContinuous>RightOrdContinuous "
        "rightOrdContinuous>LeftOrdContinuous neTop>NeBot decidableSucc>DecidablePred"
    )
)
DUAL_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "⊤": "⊥", "⊥": "⊤", "⊓": "⊔", "⊔": "⊓", "⨆": "⨅", "⨅": "⨆",
    }
)  # fmt: skip
DUAL_SWAPPED = frozenset(("≤", "<", "≥", ">", "⋖", "⩿", "⟶", "≫", "⊣", "≤ᶠ", "≤ᵐ"))
"""Operators whose sides are swapped."""
DUAL_FIXED = frozenset(("Unit", "PUnit", "Limits"))
"""`Limits` is the namespace of both limits and colimits."""
DUAL_SWAPPED_ARGUMENTS = frozenset(
    ("Icc", "Ioo", "Ico", "Ioc", "CovBy", "WCovBy", "StrongLT", "GaloisConnection", "Adjunction")
)
"""Functions that are their own dual, with their two explicit arguments swapped (`Ico` is the dual of `Ioc`)."""
