"""What does not fit a record's types is named, wherever it lies; records of wrong types never come in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords
from lean_extract.common.typed import read_typed
from lean_extract.records import (
    Header,
    Premise,
    Proof,
    TacticOutcome,
    read_header,
    read_records,
    write_records,
)

PREMISE: dict[str, Any] = {"name": "a", "kind": "theorem", "module": "M"}


@pytest.mark.parametrize(
    ("record_type", "values", "problem"),
    [
        (Premise, {"name": "a", "kind": "theorem"}, "a premise without 'module'"),
        (Premise, PREMISE | {"name": 5}, "name: 5 is not a string"),
        (Premise, PREMISE | {"name": None}, "name: None is not a string"),
        (Premise, PREMISE | {"context": "x"}, "context: 'x' is not a list of strings"),
        (Premise, PREMISE | {"context": [["x"]]}, r"context: \[\['x'\]\] is not a list of strings"),
        (Premise, PREMISE | {"is_private": 1}, "is_private: 1 is not true or false"),
        (Premise, PREMISE | {"span": []}, r"span: \[\] is not a span"),
        (Premise, PREMISE | {"span": {"start": {"line": True}}}, "span: start: line: True is not a whole number"),
        (Proof, {"theorem": "a", "module": "M", "steps": [{}]}, "steps: a tactic step without 'tactic'"),
        (TacticOutcome, {"tactic": "simp", "status": "maybe"}, "status: 'maybe' is not one of closes, progress"),
        (TacticOutcome, {"tactic": "t", "milliseconds": "1"}, "milliseconds: '1' is not a number"),
    ],
)  # fmt: skip
def test_the_field_that_does_not_fit_is_named(
    record_type: type[Any], values: dict[str, Any], problem: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        read_typed(record_type, values)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(["type", "name", "kind", "module", "context", "doc"]), plain))
def test_a_line_is_a_record_of_the_right_types_or_a_complaint(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "r.jsonl"
    write_records(path, Header("text"), [])
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"type": "premise"} | values) + "\n")
    complaints: list[str] = []
    found = list(read_records(path, complaints))
    assert len(found) + len(complaints) == 1
    for record in found:
        assert isinstance(record, Premise)
        assert all(isinstance(text, str) for text in (record.name, record.kind, *record.context))
    assert all(complaint.startswith(f"{path}:2: not a record: ") for complaint in complaints)


def test_a_line_that_is_no_text_goes_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept = Premise("a", "theorem", "M")
    write_records(path, Header("text"), [kept, kept, kept])
    lines = path.read_bytes().splitlines()
    lines[2] = lines[2].replace(b"theorem", b"theor\xff")
    path.write_bytes(b"\n".join([*lines[:-1], lines[-1][:20]]))
    complaints: list[str] = []
    assert list(read_records(path, complaints)) == [kept]
    assert [complaint.removeprefix(str(path))[:3] for complaint in complaints] == [":3:", ":4:"]
    with pytest.raises(BadRecords, match="cannot be read"):
        read_header(tmp_path / "none.jsonl")
