"""The proofs of a project's own files vote: what they use, and that the ranking follows at the next update."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from lean_extract.goals import parse_goal
from lean_extract.source.extract import extract_project
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.stores import SHIPPED_MODEL
from retriever.lean.dataset.dataset import load_records
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext, voters
from retriever.lean.index.build import update_index
from retriever.lean.service import PremiseService
from retriever.lean.theorems import is_theorem
from retriever.models.encoder import Encoder
from retriever.search.index import proof_columns
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.store import IndexStore
from retriever.search.indexing import embedding, update
from tests.retriever.support import CountingEncoder, Project

MODEL = Path(__file__).parent / "fixtures" / "encoder"
BASE = """\
namespace Num
theorem swap (a b : Nat) : a + b = b + a := sorry
theorem Even.half (a : Nat) (h : Even a) : a = a := sorry
end Num
theorem zero (a : Nat) : a + 0 = a := sorry
"""
USER = """\
import Num.Base
open Num
namespace Own

theorem first (n m : Nat) : n + m = m + n := by
  rw [swap, zero, nowhere]

theorem second (n : Nat) (h : Num.Even n) : n = n := by
  have := first n n
  exact h.half

theorem zero : 0 = 0 := rfl

theorem third : 0 + 0 = 0 := by
  simp [zero, _root_.zero]
end Own
"""
GOAL = parse_goal("a b c : ℕ\nh : a ∣ b\n⊢ a ∣ c * b")


@pytest.fixture
def project(tmp_path: Path, counting: CountingEncoder) -> Project:
    return Project.written(tmp_path, counting, Base=BASE, User=USER)


def uses(store: IndexStore, model: Path = MODEL) -> dict[str, set[str]]:
    """What each theorem with a vote uses."""
    snapshot = PremiseService.open([store], model).snapshot()
    graph, name = snapshot.proofs, snapshot.view.name
    return {
        name(number): {name(used) for used in graph.uses[graph.starts[number] : graph.starts[number + 1]]}
        for number in np.flatnonzero(graph.known).tolist()
    }


EXPECTED = {
    "Own.first": {"Num.swap", "zero"},
    "Own.second": {"Own.first", "Num.Even.half"},
    "Own.third": {"Own.zero", "zero"},
}


def test_proofs_of_own_files_use_what_their_names_mean_there(project: Project) -> None:
    project.index()
    assert uses(project.store) == EXPECTED, "a name that is declared below is not meant"


def test_what_is_found_is_nearly_all_that_linking_all_files_finds(
    tmp_path: Path, store: IndexStore, encoder: Encoder
) -> None:
    update_index(EXAMPLE, store, encoder)
    extract_project(EXAMPLE, tmp_path / "records.jsonl")
    records = load_records(tmp_path / "records.jsonl", [])
    theorems = {premise.name for premise in records.premises if is_theorem(premise)}
    linked = {(one.theorem, used) for one in records.proofs for used in one.premises}
    linked = {edge for edge in linked if theorems.issuperset(edge)}
    found = {(theorem, used) for theorem, row in uses(store).items() for used in row}
    found = {edge for edge in found if theorems.issuperset(edge)}
    assert len(linked & found) > 0.95 * len(linked)
    assert len(found - linked) < 0.01 * len(found)


def test_proofs_that_are_not_to_be_read_give_neither_votes_nor_steps(project: Project) -> None:
    project.index(unread=frozenset({"Own.first"}))
    assert uses(project.store).keys() == EXPECTED.keys() - {"Own.first"}
    goal = parse_goal("n m : Nat\n⊢ n + m = m + n")
    steps = project.service().near_steps(goal)
    assert steps and "Own.first" not in {step.theorem for step in steps}


def test_a_name_that_another_file_gains_or_loses_needs_no_reading_again(project: Project) -> None:
    project.index()
    project.write("Base", BASE.replace("theorem swap", "theorem nowhere"))
    assert project.index().files_read == 1
    assert uses(project.store)["Own.first"] == {"Num.nowhere", "zero"}


def test_a_changed_proof_votes_as_it_is_now(project: Project) -> None:
    project.index()
    project.write("User", USER.replace("rw [swap, zero, nowhere]", "exact swap n m"))
    project.index()
    assert uses(project.store)["Own.first"] == {"Num.swap"}
    project.path("User").unlink()
    project.index()
    assert uses(project.store) == {}


def test_merged_segments_keep_what_proofs_mention_and_their_steps(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "DOCUMENTS_PER_SEGMENT", 1)
    monkeypatch.setattr(embedding, "DOCUMENTS_PER_STEP", 1)
    more = {f"t{number}": {"zero"} for number in range(9)}
    for name in more:
        project.write(f"{name}", f"theorem {name} : 1 = 1 := by\n  exact zero\n")
    project.index()
    assert len(project.store.manifest().segments) < 9
    assert uses(project.store) == EXPECTED | more
    steps = project.service().near_steps(parse_goal("⊢ 1 = 1"))
    assert {(name, "exact zero") for name in more} <= {(step.theorem, step.tactic) for step in steps}


def test_a_proof_that_was_read_counts_for_more_than_a_shipped_one_of_its_name(project: Project) -> None:
    shipped = ProofRows.of_names({"Own.first": ["Own.second"], "zero": ["Num.swap"]})
    project.index(proofs=shipped)
    assert uses(project.store) == EXPECTED | {"zero": {"Num.swap"}}


def test_an_index_from_before_own_proofs_voted_is_completed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(embedding, "READ", proof_columns.READ - 1)
        project.index()
    assert project.service().freshness().without_steps == 2
    assert project.index().files_read == 2
    assert project.service().freshness().without_steps == 0
    assert project.index().files_read == 0


def test_a_theorem_and_what_follows_it_do_not_vote(project: Project) -> None:
    project.index()
    snapshot = project.service().snapshot()
    line = USER.splitlines().index("theorem second (n : Nat) (h : Num.Even n) : n = n := by")
    where = GoalContext("Num.User", ("Num.Base",), line + 1, theorem="Own.second")
    allowed = np.flatnonzero(voters(snapshot, where)).tolist()
    assert [snapshot.view.name(number) for number in allowed] == ["Own.first"]
    elsewhere = GoalContext("Num.Other", ("Num.User",), 0, theorem="mine")
    assert int(voters(snapshot, elsewhere).sum()) == len(EXPECTED)


def test_a_premise_used_in_one_file_climbs_for_a_goal_in_another(tmp_path: Path, store: IndexStore) -> None:
    """The example library, with the model that is shipped."""
    root = tmp_path / "library"
    shutil.copytree(EXAMPLE, root)
    encoder = Encoder.load(SHIPPED_MODEL)
    update_index(root, store, encoder)
    where = GoalContext("Example.Second", ("Example.First",), 3, theorem="mine")

    def ranked() -> list[str]:
        service = PremiseService.open([store], SHIPPED_MODEL)
        return [one.premise.name for one in service.rank(RankRequest(GOAL, where, 1000))]

    before = ranked()
    used = before[30]
    proof = f"theorem own (x y z : ℕ) (d : x ∣ y) : x ∣ z * y := by\n  exact {used} d\n"
    (root / "Example" / "First.lean").write_text(f"import Example.Nat.Order\n\n{proof}", encoding="utf-8")
    update_index(root, store, encoder)
    after = [name for name in ranked() if name != "own"]
    assert after.index(used) <= 15
    assert before[0] == after[0], "what fits the goal stays first"
