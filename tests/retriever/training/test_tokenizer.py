from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from retriever.lean.dataset.dataset import build_dataset, load_dataset
from retriever.lean.training_corpus import texts_of, untrained_for_lean
from retriever.training.wordpiece import SPECIAL, save_tokenizer, train_tokenizer

_RELATIONS = "= ≠ ≤ ≥ < > ∣ ≡ ∈ ∉ ⊆ ⊂ ∀ ∃ ∧ ∨ ¬ ↔ → ↦ :="
_FUNCTIONS = "∪ ∩ + - * / ^ • ∘ × ⊔ ⊓ ⨆ ⨅ ⊤ ⊥ ∑ ∏ ∫ ‖ ⁻¹"
OPERATORS = (_RELATIONS + " " + _FUNCTIONS).split()


@pytest.fixture(scope="module")
def tokenizer(little_records: Path, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder = tmp_path_factory.mktemp("tokenizer")
    build_dataset(little_records, folder)
    own = ["<VAR> f : α → β <GOAL> f⁻¹ ≠ Foo.bar_baz", "<GOAL> a := b"] * 3
    return train_tokenizer(untrained_for_lean(), [*texts_of(load_dataset(folder)), *own], 400)


def pieces(text: str) -> list[str]:
    blank = untrained_for_lean()
    assert blank.normalizer is not None and blank.pre_tokenizer is not None
    normalised = blank.normalizer.normalize_str(text)
    return [piece for piece, _ in blank.pre_tokenizer.pre_tokenize_str(normalised)]


def test_every_operator_is_a_piece_of_its_own_even_without_spaces() -> None:
    for first, second in itertools.pairwise(OPERATORS):
        assert pieces(f"x{first}y {second} z") == ["x", first, "y", second, "z"]


def test_no_operator_is_another_once_encoded(tokenizer: Tokenizer) -> None:
    ids = {operator: tuple(tokenizer.encode(operator).ids) for operator in OPERATORS}
    assert len(set(ids.values())) == len(OPERATORS)
    assert tokenizer.token_to_id("[UNK]") not in itertools.chain.from_iterable(ids.values())


def test_names_split_at_dots_and_underscores_and_keep_their_case() -> None:
    assert pieces("Nat.add_comm h.1 IsOpen isOpen x₁' n!") == [
        *("Nat", "add", "comm", "h", "1", "IsOpen", "isOpen", "x₁'", "n!")
    ]
    assert pieces("sᶜ Cᵒᵖ xᵢ é 𝓝 ℝ≥0∞") == ["s", "ᶜ", "C", "ᵒᵖ", "xᵢ", "é", "𝓝", "ℝ", "≥", "0", "∞"]


def test_marks_are_special_and_texts_are_wrapped(tokenizer: Tokenizer) -> None:
    encoded = tokenizer.encode("<VAR> x : S <GOAL> mix x x = x")
    assert encoded.tokens[:2] == ["[CLS]", "<VAR>"]
    assert encoded.tokens[-1] == "[SEP]"
    assert "<GOAL>" in encoded.tokens
    assert [tokenizer.token_to_id(token) for token in SPECIAL] == list(range(len(SPECIAL)))


def test_unknown_characters_do_not_stop_it(tokenizer: Tokenizer) -> None:
    assert "[UNK]" in tokenizer.encode("<GOAL> 象 = 象").tokens


def test_a_saved_tokenizer_reads_the_same(tokenizer: Tokenizer, tmp_path: Path) -> None:
    save_tokenizer(tokenizer, tmp_path / "tokenizer.json")
    again, text = Tokenizer.from_file(str(tmp_path / "tokenizer.json")), "<GOAL> glue (glue p q) r = f⁻¹"
    assert again.encode(text).ids == tokenizer.encode(text).ids
    assert list(tmp_path.iterdir()) == [tmp_path / "tokenizer.json"]
