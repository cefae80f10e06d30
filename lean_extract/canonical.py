"""One spelling for what Lean prints and what people write. Every model reads its texts through this."""

from __future__ import annotations

import re

_DAGGER = re.compile(r"✝[⁰¹²³⁴⁵⁶⁷⁸⁹]*")
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
_NUMBER_TYPES = {"Nat": "ℕ", "Int": "ℤ", "Rat": "ℚ", "Real": "ℝ", "Complex": "ℂ"}
_NUMBER_TYPE = re.compile(r"(?<![\w.«])(Nat|Int|Rat|Real|Complex)(?![\w.'!?»])")


def canonical(text: str) -> str:
    """One spelling for what Lean prints and what people write.

    Inaccessibility marks and universes go (`Type u_1` becomes `Type*`), ASCII operators become the
    symbols that Mathlib writes, `Nat` alone becomes `ℕ`, white space is folded. Operators are kept.
    """
    text = _UNIVERSE_ARGUMENTS.sub("", _DAGGER.sub("", text))
    text = " ".join(text.split())
    text = _SORT.sub(r"\1*", text)
    for pattern, symbol in _SPELLINGS:
        text = pattern.sub(symbol, text)
    return _NUMBER_TYPE.sub(lambda match: _NUMBER_TYPES[match[1]], text)
