"""One command prints every figure before and after, keeps what it measured, and says what was not run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("onnx")

from lean_extract.records import Header, Import, Module, Position, Premise, Proof, Span, write_records
from retriever.lean.dataset.dataset import build_dataset
from retriever.lean.evaluation.ranker_graph import write_ranker
from tests.commands import command

TREE = {"tree_info": [{"tree_structure": {"leaf_value": 0.0}}]}
FILES = {"Other": (("far", "Foo a = a"),), "Lib": (("near", "Foo a = b"), ("asked", "Foo (Foo a) = a"))}
HEADING = "theorems of other files, importable: R@10"


@pytest.fixture
def work(tmp_path: Path, model_folder: Path) -> Path:
    premises = [
        Premise(name, "theorem", module, ("(a : ℕ)",), text, Span(Position(line, 0), Position(line, 9)))
        for module, found in FILES.items()
        for line, (name, text) in enumerate(found, start=1)
    ]
    modules = [Module("Other", "Other.lean"), Module("Lib", "Lib.lean", (Import("Other"),))]
    write_records(
        tmp_path / "r.jsonl", Header("text", "one"), [*modules, *premises, Proof("near", "Lib", ("far",))]
    )
    build_dataset(tmp_path / "r.jsonl", tmp_path / "data")
    shutil.copytree(model_folder, tmp_path / "model")
    write_ranker(tmp_path / "model", TREE, {"use_count": 1.0}, "")
    step = {"theorem": "asked", "file": "Lib.lean", "state_before": "a : ℕ\n⊢ Foo a = a", "tactic": "simp"}
    steps = [{**step, "premises": ["near"]}, {**step, "premises": ["near", "far"]}]
    lines = "".join(f"{json.dumps(one)}\n" for one in steps)
    (tmp_path / "steps.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def test_figures_are_held_against_those_before(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ask = ["--work", work / "kept", "--model", work / "model", "--only", "steps", "turns"]
    ask += ["--steps", work / "data", "--json", work / "found.json"]
    measure = command("scripts.benchmarks next-step")
    assert measure(ask) == 0
    told = capfd.readouterr().out
    assert f"| {HEADING} | not run | not run | 44 |" in told
    ask += ["--states", work / "steps.jsonl"]
    assert measure([*ask, "--before", work / "found.json"]) == 0
    shown, ran = capfd.readouterr()
    assert "| known lemmas restated: first / in ten | not run | not run | 96 / 99 |" in shown
    found = json.loads((work / "found.json").read_text(encoding="utf-8"))
    assert found["values"][HEADING] == [100.0] and found["hashes"]["data of steps"]
    assert ran.splitlines().count("-- steps") == 1 and "-- turns" not in ran
    assert measure([*ask, "--before", work / "found.json"]) == 0
    shown, ran = capfd.readouterr()
    assert f"| {HEADING} | 100.0 | 100.0 | 44 |" in shown and "-- steps" not in ran, (
        "what is kept is not run again"
    )
    write_ranker(work / "model", TREE, {"use_count": -1.0}, "")
    (work / "steps.jsonl").write_text("no step\n", encoding="utf-8")
    assert measure(ask) == 0
    shown, ran = capfd.readouterr()
    assert "steps failed with exit code" in ran and f"| {HEADING} | not run | not run | 44 |" in shown
