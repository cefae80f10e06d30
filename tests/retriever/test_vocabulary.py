"""The vocabulary that English, LaTeX and Lean share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Premise
from lean_extract.syntax.words import WORDS
from retriever.documents.latex_names import OPERATORS
from retriever.lean.tokens import premise_tokens
from retriever.lean.words.splitting import SMALL_WORDS
from retriever.lean.words.vocabulary import term_words, word_tokens

_SPELLINGS = st.sampled_from(
    [
        *WORDS,
        *(f"\\{name}" for name in OPERATORS),
        "\\mathbb{R}",
        "^{-1}",
        "IsCompact.foo_bar",
        "at most",
        "''",
    ]
)


@given(st.lists(st.text() | _SPELLINGS).map(" ".join))
def test_words_of_any_text_are_lower_case_and_say_something(text: str) -> None:
    words = word_tokens(text)
    assert all(word and word == word.lower() and not word.isspace() for word in words)
    assert SMALL_WORDS.isdisjoint(words)
    assert word_tokens(f"{text}\n(the)") == words


@pytest.mark.parametrize(
    "spellings",
    [
        ("⊔", r"$\sqcup$", r"\sup", "the join of", "sup", "suprema", "least upper bound", "iSup"),
        ("a ≤ b", r"$a \le b$", r"a\leq b", "less than or equal to", "at most", "le", "b ≥ a"),
        ("ℝ", r"$\mathbb{R}$", r"\mathbb R", "real", "reals", "Real"),
        ("∑", r"$\sum_{i}$", "sum", "sums"),
        ("x ∈ s", r"$x \in s$", "membership", "mem"),
        ("⊗", r"\otimes", "tensor"),
        ("n!", "factorial", "the factorials"),
        ("∞", r"\infty", "infinity"),
        ("f⁻¹", "$f^{-1}$", "inverse", "inv"),
    ],
)
def test_spellings_of_one_thing_share_a_word(spellings: tuple[str, ...]) -> None:
    first, *others = map(word_tokens, spellings)
    assert len(first) == 1
    assert others == [first] * len(others)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"$\|x_n\| \to 0$", "norm norm tendsto zero"),
        ("`isCompact_of_foo` (IsCompact)", "compact foo compact"),
        (r"\mathrm{Spec}\,R with \label{eq:one} $\frac{1}{2}$", "spec eq one div one two"),
        ("Maschke's theorem à la Gödel", "maschk theorem la godel"),
        ("order-preserving, left/right, **bold**, a - b", "order preserv left right bold sub"),
        ("Die Funktion ist stetig; 连续函数", "die funkt ist stetig 连续函数"),
        ("the of $ { } \\, \\quad", ""),
    ],
)
def test_what_is_read_of_a_text(text: str, words: str) -> None:
    assert word_tokens(text) == words.split()


@pytest.mark.parametrize(
    ("name", "conclusion"),
    [
        ("Finset.sum_comm", "∑ x ∈ s, ∑ y ∈ t, f x y = ∑ y ∈ t, ∑ x ∈ s, f x y"),
        ("IsCompact.image", "IsCompact (f '' s)"),
        ("iSup_le_iff", "⨆ i, f i ≤ a ↔ ∀ i, f i ≤ a"),
        ("norm_sub_le", "‖a - b‖ ≤ ‖a‖ + ‖b‖"),
        ("MulEquiv.symm_bijective", "Function.Bijective (symm : (M ≃* N) → N ≃* M)"),
    ],
)
def test_a_statement_has_the_words_of_its_tokens(name: str, conclusion: str) -> None:
    tokens = premise_tokens(Premise(name, "theorem", "M", conclusion=conclusion))
    indexed = {word for token in tokens for word in term_words(token)}
    assert {*word_tokens(conclusion), *word_tokens(name)} <= indexed
