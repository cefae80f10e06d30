"""Fit the learned ranker: LambdaRank trees (LightGBM) over examples of questions that the encoder has not seen.

The trees begin with a share of the fusion's weighted sum and learn what it lacks.

    python -m retriever fit-ranker MODEL EXAMPLES.npz... [--weights W...] [--rounds 240] [--gains FILE.md]
        [--folds N [--leave-out FEATURE...]]

EXAMPLES are files of `python -m retriever ranking-examples`, each with a weight (1): a set with more questions
counts more, so weights keep a small one from being lost. Writes `ranker.onnx` into the model folder, and prints
how much each feature brought (the sum of the gains of its splits). With `--folds` nothing is written: the examples
are judged by trees fitted without their theorem's fold, and with `--leave-out` as if some features were not there.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.files.atomic import replacing
from lean_extract.common.option_types import positive
from retriever.lean.evaluation.ranker_graph import write_ranker
from retriever.lean.evaluation.ranking_examples import RankingExamples
from retriever.lean.features import load_fusion
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.metrics import ranking as metrics
from retriever.metrics.bootstrap import table
from retriever.models import encoder

ADDED = {"in_scope": 2.0, "exact_match": 4.0}
"""What the labels cannot show, added to the trees' score in the place of the fusion's weights. A finished proof uses
what its file imports, so the trees never see what an import more is worth; and Mathlib's proofs hardly ever need
what states the very goal, which people's goals do (see `fit_fusion`)."""
_START = 0.3
"""The share of the fusion's weighted sum that the trees begin with. By cross-validation: with the whole sum or twice
that, scores are so far apart that LambdaRank learns little; with none, statements lose two points of MRR."""
_FEWEST_FOLDS = 2
_PARAMETERS = {
    "objective": "lambdarank",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "lambdarank_truncation_level": 20,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "max_bin": 127,
    "label_gain": [0, 1],
    "seed": 7,
    "deterministic": True,
    "verbose": -1,
}


def fit_trees(
    parts: Sequence[RankingExamples],
    weights: Sequence[float],
    rounds: int,
    threads: int,
    start: Mapping[str, float] = MappingProxyType({}),
) -> Any:
    """The LightGBM model, whose trees add to a weighted sum of features, `start`.

    Raises BadRecords when no ranking has a gold premise among its candidates.
    """
    import lightgbm

    features, gold, lengths, counted = [], [], [], []
    for part, weight in zip(parts, weights, strict=True):
        kept = np.repeat(_with_gold(part), part.lengths)
        features.append(part.features[kept])
        gold.append(part.gold[kept])
        lengths.append(part.lengths[_with_gold(part)])
        counted.append(np.full(int(kept.sum()), weight, dtype=np.float32))
    if not sum(map(len, lengths)):
        raise BadRecords(
            "No ranking has a gold premise among its candidates.", "Make examples of a larger dataset."
        )
    rows = np.concatenate(features)
    data = lightgbm.Dataset(
        rows,
        np.concatenate(gold).astype(np.int32),
        group=np.concatenate(lengths),
        weight=np.concatenate(counted),
        init_score=rows @ weights_of(start),
        feature_name=list(RANKER_FEATURES),
    )
    parameters = {**_PARAMETERS, "num_threads": threads}
    with tqdm(total=rounds, unit="tree", disable=None) as bar:
        return lightgbm.train(parameters, data, rounds, callbacks=[lambda _: bar.update()])


