"""Questions measured on Dask, some dozens a task: each worker opens the model and the dataset once (docs/scale.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.cluster import ClusterOptions, cluster_client, opened_on_workers, run_tasks
from lean_extract.common.errors import ClusterLost, PremiseSuggestError
from retriever.lean.evaluation.baselines.dense import beside
from retriever.lean.evaluation.measure import SETTINGS, Measure, Measured, Outcome, measure
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import Method, Setting
from retriever.lean.evaluation.registry import open_methods
from retriever.lean.evaluation.session import EvaluationSession, open_session
from retriever.lean.features import load_fusion

_AT_ONCE = 32
"""Questions of a task."""
Shard = tuple[int, Sequence[HeldOutGoal], Sequence[Setting], Collection[str]]


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a session and its methods are opened from. Paths are the same on all workers."""

    model: Path
    dataset: Path
    cache: Path | None
    definitions: Path | None
    beside: tuple[str, ...] = ()
    """Other models, as NAME=FOLDER."""


def opened(options: SessionOptions) -> EvaluationSession:
    """The session. Raises ModelError, BadRecords."""
    bm25 = load_fusion(options.model).bm25
    return open_session(options.model, options.dataset, options.cache, bm25, options.definitions)


class MeasuringProcess:
    """A session and its methods on one worker. Raises ModelError, BadRecords; ClusterLost: its data are others."""

    def __init__(self, options: SessionOptions, methods: Sequence[str], digest: str) -> None:
        self._session = opened(options)
        if _digest(options, self._session) != digest:
            raise ClusterLost(
                "A worker has another model or dataset than this machine.", "Use the same files everywhere."
            )
        others: list[Method] = [beside(self._session, text) for text in options.beside]
        self._methods = [*others, *open_methods(self._session, methods)]

    def measure(self, shard: Shard) -> Measured:
        """What the questions of a shard give."""
        _, questions, settings, without = shard
        return measure(self._session, self._methods, questions, settings, without, shows_progress=False)

    def close(self) -> None:
        """Nothing is held open."""


@contextmanager
def measured_on(
    cluster: ClusterOptions, options: SessionOptions, session: EvaluationSession, methods: Sequence[str]
) -> Iterator[Measure]:
    """A `Measure` for a block, which asks in other processes. Raises UserError, ClusterLost.

    Args:
        cluster: which processes.
        options: what they open.
        session: the same, opened here.
        methods: the names of the model's own methods.
    """
    opening = partial(MeasuringProcess, options, tuple(methods), _digest(options, session))
    with cluster_client(cluster) as client, opened_on_workers(client, opening) as work_of:
        yield partial(_measured, client, work_of(MeasuringProcess.measure))


def _measured(
    client: object,
    work: Callable[[Shard], Measured],
    questions: Sequence[HeldOutGoal],
    settings: Sequence[Setting] = SETTINGS,
    without: Collection[str] = (),
) -> Measured:
    starts = range(0, len(questions), _AT_ONCE)
    shards = [(start, questions[start : start + _AT_ONCE], settings, without) for start in starts]
    found: dict[int, Measured] = {}
    with tqdm(total=len(questions), unit="question", disable=None) as bar:
        for (start, asked, _, _), part in run_tasks(client, work, shards):
            if isinstance(part, PremiseSuggestError):
                raise part
            found[start] = part
            bar.update(len(asked))
    return _joined([found[start] for start in starts])


def _joined(parts: Sequence[Measured]) -> Measured:
    return {
        key: Outcome(
            np.concatenate([part[key].figures for part in parts]),
            np.concatenate([part[key].recalls for part in parts]),
        )
        for key in parts[0]
    }


def _digest(options: SessionOptions, session: EvaluationSession) -> str:
    """A hash of all that decides the figures: models with what lies in their folders, dataset, definitions."""
    found = hashlib.sha256(session.dataset.manifest.digest.encode())
    folders = [options.model, *(Path(text.partition("=")[2]) for text in options.beside)]
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in [*files, *([options.definitions] if options.definitions else [])]:
        with path.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()
