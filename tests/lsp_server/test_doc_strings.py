"""Doc strings in what is listed: the first sentence, as plain text, in every face."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp_server.conftest import (
    Cli,
    answered,
    make_project,
    place_of,
    premise_names,
    start_editor,
    stop_editor,
    succeed,
)
from tests.lsp_server.test_features import complete, hover, named

LONG = "quagga " * 7000
LIBRARY = f"""/-! # Animals
* `zorb_plain`: the law of the mirrored okapi
-/

/-- Swapping *twice* is <b onclick=alert(1)>nothing</b>, see [here](command:evil) and `x_y`. More
about wombats. -/
theorem zorb_swap (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩

/-- {LONG}ibex -/
theorem zorb_long (p : Prop) (h : p) : p := h

theorem zorb_plain (p : Prop) (h : p) : p := h
"""
SENTENCE = "Swapping twice is <b onclick=alert(1)>nothing</b>, see here and x_y."
SHOWN = r"Swapping twice is \<b onclick=alert(1)>nothing\</b>, see here and x\_y."
GOAL = "theorem {} (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  {}\n\n"
USER = f"import Lib.Animals\n\n{GOAL.format('t', 'sorry')}{GOAL.format('u', 'exact zorb_s')}"


@pytest.fixture(scope="module")
def animals(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """The test project with a file of doc strings, indexed."""
    folder = make_project(tmp_path_factory.mktemp("animals"), cli)
    (folder / "Lib" / "Animals.lean").write_text(LIBRARY, encoding="utf-8")
    succeed(cli, "index", folder)
    return folder


def test_the_first_sentence_is_in_answers_of_the_command_line(animals: Path, cli: Cli) -> None:
    docs = {
        name: answered(cli, "search", name, cwd=animals)["premises"][0]["doc"]
        for name in ("zorb_swap", "zorb_long", "zorb_plain")
    }
    assert docs == {"zorb_swap": SENTENCE, "zorb_long": f"{LONG[:195].strip()}…", "zorb_plain": ""}
    assert f"\n     {SENTENCE}\n" in succeed(cli, "search", "zorb_swap", cwd=animals).stdout
    (animals / "User.lean").write_text(USER, encoding="utf-8")
    place = f"User.lean:{place_of(USER, 'sorry').line + 1}"
    explained = succeed(cli, "suggest", place, "--explain", cwd=animals).stdout
    assert f"\n     {SENTENCE}\n" in explained
    assert SENTENCE not in succeed(cli, "suggest", place, cwd=animals).stdout


async def test_what_is_written_about_a_declaration_finds_it(
    animals: Path, environment: dict[str, str], cli: Cli
) -> None:
    wanted = {"wombats": "zorb_swap", "law of the mirrored okapi": "zorb_plain", "quagga": "zorb_long"}
    told = {words: premise_names(answered(cli, "search", words, cwd=animals))[0] for words in wanted}
    assert told == wanted
    editor = await start_editor(animals, environment, options={"index": {"auto": False}})
    for words, name in wanted.items():
        assert premise_names(await editor.request("premiseSuggest/search", {"query": words}))[0] == name
    await stop_editor(editor)


def test_an_index_of_an_older_version_says_how_to_get_doc_strings_to_searches_in_words(
    tmp_path: Path, environment: dict[str, str], cli: Cli
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "Lib"\n\n[[lean_lib]]\nname = "Animals"\n')
    (tmp_path / "Animals.lean").write_text(LIBRARY, encoding="utf-8")
    older = (
        "import sys; from retriever.search.indexing import embedding; embedding.READ = 3\n"
        "from lsp_server.cli import main; sys.exit(main(['index', sys.argv[1]]))"
    )
    subprocess.run([sys.executable, "-c", older, tmp_path], env=environment, check=True, timeout=120)
    [warning] = answered(cli, "search", "swapping wombats", cwd=tmp_path)["warnings"]
    assert warning == (
        "The doc strings of 1 file were not searched: an older version indexed it. Run `premise-suggest index`."
    )
    assert answered(cli, "search", "zorb_swap", cwd=tmp_path)["warnings"] == []
    succeed(cli, "index", tmp_path)
    assert answered(cli, "search", "swapping wombats", cwd=tmp_path)["warnings"] == []


async def test_the_first_sentence_is_text_in_completion_and_hover(
    animals: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(animals, environment, options={"index": {"auto": False}})
    uri = editor.open("User.lean", USER)
    typed = place_of(USER, "zorb_s")
    found = await complete(editor, uri, types.Position(typed.line, typed.character + len("zorb_s")))
    [item] = [one for one in named(found) if one.label == "zorb_swap"]
    assert isinstance(item.documentation, types.MarkupContent)
    assert item.documentation.value.endswith(f"\n\n{SHOWN}")
    hovered = await hover(editor, uri, place_of(USER, "sorry"))
    assert hovered is not None and isinstance(hovered.contents, types.MarkupContent)
    assert f"\n  {SHOWN}\n" in hovered.contents.value
    assert "\n\n  Read by rules: " in hovered.contents.value  # of what has no doc string
    await stop_editor(editor)
