"""A model folder and a dataset, made ready for ranking: pool, vectors, questions."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from lean_extract.common.arrays import Floats, Ids
from lean_extract.common.errors import BadRecords
from lean_extract.goals import parse_state
from lean_extract.records import Goal, Premise, read_header, to_json
from retriever.lean.callers import caller_of
from retriever.lean.dataset.dataset import Dataset, load_dataset, load_records
from retriever.lean.dataset.queries import DatasetQuery
from retriever.lean.evaluation.pool import HeldOutGoal, OfferedKinds, Pool, pool_of, questions_of
from retriever.lean.index.bundle_parts import as_bundled
from retriever.lean.theorems import is_theorem
from retriever.lean.training.vectors import corpus_vectors
from retriever.models.encoder import Encoder
from retriever.models.state_tower import StateTower
from retriever.search.bm25 import Bm25Parameters

Part = Literal["tune", "valid", "test"]
PARTS: tuple[Part, ...] = ("tune", "valid", "test")
"""The valid split has two halves, by hash: weights are fitted on `tune`, figures reported on `valid`."""


@dataclass(frozen=True, slots=True)
class EvaluationSession:
    """What every command of this package works on."""

    model: Path
    """The model's folder."""
    cache: Path | None
    """Where vectors that took long may be kept; None: nowhere."""
    dataset: Dataset
    encoder: Encoder
    tower: StateTower | None
    pool: Pool
    vectors: Floats
    """[pool, d]"""


def open_session(
    model: Path,
    dataset: Path,
    cache: Path | None = None,
    parameters: Bm25Parameters | None = None,
    definitions: Path | None = None,
    *,
    is_bundled: bool = False,
) -> EvaluationSession:
    """Load both and embed the corpus, or take its vectors from the cache; the pool is the dataset's corpus, and
    the definitions of a records file where one is named. Raises ModelError, BadRecords.

    Args:
        is_bundled: whether vectors are rounded as those of the bundled index are.
    """
    loaded = load_dataset(dataset)
    if definitions is not None:
        loaded = _with_definitions(loaded, definitions)
    encoder = Encoder.load(model)
    tower = StateTower.of_model(model, encoder)
    vectors = corpus_vectors(loaded, encoder, cache)
    if is_bundled:
        vectors = rounded(loaded, vectors)
    pool = pool_of(loaded, parameters or Bm25Parameters())
    return EvaluationSession(model, cache, loaded, encoder, tower, pool, vectors)


def rounded(dataset: Dataset, vectors: Floats) -> Floats:
    """[corpus, d] The vectors as those of the bundled index are."""
    order, found = by_file(dataset), np.empty_like(vectors)
    found[order] = as_bundled(vectors[order], dataset.use_counts()[order] > 0)
    return found


