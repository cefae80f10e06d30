"""Stores the retriever's premises for steps: for `python -m prover evaluate`, or for training.

    python -m prover retrieve ENCODER DATASET STEPS OUT [--part valid] [--limit N] [--premises 10]

STEPS is a folder of pairs (`python -m prover pairs`), or a JSONL file with one tactic a line in LeanDojo's form.
DATASET is the retriever's dataset (`python -m retriever dataset`) of the same library. Premises are ranked as in
the service, by the learned ranker if the encoder's folder has one, among those that can be imported at the theorem;
where DATASET lacks the theorem, among all. Only training proofs vote, and the theorem itself is not a candidate.
After an interruption, the same command continues. OUT is a JSONL file: a header, then for each step the names, best
first, or null if the step is not in the sample that --limit selects.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from lean_extract.common.files.atomic import replacing
from lean_extract.common.option_types import positive
from prover.training.data import EncodedPairs
from prover.training.steps import FORMAT, WantedStep, read_steps, sample, tactic_steps
from retriever.lean.evaluation.rankers import Setting, score, served_method
from retriever.lean.evaluation.session import EvaluationSession, encode_questions, open_session
from retriever.lean.features import load_fusion
from retriever.lean.ranker.model import TreeRanker
from retriever.search.splits import SPLITS, Split
from retriever.training.running.partial_results import partial_results

_BLOCK = 64
"""States that are embedded at once."""
_Step = TypeVar("_Step")


def _rank(session: EvaluationSession, steps: Sequence[WantedStep], count: int) -> Iterator[list[str]]:
    """For each step, in order, the names of the best `count` premises for its state."""
    method = served_method(session.pool, session.model, load_fusion(session.model))
    numbers = {name: number for number, name in enumerate(session.pool.names)}
    for start in range(0, len(steps), _BLOCK):
        questions = [step.question(session.pool, numbers) for step in steps[start : start + _BLOCK]]
        for question, state in zip(questions, encode_questions(session, questions), strict=True):
            setting: Setting = "state" if question.line is None else "importable"
            [scored] = score(session.pool, session.vectors, state, question, [setting])
            yield [session.pool.names[number] for number in method.ranking(scored)[:count]]


def write_retrieved(
    out: Path,
    header: dict[str, object],
    steps: Sequence[_Step],
    sampled: Sequence[int],
    ranked: Callable[[list[_Step]], Iterator[list[str]]],
) -> None:
    """Write the file, or continue what an earlier call with the same header left unfinished.

    `sampled` are the indices in `steps` of the steps to rank. Raises OSError.
    """
    with partial_results(out, json.dumps(header)) as (done, keep):
        rest = [row for row in sampled if str(row) not in done]
        for row, names in zip(rest, ranked([steps[row] for row in rest]), strict=True):
            keep(str(row), names)
        wanted = set(sampled)
        with replacing(out) as stream:
            for line in (header, *(done[str(row)] if row in wanted else None for row in range(len(steps)))):
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")


STOPPED = "Stopped. Run the same command again to continue."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("encoder", type=Path, help="the encoder's folder")
    parser.add_argument("dataset", type=Path, help="the retriever's dataset")
    parser.add_argument("steps", type=Path, help="a folder of pairs, or steps in LeanDojo's form (JSONL)")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--part", choices=SPLITS, default="valid", help="the split (valid)")
    parser.add_argument(
        "--limit", type=positive, default=sys.maxsize, help="the size of a fixed sample of steps (all)"
    )
    parser.add_argument("--premises", type=positive, default=10, help="premises per step (10)")
    parser.add_argument("--cache", type=Path, help="a folder in which to cache premise vectors")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    session = open_session(options.encoder, options.dataset, options.cache, load_fusion(options.encoder).bm25)
    ranker = TreeRanker.of_model(options.encoder)
    steps, digest, part = _steps(options.steps, options.part)
    sampled = sample(len(steps), options.limit)
    header = {
        "format": FORMAT,
        "pairs": digest,
        "part": part,
        "premises": options.premises,
        "data": session.dataset.manifest.digest,
        "encoder": session.encoder.fingerprint,
        "fusion": hashlib.sha256(repr(load_fusion(options.encoder)).encode()).hexdigest()[:16],
        "ranker": ranker.fitted_on if ranker else "",
    }
    write_retrieved(
        options.out,
        header,
        steps,
        sampled,
        lambda rest: tqdm(_rank(session, rest, options.premises), total=len(rest), unit="step", disable=None),
    )
    print(f"{options.out}: premises for {len(sampled):,} of {len(steps):,} {part} steps")


def _steps(path: Path, part: Split) -> tuple[list[WantedStep], str, str]:
    """The steps of a folder of pairs or of a file, their hash, and the part's name. Raises BadRecords."""
    if path.is_dir():
        known = EncodedPairs(path, part)
        pairs = tactic_steps(known)
        found = [WantedStep(pair.theorem, pair.module, pair.goal, pair.tactic) for pair in pairs]
        return found, known.manifest.digest, part
    return read_steps(path), hashlib.sha256(path.read_bytes()).hexdigest(), ""
