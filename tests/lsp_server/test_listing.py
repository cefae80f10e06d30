"""What is listed, and in which order: deprecated lemmas, copies, names that a query applies, and nothing at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lean_extract.records import Goal, Hypothesis, Position
from lsp_server.engine.corrections import corrections
from lsp_server.engine.project_index import ProjectIndex
from prover.verify import GoalPosition
from tests.answers import conforming
from tests.lsp_server.conftest import (
    Cli,
    answered,
    place_of,
    premise_names,
    start_editor,
    stop_editor,
    succeed,
)

pytestmark = pytest.mark.field_case

FILES = {
    "Old.lean": """namespace Odd
def shown (n : Nat) : Nat := n
theorem good_name (n : Nat) : shown n = n := rfl
@[deprecated good_name (since := "2025-01-01")] theorem a_bad_name (n : Nat) : shown n = n := rfl
@[deprecated (since := "2025-02-03")] alias old_name := good_name
@[deprecated "It says nothing." (since := "2025-02-03")]
theorem useless (n : Nat) : shown n = shown n := rfl
end Odd
""",
    "Limits.lean": """def Tendsto₁ (s : Nat → Nat) (a : Nat) : Prop := ∃ N, ∀ n, N ≤ n → s n = a
theorem tendsto₁_const (a : Nat) : Tendsto₁ (fun _ => a) a :=
  ⟨0, fun _ _ => rfl⟩
""",
    "Exercises.lean": """namespace Exercise
def ConvergesTo (s : Nat → Nat) (a : Nat) : Prop := ∃ N, ∀ n, N ≤ n → s n = a
variable {s t : Nat → Nat} {a b : Nat}
theorem convergesTo_unique (hs : ConvergesTo s a) (ht : ConvergesTo s b) : a = b := by
  sorry
theorem convergesTo_const (a : Nat) : ConvergesTo (fun _ => a) a := by
  sorry
end Exercise
""",
    "Solutions.lean": """namespace Solution
def ConvergesTo (s : Nat → Nat) (a : Nat) : Prop := ∃ N, ∀ n, N ≤ n → s n = a
variable {s t : Nat → Nat} {a b : Nat}
theorem convergesTo_const (a : Nat) : ConvergesTo (fun _ => a) a :=
  ⟨0, fun _ _ => rfl⟩
theorem convergesTo_unique (hs : ConvergesTo s a) (ht : ConvergesTo s b) : a = b := by
  obtain ⟨M, hM⟩ := hs
  obtain ⟨N, hN⟩ := ht
  rw [← hM _ (Nat.le_add_right M N), hN _ (Nat.le_add_left N M)]
theorem ConvergesTo.of_eq (h : ConvergesTo s a) (hst : ∀ n, s n = t n) : ConvergesTo t a := by
  sorry
