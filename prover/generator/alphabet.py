"""What a generator's model reads and writes: ByT5's bytes, or the tokens of a tokenizer."""

from __future__ import annotations

import re
import string
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, Protocol

from lean_extract.common.tokenizer import open_tokenizer
from lean_extract.records import Goal, Premise
from prover.generator.prompt import (
    END,
    FIRST_BYTE,
    FIRST_EXTRA,
    PAD,
    SIZE,
    TEMPLATES,
    UNKNOWN,
    Form,
    byte_symbols,
    decode_tactic,
    encode_prompt,
    has_control,
    plain_tactic,
    premises_in,
    printed_premise,
    printed_state,
    without_marks,
)


class Alphabet(Protocol):
    """The symbols of a model, and its form of prompts."""

    @property
    def ends(self) -> tuple[int, ...]:
        """The symbols that end a tactic."""
        ...

    def prompt(self, goals: Sequence[Goal], premises: Sequence[Premise], most: int) -> list[int]:
        """The model's input: at most `most` symbols. Premises that do not fit are left out."""
        ...

    def listed(self, prompt: Sequence[int], premises: Sequence[Premise]) -> Sequence[Premise]:
        """The premises that a tactic for this prompt may refer to."""
        ...

    def excluded(self, premises: Sequence[Premise]) -> Sequence[int]:
        """The symbols that no tactic can contain."""
        ...

    def tactic(self, symbols: Sequence[int], premises: Sequence[Premise]) -> str | None:
        """The tactic that was written, without its end; None if it is none."""
        ...

    def first_word(self, symbols: tuple[int, ...]) -> Hashable:
        """The first word of a tactic; None while it may go on."""
        ...


class Bytes:
    """ByT5's symbols."""

    ends = (END,)

    def __init__(self, form: Form) -> None:
        self._form = form

    def prompt(self, goals: Sequence[Goal], premises: Sequence[Premise], most: int) -> list[int]:
        """As `encode_prompt`."""
        return encode_prompt(self._form, goals, premises, most)

    def listed(self, prompt: Sequence[int], premises: Sequence[Premise]) -> Sequence[Premise]:
        """As `premises_in`."""
        return premises_in(self._form, prompt, premises)

    def excluded(self, premises: Sequence[Premise]) -> Sequence[int]:
        """As `impossible`."""
        return impossible(self._form, premises)

    def tactic(self, symbols: Sequence[int], premises: Sequence[Premise]) -> str | None:
        """As `decode_tactic`."""
        return decode_tactic(self._form, symbols, premises)

    def first_word(self, symbols: tuple[int, ...]) -> Hashable:
        """As `first_word`."""
        return first_word(symbols)


def impossible(form: Form, premises: Sequence[Premise]) -> list[int]:
    """The symbols that no tactic can contain here: padding, control characters, pointers to missing premises.

    Bytes of multi-byte characters are not among them: whether they are valid shows only at the end.
    """
    letter = FIRST_BYTE + ord("x")
    single = [*range(FIRST_BYTE, FIRST_BYTE + 128), *range(FIRST_EXTRA, SIZE)]
    return [PAD, UNKNOWN] + [
        symbol for symbol in single if decode_tactic(form, [letter, symbol, letter], premises) is None
    ]


_WORD_CHARACTERS = string.ascii_letters + string.digits + "_'!?"
_WORD = frozenset(byte_symbols(_WORD_CHARACTERS))
_BEGINNING = re.compile(rf"\s*+([{_WORD_CHARACTERS}]++)?[^{_WORD_CHARACTERS}]")


def first_word(symbols: tuple[int, ...]) -> tuple[int, ...] | None:
    """The symbols of a tactic's first word; None while it may go on."""
    return None if symbols[-1] in _WORD else symbols[:-1]


class Tokens:
    """The symbols of a tokenizer.

    Args:
        form: how prompts are written, in words: any but `numbered`.
        ends: the symbols that end a tactic.
        size: how many symbols the model has; those that the tokenizer has not are never written.
    """

    def __init__(self, form: Form, tokenizer: Any, ends: tuple[int, ...], size: int) -> None:
        self._form, self._tokenizer, self.ends = form, tokenizer, ends
        special = {id_ for id_, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        known = min(size, tokenizer.get_vocab_size())
        texts = tokenizer.decode_batch([[id_] for id_ in range(known)], skip_special_tokens=False)
        unfit = special.union(id_ for id_, text in enumerate(texts) if has_control(text))
        self._excluded = sorted({*unfit, *range(known, size)}.difference(ends))

    @classmethod
    def load(cls, path: Path, form: Form, ends: tuple[int, ...], size: int) -> Tokens:
        """Those of a file. Raises OSError, ValueError."""
        return cls(form, open_tokenizer(path), ends, size)

    def prompt(self, goals: Sequence[Goal], premises: Sequence[Premise], most: int) -> list[int]:
        """At most `most` tokens. If the state alone is too long, its beginning is cut: the target is at its end."""
        before, after = TEMPLATES.get(self._form, ("", ""))
        state, least = printed_state(goals), 1
        while len(symbols := self._encode(before + state + after)) > most and state:
            state = state[max(least, len(state) * (len(symbols) - most) // len(symbols)) :]
            least *= 2
        listed: list[str] = []
        for premise in premises if self._form == "reprover" else ():
            longer = self._encode("".join([printed_premise(premise), *listed, before + state + after]))
            if len(longer) <= most:
                symbols = longer
                listed.insert(0, printed_premise(premise))
        return symbols[-most:]

    def listed(self, prompt: Sequence[int], premises: Sequence[Premise]) -> Sequence[Premise]:
        """All: names are written in full."""
        return premises

    def excluded(self, premises: Sequence[Premise]) -> Sequence[int]:
        """Special tokens, and those with line breaks and other control characters."""
        return self._excluded

    def tactic(self, symbols: Sequence[int], premises: Sequence[Premise]) -> str | None:
        """The text of the tokens; None if it is not UTF-8, or not one line."""
        text = str(self._tokenizer.decode(list(symbols)))
        return None if "\ufffd" in text else plain_tactic(without_marks(text))

    def first_word(self, symbols: tuple[int, ...]) -> Hashable:
        """As a text."""
        found = _BEGINNING.match(self._tokenizer.decode(list(symbols)))
        return None if found is None else found[1] or ""

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text).ids)
