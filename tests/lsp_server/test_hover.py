"""The hover on what is unfinished: a tactic that closes the goal, which a link inserts, then the premises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.conftest import QUIET, place_of
from tests.lsp_server.test_code_lens import called, shown
from tests.lsp_server.test_editor_requests import applied
from tests.lsp_server.test_features import compiles, vars_of
from tests.lsp_server.wire import FAILED, code

pytestmark = pytest.mark.lean

TEXT = "import Lib.Numbers\n\ntheorem t (p q : Prop) /- 𝕜 -/ (h : p ∧ q) : q ∧ p := by\n  sorry\n"
COMMAND = "premise-suggest.insert"
EDITS = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
LINKS = {**EDITS, "experimental": {"commandLinks": True}}


def at(project: Path, text: str, mark: str) -> dict[str, Any]:
    uri = (project / "Hovered.lean").as_uri()
    return {"textDocument": {"uri": uri}, "position": vars_of(place_of(text, mark))}


def hovered(client: RawClient, project: Path, capabilities: Any, text: str = TEXT, **settings: Any) -> str:
    """The hover at a `sorry` whose tactics were shown."""
    client.shake_hands(project, capabilities, {**QUIET, **settings})
    where = at(project, text, "sorry")
    client.open(where["textDocument"]["uri"], text, 3)
    client.ask("premiseSuggest/suggest", {**where, "tactics": True})
    found = client.ask("textDocument/hover", where)["result"]
    return str(found["contents"]["value"])


def test_a_closing_tactic_comes_first_with_a_link_that_inserts_it(
    client: RawClient, project: Path, tmp_path: Path
) -> None:
    text = hovered(client, project, LINKS)
    heading, _, fence, tactic, *_ = text.split("\n")
    assert (heading.partition(" · ")[0], fence) == ("**Closes the goal**", "```lean")
    name, _, argument = heading.partition("(command:")[2].removesuffix(")").partition("?")
    assert (name, unquote(argument).count("\n")) == (COMMAND, 0)
    arguments = json.loads(unquote(argument))
    assert arguments == [{**at(project, TEXT, "sorry"), "tactic": tactic}]
    params = {"command": COMMAND, "arguments": arguments}
    client.send(encoded(request("insert", "workspace/executeCommand", params)))
    given = called(client, "workspace/applyEdit", {"applied": True})
    assert client.answer("insert")["result"] == {"applied": True}
    [change] = given["edit"]["documentChanges"]
    assert (given["label"], change["textDocument"]["version"]) == (tactic, 3)
    new = applied(TEXT, change["edits"])
    assert new == TEXT.replace("sorry", tactic)
    compiles(project, tmp_path, new)


@pytest.mark.parametrize("capabilities", [{}, EDITS, {"experimental": {"commandLinks": True}}])
def test_a_client_that_cannot_follow_the_link_is_shown_the_tactic(
    client: RawClient, project: Path, capabilities: Any
) -> None:
    text = hovered(client, project, capabilities)
    assert text.startswith("**Closes the goal**\n\n```lean\n") and "command:" not in text
    assert "**Premises that fit this goal**\n\n- `Lib.and_swap` · `exact Lib.and_swap h`\n" in text


def test_where_tactics_are_off_there_are_only_premises(client: RawClient, project: Path) -> None:
    text = hovered(client, project, LINKS, tactics={"enabled": False})
    assert text.startswith("**Premises that fit this goal**\n")


def test_a_tactic_that_lean_rejects_is_not_inserted(client: RawClient, project: Path) -> None:
    hovered(client, project, LINKS)
    arguments = [{**at(project, TEXT, "sorry"), "tactic": "exact h"}]
    answer = client.ask("workspace/executeCommand", {"command": COMMAND, "arguments": arguments})
    assert code(answer) == FAILED and "Lean does not accept `exact h`" in answer["error"]["message"]


def test_an_editor_that_lets_no_server_insert_is_told_so(client: RawClient, project: Path) -> None:
    hovered(client, project, {})
    arguments = [{**at(project, TEXT, "sorry"), "tactic": "exact Lib.and_swap h"}]
    answer = client.ask("workspace/executeCommand", {"command": COMMAND, "arguments": arguments})
    assert answer["result"] == {"applied": False}
    assert "This editor lets no server insert it" in shown(client)


def test_a_tactic_that_fails_is_replaced_by_the_one_that_is_shown(client: RawClient, project: Path) -> None:
    failing = TEXT.replace("sorry", "exact h")
    where = at(project, failing, "exact h")
    client.shake_hands(project, LINKS, QUIET)
    client.open(where["textDocument"]["uri"], failing)
    client.ask("premiseSuggest/suggest", {**where, "tactics": True})
    text = str(client.ask("textDocument/hover", where)["result"]["contents"]["value"])
    assert text.startswith("**Closes the goal** · [Insert](command:")
    tactic = text.split("\n")[3]
    edits = {**where, "insert": tactic, "as": "tactic", "accepted": True}
    answer = client.ask("premiseSuggest/edits", edits)["result"]
    assert applied(failing, answer["edits"]) == TEXT.replace("sorry", tactic)
