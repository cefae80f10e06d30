"""Stores the retriever's premises for steps: for `python -m prover evaluate`, or for training.

    python -m prover retrieve ENCODER DATASET PAIRS OUT [--part valid] [--limit N] [--premises 10]

DATASET is the retriever's dataset (`python -m retriever dataset`) of the same library as PAIRS. Premises are
ranked as in the service, among those that can be imported at the theorem. Only training proofs vote, and the
theorem itself is not a candidate. After an interruption, the same command continues. OUT is a JSONL file: a
header, then for each step the names, best first, or null if the step is not in the sample that --limit selects.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from lean_extract.files.atomic import replacing
from lean_extract.option_types import positive
from prover.training.data import EncodedPairs
from prover.training.offers import FORMAT, sample, tactic_steps
from prover.training.pairs import TacticPair
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import FusedMethod, in_setting, score
from retriever.lean.evaluation.session import EvaluationSession, encode_questions, open_session
from retriever.lean.features import load_fusion
from retriever.search.fusion import Fusion
from retriever.search.splits import SPLITS
from retriever.training.running.unfinished import unfinished


def rank(
    session: EvaluationSession, weights: Fusion, pairs: list[TacticPair], count: int
) -> Iterator[list[str]]:
    """For each pair, in order, the names of the best `count` premises for its state."""
    questions = [HeldOutGoal(pair.goal, pair.theorem, pair.module, pair.line, frozenset()) for pair in pairs]
    states = encode_questions(session.encoder, questions)
    fused = FusedMethod(session.pool, weights)
    for row, question in enumerate(tqdm(questions, unit="step", disable=None)):
        scored = in_setting(score(session.pool, session.vectors, states[row], question), "importable")
        yield [session.pool.names[number] for number in fused.ranking(scored)[:count]]


def write_retrieved(
    out: Path,
    header: dict[str, object],
    steps: Sequence[TacticPair],
    asked: Sequence[int],
    ranked: Callable[[list[TacticPair]], Iterator[list[str]]],
) -> None:
    """Write the file, or continue what an earlier call with the same header left unfinished.

    `asked` are the indices in `steps` of the steps to rank. Raises OSError.
    """
    with unfinished(out, json.dumps(header)) as (done, keep):
        rest = [row for row in asked if str(row) not in done]
        for row, names in zip(rest, ranked([steps[row] for row in rest]), strict=True):
            keep(str(row), names)
        wanted = set(asked)
        with replacing(out) as stream:
            for line in (header, *(done[str(row)] if row in wanted else None for row in range(len(steps)))):
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")


STOPPED = "Stopped. Run the same command again to continue."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("encoder", type=Path, help="the encoder's folder")
    parser.add_argument("dataset", type=Path, help="the retriever's dataset")
    parser.add_argument("pairs", type=Path, help="a folder that `python -m prover pairs` wrote")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--part", choices=SPLITS, default="valid", help="the split (valid)")
    parser.add_argument(
        "--limit", type=positive, default=sys.maxsize, help="the size of a fixed sample of steps (all)"
    )
    parser.add_argument("--premises", type=positive, default=10, help="premises per step (10)")
    parser.add_argument("--cache", type=Path, help="a folder in which to cache premise vectors")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    _retrieve(options)


def _retrieve(chosen: argparse.Namespace) -> None:
    weights = load_fusion(chosen.encoder)
    session = open_session(chosen.encoder, chosen.dataset, chosen.cache, weights.bm25)
    known = EncodedPairs(chosen.pairs, chosen.part)
    steps = tactic_steps(known)
    asked = sample(len(steps), chosen.limit)
    header = {
        "format": FORMAT,
        "pairs": known.manifest.digest,
        "part": chosen.part,
        "premises": chosen.premises,
        "data": session.dataset.manifest.digest,
        "encoder": session.encoder.fingerprint,
        "fusion": hashlib.sha256(repr(weights).encode()).hexdigest()[:16],
    }
    write_retrieved(
        chosen.out, header, steps, asked, lambda pairs: rank(session, weights, pairs, chosen.premises)
    )
    print(f"{chosen.out}: premises for {len(asked):,} of {len(steps):,} {chosen.part} steps")
