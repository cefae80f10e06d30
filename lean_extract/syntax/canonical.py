"""One spelling for what Lean prints and what people write, and one form for what says the same.

Every model reads its texts through `canonical`; what ranks premises, through `normal_form`.
"""

from __future__ import annotations

import re

from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.orientation import oriented

_UNIVERSE_ARGUMENTS = re.compile(r"\.\{[^{}]*\}")
_SORT = re.compile(
    r"(?<![\w.])(Type|Sort)\b(?![.'])"
    r"(?:\*| ?_(?!\w)| ?\([^()]*\)| max(?: \w+)+| (?!where\b|in\b|with\b|from\b)\w+)?"
)
_SPELLINGS = (
    (re.compile(r"(?<![<>=|])=>"), "↦"),
    (re.compile(r"<->"), "↔"),
    (re.compile(r"(?<![<>=|-])->"), "→"),
    (re.compile(r"(?<![<>=])<=(?![<>=])"), "≤"),
    (re.compile(r"(?<![<>=])>=(?![<>=])"), "≥"),
    (re.compile(r"/\\"), "∧"),
    (re.compile(r"\\/"), "∨"),
    (re.compile(r"λ"), "fun"),
)
_TYPE_NAMES = (
    (re.compile(r"ℝ≥0∞"), "ENNReal"),
    (re.compile(r"ℝ≥0"), "NNReal"),
    (re.compile(r"ℚ≥0"), "NNRat"),
    (re.compile(r"ℕ∞"), "ENat"),
    (re.compile(r"ℕ\+(?=[\s)\]},]|$)"), "PNat"),
)
"""Notation that is printed only where it is open, and has relations' signs in it."""
_NUMBER_TYPES = {"Nat": "ℕ", "Int": "ℤ", "Rat": "ℚ", "Real": "ℝ", "Complex": "ℂ"}
_NUMBER_TYPE = re.compile(r"(?<![\w.«])(Nat|Int|Rat|Real|Complex)(?![\w.'!?»])")


def well_formed(text: str) -> str:
    """A text as it can be written: what is half a character (a lone surrogate) becomes a `?`.

    JSON can hold such halves; no tokenizer, hash or file takes them.
    """
    return text if text.isascii() else text.encode(errors="replace").decode()


def canonical(text: str) -> str:
    """One spelling for what Lean prints and what people write.

    Inaccessibility marks and universes go (`Type u_1` becomes `Type*`), ASCII operators become the
    symbols that Mathlib writes, `Nat` alone becomes `ℕ`, white space is folded. Operators are kept.
    """
    text = _UNIVERSE_ARGUMENTS.sub("", without_marks(well_formed(text)))
    text = " ".join(text.split())
    text = _SORT.sub(r"\1*", text)
    for pattern, symbol in _SPELLINGS:
        text = pattern.sub(symbol, text)
    return _NUMBER_TYPE.sub(lambda match: _NUMBER_TYPES[match[1]], text)


def normal_form(text: str) -> str:
    """`canonical`, with names for notation of types, and every relation facing one way."""
    text = canonical(text)
    for pattern, name in _TYPE_NAMES:
        text = pattern.sub(name, text)
    return oriented(text)
