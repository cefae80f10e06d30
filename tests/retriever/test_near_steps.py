"""Steps of known proofs: kept by the index, and found by a goal's state."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Goal, Hypothesis, NearStep
from lean_extract.source.reader import read_module
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.corpus import LeanIndexCorpus
from retriever.lean.near_steps import MOST_TERMS
from tests.retriever.support import CountingEncoder, Project

MODEL = Path(__file__).parent / "fixtures" / "encoder"
ORDER = """\
namespace Num

theorem le_swap (a b : Nat) (h : a ≤ b) : a ≤ b + 0 := sorry

theorem le_zero_add (a b : Nat) (hab : a ≤ b) : a ≤ b + 0 := by
  exact le_swap a b hab

theorem and_swap (p q : Prop) (hp : p) (hq : q) : q ∧ p := by
  constructor
  · exact hq
  · exact hp

end Num
"""
LATER = """\
import Num.Order
open Num

theorem mine (m n : Nat) (hmn : m ≤ n) : m ≤ n + 0 := by
  exact Num.le_zero_add m n hmn

theorem below (m n : Nat) (hmn : m ≤ n) : m ≤ n + 0 := by
  exact le_swap m n hmn
"""
GOAL = Goal((Hypothesis(("x", "y"), "Nat"), Hypothesis(("h",), "x ≤ y")), "x ≤ y + 0")


@pytest.fixture
def project(tmp_path: Path, counting: CountingEncoder) -> Project:
    return Project.written(tmp_path, counting, Order=ORDER, Later=LATER)


def found_in(project: Project, where: GoalContext | None = None) -> dict[str, list[NearStep]]:
    """The steps near to the goal by their theorems."""
    found: dict[str, list[NearStep]] = {}
    for step in project.service().near_steps(GOAL, where):
        found.setdefault(step.theorem, []).append(step)
    return found


def test_steps_are_found_by_their_states_with_names_in_full(project: Project) -> None:
    project.index()
    found = found_in(project)
    [step] = found["Num.le_zero_add"]
    assert step.tactic == "exact Num.le_swap a b hab"
    assert [premise.name for premise in step.premises] == ["Num.le_swap"]
    assert step.module == "Num.Order"
    assert Hypothesis(("hab",), "a ≤ b") in step.goal.hypotheses
    assert found["below"][0].tactic == "exact Num.le_swap m n hmn", "an `open` is followed"
    assert {step.tactic for step in found["Num.and_swap"]} == {"constructor", "exact hq", "exact hp"}
    assert step.similarity > found["Num.and_swap"][0].similarity


def test_the_theorem_itself_and_what_follows_it_give_no_step(project: Project) -> None:
    project.index()
    line = LATER.splitlines().index("theorem below (m n : Nat) (hmn : m ≤ n) : m ≤ n + 0 := by")
    for at, names in ((line - 2, {"Num.le_zero_add", "Num.and_swap"}), (line + 1, {"mine"})):
        where = GoalContext("Num.Later", ("Num.Order",), at, theorem="below" if at > line else "mine")
        found = found_in(project, where)
        assert names <= set(found)
        assert not {"below"} & set(found)
        assert ("mine" in found) == (at > line)


def test_proofs_above_the_goal_count_as_they_stand_in_the_editor(project: Project) -> None:
    project.index()
    text = LATER.replace("exact Num.le_zero_add m n hmn", "exact le_swap _ _ hmn")
    source = read_module(text, "Num.Later", "Later.lean", states=True)
    where = GoalContext("Num.Later", ("Num.Order",), 7, source.premises, "below", source)
    [step] = found_in(project, where)["mine"]
    assert step.tactic == "exact Num.le_swap _ _ hmn"


def test_a_step_is_given_with_those_that_follow_it(project: Project) -> None:
    text = """\
import Num.Order
theorem three (x y : Nat) (h : x ≤ y) (k : y = 0) : x ≤ y + 0 := by
  have e : y ≤ y + 0 := by
    rw [k]
    exact Num.le_swap y y le
  have f : x ≤ x := by simp
  exact le_trans h e
theorem short (x y : Nat) (h : x ≤ y) : x ≤ y + 0 := by
  intro z
  calc x ≤ y := h
