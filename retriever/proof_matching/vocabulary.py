"""The vocabulary of a set of pairs: whole words and whole symbols, as a tokenizer file.

    python -m retriever match-vocabulary PAIRS.jsonl OUT.json [--least 2]

Words and symbols of the training part are counted, with the symbols as they are and replaced at all levels,
so that one vocabulary serves all of them; those seen fewer than --least times share one entry for what is
unknown. Words and symbols are apart already (section 3.3), and nothing is cut into pieces of words.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors

from lean_extract.common.files.atomic import replacing
from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.schema import LEVELS
from retriever.proof_matching.tokens import encode
from retriever.search.splits import Split
from retriever.training.wordpiece import CLS, MASK, PAD, SEP, UNKNOWN

_SPECIAL = (PAD, UNKNOWN, CLS, SEP, MASK)


def _build_vocabulary(texts: Iterable[str], least: int = 2) -> Tokenizer:
    """A tokenizer of lines of tokens (`tokens.encode`): the frequent first, ties in alphabetical order."""
    counted = Counter(piece for text in texts for piece in text.split())
    kept = sorted((piece for piece in counted if counted[piece] >= least), key=lambda p: (-counted[p], p))
    entries = dict.fromkeys((*_SPECIAL, *kept))
    tokenizer = Tokenizer(models.WordLevel({e: n for n, e in enumerate(entries)}, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (CLS, SEP)],
    )
    return tokenizer


def vocabulary_of(path: Path, least: int = 2) -> Tokenizer:
    """The vocabulary of a file's training part. Raises BadRecords."""
    texts: list[str] = []
    parts: tuple[Split, ...] = ("train",)
    for level in LEVELS:
        pairs = load_pairs(path, level, parts).pairs.pairs
        texts += [encode(pair.proof) for pair in pairs]
        texts += [encode(pair.statement) for pair in pairs] if level == "conservation" else []
    return _build_vocabulary(texts, least)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pairs", type=Path, help="a file of pairs")
    parser.add_argument("out", type=Path, help="where to write the tokenizer")
    parser.add_argument("--least", type=int, default=2, help="how often an entry is seen at least")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    tokenizer = vocabulary_of(options.pairs, options.least)
    with replacing(options.out) as stream:
        stream.write(tokenizer.to_str())
    print(f"{options.out}: {tokenizer.get_vocab_size():,} tokens")
