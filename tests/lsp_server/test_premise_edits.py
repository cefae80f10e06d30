"""What inserting a premise writes: an accepted tactic that uses it, else a form that Lean has tried."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from lean_extract.common.errors import ProjectBroken
from tests.answers import conforming
from tests.lsp_server.conftest import QUIET, Editor, descendants, place_of, start_editor, stop_editor
from tests.lsp_server.test_editor_requests import applied, plain, where
from tests.lsp_server.test_features import compiles

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

HEAD = "import Lib.Numbers\n\n"
AND = HEAD + "theorem t (p q : Prop) /- 𝕜 -/ (h : p ∧ q) : q ∧ p := by\n  sorry\n"
SUM = HEAD + "theorem t (a b : Nat) : Lib.double (a + b) = b + a + (b + a) := by\n  sorry\n"


@pytest_asyncio.fixture(autouse=True, scope="module", loop_scope="module")
async def lean_runs(editor: Editor) -> None:
    """A premise is picked from a suggestion, for which Lean was started."""
    editor.open("Work.lean")
    await editor.suggest_at("Work.lean")


async def inserted(editor: Editor, text: str, place: types.Position, **options: Any) -> tuple[Any, str]:
    """The answer for a premise at a position of a document, and the text that its edits make."""
    editor.open("Inserted.lean", text)
    params = {**where(editor, "Inserted.lean", place), "as": "premise", **options}
    answer = plain(await editor.request("premiseSuggest/edits", params))
    return answer, applied(text, answer["edits"])


def up_to(text: str, cursor: dict[str, int]) -> str:
    """The text before a cursor."""
    lines = text.split("\n")
    row = lines[cursor["line"]].encode("utf-16-le")[: 2 * cursor["character"]].decode("utf-16-le")
    return "\n".join([*lines[: cursor["line"]], row])


async def is_accepted(editor: Editor, folder: Path, text: str) -> bool:
    """Whether Lean accepts a whole file."""
    try:
        await asyncio.to_thread(compiles, editor.root, folder, text)
    except ProjectBroken:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "premise", "tactic", "status"),
    [
        (AND, "Lib.and_swap", "exact Lib.and_swap h", "closes"),
        (AND.replace(":= by\n  sorry", ":= sorry"), "Lib.and_swap", "by exact Lib.and_swap h", "closes"),
        (AND, "Lib.and_swap_iff", "rw [Lib.and_swap_iff]", "progress"),
        (SUM, "Lib.plus_swap", "rw [Lib.plus_swap]", "progress"),
        (SUM, "Lib.double", "unfold Lib.double", "progress"),
        (AND, "Lib.zero_plus", "rw [Lib.zero_plus]", "fails"),
        (AND, "No.such_name", "apply No.such_name", "fails"),
    ],
)
async def test_a_premise_is_inserted_in_a_form_that_lean_has_tried(
    editor: Editor, tmp_path: Path, text: str, premise: str, tactic: str, status: str
) -> None:
    answer, new = await inserted(editor, text, place_of(text, "sorry"), insert=premise)
    assert (answer["tactic"], answer["status"]) == (tactic, status)
    left = "\n  sorry" if status == "progress" else ""
    assert new == text.replace("sorry", f"{tactic}{left}")
    assert up_to(new, answer["cursor"]).endswith(left.removesuffix("sorry") or tactic)
    assert await is_accepted(editor, tmp_path, new) == (status != "fails")


async def test_a_premise_that_an_accepted_tactic_uses_is_inserted_as_that_tactic(
    editor: Editor, tmp_path: Path
) -> None:
    text = AND
    editor.open("Inserted.lean", text)
    suggestion = conforming(plain(await editor.suggest_at("Inserted.lean", text, tactics=True)), "Suggestion")
    listed = {one["name"] for one in suggestion["premises"]}
    closing = [one for one in suggestion["tactics"] if one["status"] == "closes"]
    using = {name: one for one in reversed(closing) for name in one["uses"]}
    assert "Lib.and_swap" in using and set(using) <= listed
    for number, (name, tactic) in enumerate(using.items()):
        answer, new = await inserted(editor, text, place_of(text, "sorry"), insert=name)
        assert answer["status"] == "closes"
        assert name.rpartition(".")[2] in answer["tactic"], tactic
        assert answer["edits"][0]["newText"] in {one["edit"]["text"] for one in closing}
        assert await is_accepted(editor, tmp_path / str(number), new)


async def test_listed_premises_have_a_form_that_fits_their_statement(editor: Editor) -> None:
    editor.open("Inserted.lean", AND)
    answer = conforming(plain(await editor.suggest_at("Inserted.lean", AND)), "Suggestion")
    forms = {one["name"]: one["form"] for one in answer["premises"]}
    assert forms["Lib.and_swap"] == "exact Lib.and_swap h"
    assert not forms["Lib.and_swap_iff"].startswith("exact Lib.and_swap_iff")
    assert all(name in form for name, form in forms.items())
    params = {"query": "a b : Nat ⊢ a + b = b + a"}
    found = plain(await editor.request("premiseSuggest/search", params))
    assert found["premises"][0]["form"] == "exact Lib.plus_swap _ _"
    words = plain(await editor.request("premiseSuggest/search", {"query": "plus_swap"}))
    assert {one["form"] for one in words["premises"]} == {""}


async def test_after_a_tactic_that_lean_accepts_a_premise_is_the_next_step(
    editor: Editor, tmp_path: Path
) -> None:
    text = AND.replace("sorry", "obtain ⟨a, b⟩ := h")
    place = place_of(text.replace(":= h\n", ":= h│\n"), "│")
    answer, new = await inserted(editor, text, place, insert="And.intro")
    assert (answer["tactic"], answer["status"]) == ("apply And.intro", "progress")
    assert new.startswith(f"{text.rstrip()}\n  apply And.intro\n")
    assert await is_accepted(editor, tmp_path, new)


async def test_a_premise_that_needs_an_import_comes_with_it_and_is_tried_with_it(editor: Editor) -> None:
    text = editor.text("Narrow.lean")
    place = place_of(text, "sorry")
    answer, new = await inserted(
        editor, text, place, insert="Lib.plus_swap", **{"import": "import Lib.Numbers"}
    )
    assert (answer["tactic"], answer["status"]) == ("exact Lib.plus_swap _ _", "closes")
    assert new.startswith("import Lib.Basic\nimport Lib.Numbers\n")
    assert up_to(new, answer["cursor"]).endswith("  exact Lib.plus_swap _ _")


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("exact And.intro h.2 (│)", "exact And.intro h.2 (Lib.and_swap)"),
        ("rw [│]", "rw [Lib.and_swap]"),
        ("exact ⟨h.2, and_sw│⟩", "exact ⟨h.2, Lib.and_swap⟩"),
    ],
)
async def test_within_a_term_a_premise_is_inserted_by_its_name(
    editor: Editor, typed: str, after: str
) -> None:
    marked = AND.replace("sorry", typed)
    answer, new = await inserted(
        editor, marked.replace("│", ""), place_of(marked, "│"), insert="Lib.and_swap"
    )
    assert new == AND.replace("sorry", after)
    assert (answer["tactic"], answer["status"]) == ("Lib.and_swap", "untried")
    assert up_to(new, answer["cursor"]).endswith("Lib.and_swap")


async def test_outside_of_proofs_a_premise_is_inserted_by_its_name(editor: Editor) -> None:
    text = "import Lib.Numbers\n\n#check \n"
    answer, new = await inserted(editor, text, types.Position(2, 7), insert="Lib.plus_swap")
    assert new == "import Lib.Numbers\n\n#check Lib.plus_swap\n"
    assert answer["status"] == "untried"


async def test_on_an_empty_line_of_a_proof_a_premise_becomes_a_step(editor: Editor, tmp_path: Path) -> None:
    text = AND.replace("  sorry\n", "  skip\n  \n")
    answer, new = await inserted(editor, text, types.Position(4, 2), insert="Lib.and_swap")
    assert new == AND.replace("  sorry\n", "  skip\n  exact Lib.and_swap h\n")
    assert answer["status"] == "closes"
    assert await is_accepted(editor, tmp_path, new)


async def test_a_tactic_is_inserted_with_its_verdict_and_a_cursor(editor: Editor) -> None:
    options = {"as": "tactic", "insert": "exact Lib.and_swap h"}
    answer, new = await inserted(editor, AND, place_of(AND, "sorry"), **options)
    assert (answer["tactic"], answer["status"]) == ("exact Lib.and_swap h", "closes")
    assert up_to(new, answer["cursor"]).endswith("exact Lib.and_swap h")


@pytest.mark.parametrize(
    "typed", ["exact │", "exact h│", "apply Nat.no_such_name│", "rw [Nat.no_such_name]│"]
)
async def test_a_tactic_that_fails_or_is_being_typed_is_replaced(
    editor: Editor, tmp_path: Path, typed: str
) -> None:
    marked = AND.replace("sorry", typed)
    answer, new = await inserted(
        editor, marked.replace("│", ""), place_of(marked, "│"), insert="Lib.and_swap"
    )
    assert (new.replace(" \n", "\n"), answer["status"]) == (
        AND.replace("sorry", "exact Lib.and_swap h"),
        "closes",
    )
    assert up_to(new, answer["cursor"]).endswith("exact Lib.and_swap h")
    assert await is_accepted(editor, tmp_path, new)


async def test_all_premises_of_a_long_goal_have_forms(editor: Editor) -> None:
    parts = " ∧ ".join(["a + b = b + a"] * 250)
    text = f"import Lib.Numbers\n\ntheorem t (a b : Nat) : {parts} := by\n  sorry\n"
    editor.open("Inserted.lean", text)
    answer = conforming(plain(await editor.suggest_at("Inserted.lean", text, k=200)), "Suggestion")
    assert len(answer["goal"]) > 3000 and len(answer["premises"]) > 100
    assert all(one["name"] in one["form"] for one in answer["premises"])
    inserting, new = await inserted(editor, text, place_of(text, "sorry"), insert="Lib.plus_swap")
    assert inserting["status"] in ("closes", "progress", "fails") and inserting["tactic"] in new


async def test_where_no_lean_runs_the_form_that_was_shown_is_inserted(
    project: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(project, environment, options=QUIET)
    place = place_of(AND, "sorry")
    editor.open("Inserted.lean", AND)
    given = {"goal": "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"}
    shown = plain(await editor.suggest("Inserted.lean", place.line, place.character, **given))
    form = next(one["form"] for one in shown["premises"] if one["name"] == "Lib.and_swap_iff")
    answer, new = await inserted(editor, AND, place, insert="Lib.and_swap_iff")
    assert (answer["tactic"], answer["status"]) == (form, "untried")
    assert new == AND.replace("sorry", form)
    assert not descendants(editor.pid)
    await stop_editor(editor)
