"""Canonical spelling of what Lean prints and people write, and a normal form for equivalent relations.

All models read their texts through `canonical`. The ranking of premises uses `normal_form`.
"""

from __future__ import annotations

import re

from lean_extract.common.lru import kept_if_short
from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.orientation import oriented

_UNIVERSE_ARGUMENTS = re.compile(r"\.\{[^{}]*\}")
_SORT = re.compile(
    r"(?<![\w.])(Type|Sort)\b(?![.'])"
    r"(?:\*| ?_(?!\w)| ?\([^()]*\)| max(?: \w+)+| (?!where\b|in\b|with\b|from\b)\w+)?"
)
_ARROWS = (
    ("=>", re.compile(r"(?<![<>=|])=>"), "↦"),
    ("<->", re.compile(r"<->"), "↔"),
    ("->", re.compile(r"(?<![<>=|-])->"), "→"),
    ("<=", re.compile(r"(?<![<>=])<=(?![<>=])"), "≤"),
    (">=", re.compile(r"(?<![<>=])>=(?![<>=])"), "≥"),
)
"""Each with the literal text without which its pattern is not searched for: few texts contain any."""
_TYPE_NAMES = (("ℝ≥0∞", "ENNReal"), ("ℝ≥0", "NNReal"), ("ℚ≥0", "NNRat"), ("ℕ∞", "ENat"))
"""Notation that Lean prints only where it is opened, and that contains relation symbols."""
_POSITIVE_NATURALS = re.compile(r"ℕ\+(?=[\s)\]},]|$)")
_NUMBER_TYPES = {"Nat": "ℕ", "Int": "ℤ", "Rat": "ℚ", "Real": "ℝ", "Complex": "ℂ"}
_NUMBER_TYPE = re.compile(r"(?<![\w.«])(Nat|Int|Rat|Real|Complex)(?![\w.'!?»])")


def well_formed(text: str) -> str:
    """The text with each lone surrogate replaced by `?`.

    JSON can contain lone surrogates, but tokenizers, hashes and files reject them.
    """
    return text if text.isascii() else text.encode(errors="replace").decode()


def canonical(text: str) -> str:
    """The canonical spelling of what Lean prints or people write.

    Inaccessibility marks and universes are removed (`Type u_1` becomes `Type*`), ASCII operators become the
    symbols that Mathlib uses, `Nat` as a whole name becomes `ℕ`, and runs of white space become one space.
    """
    text = without_marks(well_formed(text))
    if ".{" in text:
        text = _UNIVERSE_ARGUMENTS.sub("", text)
    text = " ".join(text.split())
    text = _SORT.sub(r"\1*", text)
    for literal, pattern, symbol in _ARROWS:
        if literal in text:
            text = pattern.sub(symbol, text)
    text = text.replace("/\\", "∧").replace("\\/", "∨").replace("λ", "fun")
    return _NUMBER_TYPE.sub(lambda match: _NUMBER_TYPES[match[1]], text)


@kept_if_short(8192)  # it is read for words, for hashes and for the encoder
def normal_form(text: str) -> str:
    """`canonical`, with notation for types replaced by names, and every relation in one direction."""
    text = canonical(text)
    for notation, name in _TYPE_NAMES:
        text = text.replace(notation, name)
    if "ℕ+" in text:
        text = _POSITIVE_NATURALS.sub("PNat", text)
    return oriented(text)
