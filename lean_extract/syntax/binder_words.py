"""The words and symbols that bind names, and what stands behind the names."""

from __future__ import annotations

from lean_extract.syntax.tactic_words import ARROWS, FUNCTIONS

SYMBOLS = frozenset("∀∃λΣΠ∑∏⋃⋂⨆⨅∫⨁⨂∐⋁⋀⨍∯∮")
"""Binders of one character; others begin with these."""
QUANTIFIERS = (
    SYMBOLS
    | FUNCTIONS
    | {"forall", "exists", "∃!", "∫⁻", "⨍⁻", "∑'", "∏'", "∑ᶠ", "∏ᶠ", "Σ'", "∀ᶠ", "∃ᶠ", "∀ᵐ", "∃ᵐ"}
)
"""All binders."""
BINDING_ENDS = ARROWS | {","}
"""What stands between a binder's names and its body."""
