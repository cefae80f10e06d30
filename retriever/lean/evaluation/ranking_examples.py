"""Make the examples that a learned ranker is fitted to: the candidates of held-out questions and their features.

    python -m retriever ranking-examples MODEL DATASET OUT.npz [--origin statement inner step]
        [--half tune|report] [--states FILE] [--definitions RECORDS] [--limit 1500] [--cache DIR]
        [--bundled-vectors]

The questions are those of the valid split, which the encoder has not seen: statements and the goals inside their
proofs, or traced steps over the dataset's pool (`--states`). Each is ranked with its state alone, with its file and
position and importable candidates, and as in serving (`place`); a step once more with its tactic known. With
`--definitions` a step, or a statement, is also ranked over premises of all kinds. OUT holds

    features  float32[rows, RANKER_FEATURES]
    gold      bool[rows]
    lengths   int64[rankings], the rows of each
    missing   int64[rankings], gold premises that are not among the candidates
    settings  str[rankings], what was known of each
    theorems  str[rankings], of which theorem
    about     JSON: the features' names, data hash, encoder, questions
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.common.option_types import positive
from retriever.lean.callers import Caller
from retriever.lean.evaluation.pool import HeldOutGoal, OfferedKinds
from retriever.lean.evaluation.rankers import Setting, asked_by, feature_rows, score
from retriever.lean.evaluation.session import (
    Count,
    EvaluationSession,
    add_bundled_option,
    encode_questions,
    is_tuned_on,
    open_session,
    read_states,
)
from retriever.lean.features import load_fusion
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.search.fusion import Lists

_ARRAYS = ("features", "gold", "lengths", "missing", "settings", "theorems")
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


@dataclass(frozen=True, slots=True)
class _Ranking:
    """One question in one setting."""

    features: npt.NDArray[np.float32]
    gold: npt.NDArray[np.bool_]
    missing: int
    setting: str
    theorem: str


def _examples_of(
    session: EvaluationSession, questions: Sequence[HeldOutGoal], lists: Lists
) -> Iterator[_Ranking]:
    """Every question in every setting; `caller` and `kinds` of a question are those that it may use.

    Premises of all kinds are ranked where the file is known; what is gold among theorems is less. `place` is what
    serves: candidates are drawn from everything, and features compare them all. What cannot be imported is then left
    out, since a finished proof never uses it, and trees would learn never to offer an import.
    """
    pool = session.pool
    states = encode_questions(session, questions)
    for row, question in enumerate(tqdm(questions, unit="question", disable=None)):
        callers: list[Caller] = ["", question.caller] if question.caller else [""]
        for kinds in dict.fromkeys(("theorems", question.kinds)):
            gold = [one for one in question.gold if kinds == "all" or pool.is_theorem[one]]
            if not gold:
                continue
            known = replace(question, kinds=kinds, caller="")
            settings: list[Setting] = ["state", "importable", "place"] if kinds == "theorems" else ["place"]
            scored_in = score(pool, session.vectors, states[row], known, settings)
            ways = [
                (scored, caller)
                for scored in scored_in
                for caller in (callers if scored.setting == "place" else callers[:1])
            ]
            for scored, caller in ways:
                setting, scope = scored.setting, scored.served.there.scope
                numbers, table = feature_rows(pool, lists, RANKER_FEATURES, asked_by(scored, caller))
                if setting == "place" and scope is not None:
                    numbers, table = numbers[scope[numbers]], table[scope[numbers]]
                is_gold = np.isin(numbers, gold)
                name = f"{setting}, {kinds}, caller known" if caller else f"{setting}, {kinds}"
                yield _Ranking(table, is_gold, len(gold) - int(is_gold.sum()), name, question.theorem)


def _held_out(
    session: EvaluationSession,
    origins: Sequence[str],
    half: str,
    limit: int,
    kinds: OfferedKinds = "theorems",
) -> list[HeldOutGoal]:
    """Queries of these origins in a half of the valid split; a fixed sample of at most `limit`."""
    found = [
        HeldOutGoal(query.goal, query.theorem, query.module, query.line, frozenset(query.gold), kinds)
        for query in session.dataset.queries
        if query.split == "valid"
        and query.origin in origins
        and is_tuned_on(query.theorem) == (half == "tune")
    ]
    chosen = np.sort(np.random.default_rng(0).permutation(len(found))[:limit])
    return [found[index] for index in chosen]


def _make_examples(session: EvaluationSession, questions: Sequence[HeldOutGoal]) -> RankingExamples:
    """The examples of some questions. Raises BadRecords when there are none."""
    if not questions:
        raise BadRecords("There are no such questions.", "Use a larger dataset, or name other --origin.")
    found = list(_examples_of(session, questions, load_fusion(session.model).lists))
    about = {
        "features": list(RANKER_FEATURES),
        "data": session.dataset.manifest.digest,
        "encoder": session.encoder.fingerprint,
        "questions": len(questions),
    }
    return RankingExamples(
        np.concatenate([one.features for one in found]),
        np.concatenate([one.gold for one in found]),
        np.array([len(one.gold) for one in found], dtype=np.int64),
        np.array([one.missing for one in found], dtype=np.int64),
        np.array([one.setting for one in found]),
        np.array([one.theorem for one in found]),
        about,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with fusion.json")
    parser.add_argument("dataset", type=Path, help="a dataset folder; its corpus is the pool")
    parser.add_argument("out", type=Path, help="the file to write (.npz)")
    parser.add_argument("--origin", nargs="+", default=["statement"], help="of the queries (statement)")
    parser.add_argument(
        "--half", choices=("tune", "report"), default="tune", help="of the valid split (tune)"
    )
    parser.add_argument("--states", type=Path, help="ask these traced steps instead")
    definitions_help = "the dataset's records: ask for premises of all kinds, too"
    parser.add_argument("--definitions", type=Path, metavar="RECORDS", help=definitions_help)
    parser.add_argument("--limit", type=positive, default=1500, help="questions, at most (1500)")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")
    add_bundled_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    fusion = load_fusion(options.model)
    session = open_session(
        options.model,
        options.dataset,
        options.cache,
        fusion.bm25,
        options.definitions,
        is_bundled=options.bundled_vectors,
    )
    kinds: OfferedKinds = "all" if options.definitions else "theorems"
    if options.states:
        count: Count = "known" if options.definitions else "theorems"
        questions = read_states(options.states, session.pool, count, kinds, callers=True)[: options.limit]
    else:
        questions = _held_out(session, options.origin, options.half, options.limit, kinds)
    examples = _make_examples(session, questions)
    examples.save(options.out)
    print(
        f"{len(examples.lengths):,} rankings, {len(examples.gold):,} candidates, {examples.gold.sum():,} gold"
    )