theorem split (x y : Nat) (h : x ≤ y) : x ≤ y + 0 := by
  intro w
  cases y
  exact le_zero h
  simp [h]
theorem cased (x y : Nat) (h : x ≤ y) : x ≤ y + 0 := by
  cases y
  exact le_zero h
"""
    project.write("Later", text)
    project.index()
    where = GoalContext("Num.Mine", ("Num.Order",), 0)
    found = found_in(project, where)
    first = next(step for step in found["three"] if step.tactic == "have e : y ≤ y + 0")
    assert Hypothesis(("k",), "y = 0") in first.goal.hypotheses, "a step after it mentions it"
    nested = "have e : y ≤ y + 0 := by\n  rw [k]"
    two, three = first.continued
    assert (two.tactic, two.premises) == (nested, ())
    assert three.tactic == f"{nested}\n  exact Num.le_swap y y le"
    assert [premise.name for premise in three.premises] == ["Num.le_swap"]
    bare = next(step for step in found["short"] if step.tactic == "intro z")
    assert bare.continued == (), "a `calc` is not one tactic"
    intro = next(step for step in found["split"] if step.tactic == "intro w")
    assert [one.tactic for one in intro.continued] == ["intro w\ncases y"], "what proves one case ends there"
    assert next(step for step in found["cased"] if step.tactic == "cases y").continued == ()
    source = read_module(text, "Num.Later", "Later.lean", states=True)
    live = GoalContext("Num.Later", ("Num.Order",), 7, source.premises, "short", source)
    shown = next(step for step in found_in(project, live)["three"] if step.tactic == first.tactic)
    assert [one.tactic for one in shown.continued] == [two.tactic, three.tactic], "as the editor shows them"


def test_premises_out_of_scope_are_named(project: Project) -> None:
    project.index()
    [step] = found_in(project, GoalContext("Num.Other", (), 0))["Num.le_zero_add"]
    assert step.out_of_scope == ("Num.le_swap",)
    [step] = found_in(project, GoalContext("Num.Other", ("Num.Order",), 0))["Num.le_zero_add"]
    assert step.out_of_scope == ()


def test_a_changed_file_gives_its_new_steps_only(project: Project) -> None:
    project.index()
    project.write("Order", ORDER.replace("  exact le_swap a b hab", "  simpa using hab"))
    project.index()
    assert [step.tactic for step in found_in(project)["Num.le_zero_add"]] == ["simpa using hab"]


def test_an_index_from_before_steps_were_kept_answers_and_is_completed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(LeanIndexCorpus, "has_steps", False)
        project.index()
    service = project.service()
    assert service.rank(RankRequest(GOAL)) and service.near_steps(GOAL) == []
    assert service.freshness().without_steps == 2
    embedded = len(project.encoder.names)
    assert project.index().files_read == 2
    assert len(project.encoder.names) == embedded, "the premises keep their vectors"
    service = project.service()
    assert service.near_steps(GOAL) and service.freshness().without_steps == 0


def test_names_that_exist_no_more_stay_as_they_are_written(project: Project) -> None:
    project.write("Later", LATER.replace("le_swap", "gone.before"))
    project.index()
    [step] = found_in(project)["below"]
    assert (step.tactic, step.premises, step.out_of_scope) == ("exact gone.before m n hmn", (), ())


@pytest.mark.parametrize(
    "text", ["", "theorem bare (n : Nat) : n = n\n", "def two : Nat := 2\n", "theorem t"]
)
def test_a_library_without_proofs_has_no_steps_and_no_votes(project: Project, text: str) -> None:
    project.write("Order", text)
    project.path("Later").unlink()
    project.index()
    service = project.service()
    assert service.near_steps(GOAL) == []
    assert not service.snapshot().proofs.known.any()
    assert service.freshness().without_steps == 0


def test_few_of_the_nearest_are_terms(project: Project) -> None:
    terms = "".join(
        f"theorem term{number} (x y : Nat) (h : x ≤ y) : x ≤ y + 0 := le_swap x y h\n" for number in range(30)
    )
    project.write("Terms", f"import Num.Order\nopen Num\n{terms}")
    project.index()
    found = found_in(project)
    assert sum(name.startswith("term") for name in found) == MOST_TERMS
    assert {"Num.le_zero_add", "below", "Num.and_swap"} <= set(found)
