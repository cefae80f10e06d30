"""Times the retriever: opening an index, and goal to ranked premises with its parts.

    python scripts/bench_retriever.py [--index FOLDER] [--model FOLDER] [--runs N] [--json FILE]

Without --index the bundled Mathlib index is unpacked into a temporary folder. Prints a table; times are
milliseconds, medians over goals of about 128 tokens.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lean_extract.errors import PremiseSuggestError
from lean_extract.records import Goal, Hypothesis
from retriever.encoder import Encoder
from retriever.fusion import Fusion
from retriever.index import bundled
from retriever.index.store import IndexStore
from retriever.lexical import goal_tokens
from retriever.service import PremiseService, Where
from retriever.snapshot import Snapshot

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


def median_ms(work: Callable[[Goal], object], asked: list[Goal], runs: int) -> float:
    times = []
    for run in range(runs * len(asked)):
        started = time.perf_counter()
        work(asked[run % len(asked)])
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def measure(stores: list[IndexStore], model: Path, runs: int) -> dict[str, float]:
    started = time.perf_counter()
    encoder, fusion = Encoder.load(model), Fusion.load(model)
    loaded = time.perf_counter()
    service = PremiseService(stores, encoder, fusion)
    opened = time.perf_counter()
    snapshot = Snapshot.open(stores, encoder.fingerprint, fusion)
    asked = goals(128, encoder)
    where = Where("New", ("Mathlib.Analysis.Normed.Group.Basic",))
    vectors = {goal.target: encoder.encode_state(goal) for goal in asked}
    service.rank(asked[0], where)
    return {
        "premises": float(len(snapshot.view)),
        "dimension": float(encoder.dimension),
        "load the model": (loaded - started) * 1000,
        "open the index": (opened - loaded) * 1000,
        "embed the goal": median_ms(encoder.encode_state, asked, runs),
        "dense search": median_ms(lambda g: snapshot.search.query(vectors[g.target]).top(256), asked, runs),
        "BM25": median_ms(lambda g: snapshot.bm25.scores(goal_tokens(g)), asked, runs),
        "goal to premises, state alone": median_ms(lambda g: service.rank(g, None, 32), asked, runs),
        "goal to premises, in a file": median_ms(lambda g: service.rank(g, where, 32), asked, runs),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as cache:
            store = IndexStore(options.index) if options.index else bundled.unpack(Path(cache))
            results = measure([store], options.model, options.runs)
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    for name, value in results.items():
        print(f"{name:<32}{value:>12.1f}")
    if options.json:
        options.json.write_text(json.dumps({**results, "numpy": np.__version__}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
