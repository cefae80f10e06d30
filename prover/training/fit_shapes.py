"""Fits a generator of shapes from pairs, on a CPU in minutes, and writes its folder.

    python -m prover fit-shapes PAIRS OUT [--premises FILE ...] [--epochs 6] [--limit N]

PAIRS is a folder that `python -m prover pairs` wrote. FILE is what `python -m prover retrieve` wrote for its valid or
train steps: the pointers to premises are fitted on these lists, those to hypotheses on the train steps, and the
classifier of shapes on all train steps. After each epoch the loss on the valid steps decides what is kept. Steps of
held-out theorems are neither trained on nor counted (`pairs --without`), save that the pointers to premises also
learn from lists of valid steps: the encoder has seen the others' proofs, so ranks are too good there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.errors import BadRecords
from lean_extract.common.option_types import positive
from lean_extract.records import Premise
from prover.shaped import files
from prover.shaped.model import ShapeGenerator
from prover.training import shape_classifier as classifier
from prover.training import shape_pointers as pointers
from prover.training.card import write_shapes_card
from prover.training.data import EncodedPairs
from prover.training.shape_classifier import (
    Example,
    examples_of,
    targets,
    uses_of,
    vocabulary,
    without_own,
)
from prover.training.steps import read_retrieved, sample
from retriever.search.splits import Split

_LEAST, _LEAST_WRITTEN = 5, 8
"""The fewest theorems of a shape, and of one with its premises written out."""
PREMISES = 16
"""How many premises a suggestion gives to the generator (the setting `tactics.premises`)."""
_BEGINS = 0.5
"""The weight of a proof's first step: people ask in the middle of proofs, too."""
_LOCAL_STEPS = 60_000
_HELD = 5
"""Every fifth theorem with lists is held out while pointers to premises are trained."""


def _fit(pairs: Path, out: Path, lists: Sequence[Path], epochs: int, limit: int | None) -> ShapeGenerator:
    """Fit and write a generator. Raises BadRecords."""
    known = EncodedPairs(pairs, "train")
    valid = known.of("valid")
    train_pairs = [known.pairs[row] for row in sample(len(known.pairs), limit or len(known.pairs))]
    train, held = examples_of(train_pairs, "train"), examples_of(valid.pairs, "valid")
    shapes = vocabulary(train, _LEAST, _LEAST_WRITTEN)
    if len(shapes) < 2 or not held:
        raise BadRecords(f"{pairs} has too few steps.", "Make pairs of more records.")
    uses = uses_of(train_pairs, "uses")
    premises = {premise.name: premise for premise in known.premises}
    model, losses = classifier.train(
        [one.bags for one in train],
        targets(train, shapes),
        np.array([_BEGINS if one.pair.origin == "start" else 1.0 for one in train], dtype=np.float32),
        ([one.bags for one in held], targets(held, shapes)),
        len(shapes),
        epochs,
    )
    local, local_losses = _local(train, held, premises, epochs)
    chosen, premise_losses = _premise({"train": known, "valid": valid}, lists, premises, uses, epochs)
    arrays = {**classifier.arrays(model), **local.arrays("local"), **chosen.arrays("premise")}
    about = {
        "max_premises": PREMISES,
        "pairs": known.manifest.digest,
        "lists": [_header(path)["part"] for path in lists],
        "steps": len(train),
        "losses": {
            "shapes": _rounded(losses),
            "local": _rounded(local_losses),
            "premise": _rounded(premise_losses),
        },
    }
    out.mkdir(parents=True, exist_ok=True)
    files.write(out, shapes, arrays, uses, about)
    write_shapes_card(out, about, known.manifest.sources, _LEAST)
    return ShapeGenerator.load(out)


def _local(
    train: Sequence[Example], held: Sequence[Example], premises: Mapping[str, Premise], epochs: int
) -> tuple[pointers.Pointer, list[float]]:
    order = np.random.default_rng(0).permutation(len(train))[:_LOCAL_STEPS]
    some = [train[row] for row in order]
    choices = [
        choice
        for one in tqdm(some, desc="hypotheses", disable=None)
        for choice in pointers.local_choices(one, premises)
    ]
    valid = [choice for one in held for choice in pointers.local_choices(one, premises)]
    return pointers.train("local", choices, valid, epochs)


def _premise(
    known: Mapping[Split, EncodedPairs],
    lists: Sequence[Path],
    premises: Mapping[str, Premise],
    uses: Mapping[str, tuple[int, ...]],
    epochs: int,
) -> tuple[pointers.Pointer, list[float]]:
    train: list[pointers.Choice] = []
    valid: list[pointers.Choice] = []
    for path in lists:
        part = known[_header(path)["part"]]
        for example, offered in _offered(part, path, premises):
            counts = without_own(uses, example.pair) if part.split == "train" else uses
            found = pointers.premise_choices(example, offered, counts)
            is_held = part.split == "valid" and sum(map(ord, example.pair.theorem)) % _HELD == 0
            (valid if is_held else train).extend(found)
    return pointers.train("premise", train, valid, 2 * epochs)


def _offered(
    part: EncodedPairs, path: Path, premises: Mapping[str, Premise]
) -> list[tuple[Example, list[Premise]]]:
    lists = iter(read_retrieved(path, part))
    found = [
        (pair, names) for pair in part.pairs if pair.kind != "term" and (names := next(lists)) is not None
    ]
    examples = examples_of([pair for pair, _ in found], f"{part.split} lists")
    return [
        (one, [premises[name] for name in found[one.index][1] if name in premises][:PREMISES])
        for one in examples
    ]


def _header(path: Path) -> dict[str, Split]:
    try:
        with path.open(encoding="utf-8") as stream:
            header: dict[str, Split] = json.loads(stream.readline())
            if header["part"] not in ("train", "valid"):
                raise ValueError(f"its part is {header['part']!r}")
            return header
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "Write it with `python -m prover retrieve --part valid` or `--part train`."
        raise BadRecords(f"{path} cannot be used: {error}.", hint) from error


def _rounded(losses: Sequence[float]) -> list[float]:
    return [round(loss, 4) for loss in losses]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pairs", type=Path, help="a folder that `python -m prover pairs` wrote")
    parser.add_argument("out", type=Path, help="the generator's folder")
    parser.add_argument("--premises", type=Path, nargs="*", default=[], help="lists of `prover retrieve`")
    parser.add_argument("--epochs", type=positive, default=6, help="passes over the steps (6)")
    parser.add_argument("--limit", type=positive, help="the size of a fixed sample of the train pairs")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    for path in options.premises:
        _header(path)
    made = _fit(options.pairs, options.out, options.premises, options.epochs, options.limit)
    print(f"{options.out}: generator {made.fingerprint}")
