"""Fit the learned ranker: LambdaRank trees (LightGBM) over examples of questions that the encoder has not seen.

The trees begin with a share of the fusion's weighted sum and learn what it lacks.

    python -m retriever fit-ranker MODEL EXAMPLES.npz... [--weights ORIGIN=W ...] [--rounds 240] [--gains FILE.md]
        [--folds N [--leave-out FEATURE...] [--json FILE]]

EXAMPLES are files of `python -m retriever ranking-examples`. Weights are how much a question of an origin counts.
Writes `ranker.onnx` into the model folder, and prints how much each feature brought (the sum of the gains of its
splits). With `--folds` nothing is written: the examples are judged by trees fitted without their theorem's fold, and
with `--leave-out` as if some features were not there.
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
from lean_extract.common.verbs import add_json_option, write_json
from retriever.lean.evaluation.ranker_graph import write_ranker
from retriever.lean.evaluation.ranking_examples import ORIGINS, RankingExamples, models_of
from retriever.lean.features import load_fusion
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.votes import VOTES
from retriever.metrics import ranking as metrics
from retriever.metrics.bootstrap import table
from retriever.models.encoder import Encoder
from retriever.models.state_tower import StateTower

ADDED = {"in_scope": 2.0, "exact_match": 4.0}
"""What the labels cannot show, added to the trees' score in the place of the fusion's weights. A finished proof uses
what its file imports, so the trees never see what an import more is worth; and Mathlib's proofs hardly ever need
what states the very goal, which people's goals do (see `fit_fusion`)."""
_RISING = frozenset(
    {
        *("exact_match", "instance", "assumed", "neighbours", "used_nearby"),
        *(*VOTES, "votes_share", "votes_lift", "votes_log_rank"),
        *("match_left", "match_left_share", "match_inside", "match_inside_share"),
        *("match_known_left", "match_known"),
    }
)
"""Features of which more never counts against a premise. Proofs of Mathlib hardly ever use what states the very goal,
which free trees may hold against it; and in a small library a vote brought a premise less than it should."""
_START = 0.3
"""The share of the fusion's weighted sum that the trees begin with. By cross-validation: with the whole sum or twice
that, scores are so far apart that LambdaRank learns little; with none, statements lose two points of MRR."""
_WEIGHTS = {"statement": 2.0}
"""How much a question of an origin counts, where that is not 1."""
_FEWEST_FOLDS = 2
_PARAMETERS = {
    "objective": "lambdarank",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "lambdarank_truncation_level": 20,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "max_bin": 127,
    "monotone_constraints": [int(name in _RISING) for name in RANKER_FEATURES],
    "label_gain": [0, 1],
    "seed": 7,
    "deterministic": True,
    "verbose": -1,
}


def fit_trees(
    examples: RankingExamples,
    weights: Mapping[str, float],
    rounds: int,
    *,
    threads: int = 1,
    start: Mapping[str, float] = MappingProxyType({}),
) -> Any:
    """The LightGBM model, whose trees add to a weighted sum of features, `start`; `weights` is how much a question of
    an origin counts, 1 where it is not there.

    Raises BadRecords when no ranking has a gold premise among its candidates.
    """
    import lightgbm

    found = _chosen(examples, _with_gold(examples))
    if not len(found.lengths):
        raise BadRecords(
            "No ranking has a gold premise among its candidates.", "Make examples of a larger dataset."
        )
    counted = np.array([weights.get(origin, 1.0) for origin in found.origins.tolist()], dtype=np.float32)
    parameters = {**_PARAMETERS, "num_threads": threads}
    data = lightgbm.Dataset(
        found.features,
        found.gold.astype(np.int32),
        group=found.lengths,
        weight=np.repeat(counted, found.lengths),
        init_score=found.features @ weights_of(start),
        feature_name=list(RANKER_FEATURES),
        params=parameters,
    ).construct()
    del found  # LightGBM has its own, a quarter as large
    with tqdm(total=rounds, unit="tree", disable=None) as bar:
        return lightgbm.train(parameters, data, rounds, callbacks=[lambda _: bar.update()])


