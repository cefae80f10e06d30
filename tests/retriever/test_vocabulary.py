"""The vocabulary that English, LaTeX and Lean share."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Premise
from lean_extract.syntax.words import WORDS
from retriever.documents.latex_names import OPERATORS
from retriever.lean.service import PremiseService
from retriever.lean.tokens import premise_tokens
from retriever.lean.words.splitting import SMALL_WORDS
from retriever.lean.words.vocabulary import query_words, term_words, terms_with, word_tokens

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
        ("≤", r"$\le$", r"\leq", "less than or equal to", "at most", "le", "≥"),
        ("ℝ", r"$\mathbb{R}$", r"\mathbb R", "real", "reals", "Real"),
        ("∑", r"$\sum_{i}$", "sum", "sums"),
        ("∈ s", r"$\in s$", "membership", "mem"),
        ("⊗", r"\otimes", "tensor"),
        ("∞", r"\infty", "infinity"),
        ("⁻¹", "$^{-1}$", "inverse", "inv"),
        ("δ", r"\delta", "delta", "δ_"),
        ("ℵ₀", r"$\aleph_0$", r"$\aleph_{0}$", "aleph0"),
        ("⊴", r"$\trianglelefteq$", "normal"),
        ("∫⁻", r"$\int^-$", r"\int^{-}", "lintegral"),
        ("≅", r"$\xrightarrow{\sim}$", "isomorphic"),
    ],
)
def test_spellings_of_one_thing_share_a_word(spellings: tuple[str, ...]) -> None:
    first, *others = map(word_tokens, spellings)
    assert len(first) == 1
    assert others == [first] * len(others)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"$\|x_n\| \to 0$", "norm x n norm tendsto zero"),
        (r"n! and x₁ and $\#\{i\}$", "n factori x card"),
        (r"$\{x \mid 3 \mid x\}$, $\sum_{d \mid 6}$", "x thre dvd x sum d dvd 6"),
        ("{y | y < 2}, |y|", "y y lt two abs y abs"),
        (r"$P[A \mid B]$ and $\nu[g|m]$", "p cond b nu g cond m"),
        (
            r"$G^H$, $\mathcal{O}_X^\times$, $M^{\mathrm{op}}$, $V^{*}$, $y^{k}$, 2^n",
            "g h o x m op v y pow k two pow n",
        ),
        (
            r"$\mathrm{rank}(BC) = \mathrm{rank}(CB)$, g(CB), rank of MN",
            "rank b mul c eq rank c mul b g c mul b rank mn",
        ),
        ("$g'(t) = 0$ for g'", "g deriv t eq zero g"),
        (r"\begin{aligned} x \end{aligned}", "x"),
        ("`isCompact_of_foo` (IsCompact)", "compact foo compact"),
        (r"\mathrm{Spec}\,R with \label{eq:one} $\frac{1}{2}$", "spec r eq one div one two"),
        ("Maschke's theorem à la Gödel", "maschk theorem la godel"),
        ("order-preserving, left/right, **bold**, x - b", "order preserv left right bold x sub b"),
        ("Die Funktion ist stetig; 连续函数", "die funkt ist stetig 连续函数"),
        ("the of $ { } \\, \\quad", ""),
    ],
)
def test_what_is_read_of_a_text(text: str, words: str) -> None:
    assert word_tokens(text) == words.split()


def test_words_count_more_than_signs_and_letters() -> None:
    found = query_words(r"the join of x₁ and $y \sqcup \delta$ for the Gamma function, δ ≤ 7, 2", 0.8, 0.4)
    assert list(found.items()) == [
        ("sup", 1.0),
        ("x", 0.4),
        ("y", 0.4),
        ("delta", 0.4),
        ("gamma", 1.0),
        ("funct", 1.0),
        ("le", 0.8),
        ("7", 0.4),
        ("two", 0.8),
    ]


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
    words = {word for word in word_tokens(conclusion) if len(word) > 1}
    assert words | {*word_tokens(name)} <= indexed


def test_a_word_finds_all_terms_that_have_it(shipped: PremiseService) -> None:
    with shipped.reading() as snapshot:
        terms = sorted({*snapshot.view.segments[0].tables.postings.terms, *WORDS})
    having = defaultdict(list)
    for term in terms:
        for word in term_words(term):
            having[word].append(term)
    assert [word for word, found in having.items() if not {*found} <= {*terms_with(word, terms)}] == []
