"""Make the examples that a learned ranker is fitted to: the candidates of held-out questions and their features.

    python -m retriever ranking-examples MODEL DATASET OUT.npz [--origin statement inner step comment traced]
        [--states FILE] [--more RECORDS ...] [--without NAMES] [--half tune|report]
        [--definitions RECORDS] [--limit N] [--cache DIR]

The questions are those that the encoder has not seen, of all sources at once: the valid split's statements, goals
inside proofs and steps; the steps of further records, whose premises go by name (`--more`); traced steps over the
dataset's pool (`--states`, origin `traced`). Those of the theorems `--without`, and of their relatives, are left out
of all but the traced ones.

Each is ranked with its state alone, with its file and position and importable candidates, and as in serving (`place`);
a traced step once more with its tactic known. With `--definitions` it, or a statement, is also ranked over premises of
all kinds. Every second question has vectors rounded as the bundled index has them, so that trees know both.
The candidates kept are gold, the first ones by the model's own ranker, and a sample of the others. OUT holds

    features  float32[rows, RANKER_FEATURES]
    gold      bool[rows]
    lengths   int64[rankings], the rows of each
    missing   int64[rankings], gold premises that are not among the candidates
    settings  str[rankings], what was known of each
    theorems  str[rankings], of which theorem
    origins   str[rankings], where each is from
    about     JSON: the features' names, data hash, encoder and tower, questions
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from lean_extract.common.arrays import Bools, Floats, Int64s
from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.common.option_types import positive
from lean_extract.records import PRINTED
from retriever.lean.callers import Caller
from retriever.lean.dataset.dataset import load_records, names_in
from retriever.lean.dataset.queries import HeldOut, further_queries, without_unknown
from retriever.lean.evaluation.pool import HeldOutGoal, OfferedKinds, theorems_of
from retriever.lean.evaluation.rankers import Setting, asked_by, feature_rows, score, served_method
from retriever.lean.evaluation.session import (
    Count,
    EvaluationSession,
    encode_questions,
    is_tuned_on,
    open_session,
    read_states,
    rounded,
)
from retriever.lean.features import load_fusion
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.models.encoder import Encoder
from retriever.models.state_tower import StateTower

TRACED = "traced"
"""The origin of a step whose state and premises Lean printed; others are those of `DatasetQuery`."""
_ARRAYS = ("features", "gold", "lengths", "missing", "settings", "theorems", "origins")
ORIGINS = ("statement", "inner", "step", PRINTED, TRACED)
_HARD, _OTHERS = 250, 100
"""The candidates that are kept besides gold: the first by the model's ranker, and a sample of the others; half of all.
Fits on them are as good as on all, and cross-fitted figures are the same; with 100 and 50, steps lose a point."""
_FIT = "Make it again: python -m retriever ranking-examples MODEL DATASET {path}"


@dataclass(frozen=True, slots=True)
class RankingExamples:
    """Rankings, one after the other."""

    features: npt.NDArray[np.float32]
    gold: npt.NDArray[np.bool_]
    lengths: npt.NDArray[np.int64]
    missing: npt.NDArray[np.int64]
    settings: npt.NDArray[np.str_]
    theorems: npt.NDArray[np.str_]
    origins: npt.NDArray[np.str_]
    about: dict[str, Any]

    def save(self, path: Path) -> None:
        """Write the file atomically. Raises OSError."""
        with replacing_bytes(path) as stream:
            np.savez(
                stream,
                **{name: getattr(self, name) for name in _ARRAYS},
                about=np.array(json.dumps(self.about)),
            )

    @classmethod
    def load(cls, path: Path) -> RankingExamples:
        """Read a file. Raises BadRecords when it is not one, or of other features."""
        try:
            with np.load(path, allow_pickle=False) as found:
                arrays = {name: found[name] for name in _ARRAYS}
                about = json.loads(str(found["about"]))
            if about["features"] != list(RANKER_FEATURES) or len(arrays["features"]) != int(
                arrays["lengths"].sum()
            ):
                raise ValueError("it is of other features")
        except OSError as error:
            raise BadRecords(
                f"{path} cannot be read: {error.strerror or error}.", "Check the path."
            ) from error
        except Exception as error:  # a damaged .npz raises exceptions of many kinds
            raise BadRecords(
                f"{path} does not hold ranking examples: {error}.", _FIT.format(path=path)
            ) from error
        return cls(**arrays, about=about)

    @classmethod
    def joined(cls, parts: Sequence[RankingExamples]) -> RankingExamples:
        """Several files' as one's."""
        if len(parts) == 1:
            return parts[0]
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(**arrays, about={})


_Asked = tuple[str, HeldOutGoal]
"""An origin and a question."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """One question in one setting."""

    features: npt.NDArray[np.float32]
    gold: npt.NDArray[np.bool_]
    missing: int
    setting: str
    theorem: str
    origin: str


def _examples_of(session: EvaluationSession, asked: Sequence[_Asked]) -> Iterator[_Ranking]:
    """Every question in every setting; `caller` and `kinds` of a question are those that it may use.

    Premises of all kinds are ranked where the file is known; what is gold among theorems is less. `place` is what
    serves: candidates are drawn from everything, and features compare them all. What cannot be imported is then left
    out, since a finished proof never uses it, and trees would learn never to offer an import.
    """
    pool, fusion = session.pool, load_fusion(session.model)
    ranker = served_method(pool, session.model, fusion).ranker
    vectors = (session.vectors, rounded(session.dataset, session.vectors))
    states = encode_questions(session, [question for _, question in asked])
    for row, (origin, question) in enumerate(tqdm(asked, unit="question", disable=None)):
        callers: list[Caller] = ["", question.caller] if question.caller else [""]
        for kinds in dict.fromkeys(("theorems", question.kinds)):
            gold = [one for one in question.gold if kinds == "all" or pool.is_theorem[one]]
            if not gold:
                continue
            known = replace(question, kinds=kinds, caller="")
            settings: list[Setting] = ["state", "importable", "place"] if kinds == "theorems" else ["place"]
            scored_in = score(pool, vectors[row % 2], states[row], known, settings)
            ways = [
                (scored, caller)
                for scored in scored_in
                for caller in (callers if scored.setting == "place" else callers[:1])
            ]
            for scored, caller in ways:
                setting, scope = scored.setting, scored.served.there.scope
                numbers, table = feature_rows(pool, fusion.lists, RANKER_FEATURES, asked_by(scored, caller))
                if setting == "place" and scope is not None:
                    numbers, table = numbers[scope[numbers]], table[scope[numbers]]
                is_gold = np.isin(numbers, gold)
                missing = len(gold) - int(is_gold.sum())
                kept = _kept(ranker.score(table[:, : len(ranker.features)]), is_gold)
                name = f"{setting}, {kinds}, caller known" if caller else f"{setting}, {kinds}"
                yield _Ranking(table[kept], is_gold[kept], missing, name, question.theorem, origin)


def _kept(scores: Floats, is_gold: Bools) -> Int64s:
    """Which candidates are examples."""
    order = np.argsort(-scores, kind="stable")
    others = np.random.default_rng(0).permutation(order[_HARD:])[:_OTHERS]
    return np.unique(np.concatenate([order[:_HARD], others, np.flatnonzero(is_gold)]))


def _held_out(
    session: EvaluationSession, without: frozenset[str], more: Sequence[Path], kinds: OfferedKinds
) -> Iterator[_Asked]:
    """What the dataset and further records have of the valid split, but nothing of theorems `without`."""
    dataset, pool = session.dataset, session.pool
    barred = HeldOut.of([dataset.corpus], without)
    found = [query for query in dataset.queries if query.split == "valid" and not barred.names(query.theorem)]
    known = {(query.theorem, query.goal.target) for query in dataset.queries}
    numbers = {name: number for number, name in enumerate(pool.names)}
    for path in more:
        further = load_records(path)
        held_out = HeldOut.of([further.premises, dataset.corpus], without)
        found += further_queries(further.premises, further.proofs, numbers, held_out, known, "valid")
    for query in found:
        of_all: OfferedKinds = kinds if query.origin == "statement" else "theorems"
        gold = frozenset(query.gold) if of_all == "all" else theorems_of(dataset, query.gold)
        if gold:
            place = numbers.get(query.theorem)
            module, line = query.module, query.line
            if place is not None:  # files move between versions
                module, line = pool.modules[place], int(pool.lines[place])
            goal = without_unknown(query.goal)
            yield query.origin, HeldOutGoal(goal, query.theorem, module, line, gold, of_all)


def _sampled(asked: Iterable[_Asked], options: argparse.Namespace) -> list[_Asked]:
    """Those of the wanted origins and half; of each origin a fixed sample of at most the limit."""
    by_origin: dict[str, list[_Asked]] = {origin: [] for origin in options.origin}
    for origin, question in asked:
        is_wanted = options.half is None or is_tuned_on(question.theorem) == (options.half == "tune")
        if origin in by_origin and (is_wanted or origin == TRACED):
            by_origin[origin].append((origin, question))
    return [
        found[index]
        for found in by_origin.values()
        for index in np.sort(np.random.default_rng(0).permutation(len(found))[: options.limit])
    ]


def models_of(encoder: Encoder, tower: StateTower | None) -> str:
    """The fingerprints of what features are computed with."""
    return encoder.fingerprint if tower is None else f"{encoder.fingerprint} with tower {tower.fingerprint}"


def _make_examples(session: EvaluationSession, asked: Sequence[_Asked]) -> RankingExamples:
    """The examples of some questions. Raises BadRecords when there are none."""
    if not asked:
        raise BadRecords("There are no such questions.", "Use a larger dataset, or name other --origin.")
    found = list(_examples_of(session, asked))
    about = {
        "features": list(RANKER_FEATURES),
        "data": session.dataset.manifest.digest,
        "encoder": models_of(session.encoder, session.tower),
        "questions": len(asked),
    }
    return RankingExamples(
        np.concatenate([one.features for one in found]),
        np.concatenate([one.gold for one in found]),
        np.array([len(one.gold) for one in found], dtype=np.int64),
        np.array([one.missing for one in found], dtype=np.int64),
        np.array([one.setting for one in found]),
        np.array([one.theorem for one in found]),
        np.array([one.origin for one in found]),
        about,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with fusion.json")
    parser.add_argument("dataset", type=Path, help="a dataset folder; its corpus is the pool")
    parser.add_argument("out", type=Path, help="the file to write (.npz)")
    origin_help = "of the questions (all)"
    parser.add_argument("--origin", nargs="+", choices=ORIGINS, default=ORIGINS, help=origin_help)
    parser.add_argument("--states", type=Path, help="a file of traced steps")
    more_help = "further records, of another revision: their held-out steps are questions, too"
    parser.add_argument("--more", type=Path, nargs="+", default=[], metavar="RECORDS", help=more_help)
    without_help = "a file of theorem names never to ask about, one a line"
    parser.add_argument("--without", type=Path, metavar="NAMES", help=without_help)
    parser.add_argument("--half", choices=("tune", "report"), help="of the valid split (both)")
    definitions_help = "the dataset's records: ask for premises of all kinds, too"
    parser.add_argument("--definitions", type=Path, metavar="RECORDS", help=definitions_help)
    parser.add_argument("--limit", type=positive, help="questions of each origin, at most (all)")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    without = names_in(options.without)
    bm25 = load_fusion(options.model).bm25
    session = open_session(options.model, options.dataset, options.cache, bm25, options.definitions)
    kinds: OfferedKinds = "all" if options.definitions else "theorems"
    asked = list(_held_out(session, without, options.more, kinds))
    if options.states:
        count: Count = "known" if options.definitions else "theorems"
        found = read_states(options.states, session.pool, count, kinds, callers=True)
        asked += [(TRACED, question) for question in found]
    examples = _make_examples(session, _sampled(asked, options))
    examples.save(options.out)
    print(
        f"{len(examples.lengths):,} rankings, {len(examples.gold):,} candidates, {examples.gold.sum():,} gold"
    )
