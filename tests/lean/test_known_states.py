"""The states that text determines, against those that Lean has, over the whole example library."""

import asyncio
import shutil
from pathlib import Path

import pytest

from lean_extract.records import Proof, Record, TacticStep, read_records
from lean_extract.source.extract import extract_project
from lean_extract.syntax.canonical import canonical
from lean_extract.toolchains.packaged import CORE_SOURCES, PackagedLean
from lean_extract.traced.command import trace_library

pytestmark = [pytest.mark.lean, pytest.mark.slow]

Steps = dict[tuple[str, int, int], TacticStep]


def steps_of(records: Path) -> Steps:
    found: Steps = {}
    record: Record
    for record in read_records(records):
        if isinstance(record, Proof):
            for step in record.steps:
                if step.before and step.span:
                    found[record.module, step.span.start.line, step.span.start.column] = step
    return found


def target(step: TacticStep) -> str:
    """The target without what Lean prints and people leave out: types of bound variables, blanks, ..."""
    assert step.before
    words = canonical(step.before.goals[0].target).split()
    bound = [word for word in words if word != ":" and not word.endswith("),")]
    return "".join(bound).translate(str.maketrans("", "", "(),"))


def names(step: TacticStep) -> set[str]:
    assert step.before
    return {
        name
        for hypothesis in step.before.goals[0].hypotheses
        for name in hypothesis.names
        if "✝" not in name and not name.startswith("inst")
    }


def test_text_and_lean_agree(packaged_lean: PackagedLean, tmp_path: Path) -> None:
    example = tmp_path / "example"
    shutil.copytree(CORE_SOURCES.parent / "example", example)
    asyncio.run(trace_library(example, tmp_path / "lean.jsonl", True))
    extract_project(example, tmp_path / "text.jsonl", states=True)
    lean, text = steps_of(tmp_path / "lean.jsonl"), steps_of(tmp_path / "text.jsonl")
    common = lean.keys() & text.keys()
    assert len(common) > 500
    assert sum(target(lean[key]) == target(text[key]) for key in common) >= 0.9 * len(common)
    assert sum(names(text[key]) <= names(lean[key]) for key in common) >= 0.98 * len(common)
