"""ByT5's tokenizer as a `tokenizers` file: a text's bytes in UTF-8, each plus 3, and </s> at the end.

    python -m retriever byte-tokenizer OUT

<pad>, </s> and <unk> are 0, 1 and 2, as in ByT5, and its 125 tokens beyond the bytes are kept. <VAR> and
<GOAL> are the first two of these, so that a mark is one token and not six.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

from retriever.models.text import GOAL, VAR
from retriever.training.wordpiece import save_tokenizer

PAD, _END, _UNKNOWN = "<pad>", "</s>", "<unk>"
_SIZE = 384
_FIRST = 3
_MARKS = (VAR, GOAL)


def byte_tokenizer() -> Tokenizer:
    """The tokenizer; byte b is token b + 3."""
    names = [PAD, _END, _UNKNOWN, *_byte_names(), *_MARKS]
    names += [f"<extra_id_{number}>" for number in range(len(_MARKS), _SIZE - _FIRST - 256)]
    tokenizer = Tokenizer(
        models.BPE(vocab={name: number for number, name in enumerate(names)}, merges=[], unk_token=_UNKNOWN)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {_END}", pair=f"$A {_END} $B {_END}", special_tokens=[(_END, names.index(_END))]
    )
    special = (PAD, _END, _UNKNOWN, *_MARKS)
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in special])
    return tokenizer


def _byte_names() -> list[str]:
    """The letters by which byte-level models in `tokenizers` call the bytes, from 0 to 255.

    Printable ones are themselves in Latin-1; the others, in order, are the letters from U+0100 on.
    """
    plain = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("out", type=Path, help="where to write tokenizer.json")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    save_tokenizer(byte_tokenizer(), options.out)
    print(f"{options.out}: {_SIZE} tokens")