def weights_of(named: Mapping[str, float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """float32[len(RANKER_FEATURES)]: the weights by name, 0 for any other feature."""
    return np.array([named.get(name, 0.0) for name in RANKER_FEATURES], dtype=np.float32)


def started_from(model: Path) -> dict[str, float]:
    """The weights that the trees add to: a share of the fusion's of a model folder. Raises ModelError."""
    fusion = load_fusion(model)
    return {name: _START * weight for name, weight in zip(fusion.features, fusion.weights, strict=True)}


def _with_gold(examples: RankingExamples) -> npt.NDArray[np.bool_]:
    owners = np.repeat(np.arange(len(examples.lengths)), examples.lengths)
    return np.bincount(owners, examples.gold, minlength=len(examples.lengths)) > 0


def _gains_table(booster: Any) -> str:
    """The features in Markdown, the one with the largest gain first, in percent of all gains."""
    gains = np.asarray(booster.feature_importance("gain"), dtype=np.float64)
    share = 100 * gains / max(gains.sum(), 1e-9)
    order = np.argsort(-share, kind="stable")
    return table(["feature", "gain %"], [[RANKER_FEATURES[i], f"{share[i]:.1f}"] for i in order.tolist()])


def _fit_ranker(
    model: Path, parts: list[RankingExamples], weights: Mapping[str, float], options: argparse.Namespace
) -> str:
    """Fit and write `ranker.onnx`; the table of gains. Raises BadRecords, ModelError, BadSettings."""
    encoder = Encoder.load(model)
    models = models_of(encoder, StateTower.of_model(model, encoder))
    for part in parts:
        if part.about["encoder"] != models:
            raise BadRecords(
                f"Examples were made with the encoder {part.about['encoder']}, the model has {models}.",
                "Make them again with this model.",
            )
    start = started_from(model)
    sources = [f"{part.about['questions']} questions of data {part.about['data'][:16]}" for part in parts]
    examples = RankingExamples.joined(parts)
    parts.clear()  # they take gigabytes
    booster = fit_trees(examples, weights, options.rounds, threads=options.threads, start=start)
    counted = [f"{origin} weighs {weight:g}" for origin, weight in weights.items()]
    fitted_on = "; ".join([*sources, *counted, f"encoder {models}, {options.rounds} trees"])
    write_ranker(model, booster.dump_model(), {**start, **ADDED}, fitted_on)
    return _gains_table(booster)


def _judged(options: argparse.Namespace, parts: list[RankingExamples], weights: Mapping[str, float]) -> str:
    if options.folds < _FEWEST_FOLDS:
        raise BadSettings("One fold leaves nothing to fit to.", "Give --folds 2 or more.")
    examples = RankingExamples.joined(parts)
    parts.clear()
    if options.leave_out:
        examples = without_features(examples, options.leave_out)
    start = started_from(options.model)

    def fit(rest: RankingExamples) -> Scores:
        booster = fit_trees(rest, weights, options.rounds, threads=options.threads, start=start)
        return lambda rows: booster.predict(rows) + rows @ weights_of(start)

    scores = cross_validated(examples, options.folds, fit)
    found = sorted(figures(examples, scores).items())
    write_json(options.json, {f"{origin}: {setting}": values for (origin, setting), values in found})
    rows = [
        [origin, setting, f"{values[0]:.0f}", *(f"{value:.1f}" for value in values[1:])]
        for (origin, setting), values in found
    ]
    return table(["origin", "asked", *_COLUMNS], rows)


def _weight(text: str) -> tuple[str, float]:
    """ORIGIN=W. Raises ValueError, which argparse reports."""
    origin, _, weight = text.partition("=")
    if origin not in ORIGINS or not float(weight) > 0:
        raise ValueError(text)
    return origin, float(weight)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("examples", type=Path, nargs="+", help="files of ranking-examples")
    shown = " ".join(f"{origin}={weight:g}" for origin, weight in _WEIGHTS.items())
    weights_help = f"how much a question of an origin counts, above 0 ({shown}, others 1)"
    parser.add_argument(
        "--weights", type=_weight, nargs="+", default=[], metavar="ORIGIN=W", help=weights_help
    )
    parser.add_argument("--rounds", type=positive, default=240, help="trees (240)")
    parser.add_argument("--threads", type=positive, default=1, help="threads (1)")
    folds_help = "write nothing; cross-validate with this many folds of theorems"
    parser.add_argument("--folds", type=positive, help=folds_help)
    out_help = "with --folds: features that count as 0, by the beginnings of their names"
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="FEATURE", help=out_help)
    add_json_option(parser)
    parser.add_argument("--gains", type=Path, help="write the table of gains to this file")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    weights = _WEIGHTS | dict(options.weights)
    parts = [RankingExamples.load(path) for path in options.examples]
    if options.folds:
        print(_judged(options, parts, weights))
        return
    found = _fit_ranker(options.model, parts, weights, options)
    if options.gains:
        with replacing(options.gains) as stream:
            stream.write(f"{found}\n")
    print(found)


Scores = Callable[[Floats], Floats]
"""float32[rows]: the scores of float32[rows, RANKER_FEATURES]."""
Fit = Callable[[RankingExamples], Scores]
"""Fits a ranker to examples."""
_COLUMNS = ("rankings", "R@1", "R@10", "MRR")


def fold_of(theorem: str, folds: int) -> int:
    """The fold of a theorem, by the hash of its name."""
    return int(hashlib.sha256(f"fold {theorem}".encode()).hexdigest(), 16) % folds


def _chosen(examples: RankingExamples, keep: npt.NDArray[np.bool_]) -> RankingExamples:
    """The rankings (bool[rankings]) of some examples."""
    rows = np.repeat(keep, examples.lengths)
    return replace(
        examples,
        features=examples.features[rows],
        gold=examples.gold[rows],
        lengths=examples.lengths[keep],
        missing=examples.missing[keep],
        settings=examples.settings[keep],
        theorems=examples.theorems[keep],
        origins=examples.origins[keep],
    )


def without_features(examples: RankingExamples, names: Sequence[str]) -> RankingExamples:
    """The examples with the columns whose names begin with one of `names` set to 0."""
    columns = [name.startswith(tuple(names)) for name in RANKER_FEATURES]
    features = examples.features.copy()
    features[:, columns] = 0.0
    return replace(examples, features=features)


def cross_validated(examples: RankingExamples, folds: int, fit: Fit) -> Floats:
    """float32[rows]: the scores by rankers that were fitted without the theorem's fold."""
    places = np.array([fold_of(name, folds) for name in examples.theorems.tolist()])
    scores = np.zeros(len(examples.gold), dtype=np.float32)
    for fold in range(folds):
        score = fit(_chosen(examples, places != fold))
        rows = np.repeat(places == fold, examples.lengths)
        if rows.any():
            scores[rows] = score(examples.features[rows])
    return scores


def figures(examples: RankingExamples, scores: Floats) -> dict[tuple[str, str], list[float]]:
    """(rankings, R@1, R@10, MRR) in percent, by origin and setting; gold that is no candidate counts as missed."""
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    bounds = np.cumsum([0, *examples.lengths.tolist()])
    keys = zip(examples.origins.tolist(), examples.settings.tolist(), strict=True)
    for place, key in enumerate(keys):
        rows = slice(bounds[place], bounds[place + 1])
        order = np.argsort(-scores[rows], kind="stable").tolist()
        gold = np.flatnonzero(examples.gold[rows]).tolist()
        gold += range(len(order), len(order) + int(examples.missing[place]))
        recalls = (metrics.recall_at(order, gold, 1), metrics.recall_at(order, gold, 10))
        found.setdefault(key, []).append((*recalls, metrics.reciprocal_rank(order, gold)))
    return {key: [float(len(rows)), *(100 * np.mean(rows, axis=0)).tolist()] for key, rows in found.items()}
