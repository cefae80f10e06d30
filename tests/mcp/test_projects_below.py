"""A server for agents in a folder above Lean projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp_server.test_projects_below import make
from tests.mcp.conftest import Workplace, on_stdio

pytestmark = pytest.mark.lean


async def test_the_only_project_below_answers(workplace: Workplace, tmp_path: Path) -> None:
    """Files are named from the folder in which the agent works, or from the project."""
    place = Workplace(make(tmp_path / "above", "lean"), workplace.environment)
    async with on_stdio(place) as client:
        answers = [
            await client.call_tool("suggest", {"file": file, "line": 2, "tactics": False})
            for file in ("lean/Lib.lean", "Lib.lean", str(place.root / "lean" / "Lib.lean"))
        ]
        found = await client.call_tool("search", {"query": "swap_lean"})
    assert {answer.structured_content["goal"] for answer in answers} == {"n m : ℕ\n⊢ n + m = m + n"}
    assert found.structured_content["premises"][0]["name"] == "swap_lean"
    assert "warnings" not in found.structured_content


async def test_trials_say_whose_verdicts_they_are(workplace: Workplace, tmp_path: Path) -> None:
    """An import with an error, and a Lean that is not the one that the project asks for."""
    place = Workplace(make(tmp_path / "above", "lean"), workplace.environment)
    lean = place.root / "lean"
    (lean / "lean-toolchain").write_text("leanprover/lean4:v4.31.0\n", encoding="utf-8")
    (lean / "A.lean").write_text("theorem of_a : True := trivial\n", encoding="utf-8")
    (lean / "B.lean").write_text("import A\n\ntheorem b : True := by\n  sorry\n", encoding="utf-8")
    asked = {"file": "lean/B.lean", "line": 4, "tactics": ["exact of_a", "exact Nat.mul_one"]}
    async with on_stdio(place) as client:
        first = await client.call_tool("try_tactics", asked)
        (lean / "A.lean").write_text("theorem other : True := no_such\n", encoding="utf-8")
        second = await client.call_tool("try_tactics", asked)
    assert "warnings" not in first.structured_content
    for answer in (first, second):
        assert [one["status"] for one in answer.structured_content["tactics"]] == ["closes", "fails"]
        [note] = answer.structured_content["notes"]
        assert (
            note.startswith("The project asks for leanprover/lean4:v4.31.0")
            and note in answer.content[0].text
        )
    [warning] = second.structured_content["warnings"]
    assert warning.startswith(
        "A.lean has an error since it was last built (line 1: Unknown identifier `no_such`)"
    )
    assert warning in second.content[0].text


async def test_of_several_each_answers_for_its_files_and_a_search_names_them(
    workplace: Workplace, tmp_path: Path
) -> None:
    place = Workplace(make(tmp_path / "above", "one", "two"), workplace.environment)
    async with on_stdio(place) as client:
        answers = [
            await client.call_tool("suggest", {"file": f"{name}/Lib.lean", "line": 2, "tactics": False})
            for name in ("one", "two")
        ]
        found = await client.call_tool("search", {"query": "swap"})
    for answer in answers:
        assert answer.structured_content["index"]["line"].startswith("this project")
    assert f"Below it are the projects {place.root / 'one'}, {place.root / 'two'}." in found.content[0].text
