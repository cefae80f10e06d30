"""Pairs of our own writing, in which a statement and its proof share a rare word and a few symbols."""

from __future__ import annotations

import random
from pathlib import Path

from retriever.proof_matching.schema import FONTS, StatementProof, StatementProofs, Token
from retriever.proof_matching.store import write_pairs
from retriever.proof_matching.tokens import decode, encode, words
from retriever.search.splits import Split

_COMMON = ("let", "be", "a", "ring", "map", "with", "the", "that", "every", "module", "over", "has", "done")
_RARE = [first + second for first in ("loc", "norm", "dens", "fin") for second in ("al", "or", "ic", "um")]
_LETTERS = "abcdefghmnpqrstuvxyz"


def word(text: str) -> Token:
    return Token(text, "word")


def symbol(text: str) -> Token:
    return Token(text, "identifier")


def check_tokens(tokens: tuple[Token, ...]) -> None:
    """That tokens survive a line of a file, and that each is what it may be."""
    assert decode(encode(tokens)) == tokens
    for token in tokens:
        assert token.text and not any(map(str.isspace, token.text))
        assert token.font in FONTS
        assert token.kind != "word" or words(token.text) == [token]
        assert token.is_math == (token.spelled[:1] == "$" and len(token.spelled) > 1)


def make_pairs(train: int = 60, held: int = 12, seed: int = 0) -> StatementProofs:
    """So many training pairs, and as many of each other part as `held`."""
    draw = random.Random(seed)
    parts: list[Split] = ["train"] * train + ["valid"] * held + ["test"] * held
    pairs = [_pair(number, draw) for number in range(len(parts))]
    return StatementProofs(tuple(pairs), {pair.key: part for pair, part in zip(pairs, parts, strict=True)})


def write_set(path: Path, train: int = 60, held: int = 12, seed: int = 0) -> StatementProofs:
    pairs = make_pairs(train, held, seed)
    write_pairs(path, pairs)
    return pairs


def _pair(number: int, draw: random.Random) -> StatementProof:
    words = draw.sample(_RARE, 3)
    letters = draw.sample(_LETTERS, 3)
    return StatementProof(
        key=f"lemma-{number}",
        statement=_side(words, letters, 12, draw),
        proof=_side(words, letters, 24, draw),
        kind="lemma",
        category="",
        source="book",
        location=f"book: lemma-{number}",
    )


def _side(words: list[str], letters: list[str], length: int, draw: random.Random) -> tuple[Token, ...]:
    own = [*map(word, words), *map(symbol, letters)]
    rest = [word(draw.choice(_COMMON)) for _ in range(length - len(own))]
    tokens = own + rest
    draw.shuffle(tokens)
    return tuple(tokens)
