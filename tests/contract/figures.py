"""How well premises are found: R@10 and MRR of the shipped model, by `python -m retriever evaluate` and by goals."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.stores import SHIPPED_MODEL
from tests.commands import command
from tests.contract.workplace import Workplace

_BESIDE = Path(__file__).parents[3] / "shared" / "data"
STEPS = Path(os.environ.get("PREMISE_SUGGEST_DATA", _BESIDE), "leandojo-benchmark4", "val-tune.jsonl")
"""Steps of LeanDojo Benchmark 4 with the premises they use, which are not part of the repository."""
_METHODS = ("bm25", "tfidf", "mepo", "knn", "dense", "tower", "fused", "ranked")
_FIGURES = ("R@10", "MRR")
_HELD_OUT = 100
_STEPS = 100


def library_figures(_: Workplace) -> Mapping[str, Any]:
    """Of a hundred theorems of the example library, drawn at random and held out."""
    with tempfile.TemporaryDirectory(prefix="contract-") as folder:
        records, whole, split, out = (Path(folder, name) for name in ("records", "whole", "split", "figures"))
        command("lean_extract extract")([EXAMPLE, records, "--workers", 1])
        command("retriever dataset")([records, whole])
        command("retriever resplit")([whole, split, "--strategy", "rd", "--size", _HELD_OUT])
        command("retriever evaluate")(
            [SHIPPED_MODEL, split, "--part", "valid", "--methods", *_METHODS, "--json", out]
        )
        report = json.loads((out / "valid.json").read_text(encoding="utf-8"))
    rows = {
        f"{row['method']} ({row['setting']})": {
            name: round(row["figures"][name]["mean"], 3) for name in _FIGURES
        }
        for row in report["rows"]
    }
    return {"questions": report["questions"], "pool": report["pool"], **rows}


def step_figures(place: Workplace) -> Mapping[str, Any]:
    """Of real steps, asked of the bundled index; a name that Mathlib has changed since counts as not found."""
    ranks = [
        [names.index(name) + 1 if name in names else 0 for name in wanted]
        for state, wanted in _steps()
        for names in [_names(place.client, state)]
    ]
    recalls = [sum(0 < rank <= 10 for rank in found) / len(found) for found in ranks]
    first = [min(filter(None, found), default=0) for found in ranks]
    return {
        "questions": len(ranks),
        "R@10": round(100 * sum(recalls) / len(ranks), 3),
        "MRR": round(100 * sum(1 / rank for rank in first if rank) / len(ranks), 3),
    }


def _steps() -> Iterator[tuple[str, list[str]]]:
    """Goals and the premises of their tactics, from all over the file."""
    with STEPS.open(encoding="utf-8") as lines:
        steps = [step for step in map(json.loads, lines) if step["premises"]]
    for step in steps[:: len(steps) // _STEPS][:_STEPS]:
        yield step["state_before"], step["premises"]


def _names(client: Any, state: str) -> list[str]:
    params = {
        "textDocument": {"uri": "untitled:step"},
        "position": {"line": 0, "character": 0},
        "goal": state,
        "k": 32,
    }
    answer = client.ask("premiseSuggest/suggest", params)
    return [premise["name"] for premise in answer["result"]["premises"]]