def by_file(dataset: Dataset) -> Ids:
    """int64[corpus] The corpus in the order of the bundled index: module after module, by line."""
    keys = [(one.module, one.span.start.line if one.span else 0) for one in dataset.corpus]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def add_bundled_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--bundled-vectors`, which is `is_bundled` of a session."""
    text = "round the premises' vectors as those of the bundled index are"
    parser.add_argument("--bundled-vectors", action="store_true", help=text)


def part_questions(dataset: Dataset, part: Part, limit: int) -> list[HeldOutGoal]:
    """The statements of one part of the held-out theorems; a fixed sample of at most `limit`."""
    if part == "test":
        return questions_of(dataset, "test", limit)
    found = questions_of(dataset, "valid", len(dataset.queries) + 1)
    half = [question for question in found if is_tuned_on(question.theorem) == (part == "tune")]
    if len(half) <= limit:
        return half
    return [half[index] for index in np.sort(np.random.default_rng(0).permutation(len(half))[:limit])]


def is_tuned_on(theorem: str) -> bool:
    """Which half of the valid split a theorem is in: the parity of its hash's quotient by 50."""
    return int(hashlib.sha256(theorem.encode()).hexdigest(), 16) // 50 % 2 == 0


def encode_states(encoder: Encoder, questions: Sequence[HeldOutGoal]) -> Floats:
    """[q, d] The questions' states, cut to what the encoder reads as the service cuts them."""
    return encoder.encode_states([question.goal for question in questions])


def encode_questions(session: EvaluationSession, questions: Sequence[HeldOutGoal]) -> Floats:
    """[q, 3, d] The questions' states, their targets without hypotheses, and the states as the tower reads them."""
    encoder, tower = session.encoder, session.tower
    states = encode_states(encoder, questions)
    targets = encoder.encode_states([Goal((), question.goal.target) for question in questions])
    read = states if tower is None else tower.encode_states([question.goal for question in questions])
    return np.stack([states, targets, read], axis=1)


def describe(
    session: EvaluationSession, part: str, questions: Sequence[HeldOutGoal], seconds: float
) -> dict[str, Any]:
    """What was measured, as JSON values."""
    manifest = session.dataset.manifest
    return {
        "part": part,
        "questions": len(questions),
        "gold_per_question": round(sum(len(question.gold) for question in questions) / len(questions), 2),
        "pool": len(session.pool),
        "revision": manifest.revision,
        "data": manifest.digest,
        "encoder": session.encoder.fingerprint,
        "seconds": round(seconds, 1),
    }


def _with_definitions(dataset: Dataset, records: Path) -> Dataset:
    """The dataset with the definitions of its records: offered, voted for and counted as an index has them.

    The corpus of a dataset holds theorems, for these are what the encoder is trained on. The premises of other kinds
    come after them, from the records that the dataset was made of, and what the proofs of the dataset's statements
    use of them becomes gold. The digest is another one. Raises BadRecords.
    """
    revision = read_header(records).revision
    if revision != dataset.manifest.revision:
        raise BadRecords(
            f"{records} is of revision {revision}, the dataset of {dataset.manifest.revision}.",
            "Name the records that the dataset was made of.",
        )
    read = load_records(records)
    further = _definitions_of(read.premises, dataset.corpus)
    numbers = {one.name: number for number, one in enumerate(further, start=len(dataset.corpus))}
    used: dict[str, frozenset[int]] = {}
    for proof in read.proofs:
        found = frozenset(numbers[name] for name in proof.premises if name in numbers)
        used[proof.theorem] = used.get(proof.theorem, frozenset()) | found
    digest = hashlib.sha256(dataset.manifest.digest.encode())
    for one in further:
        digest.update(json.dumps(to_json(one), sort_keys=True).encode())
    return replace(
        dataset,
        corpus=(*dataset.corpus, *further),
        queries=tuple(_with_gold(query, used) for query in dataset.queries),
        manifest=replace(dataset.manifest, digest=digest.hexdigest()),
    )


def _definitions_of(premises: Sequence[Premise], corpus: Sequence[Premise]) -> list[Premise]:
    """The premises that are no theorems, by name; the first of a name counts."""
    known = {premise.name for premise in corpus}
    found: dict[str, Premise] = {}
    for premise in premises:
        if not premise.is_private and not is_theorem(premise) and premise.name not in known:
            found.setdefault(premise.name, premise)
    return [found[name] for name in sorted(found)]


def _with_gold(query: DatasetQuery, used: dict[str, frozenset[int]]) -> DatasetQuery:
    if query.origin != "statement" or not used.get(query.theorem):
        return query
    return replace(query, gold=(*query.gold, *sorted(used[query.theorem])))


Count = Literal["theorems", "elsewhere", "known", "everything"]
COUNTS: tuple[Count, ...] = get_args(Count)
"""Which premises of a traced step are gold:

theorems     the theorems that the pool holds; steps without any are left out
elsewhere    the theorems of these that are in other files than the step
known        those of any kind that the pool holds
everything   all that are annotated, core's too; one that the pool lacks cannot be found
"""


def read_states(
    path: Path,
    pool: Pool,
    count: Count = "theorems",
    kinds: OfferedKinds = "theorems",
    *,
    callers: bool = False,
) -> list[HeldOutGoal]:
    """The steps of a file that have gold premises, as questions.

    The file has one tactic a line: theorem, file, step, state_before, tactic, premises, core_premises (LeanDojo's
    form; `core_premises` may be absent).

    A theorem of the pool has its place there: files move between versions. Gold premises that
    the pool lacks have numbers from `len(pool)` on. With `callers` the tactic of its step is known.

    Raises BadRecords when there is no such file or a line is not such a step, BadState when a state cannot be
    read.
    """
    numbers = {name: number for number, name in enumerate(pool.names)}
    questions = []
    for line_number, line in enumerate(_lines(path), start=1):
        try:
            step = json.loads(line)
            theorem, file, state, tactic, premises = (
                step[key] for key in ("theorem", "file", "state_before", "tactic", "premises")
            )
            annotated = dict.fromkeys([*premises, *step.get("core_premises", ())])
        except (ValueError, KeyError, TypeError) as error:
            raise BadRecords(
                f"{path}:{line_number}: not a traced step: {error}", "Use a file of traced steps."
            ) from error
        annotated.pop(theorem, None)
        gold = frozenset(numbers[name] for name in annotated if name in numbers)
        if count in ("theorems", "elsewhere"):
            gold = frozenset(number for number in gold if pool.is_theorem[number])
        if count == "everything":
            gold |= frozenset(range(len(pool), len(pool) + len(annotated) - len(gold)))
        goals = parse_state(state).goals
        if gold and goals:
            number = numbers.get(theorem)
            at = int(pool.lines[number]) if number is not None else None
            module = file.removesuffix(".lean").replace("/", ".") if number is None else pool.modules[number]
            if count == "elsewhere":
                gold = frozenset(one for one in gold if pool.modules[one] != module)
            caller = caller_of(tactic) if callers else ""
            if gold:
                questions.append(HeldOutGoal(goals[0], theorem, module, at, gold, kinds, caller))
    return questions


def _lines(path: Path) -> list[str]:
    hint = "Use a file of traced steps."
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", hint) from error
    except UnicodeDecodeError as error:
        raise BadRecords(f"{path} is not UTF-8: byte {error.start} cannot be decoded.", hint) from error
