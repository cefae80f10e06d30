"""What a library calls internal: absent from the lists of a goal, last in searches, and there where it is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp_server.conftest import QUIET, STATE, Cli, Home, start_editor, stop_editor

INTERNAL = {
    "Init.Grind": (
        "prelude\n\nnamespace Lean.Grind\n\n"
        "theorem Turn.turn_round (n m : Nat) : n + m = m + n := Nat.add_comm n m\n\n"
        "theorem Ring.turn_round (R : Ring) (n m : R) : n + m = m + n := Nat.add_comm n m\n\nend Lean.Grind\n"
    ),
    "Std.Lists": "theorem Std.Internal.turn_round (n m : Nat) : n + m = m + n := Nat.add_comm n m\n",
    "Std.Trees": "theorem Std.Tree.Impl.turn_round (n m : Nat) : n + m = m + n := Nat.add_comm n m\n",
    "Std.Internality": "theorem Std.Internality.turn_round (n m : Nat) : n + m = m + n := Nat.add_comm n m\n",
}
GRIND = {"Lean.Grind.Turn.turn_round", "Lean.Grind.Ring.turn_round"}
ALL = {*GRIND, "Std.Internal.turn_round", "Std.Tree.Impl.turn_round"}
OPEN = {"my_swap", "Nat.plus_turn", "Std.Internality.turn_round"}


@pytest.fixture
def home(home: Home) -> Home:
    sources = home.install("4.24.0") / "src" / "lean"
    for module, text in INTERNAL.items():
        sources.joinpath(*module.split(".")).with_suffix(".lean").write_text(text)
    home.run("index", home.project)
    return home


def names(shown: str) -> list[str]:
    return [one["name"] for one in json.loads(shown)["premises"]]


def suggested(home: Home, state: str) -> set[str]:
    return set(names(home.run("suggest", "--state", "-", "--json", stdin=state)[0]))


def searched(home: Home, query: str) -> list[str]:
    return names(home.run("search", "--json", query)[0])


def test_a_goal_is_given_none_of_them(home: Home) -> None:
    found = suggested(home, STATE)
    assert found >= OPEN and not ALL & found


@pytest.mark.parametrize(
    ("state", "named"),
    [
        ("R : Lean.Grind.Ring\nn m : R\n⊢ n + m = m + n\n", GRIND),
        ("R : Grind.Ring\nn m : R\n⊢ n + m = m + n\n", GRIND),
        ("n m : ℕ\n⊢ Std.Internal.twice n + m = m + Std.Internal.twice n\n", {"Std.Internal.turn_round"}),
        ("n m : Std.Tree.Impl\n⊢ n + m = m + n\n", {"Std.Tree.Impl.turn_round"}),
    ],
)
def test_a_goal_that_names_them_is_given_those(home: Home, state: str, named: set[str]) -> None:
    assert suggested(home, state) & ALL == named


@pytest.mark.parametrize("query", ["turn_round", "turn round", "⊢ _ + _ = _ + _", '"turn_round"'])
def test_searches_have_them_last(home: Home, query: str) -> None:
    found = searched(home, query)
    places = [number for number, name in enumerate(found) if name in ALL]
    assert set(found) >= ALL and places == [*range(len(found) - len(ALL), len(found))]


@pytest.mark.parametrize("query", ["Lean.Grind.Turn.turn_round", "Grind.Turn.turn_round", "Turn.turn_round"])
def test_a_search_for_one_by_name_has_it_first(home: Home, query: str) -> None:
    assert searched(home, query)[0] == "Lean.Grind.Turn.turn_round"


def test_the_projects_own_are_nobodys_secret(home: Home) -> None:
    text = "theorem Mine.Internal.turn_round (n m : Nat) : n + m = m + n := Nat.add_comm n m\n"
    (home.project / "Inner.lean").write_text(text)
    home.run("index", home.project)
    assert "Mine.Internal.turn_round" in suggested(home, STATE)
    found = searched(home, "turn_round")
    assert found.index("Mine.Internal.turn_round") < min(map(found.index, ALL))


def require_library(project: Path) -> None:
    """Give a project a package at a revision, with what it calls internal."""
    entry = {"name": "far", "type": "git", "rev": "abc"}
    manifest = {"name": "Lib", "packagesDir": ".lake/packages", "packages": [entry]}
    (project / "lake-manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    folder = project / ".lake" / "packages" / "far"
    folder.mkdir(parents=True)
    for number, module in enumerate(("Init.Grind", "Std.Lists", "Std.Internality")):
        text = INTERNAL[module].replace("prelude\n\n", "")
        (folder / f"Far{number}.lean").write_text(text, encoding="utf-8")


@pytest.mark.lean
@pytest.mark.asyncio
async def test_completion_leaves_them_out(own_project: Path, cli: Cli, environment: dict[str, str]) -> None:
    require_library(own_project)
    assert cli("index", own_project).returncode == 0
    editor = await start_editor(own_project, environment, options=QUIET)
    text = "import Lib.Numbers\n\ntheorem t (a b : Nat) : a + b = b + a := by\n  exact turn\n"
    uri = editor.open("Completed.lean", text)
    place = types.Position(3, len("  exact turn"))
    params = types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    found: Any = await editor.client.text_document_completion_async(params)
    labels = {item.label for item in found.items}
    assert "Std.Internality.turn_round" in labels and not ALL & labels
    await stop_editor(editor)
