"""Further records give training queries and nothing else, and none of what either library holds out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lean_extract.records import (
    PRINTED,
    Goal,
    Header,
    Hypothesis,
    Module,
    Premise,
    Proof,
    ProofState,
    Record,
    TacticStep,
    write_records,
)
from retriever.lean.augmentation.augment import KINDS, augmented
from retriever.lean.dataset.dataset import Dataset, build_dataset, load_dataset
from retriever.lean.dataset.queries import DatasetQuery, goal_to_read
from retriever.models.text import state_text
from tests.commands import command
from tests.retriever.support import named_in

TRAIN, NEW, GONE = (named_in("train", stem) for stem in ("A.t", "A.new", "A.gone"))
VALID, TEST, LISTED, ADDED = (
    named_in("valid", "A.v"),
    named_in("test", "A.u"),
    named_in("train", "A.listed"),
    named_in("train", "A.added"),
)
USED = tuple(Premise(f"A.used{number}", "theorem", "A", ("(a : ℕ)",), "a = a") for number in range(3))


def _theorem(name: str) -> Premise:
    return Premise(name, "theorem", "A", (), f"{len(name)} = 2")


def _state(target: str) -> ProofState:
    return ProofState((Goal((), target),))


def _proof(name: str, *targets: str) -> Proof:
    """A proof in which step number i uses `A.used<i>`; the last uses what only the older library has, too."""
    steps = tuple(
        TacticStep(f"rw [used{place}]", None, (f"A.used{place}",), _state(target), origin=PRINTED)
        for place, target in enumerate(targets)
    )
    names = tuple(f"A.used{place}" for place in range(len(targets)))
    return Proof(name, "A", (*names, "A.gone_premise"), steps, is_tactic=True)


def _written(path: Path, records: list[Record], revision: str) -> Path:
    write_records(path, Header("text", revision), [Module("A", "A.lean"), *USED, *records])
    return path


def _library(folder: Path) -> Path:
    names = (TRAIN, NEW, VALID, TEST, LISTED)
    records: list[Record] = [*map(_theorem, names), *(_proof(name, "first", "second") for name in names)]
    return _written(folder / "new.jsonl", records, "new")


def _older(folder: Path, *more: Record) -> Path:
    names = (TRAIN, GONE, VALID, TEST, LISTED)
    proofs = [_proof(name, "second", "third", "last") for name in names]
    return _written(folder / "old.jsonl", [*map(_theorem, names), *proofs, *more], "old")


def _steps(dataset: Dataset, split: str) -> list[tuple[str, str]]:
    found = (query for query in dataset.queries if query.split == split and query.origin != "statement")
    return [(query.theorem, query.goal.target) for query in found]


def test_further_records_give_training_queries_inside_proofs_and_nothing_else(tmp_path: Path) -> None:
    library, older = _library(tmp_path), _older(tmp_path)
    build_dataset(library, tmp_path / "plain", without=frozenset({LISTED}))
    manifest = build_dataset(library, tmp_path / "both", without=frozenset({LISTED}), more=[older])
    plain, both = load_dataset(tmp_path / "plain"), load_dataset(tmp_path / "both")
    assert both.corpus == plain.corpus and both.modules == plain.modules
    assert both.queries[: len(plain.queries)] == plain.queries
    new = both.queries[len(plain.queries) :]
    assert [(query.theorem, query.goal.target) for query in new] == [
        (GONE, "second"),
        (GONE, "third"),
        (GONE, "last"),
        (TRAIN, "third"),  # its `second` is a goal of the new library, too
        (TRAIN, "last"),
    ]
    assert {query.split for query in new} == {"train"} and {query.origin for query in new} == {"comment"}
    assert manifest.more == {"old": {"comment": 5}} and manifest.queries["train/comment"] == 4 + 5
    assert load_dataset(tmp_path / "both").manifest == manifest
    assert manifest.digest != plain.manifest.digest and plain.manifest.more is None
    assert "more" not in json.loads((tmp_path / "plain" / "manifest.json").read_text())


def test_a_steps_labels_are_its_own_the_rest_of_the_proof_and_what_came_before(tmp_path: Path) -> None:
    build_dataset(_library(tmp_path), tmp_path / "out", more=[_older(tmp_path)])
    dataset = load_dataset(tmp_path / "out")
    names = [premise.name for premise in dataset.corpus]
    told = {
        query.goal.target: tuple(
            [names[one] for one in part] for part in (query.gold, query.later, query.earlier)
        )
        for query in dataset.queries
        if query.theorem == GONE
    }
    assert told == {
        "second": (["A.used0"], ["A.used1", "A.used2"], []),
        "third": (["A.used1"], ["A.used2"], ["A.used0"]),
        "last": (["A.used2"], [], ["A.used0", "A.used1"]),
    }
    statement = next(query for query in dataset.queries if query.origin == "statement")
    assert statement.later == statement.earlier == ()


def test_what_either_library_holds_out_gives_no_query(tmp_path: Path) -> None:
    """A theorem whose source is held out in one library only, and a source whose twin is listed."""
    library = _library(tmp_path)
    twin = replace(_theorem(ADDED), generated_by="to_additive", generated_from=VALID)
    older = _older(tmp_path, twin, _proof(ADDED, "of a twin"))
    build_dataset(library, tmp_path / "one", more=[older])
    assert ADDED not in {theorem for theorem, _ in _steps(load_dataset(tmp_path / "one"), "train")}
    twin = replace(twin, generated_from=TRAIN)
    older = _older(tmp_path, twin, _proof(ADDED, "of a twin"))
    build_dataset(library, tmp_path / "two", more=[older])
    asked = _steps(load_dataset(tmp_path / "two"), "train")
    assert (ADDED, "of a twin") in asked and (TRAIN, "first") in asked
    build_dataset(library, tmp_path / "three", without=frozenset({ADDED}), more=[older])
    kept = {theorem for theorem, _ in _steps(load_dataset(tmp_path / "three"), "train")}
    assert kept == {NEW, GONE, LISTED}  # its source in the older library goes from the new one's proofs, too


def test_the_command_reads_further_records_and_tells_of_bad_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library, older = _library(tmp_path), _older(tmp_path)
    with older.open("a", encoding="utf-8") as stream:
        stream.write('{"type": "proof", "theorem": "A.t0", "mod')  # cut off in the middle
    assert command("retriever dataset")([library, tmp_path / "out", "--more", older]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["more"]["old"]["comment"] > 0
    assert f"{older.name}:" in told.err
    assert command("retriever dataset")([library, tmp_path / "two", "--more", tmp_path / "none.jsonl"]) == 1
    assert "none.jsonl cannot be read" in capsys.readouterr().err


GOAL = Goal(
    (
        Hypothesis(("α",), "Type*"),
        Hypothesis(("h",), "_"),
        Hypothesis(("n",), "_", "5"),
        Hypothesis(("a",), "α"),
    ),
    "a = a",
)


@pytest.mark.parametrize("split", ["train", "valid"])
def test_hypotheses_of_unknown_type_are_left_out_of_training_states(split: str) -> None:
    query = DatasetQuery("A.t", "A", 0, split, "step", GOAL, (0,))  # type: ignore[arg-type]
    names = [one.names[0] for one in goal_to_read(query).hypotheses]
    assert names == (["α", "n", "a"] if split == "train" else ["α", "h", "n", "a"])
    for kind in KINDS:
        assert len(augmented(kind, query).hypotheses) == len(names)


def test_a_state_from_lean_and_one_from_text_read_alike() -> None:
    """Universes, marks of inaccessible names and names of instances are gone from both texts."""
    printed = Goal(
        (
            Hypothesis(("R✝",), "Type u_1"),
            Hypothesis(("inst✝¹",), "CommRing.{u_1} R✝"),
            Hypothesis(("x✝¹", "y"), "R✝"),
            Hypothesis(("h✝",), "y > x✝¹"),
        ),
        "x✝¹ * y = y * x✝¹",
    )
    written = Goal(
        (
            Hypothesis(("R",), "Type*"),
            Hypothesis(("inst✝",), "CommRing R"),
            Hypothesis(("x", "y"), "R"),
            Hypothesis(("h",), "x < y"),
        ),
        "x * y = y * x",
    )
    assert state_text(printed) == state_text(written)
