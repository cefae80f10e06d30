"""Records survive the way to disk and back, whatever is in them; bad lines are named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords
from lean_extract.common.typed import read_typed
from lean_extract.records import (
    FileProblem,
    Goal,
    Header,
    Hypothesis,
    Import,
    InnerGoal,
    Module,
    Position,
    Premise,
    Proof,
    ProofState,
    Span,
    TacticStep,
    read_header,
    read_records,
    to_json,
    write_records,
)

text = st.text(max_size=20)
maybe_text = st.none() | text
texts = st.lists(text, max_size=3).map(tuple)
positions = st.builds(Position, st.integers(0, 9), st.integers(0, 9))
spans = st.none() | st.builds(Span, positions, positions)
hypotheses = st.builds(Hypothesis, texts, text, maybe_text)
goals = st.builds(Goal, st.lists(hypotheses, max_size=3).map(tuple), text, maybe_text)
states = st.none() | st.builds(ProofState, st.lists(goals, max_size=2).map(tuple))
steps = st.builds(TacticStep, text, spans, texts, states, states)
inner = st.builds(InnerGoal, text, text, texts, texts)
imports = st.builds(Import, text, st.booleans(), st.booleans(), st.booleans())
records = st.one_of(
    st.builds(
        Premise,
        name=text,
        kind=text,
        module=text,
        context=texts,
        conclusion=text,
        span=spans,
        doc=maybe_text,
        attributes=texts,
        is_private=st.booleans(),
        generated_by=maybe_text,
    ),
    st.builds(Module, text, text, st.lists(imports, max_size=2).map(tuple), maybe_text, st.booleans()),
    st.builds(
        Proof,
        text,
        text,
        texts,
        st.lists(steps, max_size=2).map(tuple),
        st.lists(inner, max_size=2).map(tuple),
        st.booleans(),
    ),
    st.builds(FileProblem, text, positions, text),
)


@given(records)
def test_json_values_give_the_same_record(record: object) -> None:
    assert read_typed(type(record), to_json(record)) == record


@given(st.lists(records, max_size=5))
def test_a_file_gives_the_same_records(tmp_path_factory: pytest.TempPathFactory, written: list) -> None:
    path = tmp_path_factory.mktemp("records") / "r.jsonl"
    assert write_records(path, Header("text", "abc"), written) == len(written)
    assert read_header(path) == Header("text", "abc")
    assert list(read_records(path)) == written


def test_a_malformed_line_is_named_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept = Premise("add_comm", "theorem", "Algebra")
    write_records(path, Header("text"), [kept, kept])
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1:1] = ["{broken", '{"type": "premise", "colour": "red"}', '{"type": "no such"}', "[]"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    complaints: list[str] = []
    assert list(read_records(path, complaints)) == [kept, kept]
    assert [complaint.split(":")[1] for complaint in complaints] == ["2", "3", "4", "5"]
    with pytest.raises(BadRecords, match=":2:"):
        list(read_records(path))


@pytest.mark.parametrize(
    "first", ["", "nonsense", '{"format": "other", "version": 1, "source": "text", "revision": ""}']
)
def test_another_format_is_refused(tmp_path: Path, first: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(first + "\n", encoding="utf-8")
    with pytest.raises(BadRecords, match="xtract it again"):
        list(read_records(path))


def test_a_writer_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, Header("text", "old"), [])

    def broken():
        yield Premise("a", "theorem", "M")
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write_records(path, Header("text", "new"), broken())
    assert read_header(path).revision == "old"
    assert list(tmp_path.iterdir()) == [path]
