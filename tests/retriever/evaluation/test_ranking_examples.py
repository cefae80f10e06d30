"""Examples of a little library with a definition: how each question is asked, and what is gold."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lean_extract.records import (
    PRINTED,
    Goal,
    Header,
    Hypothesis,
    Module,
    Position,
    Premise,
    Proof,
    ProofState,
    Record,
    Span,
    TacticStep,
    write_records,
)
from retriever.lean.dataset.dataset import build_dataset
from retriever.lean.evaluation.fit_ranker import cross_validated, figures, fold_of, without_features
from retriever.lean.evaluation.pool import theorems_of
from retriever.lean.evaluation.ranking_examples import RankingExamples
from retriever.lean.evaluation.session import open_session
from retriever.lean.index.bundle_parts import UNUSED_STEP
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.place import PLACE
from tests.commands import command
from tests.poison import found_first, poison
from tests.retriever.support import named_in

STEPS = (
    ("Lib.asked", "rw [Lib.first, Lib.Foo]", ("Lib.first", "Lib.Foo")),
    ("Lib.asked", "obtain h", ("Lib.first",)),
    ("Lib.asked", "unfold Lib.Foo", ("Lib.Foo", "Elsewhere.unknown")),
)


def premise(name: str, line: int, conclusion: str, kind: str = "theorem") -> Premise:
    return Premise(name, kind, "Lib", ("(a : ℕ)",), conclusion, Span(Position(line, 0), Position(line, 9)))


def records() -> list[Record]:
    """`Lib.user` is of the training split."""
    return [
        Module("Lib", "Lib.lean"),
        premise("Lib.Foo", 1, "ℕ", "def"),
        premise("Lib.first", 2, "Foo a = a"),
        premise("Lib.user", 5, "Foo (Foo a) = Foo a"),
        premise("Lib.asked", 9, "Foo (Foo a) = a"),
        premise("Lib.late", 12, "Foo a = Foo a"),
        Proof("Lib.user", "Lib", ("Lib.first", "Lib.Foo")),
    ]


@pytest.fixture
def work(tmp_path: Path, model_folder: Path) -> Path:
    write_records(tmp_path / "r.jsonl", Header("text", "one"), records())
    build_dataset(tmp_path / "r.jsonl", tmp_path / "data")
    shutil.copytree(model_folder, tmp_path / "model")
    shared = {"file": "Lib.lean", "state_before": "a : ℕ\n⊢ Foo a = a"}
    steps = [{"theorem": name, "tactic": tactic, "premises": used} for name, tactic, used in STEPS]
    lines = "".join(f"{json.dumps({**shared, **step})}\n" for step in steps)
    (tmp_path / "steps.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def made(work: Path, *more: object) -> RankingExamples:
    arguments = [work / "model", work / "data", work / "e.npz", "--states", work / "steps.jsonl"]
    assert command("retriever ranking-examples")([*arguments, *(more or ("--origin", "traced"))]) == 0
    return RankingExamples.load(work / "e.npz")


def test_steps_are_asked_with_and_without_their_caller(work: Path) -> None:
    found = made(work)
    known = ["state, theorems", "importable, theorems", "place, theorems"]
    told = "place, theorems, caller known"
    assert found.settings.tolist() == [*known, told, *known]  # `obtain` has no group, `unfold` no theorem
    bounds = np.cumsum(found.lengths)
    column = RANKER_FEATURES.index("caller_rewrite")
    is_told = [bool(found.features[end - 1, column]) for end in bounds.tolist()]
    assert is_told == [False, False, False, True, False, False, False]
    assert found.missing.tolist() == [0] * 7 and found.gold.sum() == 7
    last_use = RANKER_FEATURES.index(PLACE[-1])
    assert not found.features[: bounds[0], last_use].any(), "the state alone knows no place"
    told_there = found.features[bounds[0] : bounds[1], last_use].max()
    assert told_there == pytest.approx(np.log(2)), "the proof just above uses it"


def test_definitions_are_gold_where_all_kinds_are_asked_for(work: Path) -> None:
    found = made(work, "--origin", "traced", "--definitions", work / "r.jsonl")
    of_all = ["place, all" in name for name in found.settings.tolist()]
    assert sum(of_all) == 2 + 1 + 2
    gold = [int(part.sum()) for part in np.split(found.gold, np.cumsum(found.lengths)[:-1])]
    assert [number for number, is_all in zip(gold, of_all, strict=True) if is_all] == [2, 2, 1, 1, 1]
    kinds = RANKER_FEATURES.index("kind_definition")
    rows = np.repeat(of_all, found.lengths)
    assert found.features[rows, kinds].any() and not found.features[~rows, kinds].any()


def test_one_command_asks_every_source_and_nothing_that_is_held_out(work: Path) -> None:
    asked, barred, old, both = (named_in("valid", f"Lib.{stem}") for stem in ("v", "barred", "old", "both"))
    tested, trained = named_in("test", "Lib.u"), named_in("train", "Lib.t")

    def proof(name: str, target: str) -> Proof:
        before = ProofState((Goal((Hypothesis(("h",), "_"),), target),))
        step = TacticStep("rw [first]", None, ("Lib.first",), before, origin=PRINTED)
        return Proof(name, "Lib", ("Lib.first",), (step,), is_tactic=True)

    new = [premise(name, line, "Foo a = a") for line, name in enumerate((asked, barred, both), start=20)]
    proofs = [proof(name, "Foo a = a") for name in (asked, barred, both)]
    write_records(work / "r.jsonl", Header("text", "one"), [*records(), *new, *proofs])
    build_dataset(work / "r.jsonl", work / "data")
    names = (asked, barred, old, tested, trained, "Lib.user")
    older = [premise(name, line, "Foo a = a") for line, name in enumerate(names, start=3)]
    further = [proof(name, "Foo (Foo a) = a") for name in names]
    write_records(work / "older.jsonl", Header("text", "old"), [*records()[:3], *older, *further])
    (work / "without.txt").write_text(f"{barred}\n", encoding="utf-8")
    found = made(work, "--more", work / "older.jsonl", "--without", work / "without.txt")
    rankings = set(zip(found.origins.tolist(), found.theorems.tolist(), strict=True))
    held_out = {(kind, name) for kind in ("statement", PRINTED) for name in (asked, both)}
    assert rankings == {*held_out, (PRINTED, old), ("traced", "Lib.asked")}
    printed = [*zip(found.origins.tolist(), found.theorems.tolist(), strict=True)].count((PRINTED, asked))
    assert printed == 2 * 3, "the dataset's own step and the older one, each in three settings"


def test_definitions_join_the_pool_and_vote(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = open_session(work / "model", work / "data", definitions=work / "r.jsonl")
    foo = session.pool.names.index("Lib.Foo")
    assert not session.pool.is_theorem[foo] and session.pool.use_counts[foo] == 1
    assert session.pool.proofs.counts(np.flatnonzero(session.pool.proofs.known))[foo] == 1
    [user] = [query for query in session.dataset.queries if query.theorem == "Lib.user"]
    assert foo in user.gold and foo not in theorems_of(session.dataset, user.gold)
    write_records(work / "other.jsonl", Header("text", "two"), records())
    ask = [work / "model", work / "data", work / "e.npz", "--definitions", work / "other.jsonl"]
    assert command("retriever ranking-examples")(ask) != 0
    assert "is of revision two" in capsys.readouterr().err


def test_vectors_are_rounded_as_those_of_the_bundled_index(work: Path) -> None:
    exact = open_session(work / "model", work / "data").vectors
    rounded = open_session(work / "model", work / "data", is_bundled=True).vectors
    error = np.linalg.norm(rounded - exact, axis=1)
    assert (error > 0).all() and error.max() < UNUSED_STEP / 1024 * exact.shape[1] ** 0.5
    line = (work / "steps.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (work / "steps.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    one, two = np.split(made(work).features, 2)
    assert not np.array_equal(one, two), "every second question has them"


def test_evaluation_measures_what_is_offered(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [work / "model", work / "data", "--part", "--states", work / "steps.jsonl"]
    ask += ["--methods", "bm25", "fused"]
    assert command("retriever evaluate")([*ask, "--kinds", "all"]) != 0
    assert "--definitions" in capsys.readouterr().err
    full = ["--definitions", work / "r.jsonl", "--kinds", "theorems", "all"]
    full += ["--count", "everything", "--callers"]
    assert command("retriever evaluate")([*ask, *full]) == 0
    said = capsys.readouterr().out
    for name in ("steps, everything", "steps, everything, definitions offered, callers known"):
        assert f"part {name}, questions 3" in said


def test_processes_measure_what_one_does(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They import no file of the current folder."""
    pytest.importorskip("distributed")
    folder, noted = tmp_path / "folder", tmp_path / "imported"
    poison(folder, noted, found_first("retriever"))
    steps = (work / "steps.jsonl").read_text(encoding="utf-8")
    many = [steps.replace("Foo a = a", f"Foo a{n} = a{n}").replace("a : ", f"a{n} : ") for n in range(25)]
    (work / "many.jsonl").write_text("".join(many), encoding="utf-8")
    ask = [work / "model", work / "data", "--part", "--states", work / "many.jsonl", "--by-file"]
    ask += ["--perturb", "rename", "--beside", f"again={work / 'model'}"]
    ask += ["--methods", "random", "bm25", "fused"]
    assert command("retriever evaluate")([*ask, "--json", tmp_path / "alone"]) == 0
    several = ["--json", tmp_path / "several", "--processes", "2"]
    line = [sys.executable, "-m", "retriever", "evaluate", *ask, *several]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert not noted.exists(), noted.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    written = sorted(one.name for one in (tmp_path / "alone").iterdir())
    assert written == ["many, by file.json", "many.json"]
    for name in written:
        one, two = (json.loads((tmp_path / how / name).read_bytes()) for how in ("alone", "several"))
        assert one.pop("seconds") >= 0 and two.pop("seconds") > 0
        assert one == two
    assert command("retriever evaluate")([*ask, "--memory", "4GB"]) == 2
    assert "--memory is for --processes." in capsys.readouterr().err


