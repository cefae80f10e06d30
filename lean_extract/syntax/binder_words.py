"""The words and symbols that bind names, and the tokens that end the bound names."""

from __future__ import annotations

from lean_extract.syntax.tactic_words import ARROWS, FUNCTIONS

SYMBOLS = frozenset("∀∃λΣΠ∑∏⋃⋂⨆⨅∫⨁⨂∐⋁⋀⨍∯∮")
"""Binders of one character. Some longer ones begin with them."""
QUANTIFIERS = (
    SYMBOLS
    | FUNCTIONS
    | {"forall", "exists", "∃!", "∫⁻", "⨍⁻", "∑'", "∏'", "∑ᶠ", "∏ᶠ", "Σ'", "∀ᶠ", "∃ᶠ", "∀ᵐ", "∃ᵐ"}
)
"""All binders."""
BINDING_ENDS = ARROWS | {","}
"""Tokens between a binder's names and its body."""
