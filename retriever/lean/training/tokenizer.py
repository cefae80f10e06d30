"""What a tokenizer for Lean cuts text into, and the texts that it is trained on (sections 3.3 and 4.1.2).

Words are what stands between white space, dots and underscores of a name (`Nat.add_comm` is three), with
superscripts (`ᶜ`, `ᵒᵖ`) and operators split off.
"""

from __future__ import annotations

from collections.abc import Iterator

from tokenizers import Regex, Tokenizer, normalizers

from retriever.lean.dataset.files import Dataset
from retriever.models.text import premise_texts, state_text
from retriever.training.wordpiece import untrained

_SUBSCRIPTS = "₀-₉ₐ-ₜᵢ-ᵪⱼ"
_LETTER = r"[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]"
_WORD = rf"{_LETTER}(?:{_LETTER}|[\p{{M}}\p{{Nd}}{_SUBSCRIPTS}'!?])*"
_OPERATORS = r"⁻¹|:=|::|\+\+|==|!=|<\|>|<\||\|>|\|\||&&|>>=|<;>|∃!|\.\.\.?"
_PIECE = rf"{_WORD}|[{_SUBSCRIPTS}]+|\p{{Lm}}+|\p{{Nd}}+|{_OPERATORS}|\S"
_JOINT = r"(?<=[\p{L}\p{N}'!?»])[._](?=[\p{L}\p{N}«])"


def untrained_for_lean() -> Tokenizer:
    """The tokenizer without its vocabulary."""
    return untrained(_PIECE, normalizers.Replace(Regex(_JOINT), " "))


def texts_of(dataset: Dataset) -> Iterator[str]:
    """Section 4.1.2's corpus: every premise's context and goal, and the states of the training split."""
    for premise in dataset.corpus:
        yield " ".join(premise_texts(premise))
    for query in dataset.queries:
        if query.split == "train":
            yield state_text(query.goal)
