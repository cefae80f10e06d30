"""Times pattern search on an index that has statements, and prints a table.

    python scripts/bench_patterns.py INDEX [--runs N] [--cpu] [--json FILE]

INDEX is the folder of an index, such as one below `packages/` in the cache. Medians of whole searches, 16 premises
listed; the memory is that of the columns of trees, which are mapped files, read whole by each search.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from lean_extract.common.errors import PremiseSuggestError
from retriever.lean.index import bundled
from retriever.lean.pattern_search import pattern_search
from retriever.lean.service import PremiseService
from retriever.search.index.store import IndexStore

PATTERNS = (
    "?a * _ ≤ ?b * _",
    "_ * _ ≤ _ * _",
    "?a + ?b = ?b + ?a",
    "0 ≤ ?a → ?b ≤ ?c → ?a * ?b ≤ ?a * ?c",
    "?f (_ + _) = ?f _ + ?f _",
    "∑ i ∈ _, ?f i * ?g i",
    "deriv (fun x => _ * _)",
    "‖_ + _‖ ≤ _",
    'Real.sin, "add"',
    "_ = _",
    "_ → _ = _",
)


def measure(folder: Path, runs: int, *, cpu: bool) -> dict[str, float]:
    """Milliseconds of each pattern, and what the columns take, in MB."""
    clock = time.process_time if cpu else time.perf_counter
    service = PremiseService.open([IndexStore(folder)], bundled.DATA.parent / "encoder")
    view = service.snapshot().view
    trees = [trees for segment in view.segments if (trees := segment.tables.trees) is not None]
    size = sum(array.nbytes for one in trees for array in (one.starts, one.heads, one.sizes))
    found = {
        "statements": float(sum(len(one) for one in trees)),
        "symbols": float(sum(len(one.heads) for one in trees)),
        "MB": size / 1e6,
    }
    for pattern in PATTERNS:
        pattern_search(service, pattern, k=16)
        times = []
        for _ in range(runs):
            started = clock()
            pattern_search(service, pattern, k=16)
            times.append((clock() - started) * 1000)
        found[f"{pattern}   ms"] = statistics.median(times)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("index", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        results = measure(options.index, options.runs, cpu=options.cpu)
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    for name, value in results.items():
        print(f"{name:<48}{value:>12.1f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
