"""The states that text determines, against those that Lean has, over the whole example library."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from lean_extract.records import Proof, Record, TacticStep, read_records
from lean_extract.source.extract import extract_project
from lean_extract.syntax.canonical import canonical
from tests.lean.conftest import EXAMPLE

pytestmark = [pytest.mark.lean, pytest.mark.slow]

Steps = dict[tuple[str, int, int], TacticStep]


def steps_of(records: Iterable[Record]) -> Steps:
    found: Steps = {}
    for record in records:
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


def test_text_and_lean_agree(traced_example: list[Record], tmp_path: Path) -> None:
    extract_project(EXAMPLE, tmp_path / "text.jsonl", states=True)
    lean, text = steps_of(traced_example), steps_of(read_records(tmp_path / "text.jsonl"))
    common = lean.keys() & text.keys()
    assert len(common) > 500
    assert sum(target(lean[key]) == target(text[key]) for key in common) >= 0.9 * len(common)
    assert sum(names(text[key]) <= names(lean[key]) for key in common) >= 0.98 * len(common)
