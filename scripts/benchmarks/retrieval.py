"""Times the retriever: opening an index, and goal to ranked premises with its parts.

Without --index the bundled Mathlib index is unpacked into a temporary folder. Times are medians over goals of about
128 tokens. Where the model has a re-ranker and the index has statements, the ranking is timed with and without it.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import lean_extract
from lean_extract.records import Goal, Hypothesis, Premise
from lean_extract.source.reader import read_file
from retriever.lean.eligibility import RankRequest
from retriever.lean.features import load_fusion
from retriever.lean.goal_context import GoalContext
from retriever.lean.index import bundled
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.service import PremiseService
from retriever.lean.snapshot import Snapshot
from retriever.lean.text_search import search
from retriever.lean.tokens import goal_tokens
from retriever.limits import DOCUMENTS_PER_STEP
from retriever.models.encoder import Encoder
from retriever.models.reranker import DEPTH, Reranker
from retriever.models.state_tower import StateTower
from retriever.search.index.store import IndexStore
from scripts.benchmarks.harness import ENCODER, Row, Stopwatch, add_json, add_timing, show
from scripts.benchmarks.memory import QUERIES

MOST = 100
"""How many premises a request wants."""
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


def unseen(goal: Goal) -> Goal:
    """The goal with a hypothesis more, so that nothing kept for an earlier one answers it."""
    more = Hypothesis((f"h{next(_NUMBERS)}",), "True")
    return replace(goal, hypotheses=(*goal.hypotheses, more))


def measure(stores: list[IndexStore], model: Path, watch: Stopwatch) -> list[Row]:
    """Everything; `runs` of the watch counts those of each goal."""
    started = watch.clock()
    encoder, fusion = Encoder.load(model), load_fusion(model)
    tower = StateTower.of_model(model, encoder)
    loaded = watch.clock()
    models = {"ranker": TreeRanker.of_model(model), "tower": tower}
    service = PremiseService(stores, encoder, fusion, **models)
    opened = watch.clock()
    snapshot = Snapshot.open(stores, encoder.fingerprint, fusion)
    queried = goals(128, encoder)
    where = GoalContext("New", ("Mathlib.Analysis.Normed.Group.Basic",))
    vectors = {goal.target: encoder.encode_state(goal) for goal in queried}
    service.rank(RankRequest(queried[0], where))

    def row(name: str, work: Callable[[Goal], object]) -> Row:
        times = [watch.seconds(partial(work, unseen(goal))) for _ in range(watch.runs) for goal in queried]
        return name, 1000 * statistics.median(times), "ms"

    rows = [
        ("premises", float(len(snapshot.view)), ""),
        ("dimension", float(encoder.dimension), ""),
        ("load the model", (loaded - started) * 1000, "ms"),
        ("open the index", (opened - loaded) * 1000, "ms"),
        row("embed the goal", encoder.encode_state),
        row("dense search", lambda g: snapshot.search.query(vectors[g.target]).top(256)),
        row("BM25", lambda g: snapshot.bm25.scores(goal_tokens(g))),
        row(f"goal to {MOST} premises, state alone", lambda g: service.rank(RankRequest(g, None, MOST))),
        row(f"goal to {MOST} premises, in a file", lambda g: service.rank(RankRequest(g, where, MOST))),
    ]
    first = watch.seconds(partial(search, service, QUERIES[0]))
    times = [watch.seconds(partial(search, service, query)) for _ in range(watch.runs) for query in QUERIES]
    rows += [
        ("search in words, the first", 1000 * first, "ms"),
        ("search in words", 1000 * statistics.median(times), "ms"),
    ]
    if tower is not None:
        rows.append(row("of which the state tower", lambda g: tower.encode_states([g])))
    if reranker := Reranker.of_model(model):
        service = PremiseService(stores, encoder, fusion, reranker, DEPTH, **models)
        service.rank(RankRequest(queried[0], where))
        name = f"goal to {MOST} premises, in a file, {DEPTH} re-ranked"
        rows.append(row(name, lambda g: service.rank(RankRequest(g, where, MOST))))
    return [*rows, ("premises embedded a second", pace(encoder, statements(snapshot), watch), "/s")]


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


def pace(encoder: Encoder, premises: list[Premise], watch: Stopwatch) -> float:
    """Premises a second, in steps as `premise-suggest index` takes them; the median step counts."""
    paces = []
    for start in range(0, len(premises), DOCUMENTS_PER_STEP):
        step = premises[start : start + DOCUMENTS_PER_STEP]
        paces.append(len(step) / watch.seconds(partial(encoder.encode_premises, step)))
    return statistics.median(paces)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--index", type=Path, metavar="FOLDER")
    parser.add_argument("--model", type=Path, default=ENCODER, metavar="FOLDER")
    add_timing(parser, 20)
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as cache:
        store = IndexStore(options.index) if options.index else bundled.unpack(Path(cache))
        show(measure([store], options.model, Stopwatch.of(options)), options.json)
