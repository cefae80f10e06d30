"""WordPiece tokenizers (section 3.3): which pieces text is cut into first, and a vocabulary learned from texts.

Neither case nor accents are touched: `≠` is not `=`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from lean_extract.common.files.atomic import replacing
from retriever.models.text import GOAL, VAR

PAD, UNKNOWN, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL = (PAD, UNKNOWN, CLS, SEP, MASK, VAR, GOAL)
PAPER_VOCABULARY = 30_522

_SYMBOLS = (
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    "←→↔↦⇒⇔∀∃∧∨¬≠≤≥<>≈≃≅≡∼∣∤∥∈∉⊆⊂⊇⊃∪∩⋃⋂\\∅∑∏∫⨆⨅⊔⊓⊤⊥∘×⊗⊕•·∙⁻¹²³⁴ⁿ√∞∂∇⟨⟩⟪⟫⌊⌋⌈⌉‖▸⊢λΣΠ∐∎↑↓⇑↪↠⟶⟹⥤◁▷"
    "₀₁₂₃₄₅₆₇₈₉"
)


def untrained(pieces: str, normalizer: normalizers.Normalizer | None = None) -> Tokenizer:
    """A tokenizer without a vocabulary.

    Args:
        pieces: a regular expression of what is never joined with its neighbours; what it does not match
            is a token of its own. White space always separates.
        normalizer: applied to the text before it is cut.
    """
    tokenizer = Tokenizer(
        models.WordPiece(vocab={UNKNOWN: 0}, unk_token=UNKNOWN, max_input_chars_per_word=64)
    )
    tokenizer.normalizer = normalizers.Sequence([]) if normalizer is None else normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex(pieces), "isolated")]
    )
    return tokenizer


def train_tokenizer(
    tokenizer: Tokenizer, texts: Iterable[str], vocabulary: int = PAPER_VOCABULARY
) -> Tokenizer:
    """Give a tokenizer without a vocabulary one of at most `vocabulary` tokens, learned from texts; returns it."""
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(set(_SYMBOLS)),
        continuing_subword_prefix="##",
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    numbers = [(token, tokenizer.token_to_id(token)) for token in (CLS, SEP)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}", pair=f"{CLS} $A {SEP} $B {SEP}", special_tokens=numbers
    )
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, path: Path) -> None:
    """Write `tokenizer.json`, whole or not at all."""
    with replacing(path) as stream:
        stream.write(tokenizer.to_str(pretty=True))