def test_each_theorem_is_judged_by_trees_that_have_not_seen_it() -> None:
    names = np.array([f"t{i}" for i in range(20)])
    folds = [fold_of(name, 2) for name in names.tolist()]
    features = np.zeros((40, len(RANKER_FEATURES)), dtype=np.float32)
    features[:, 0] = np.arange(40)
    gold = np.tile([True, False], 20)
    part = RankingExamples(
        features,
        gold,
        np.full(20, 2),
        np.array([1] + [0] * 19),
        np.array(["state"] * 20),
        names,
        np.array(["traced"] * 20),
        {},
    )

    class Remembers:
        """Scores what it was fitted to 0 and what is new 1."""

        def __init__(self, seen: set[float]) -> None:
            self.seen = seen

        def __call__(self, asked: np.ndarray) -> np.ndarray:
            return np.array([row not in self.seen for row in asked[:, 0].tolist()], dtype=np.float32)

    scores = cross_validated(part, 2, lambda rest: Remembers(set(rest.features[:, 0].tolist())))
    assert set(folds) == {0, 1} and scores.tolist() == [1.0] * 40
    shown = figures(part, np.where(part.gold, 1.0, 0.0).astype(np.float32))
    assert shown["traced", "state"] == pytest.approx([20, 100 * 19.5 / 20, 100 * 19.5 / 20, 100.0])
    assert not without_features(part, ["dense"]).features.any() and part.features.any()
