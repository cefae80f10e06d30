"""A goal that nothing in scope closes is closed with one more import: in the view, quick fixes, terminal and edits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from tests.lsp_server.conftest import (
    QUIET,
    Cli,
    Editor,
    answered,
    descendants,
    indexed_example,
    place_of,
    start_editor,
    stop_editor,
    succeed,
)
from tests.lsp_server.test_editor_requests import applied, plain, where
from tests.lsp_server.test_edits_everywhere import after_fix

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

TOTAL = "theorem t (m n : Nat) : m ≤ n ∨ n ≤ m := by\n  sorry\n"
ORDER = "import Example.Nat.Order"


BROKEN = """import Example.Nat.Basic

theorem cube (m n : ℕ) :
    (m + n) * (m + n) * (m + n) = n * n * n + m * m * m + 3 * (m * n * (m + n)) := by
  rfl
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(
    tmp_path_factory: pytest.TempPathFactory, cli: Cli, environment: dict[str, str]
) -> AsyncIterator[Editor]:
    """A server on the example library, with a module that does not compile."""
    root = indexed_example(tmp_path_factory.mktemp("imports") / "example", cli, Broken=BROKEN)
    started = await start_editor(root, environment, options=QUIET)
    yield started
    await stop_editor(started)


@pytest.fixture(scope="module")
def refused(
    packaged_lean: PackagedLean, example_oleans: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], str]:
    """What a new Lean says against a file; nothing if it accepts it."""
    path = tmp_path_factory.mktemp("checked") / "Checked.lean"
    variables = {**os.environ, **packaged_lean.environment_for(example_oleans, EXAMPLE)}

    def refused(text: str) -> str:
        path.write_text(text, encoding="utf-8")
        command = [*packaged_lean.lean_command, str(path)]
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=120, check=False
        )
        return done.stdout + done.stderr

    return refused


async def suggested(editor: Editor, name: str, text: str) -> Any:
    editor.open(name, text)
    return plain(await editor.suggest_at(name, text, tactics=True))


def with_import(answer: Any) -> dict[str, str]:
    return {one["tactic"]: one["import"] for one in answer["tactics"] if one["import"] is not None}


def in_lsp(item: Any) -> Any:
    """An edit of an answer, in a text of the basic plane alone."""
    start = {"line": item["line"] - 1, "character": item["column"] - 1}
    end = {"line": item["end_line"] - 1, "character": item["end_column"] - 1}
    return {"range": {"start": start, "end": end}, "newText": item["text"]}


@pytest.mark.parametrize(
    ("head", "after"),
    [
        ("import Example.Nat.Basic\n\n", f"import Example.Nat.Basic\n{ORDER}\n\n"),
        ("", f"{ORDER}\n"),
        ("/- Of one\nauthor -/\n\n", f"/- Of one\nauthor -/\n{ORDER}\n\n"),
        (
            "import Example.Logic.Basic -- for `Or`\n/-! A file -/\n",
            f"import Example.Logic.Basic -- for `Or`\n{ORDER}\n/-! A file -/\n",
        ),
    ],
)
async def test_a_goal_is_closed_with_the_import_of_a_lemma(
    library: Editor, refused: Callable[[str], str], head: str, after: str
) -> None:
    text = head + TOTAL
    answer = await suggested(library, "Far.lean", text)
    best = answer["tactics"][0]
    assert (best["tactic"], best["status"], best["import"]) == ("exact Nat.le_total _ _", "closes", ORDER)
    new = applied(text, [in_lsp(best["edit"]), in_lsp(best["import_edit"])])
    assert new == after + TOTAL.replace("sorry", best["tactic"])
    assert refused(new) == ""
    assert all(one["status"] != "closes" for one in answer["tactics"] if one["import"] is None)

    place = where(library, "Far.lean", place_of(text, "sorry"))
    tactic = {"insert": best["tactic"], "as": "tactic", "accepted": True}
    for wanted in (tactic, {"insert": "Nat.le_total", "as": "premise"}):
        edited = plain(await library.request("premiseSuggest/edits", {**place, **wanted}))
        assert applied(text, edited["edits"]) == new
        line = new.split("\n")[edited["cursor"]["line"]]
        assert line[: edited["cursor"]["character"]] == "  exact Nat.le_total _ _"


async def test_the_quick_fix_has_both_edits_and_says_so(library: Editor) -> None:
    text = f"import Example.Nat.Basic\n\n{TOTAL}"
    uri = library.open("Fixed.lean", text)
    at = place_of(text, "sorry")
    context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Invoked)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(at, at), context)
    found = await library.client.text_document_code_action_async(params)
    assert found
    first = found[0]
    assert isinstance(first, types.CodeAction)
    assert first.title == f"Try this: exact Nat.le_total _ _  (adds {ORDER})"
    assert first.is_preferred
    assert after_fix(text, first) == f"import Example.Nat.Basic\n{ORDER}\n\n" + TOTAL.replace(
        "sorry", "exact Nat.le_total _ _"
    )


async def test_the_worker_of_the_open_file_goes_on(library: Editor, environment: dict[str, str]) -> None:
    text = f"import Example.Nat.Basic\n\ntheorem u : 1 = 1 := by\n  sorry\n\n{TOTAL}"
    alone = await start_editor(library.root, environment, options=QUIET)
    try:
        alone.open("Kept.lean", text)
        await alone.suggest_at("Kept.lean", text, tactics=True)
        before = set(descendants(alone.pid))
        assert with_import(plain(await alone.suggest_at("Kept.lean", text, nth=1, tactics=True)))
        assert before < set(descendants(alone.pid))
    finally:
        await stop_editor(alone)


async def test_what_cannot_be_imported_is_not_offered(library: Editor) -> None:
    cyclic = library.text("Example/Nat/Basic.lean").replace("end Nat\n", f"{TOTAL}\nend Nat\n", 1)
    answer = await suggested(library, "Example/Nat/Basic.lean", cyclic)
    importing = {"Example.Nat.Order", "Example.Nat.Dvd", "Example.Order.Basic", "Example"}
    assert importing.isdisjoint(one["module"] for one in answer["premises"])
    assert not with_import(answer)
    prelude = f"prelude\nimport Example.Nat.Basic\n\n{TOTAL}"
    assert not with_import(await suggested(library, "Head.lean", prelude))


async def test_a_module_that_does_not_compile_is_left_out_with_a_sentence(library: Editor) -> None:
    text = BROKEN[: BROKEN.index(":= by")].replace("cube", "v") + ":= by\n  sorry\n"
    answer = await suggested(library, "Beside.lean", text)
    assert "Broken" in {one["module"] for one in answer["premises"]}
    assert not with_import(answer)
    [warning] = [one for one in answer["warnings"] if one.startswith("`import Broken` was not tried")]
    assert warning == "`import Broken` was not tried: Broken.lean has an error (line 5)."


async def test_the_terminal_says_what_is_added(library: Editor, cli: Cli) -> None:
    place = f"{library.root / 'Unfinished' / 'FarAway.lean'}:11"
    shown = succeed(cli, "suggest", place).stdout
    assert any(
        "exact Nat.le_total" in line and f"closes the goal, adds {ORDER}" in line
        for line in shown.splitlines()
    )
    answer = answered(cli, "suggest", place)
    assert answer["tactics"][0]["import"] == ORDER
    without = answered(cli, "suggest", place, "--no-tactics")
    assert without["tactics"] == []