end Solution
""",
}
UNIQUE = "s : Nat → Nat\na b : Nat\nhs : ConvergesTo s a\nht : ConvergesTo s b\n⊢ a = b"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """A project with exercises and their solutions, and with lemmas that have new names; indexed."""
    root = tmp_path_factory.mktemp("course")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    (root / "lakefile.toml").write_text(
        'name = "course"\n\n[[lean_lib]]\nname = "Course"\n', encoding="utf-8"
    )
    succeed(cli, "index", root)
    return root


def asked(cli: Cli, root: Path, query: str) -> dict[str, Any]:
    found: dict[str, Any] = conforming(answered(cli, "search", query, cwd=root), "SearchAnswer")
    return found


def names(cli: Cli, root: Path, query: str) -> list[str]:
    return [one["name"] for one in asked(cli, root, query)["premises"]]


@pytest.mark.parametrize(
    "query", ["n' : Nat\n⊢ Odd.shown n' = n'", "Odd.shown _ = _", "bad name", "Odd.old_name"]
)
def test_deprecated_lemmas_are_marked_and_stand_behind_what_replaces_them(
    cli: Cli, course: Path, query: str
) -> None:
    found = {one["name"]: one for one in asked(cli, course, query)["premises"]}
    order = [name for name in found if name.startswith("Odd.")]
    for old in {"Odd.a_bad_name", "Odd.old_name"} & set(order):
        assert "Odd.good_name" not in order or order.index("Odd.good_name") < order.index(old)
    marks = {name: (one["deprecated"], one["replaced_by"]) for name, one in found.items()}
    expected = {
        "Odd.good_name": (False, ""),
        "Odd.a_bad_name": (True, "good_name"),
        "Odd.old_name": (True, ""),
        "Odd.useless": (True, ""),
    }
    assert {name: mark for name, mark in marks.items() if name in expected}.items() <= expected.items()
    assert order
    scores = [one["score"] for one in found.values()]
    assert scores == sorted(scores, reverse=True)


def test_the_replacement_is_first_for_its_statement(cli: Cli, course: Path) -> None:
    assert names(cli, course, "n' : Nat\n⊢ Odd.shown n' = n'")[0] == "Odd.good_name"


def test_deprecated_lemmas_are_marked_in_the_text(cli: Cli, course: Path) -> None:
    shown = cli("search", "n' : Nat\n⊢ Odd.shown n' = n'", cwd=course).stdout
    assert "deprecated: use good_name" in shown


async def test_deprecated_lemmas_are_marked_in_the_editor(course: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(course, environment, options={"index": {"auto": False}})
    text = "theorem t (n : Nat) : n = n := by\n  exact Odd.\n"
    uri = editor.open("Open.lean", text)
    place = place_of(text, "exact Odd.")
    params = types.CompletionParams(
        types.TextDocumentIdentifier(uri), types.Position(place.line, place.character + len("exact Odd."))
    )
    answer = await editor.client.text_document_completion_async(params)
    items = answer.items if isinstance(answer, types.CompletionList) else answer or []
    tags = {item.label: item.tags for item in items if item.label.startswith("Odd.")}
    assert list(tags["Odd.a_bad_name"] or ()) == [types.CompletionItemTag.Deprecated]
    assert not tags["Odd.good_name"]
    await stop_editor(editor)


@pytest.mark.parametrize("query", [UNIQUE, "convergesTo_unique", "_ = _, ConvergesTo"])
def test_exercise_and_solution_are_listed_once_the_proved_one_first(
    cli: Cli, course: Path, query: str
) -> None:
    found = names(cli, course, query)
    assert "Solution.convergesTo_unique" in found
    assert "Exercise.convergesTo_unique" not in found


def test_the_declaration_being_proved_is_no_premise_and_its_copy_is_not_the_first(
    cli: Cli, course: Path
) -> None:
    lines = FILES["Exercises.lean"].split("\n")
    line = lines.index("  sorry") + 1
    place = ["--file", str(course / "Exercises.lean"), "--line", str(line), "--column", "3"]
    found = premise_names(answered(cli, "suggest", *place))
    assert "Exercise.convergesTo_unique" not in found
    assert found[0] != "Solution.convergesTo_unique"
    assert found.index("Solution.convergesTo_unique") == 1


@pytest.mark.parametrize("query", ["ConvergesTo s a", "ConvergesTo (fun n => a) a", "s.ConvergesTo a"])
def test_an_application_finds_its_function(cli: Cli, course: Path, query: str) -> None:
    found = names(cli, course, query)
    assert set(found[:2]) == {"Exercise.ConvergesTo", "Solution.ConvergesTo"}
    assert "onvergesTo" in found[2]


@pytest.mark.parametrize("goal", ["X : Quux\n⊢ Blorb X", "p : Prop\n⊢ p"])
def test_nothing_fits_is_said(cli: Cli, course: Path, goal: str) -> None:
    answer = asked(cli, course, goal)
    assert answer["premises"] == []
    assert (
        answer["notes"][0] == "No premise fits: none of those that were searched has a symbol of this goal."
    )
    shown = cli("search", goal, cwd=course).stdout
    assert "none found" in shown and "note: No premise fits" in shown


def test_a_new_name_takes_the_place_of_the_old_one_in_a_failing_tactic(
    course: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", environment["PREMISE_SUGGEST_INDEX"])
    index = ProjectIndex(course, environment["PREMISE_SUGGEST_MODEL"])
    text = "import Old\n\ntheorem t (n : Nat) : Odd.shown n = n := by\n  sorry\n"
    at = GoalPosition(course / "New.lean", text, Position(3, 2))

    def tactics(typed: str) -> list[str]:
        goal = Goal((Hypothesis(("known_name",), "Nat"),), "Odd.shown n = n")
        return [one.tactic for one in corrections(index, at, goal, typed, 2)]

    assert tactics("exact Odd.a_bad_name m")[0] == "exact Odd.good_name m"
    assert tactics("rw [a_good_nam") == []
    assert tactics("rw [good_nane, h")[0] == "rw [Odd.good_name, h]"
    assert tactics("exact (god_name\n    n).symm.trans known_name")[0] == (
        "exact (Odd.good_name\n  n).symm.trans known_name"
    )
    assert tactics("exact Odd.good_name m") == []
    assert tactics("good_nam") == []
    assert tactics(f"exact {'good_nam ' * 2000}") == []
