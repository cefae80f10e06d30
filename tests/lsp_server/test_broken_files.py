"""Suggestions in files with errors, through the server and the terminal: premises yes, untrue verdicts no."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp_server.conftest import Cli, Editor, place_of, succeed
from tests.lsp_server.test_features import fixes

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

BROKEN_STATEMENT = (
    "import Lib.Numbers\n\ntheorem bad (n : Nat) : n + foo.bar = n := by\n  sorry\n\n"
    "theorem fine (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  sorry\n"
)
FAILED_DEFINITION = "def f (n : Nat) : Nat := foo n\n\ntheorem t : f 2 = f 3 := by\n  sorry\n"
WARNING = "Line 3 has an error: Unknown identifier `foo.bar`. No tactic can be judged until it is fixed."

SMALL_CORE = "It knows few names of Lean's own library and none of Mathlib's"


async def suggested(editor: Editor, name: str, text: str, nth: int = 0) -> Any:
    editor.open(name, text)
    return await editor.suggest_at(name, text, nth=nth, tactics=True)


async def test_a_goal_with_an_error_in_it_gets_premises_and_lean_s_own_message(editor: Editor) -> None:
    answer = await suggested(editor, "Bad.lean", BROKEN_STATEMENT)
    assert answer["goal"].endswith("⊢ n + sorry = n")
    assert answer["premises"]
    assert answer["tactics"] == []
    assert answer["warnings"] == [WARNING]
    assert answer["tactics_status"] == "goal_broken"
    assert len([note for note in answer["notes"] if SMALL_CORE in note]) == 1
    assert await fixes(editor, editor.uri("Bad.lean"), place_of(BROKEN_STATEMENT, "sorry")) == []


async def test_a_correct_theorem_below_keeps_its_verdicts(editor: Editor) -> None:
    answer = await suggested(editor, "Below.lean", BROKEN_STATEMENT, nth=1)
    assert answer["tactics"][0]["status"] == "closes"
    assert answer["warnings"] == []
    assert not [note for note in answer["notes"] if SMALL_CORE in note]
    assert answer["tactics_status"] == "tried"
    offered = await fixes(editor, editor.uri("Below.lean"), place_of(BROKEN_STATEMENT, "sorry", 1))
    assert offered[0].is_preferred


async def test_what_cannot_be_judged_is_shown_with_the_reason_and_is_no_quick_fix(editor: Editor) -> None:
    answer = await suggested(editor, "Doubt.lean", FAILED_DEFINITION)
    assert "rfl" in [one["tactic"] for one in answer["tactics"]]
    assert {one["status"] for one in answer["tactics"]} == {"unjudged"}
    assert {one["message"] for one in answer["tactics"]} == {"cannot be judged: line 1 has an error"}
    asked = {"trigger_kind": types.CodeActionTriggerKind.Invoked}
    offered = await fixes(editor, editor.uri("Doubt.lean"), place_of(FAILED_DEFINITION, "sorry"), **asked)
    assert [one.title for one in offered] == ["Search for a proof (10 s)"]


async def test_a_refused_name_of_lean_s_library_comes_with_what_this_lean_lacks(editor: Editor) -> None:
    text = "theorem t (n : Nat) : n * 1 = n := by\n  sorry\n"
    editor.open("Lacking.lean", text)
    place = {"textDocument": {"uri": editor.uri("Lacking.lean")}, "position": {"line": 1, "character": 2}}
    asked = {**place, "insert": "exact Nat.mul_one n", "as": "tactic", "accepted": True}
    with pytest.raises(JsonRpcException) as refused:
        await editor.request("premiseSuggest/edits", asked)
    assert "Nat.mul_one" in refused.value.message
    assert str(refused.value.data).count(SMALL_CORE) == 1


HALF = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  have k : q := by\n    sorry\n"
ENDLESS = {
    "a comment": f"{HALF}  /- to do",
    "a comment behind": f"{HALF}  exact ⟨k, h.1⟩\n\n/- to do\n\ntheorem u : True := trivial\n",
    "a bracket": f"{HALF}  exact (k",
    "a string": f'{HALF}  exact "k',
}


@pytest.mark.parametrize("case", ENDLESS)
async def test_in_a_file_that_does_not_end_nothing_closes(editor: Editor, case: str) -> None:
    answer = await suggested(editor, f"Endless{list(ENDLESS).index(case)}.lean", ENDLESS[case])
    assert answer["premises"]
    assert "closes" not in [one["status"] for one in answer["tactics"]]
    assert answer["tactics"] or len(answer["warnings"]) == 1


async def test_mended_it_is_judged_again(editor: Editor) -> None:
    answer = await suggested(editor, "Mended.lean", ENDLESS["a bracket"])
    assert answer["tactics"][0]["status"] == "unjudged"
    whole = f"{HALF}  exact ⟨k, h.1⟩"
    change = types.TextDocumentContentChangeWholeDocument(whole)
    document = types.VersionedTextDocumentIdentifier(2, editor.uri("Mended.lean"))
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    answer = await editor.suggest_at("Mended.lean", whole, tactics=True)
    assert answer["tactics"][0]["status"] == "closes"


async def test_three_hundred_errors_above_in_the_same_proof(editor: Editor) -> None:
    errors = "".join(f"  have h{i} : p := no_such_{i}\n" for i in range(300))
    text = f"theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n{errors}  sorry\n"
    answer = await suggested(editor, "Many.lean", text)
    assert {one["status"] for one in answer["tactics"]} <= {"unjudged"}
    assert {one["message"] for one in answer["tactics"]} <= {"cannot be judged: line 2 has an error"}
    # The server lives.
    assert (await suggested(editor, "After.lean", BROKEN_STATEMENT, nth=1))["tactics"][0][
        "status"
    ] == "closes"


async def test_files_that_import_each_other(own_project: Path, cli: Cli) -> None:
    (own_project / "One.lean").write_text(f"import Two\n\n{HALF}", encoding="utf-8")
    (own_project / "Two.lean").write_text("import One\n", encoding="utf-8")
    done = cli("suggest", "--file", own_project / "One.lean", "--line", "5", "--tactics")
    assert "closes the goal" not in done.stdout
    assert "Traceback" not in done.stderr
    assert done.returncode in (1, 2)
    assert done.stderr.count("error:") == 1


async def test_in_the_terminal_the_line_stands_beside_the_tactic(own_project: Path, cli: Cli) -> None:
    (own_project / "Doubt.lean").write_text(FAILED_DEFINITION, encoding="utf-8")
    done = succeed(cli, "suggest", "--file", own_project / "Doubt.lean", "--line", "4", "--tactics")
    assert "cannot be judged: line 1 has an error" in done.stdout
    assert "closes the goal" not in done.stdout
