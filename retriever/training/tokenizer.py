"""The WordPiece tokenizer (section 3.3), for Lean by default: operators stay apart, nothing is folded.

    python -m retriever tokenizer DATASET OUT [--vocabulary 30522]
    python -m retriever tokenizer SOURCE OUT --backend naturalproofs

For Lean words are what stands between white space, dots and underscores of a name (`Nat.add_comm` is
three), with superscripts (`ᶜ`, `ᵒᵖ`) and operators split off. Another backend says itself what its
tokenizer never joins. Neither case nor accents are touched: `≠` is not `=`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from retriever.lean.dataset.files import Dataset, load_dataset
from retriever.models.text import GOAL, VAR, premise_texts, state_text
from retriever.search.backend import Collection
from retriever.search.backends import find_backend

PAD, UNKNOWN, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL = (PAD, UNKNOWN, CLS, SEP, MASK, VAR, GOAL)
PAPER_VOCABULARY = 30_522

_SUBSCRIPTS = "₀-₉ₐ-ₜᵢ-ᵪⱼ"
_LETTER = r"[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]"
_WORD = rf"{_LETTER}(?:{_LETTER}|[\p{{M}}\p{{Nd}}{_SUBSCRIPTS}'!?])*"
_OPERATORS = r"⁻¹|:=|::|\+\+|==|!=|<\|>|<\||\|>|\|\||&&|>>=|<;>|∃!|\.\.\.?"
_PIECE = rf"{_WORD}|[{_SUBSCRIPTS}]+|\p{{Lm}}+|\p{{Nd}}+|{_OPERATORS}|\S"
_JOINT = r"(?<=[\p{L}\p{N}'!?»])[._](?=[\p{L}\p{N}«])"

_SYMBOLS = (
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    "←→↔↦⇒⇔∀∃∧∨¬≠≤≥<>≈≃≅≡∼∣∤∥∈∉⊆⊂⊇⊃∪∩⋃⋂\\∅∑∏∫⨆⨅⊔⊓⊤⊥∘×⊗⊕•·∙⁻¹²³⁴ⁿ√∞∂∇⟨⟩⟪⟫⌊⌋⌈⌉‖▸⊢λΣΠ∐∎↑↓⇑↪↠⟶⟹⥤◁▷"
    "₀₁₂₃₄₅₆₇₈₉"
)


def untrained() -> Tokenizer:
    """The tokenizer without its vocabulary."""
    tokenizer = Tokenizer(
        models.WordPiece(vocab={UNKNOWN: 0}, unk_token=UNKNOWN, max_input_chars_per_word=64)
    )
    tokenizer.normalizer = normalizers.Replace(Regex(_JOINT), " ")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex(_PIECE), "isolated")]
    )
    return tokenizer


def untrained_for(pieces: str) -> Tokenizer:
    """The same for texts whose words are what the regular expression matches, or single characters."""
    tokenizer = untrained()
    tokenizer.normalizer = normalizers.Sequence([])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex(pieces), "isolated")]
    )
    return tokenizer


def train_tokenizer(
    texts: Iterable[str], vocabulary: int = PAPER_VOCABULARY, tokenizer: Tokenizer | None = None
) -> Tokenizer:
    """A tokenizer learned from texts in a model's form; at most `vocabulary` tokens.

    `tokenizer` is one without a vocabulary, by default Lean's.
    """
    tokenizer = untrained() if tokenizer is None else tokenizer
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


def texts_of(dataset: Dataset) -> Iterator[str]:
    """Section 4.1.2's corpus: every premise's context and goal, and the states of the training split."""
    for premise in dataset.corpus:
        yield " ".join(premise_texts(premise))
    for query in dataset.queries:
        if query.split == "train":
            yield state_text(query.goal)


def collection_texts(collection: Collection) -> Iterator[str]:
    """Every document, and the questions of the training split."""
    yield from (document.text for document in collection.documents)
    yield from (question.text for question in collection.of("train"))


def save_tokenizer(tokenizer: Tokenizer, path: Path) -> None:
    """Write `tokenizer.json`, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    os.close(handle)
    tokenizer.save(name)
    Path(name).replace(path)


def _trained(backend: str, source: Path, vocabulary: int) -> Tokenizer:
    if backend == "lean":
        return train_tokenizer(texts_of(load_dataset(source)), vocabulary)
    found = find_backend(backend)
    return train_tokenizer(collection_texts(found.read(source)), vocabulary, untrained_for(found.pieces))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="a dataset folder, or what the backend reads")
    parser.add_argument("out", type=Path, help="where to write tokenizer.json")
    parser.add_argument("--vocabulary", type=int, default=PAPER_VOCABULARY)
    parser.add_argument("--backend", default="lean", help="what the texts are; by default Lean's")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    tokenizer = _trained(options.backend, options.dataset, options.vocabulary)
    save_tokenizer(tokenizer, options.out)
    print(f"{options.out}: {tokenizer.get_vocab_size()} tokens")
