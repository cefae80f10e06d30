"""Times the retriever: opening an index, and goal to ranked premises with its parts.

    python scripts/bench_retriever.py [--index FOLDER] [--model FOLDER] [--runs N] [--cpu] [--json FILE]

Without --index the bundled Mathlib index is unpacked into a temporary folder. Prints a table; times are
milliseconds, medians over goals of about 128 tokens. Where the model has a re-ranker and the index has
statements, the ranking is timed with and without it. With --cpu this process's own CPU time is counted
rather than the wall clock, for a machine that others use as well (set OMP_NUM_THREADS=1 then).
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import lean_extract
from lean_extract.common.errors import PremiseSuggestError
from lean_extract.records import Goal, Hypothesis, Premise
from lean_extract.source.reader import read_file
from retriever.lean.eligibility import RankRequest
from retriever.lean.features import load_fusion
from retriever.lean.goal_context import GoalContext
from retriever.lean.index import bundled
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.service import PremiseService
from retriever.lean.snapshot import Snapshot
from retriever.lean.tokens import goal_tokens
from retriever.models.encoder import Encoder
from retriever.models.reranker import DEPTH, Reranker
from retriever.models.state_tower import StateTower
from retriever.search.index.store import IndexStore
from retriever.search.indexing.embedding import DOCUMENTS_PER_STEP

MOST = 100
"""How many premises are asked for."""
SAMPLE = 4096
_NUMBERS = itertools.count()
GOALS = (
    ("tsum (fun i ↦ f i + g i) = tsum f + tsum g", "Summable f", "Summable g"),
    ("IsCompact (s ∩ t) ∧ (s ∩ t).Nonempty", "IsCompact s", "IsClosed t"),
    ("∃ y ∈ Set.Icc a b, ∀ x ∈ Set.Icc a b, f x ≤ f y", "ContinuousOn f (Set.Icc a b)", "a ≤ b"),
    ("n + m = m + n ∧ gcd n m ∣ n * k", "0 < n", "m ≠ 0"),
    ("Function.Injective (φ ∘ ψ) ↔ Function.Injective ψ", "Function.Bijective φ", "G →* H"),
)


def goals(tokens: int, encoder: Encoder) -> list[Goal]:
    """The goals, each with hypotheses added until its text has about this many tokens."""
    found = []
    for target, *types in GOALS:
        hypotheses = [Hypothesis((f"h{index}",), kind) for index, kind in enumerate(types)]
        goal = Goal(tuple(hypotheses), target)
        while encoder.count_tokens(goal) < tokens:
            extra = Hypothesis((f"h{len(hypotheses)}",), f"x{len(hypotheses)} ∈ s ∪ t → f x ≤ g x + c")
            hypotheses.append(extra)
            goal = Goal(tuple(hypotheses), target)
        found.append(goal)
    return found


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """Medians of what is done to some goals over and over."""

    asked: list[Goal]
    runs: int
    clock: Callable[[], float]

    def median_ms(self, work: Callable[[Goal], object]) -> float:
        times = []
        for run in range(self.runs * len(self.asked)):
            goal = unseen(self.asked[run % len(self.asked)])
            started = self.clock()
            work(goal)
            times.append((self.clock() - started) * 1000)
        return statistics.median(times)


def unseen(goal: Goal) -> Goal:
    """The goal with a hypothesis more, so that nothing kept for an earlier one answers it."""
    more = Hypothesis((f"h{next(_NUMBERS)}",), "True")
    return replace(goal, hypotheses=(*goal.hypotheses, more))


def measure(stores: list[IndexStore], model: Path, runs: int, *, cpu: bool = False) -> dict[str, float]:
    """Everything, by the wall clock or by this process's own CPU time."""
    clock = time.process_time if cpu else time.perf_counter
    started = clock()
    encoder, fusion = Encoder.load(model), load_fusion(model)
    tower = StateTower.beside(model, encoder)
    loaded = clock()
    models = {"ranker": TreeRanker.beside(model), "tower": tower}
    service = PremiseService(stores, encoder, fusion, **models)
    opened = clock()
    snapshot = Snapshot.open(stores, encoder.fingerprint, fusion)
    watch = Stopwatch(goals(128, encoder), runs, clock)
    where = GoalContext("New", ("Mathlib.Analysis.Normed.Group.Basic",))
    vectors = {goal.target: encoder.encode_state(goal) for goal in watch.asked}
    service.rank(RankRequest(watch.asked[0], where))
    found = {
        "premises": float(len(snapshot.view)),
        "dimension": float(encoder.dimension),
        "load the model": (loaded - started) * 1000,
        "open the index": (opened - loaded) * 1000,
        "embed the goal": watch.median_ms(encoder.encode_state),
        "dense search": watch.median_ms(lambda g: snapshot.search.query(vectors[g.target]).top(256)),
        "BM25": watch.median_ms(lambda g: snapshot.bm25.scores(goal_tokens(g))),
        f"goal to {MOST} premises, state alone": watch.median_ms(
            lambda g: service.rank(RankRequest(g, None, MOST))
        ),
        f"goal to {MOST} premises, in a file": watch.median_ms(
            lambda g: service.rank(RankRequest(g, where, MOST))
        ),
    }
    if tower is not None:
        found["of which the state tower"] = watch.median_ms(lambda g: tower.encode_states([g]))
    if reranker := Reranker.beside(model):
        service = PremiseService(stores, encoder, fusion, reranker, DEPTH, **models)
        service.rank(RankRequest(watch.asked[0], where))
        name = f"goal to {MOST} premises, in a file, {DEPTH} re-ranked"
        found[name] = watch.median_ms(lambda g: service.rank(RankRequest(g, where, MOST)))
    return {**found, "premises embedded a second": pace(encoder, statements(snapshot), clock)}


def statements(snapshot: Snapshot) -> list[Premise]:
    """Premises with statements: a sample of the index, or the mini core's where the index has none."""
    view = snapshot.view
    numbers = np.flatnonzero(view.alive & ~view.bundled & snapshot.is_theorem)
    if len(numbers):
        step = max(1, len(numbers) // SAMPLE)
        return [view.premise(int(number)) for number in numbers[::step][:SAMPLE]]
    core = Path(lean_extract.__path__[0]) / "minicore"
    return [
        premise for path in sorted(core.rglob("*.lean")) for premise in read_file(path, path.stem).premises
    ]


def pace(encoder: Encoder, premises: list[Premise], clock: Callable[[], float]) -> float:
    """Premises a second, in steps as `premise-suggest index` takes them; the median step counts."""
    paces = []
    for start in range(0, len(premises), DOCUMENTS_PER_STEP):
        step = premises[start : start + DOCUMENTS_PER_STEP]
        started = clock()
        encoder.encode_premises(step)
        paces.append(len(step) / (clock() - started))
    return statistics.median(paces)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as cache:
            store = IndexStore(options.index) if options.index else bundled.unpack(Path(cache))
            results = measure([store], options.model, options.runs, cpu=options.cpu)
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    for name, value in results.items():
        print(f"{name:<48}{value:>12.1f}")
    if options.json:
        options.json.write_text(json.dumps({**results, "numpy": np.__version__}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
