"""Train the WordPiece tokenizer of a corpus (section 3.3).

    python -m retriever tokenizer SOURCE OUT [--backend NAME] [--vocabulary 30522]

SOURCE is what the backend reads. The backend says what its tokenizer never joins; see
`retriever.training.wordpiece` for the rest.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from retriever.training.corpora import find_corpus
from retriever.training.running.kinds import add_backend_argument
from retriever.training.wordpiece import PAPER_VOCABULARY, save_tokenizer, train_tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="what the backend reads")
    parser.add_argument("out", type=Path, help="where to write tokenizer.json")
    parser.add_argument("--vocabulary", type=int, default=PAPER_VOCABULARY, help="tokens, at most")
    add_backend_argument(parser, "tokenizer")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    corpus = find_corpus(options.backend)
    texts = corpus.tokenizer_texts(options.dataset)
    tokenizer = train_tokenizer(corpus.untrained_tokenizer(), texts, options.vocabulary)
    save_tokenizer(tokenizer, options.out)
    print(f"{options.out}: {tokenizer.get_vocab_size()} tokens")
