"""Show which tokens a match of a statement and a proof rests on (section 7.3, Figure 7.1).

    python -m retriever match-explain PAIRS.jsonl KEY [--run RUN] [--proof-of KEY]
        [--side proof|statement] [--replacement LEVEL] [--samples N] [--pool N] [--seed N] [--html FILE]

KEY names the pair; --proof-of takes the proof of another one in the place of its own. Without a run TF-IDF is
explained. The score is the proof's log-odds against `--pool` other proofs of the same part. The picture goes
to the terminal, in colour where it has any, and with --html to a page. Needs the package `lime`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.files.atomic import replacing
from retriever.proof_matching.explanation.explain import (
    AgainstPool,
    Explanation,
    PairScorer,
    Text,
    TfIdfAgainstPool,
    explain_pair,
)
from retriever.proof_matching.explanation.rendering import has_colour, render_html, render_terminal
from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.schema import LEVELS, StatementProof, StatementProofs


def _pair_of(pairs: StatementProofs, key: str, proof_of: str) -> StatementProof:
    """The pair of a key, with the proof of another where one is named. Raises BadRecords."""
    found = {pair.key: pair for pair in pairs.pairs}
    for name in filter(None, (key, proof_of)):
        if name not in found:
            near = next((one for one in found if name.lower() in one.lower()), next(iter(found), "none"))
            raise BadRecords(f"There is no pair {name}.", f"There is, for instance: {near}")
    return replace(found[key], proof=found[proof_of].proof) if proof_of else found[key]


def _pool_of(pairs: StatementProofs, key: str, proof_of: str, count: int, seed: int) -> list[Text]:
    """Proofs of other pairs of the same part, drawn by the seed. Raises BadSettings when there is none."""
    others = [pair.proof for pair in pairs.part(pairs.splits[key]) if pair.key not in (key, proof_of)]
    if count < 1 or not others:
        raise BadSettings("A match is judged against other proofs, and there are none.", "Raise --pool.")
    chosen = np.random.default_rng(seed).permutation(len(others))[:count]
    return [others[number] for number in chosen.tolist()]


def _scorer_of(run: Path | None, pool: Sequence[Text]) -> PairScorer:
    """What is explained: a run's matcher, or TF-IDF. Raises ModelError."""
    if run is None:
        return TfIdfAgainstPool(pool)
    # torch is loaded only for a trained matcher.
    from retriever.proof_matching.training.matcher import open_matcher

    return AgainstPool(open_matcher(run), pool)


def _show(explanation: Explanation, html: Path | None, title: str) -> None:
    """To the terminal, and to a page if one was requested."""
    width = shutil.get_terminal_size((100, 40)).columns
    print(render_terminal(explanation, width=width, colour=has_colour(sys.stdout, os.environ)))
    if html is not None:
        with replacing(html) as stream:
            stream.write(render_html(explanation, title=title))
        print(html)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pairs", type=Path, help="a file of pairs")
    parser.add_argument("key", help="the pair")
    parser.add_argument("--run", type=Path, help="a run of kind match (without: TF-IDF)")
    parser.add_argument("--proof-of", default="", metavar="KEY", help="the pair whose proof is taken")
    parser.add_argument("--side", choices=("proof", "statement"), default="proof", help="whose tokens")
    parser.add_argument("--replacement", choices=LEVELS, default="conservation")
    parser.add_argument("--samples", type=int, default=1000, help="variants that are scored (1000)")
    parser.add_argument("--pool", type=int, default=100, help="other proofs (100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page, too")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    pairs = load_pairs(options.pairs, options.replacement).pairs
    pair = _pair_of(pairs, options.key, options.proof_of)
    pool = _pool_of(pairs, options.key, options.proof_of, options.pool, options.seed)
    scorer = _scorer_of(options.run, pool)
    found = explain_pair(scorer, pair, side=options.side, samples=options.samples, seed=options.seed)
    _show(found, options.html, options.key)
