"""Augmentation of training states: variables renamed, notation off, or both; printed as a newer Lean does.

A model trained on augmented states does not depend on what a goal looks like.

    python -m retriever augment DATASET TOKENIZER

The tokens are kept beside the dataset (`variants-*.npz`), one row for each query and kind. A held-out
query's row is its own state, since nothing is trained on it.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import numpy as np
from tqdm import tqdm

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.records import Goal
from lean_extract.syntax.without_notation import functional
from retriever.lean.augmentation.printing import dotted, shortened
from retriever.lean.augmentation.renaming import renamed
from retriever.lean.dataset.dataset import load_dataset, read_manifest
from retriever.lean.dataset.queries import DatasetQuery, goal_to_read
from retriever.models import text as texts
from retriever.training.tokens import Ragged, encode_states, open_tokenizer

VERSION = 4
Augmentation = Callable[[Goal, Random], Goal]

KINDS: dict[str, Augmentation] = {
    "renamed": renamed,
    "notation_off": lambda goal, random: goal.rewritten(functional),
    "both": lambda goal, random: renamed(goal, random).rewritten(functional),
    "dotted": lambda goal, random: dotted(goal),
    "shortened": lambda goal, random: dotted(shortened(goal, random)),
}
"""The kinds of augmentation, in the order of what `load_augmented` returns."""


def augmented(kind: str, query: DatasetQuery) -> Goal:
    """The query's goal, augmented; always the same for the same theorem and goal. A held-out one stays as it is."""
    if query.split != "train":
        return query.goal
    return KINDS[kind](goal_to_read(query), Random(f"{kind} {query.theorem} {query.goal.target}"))


def load_augmented(dataset: Path, tokenizer: Path) -> tuple[Ragged, ...]:
    """For each of KINDS the states of all queries, [queries]; from the cache, or made now and kept there.

    Raises ModelError, BadRecords.
    """
    path = _cache(dataset, tokenizer)
    if path.is_file():
        with np.load(path) as values:
            return tuple(Ragged(values[f"{kind}.flat"], values[f"{kind}.offsets"]) for kind in KINDS)
    return make_augmented(dataset, tokenizer, path)


def make_augmented(dataset: Path, tokenizer: Path, path: Path) -> tuple[Ragged, ...]:
    """Augment and tokenise every training state, and keep the tokens at `path`."""
    queries = load_dataset(dataset).queries
    model = open_tokenizer(tokenizer)
    model.no_truncation()
    model.no_padding()
    found = {kind: encode_states(model, _texts(kind, queries)) for kind in KINDS}
    parts = {f"{kind}.flat": rows.flat for kind, rows in found.items()}
    starts = {f"{kind}.offsets": rows.offsets for kind, rows in found.items()}
    with replacing_bytes(path) as stream:
        np.savez(stream, **parts, **starts)  # type: ignore[arg-type]
    return tuple(found.values())


def _texts(kind: str, queries: Iterable[DatasetQuery]) -> Iterable[str]:
    bar = tqdm(queries, desc=kind, unit=" states", mininterval=2, disable=None)
    return (texts.state_text(augmented(kind, query)) for query in bar)


def _cache(dataset: Path, tokenizer: Path) -> Path:
    if not tokenizer.is_file():
        raise ModelError(f"There is no tokenizer {tokenizer}.", "Train one, or name another.")
    key = f"{read_manifest(dataset).digest} {texts.VERSION} {VERSION} {tokenizer.read_text(encoding='utf-8')}"
    return dataset / f"variants-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("tokenizer", type=Path, help="a tokenizer.json")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    rows = load_augmented(options.dataset, options.tokenizer)
    print(f"{len(rows[0])} states, {len(rows)} augmentations of each")