def weights_of(named: Mapping[str, float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """float32[len(RANKER_FEATURES)]: the weights by name, 0 for any other feature."""
    return np.array([named.get(name, 0.0) for name in RANKER_FEATURES], dtype=np.float32)


def started_from(model: Path) -> dict[str, float]:
    """The weights that the trees add to: a share of the fusion's of a model folder. Raises ModelError."""
    fusion = load_fusion(model)
    return {name: _START * weight for name, weight in zip(fusion.features, fusion.weights, strict=True)}


def _with_gold(part: RankingExamples) -> np.ndarray[Any, np.dtype[np.bool_]]:
    owners = np.repeat(np.arange(len(part.lengths)), part.lengths)
    return np.bincount(owners, part.gold, minlength=len(part.lengths)) > 0


def _gains_table(booster: Any) -> str:
    """The features in Markdown, the one with the largest gain first, in percent of all gains."""
    gains = np.asarray(booster.feature_importance("gain"), dtype=np.float64)
    share = 100 * gains / max(gains.sum(), 1e-9)
    order = np.argsort(-share, kind="stable")
    return table(["feature", "gain %"], [[RANKER_FEATURES[i], f"{share[i]:.1f}"] for i in order.tolist()])


def _fit_ranker(
    model: Path, parts: Sequence[RankingExamples], weights: Sequence[float], rounds: int, threads: int = 1
) -> Any:
    """Fit and write `ranker.onnx`; returns the booster. Raises BadRecords, ModelError, BadSettings."""
    fingerprint = encoder.fingerprint_of(model)
    for part in parts:
        if part.about["encoder"] != fingerprint:
            raise BadRecords(
                f"Examples were made with the encoder {part.about['encoder']}, the model has {fingerprint}.",
                "Make them again with this model.",
            )
    start = started_from(model)
    booster = fit_trees(parts, weights, rounds, threads, start)
    sources = "; ".join(
        f"{part.about['questions']} questions of data {part.about['data'][:16]}, weight {weight:g}"
        for part, weight in zip(parts, weights, strict=True)
    )
    write_ranker(
        model, booster.dump_model(), {**start, **ADDED}, f"{sources}; encoder {fingerprint}, {rounds} trees"
    )
    return booster


def _judged(options: argparse.Namespace, parts: Sequence[RankingExamples], weights: Sequence[float]) -> str:
    if options.folds < _FEWEST_FOLDS:
        raise BadSettings("One fold leaves nothing to fit to.", "Give --folds 2 or more.")
    if options.leave_out:
        parts = [without_features(part, options.leave_out) for part in parts]

    start = started_from(options.model)

    def fit(rest: Sequence[RankingExamples]) -> Scores:
        booster = fit_trees(rest, weights, options.rounds, options.threads, start)
        return lambda rows: booster.predict(rows) + rows @ weights_of(start)

    scores = cross_validated(parts, options.folds, fit)
    return _figures_table([path.stem for path in options.examples], parts, scores)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("examples", type=Path, nargs="+", help="files of ranking-examples")
    parser.add_argument("--weights", type=float, nargs="*", help="one for each file (1)")
    parser.add_argument("--rounds", type=positive, default=240, help="trees (240)")
    parser.add_argument("--threads", type=positive, default=1, help="threads (1)")
    folds_help = "write nothing; cross-validate with this many folds of theorems"
    parser.add_argument("--folds", type=positive, help=folds_help)
    out_help = "with --folds: features that count as 0, by the beginnings of their names"
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="FEATURE", help=out_help)
    parser.add_argument("--gains", type=Path, help="write the table of gains to this file")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    weights = options.weights or [1.0] * len(options.examples)
    if len(weights) != len(options.examples) or min(weights) <= 0:
        raise BadSettings("--weights needs one positive number for each file.", "Give as many as files.")
    parts = [RankingExamples.load(path) for path in options.examples]
    if options.folds:
        print(_judged(options, parts, weights))
        return
    booster = _fit_ranker(options.model, parts, weights, options.rounds, options.threads)
    found = _gains_table(booster)
    if options.gains:
        with replacing(options.gains) as stream:
            stream.write(f"{found}\n")
    print(found)


Scores = Callable[[Floats], Floats]
"""float32[rows]: the scores of float32[rows, RANKER_FEATURES]."""
Fit = Callable[[Sequence[RankingExamples]], Scores]
"""Fits a ranker to examples."""
_COLUMNS = ("rankings", "R@1", "R@10", "MRR")


def fold_of(theorem: str, folds: int) -> int:
    """The fold of a theorem, by the hash of its name."""
    return int(hashlib.sha256(f"fold {theorem}".encode()).hexdigest(), 16) % folds


def _chosen(part: RankingExamples, keep: npt.NDArray[np.bool_]) -> RankingExamples:
    """The rankings (bool[rankings]) of some examples."""
    rows = np.repeat(keep, part.lengths)
    return replace(
        part,
        features=part.features[rows],
        gold=part.gold[rows],
        lengths=part.lengths[keep],
        missing=part.missing[keep],
        settings=part.settings[keep],
        theorems=part.theorems[keep],
    )


def without_features(part: RankingExamples, names: Sequence[str]) -> RankingExamples:
    """The examples with the columns whose names begin with one of `names` set to 0."""
    columns = [name.startswith(tuple(names)) for name in RANKER_FEATURES]
    features = part.features.copy()
    features[:, columns] = 0.0
    return replace(part, features=features)


def cross_validated(parts: Sequence[RankingExamples], folds: int, fit: Fit) -> list[Floats]:
    """float32[rows] of each part: the scores by rankers that were fitted without the theorem's fold."""
    places = [np.array([fold_of(name, folds) for name in part.theorems.tolist()]) for part in parts]
    scores = [np.zeros(len(part.gold), dtype=np.float32) for part in parts]
    for fold in range(folds):
        score = fit([_chosen(part, place != fold) for part, place in zip(parts, places, strict=True)])
        for part, place, found in zip(parts, places, scores, strict=True):
            rows = np.repeat(place == fold, part.lengths)
            if rows.any():
                found[rows] = score(part.features[rows])
    return scores


def figures(part: RankingExamples, scores: Floats) -> dict[str, list[float]]:
    """(rankings, R@1, R@10, MRR) in percent, by setting; gold that is no candidate counts as missed."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    bounds = np.cumsum([0, *part.lengths.tolist()])
    for place, setting in enumerate(part.settings.tolist()):
        rows = slice(bounds[place], bounds[place + 1])
        order = np.argsort(-scores[rows], kind="stable").tolist()
        gold = np.flatnonzero(part.gold[rows]).tolist()
        gold += range(len(order), len(order) + int(part.missing[place]))
        recalls = (metrics.recall_at(order, gold, 1), metrics.recall_at(order, gold, 10))
        found.setdefault(setting, []).append((*recalls, metrics.reciprocal_rank(order, gold)))
    return {
        setting: [float(len(rows)), *(100 * np.mean(rows, axis=0)).tolist()]
        for setting, rows in found.items()
    }


def _figures_table(names: Sequence[str], parts: Sequence[RankingExamples], scores: Sequence[Floats]) -> str:
    """The figures of all parts in Markdown."""
    rows = [
        [name, setting, f"{values[0]:.0f}", *(f"{value:.1f}" for value in values[1:])]
        for name, part, found in zip(names, parts, scores, strict=True)
        for setting, values in figures(part, found).items()
    ]
    return table(["examples", "asked", *_COLUMNS], rows)
