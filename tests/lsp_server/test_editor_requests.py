"""What an extension requests in addition to suggestions: edits, search, declarations, indexing (docs/lsp.md)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.answers import conforming
from tests.lsp_server.conftest import QUIET, Editor, place_of, premise_names, start_editor, stop_editor
from tests.lsp_server.test_features import edited

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]


def where(editor: Editor, name: str, place: types.Position) -> dict[str, Any]:
    return {
        "textDocument": {"uri": editor.uri(name)},
        "position": {"line": place.line, "character": place.character},
    }


def applied(text: str, edits: list[Any]) -> str:
    def position(place: Any) -> types.Position:
        return types.Position(place["line"], place["character"])

    ranges = [types.Range(position(one["range"]["start"]), position(one["range"]["end"])) for one in edits]
    return edited(text, [types.TextEdit(at, one["newText"]) for at, one in zip(ranges, edits, strict=True)])


async def edits(editor: Editor, name: str, place: types.Position, **options: Any) -> list[Any]:
    answer = await editor.request("premiseSuggest/edits", {**where(editor, name, place), **options})
    found = plain(answer)["edits"]
    assert isinstance(found, list)
    return found


def plain(value: Any) -> Any:
    """What came over the wire as dictionaries, whatever pygls made of it."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value


async def search(editor: Editor, query: str, **options: Any) -> Any:
    return plain(await editor.request("premiseSuggest/search", {"query": query, **options}))


async def test_a_tactic_takes_the_place_of_a_sorry_with_its_import(editor: Editor) -> None:
    text = editor.text("Narrow.lean").replace("example", "/- 𝕜 -/ example")
    editor.open("Narrow.lean", text)
    place = place_of(text, "sorry")
    found = await edits(
        editor,
        "Narrow.lean",
        place,
        insert="exact Lib.plus_swap a b",
        **{"as": "tactic", "import": "import Lib.Numbers"},
    )
    new = applied(text, found)
    assert new.startswith("import Lib.Basic\nimport Lib.Numbers\n")
    assert new.endswith("by\n  exact Lib.plus_swap a b\n")
    again = await edits(
        editor, "Narrow.lean", place, insert="skip", **{"as": "tactic", "import": "import Lib.Basic"}
    )
    assert len(again) == 1


async def test_a_term_gets_a_by_and_a_name_stands_alone(editor: Editor) -> None:
    text = (
        "import Lib.Basic\n\nexample (𝕜 q : Prop) (h : 𝕜 ∨ q) : q ∨ 𝕜 := sorry\n"
        "\nexample : True := by exact Li\n"
    )
    editor.open("Work.lean", text)
    place = place_of(text, "sorry")
    found = await edits(editor, "Work.lean", place, insert="exact Lib.or_swap h", **{"as": "tactic"})
    assert "q ∨ 𝕜 := by exact Lib.or_swap h\n" in applied(text, found)
    end = place_of(text, "Li\n")
    place = types.Position(end.line, end.character + 2)
    found = await edits(editor, "Work.lean", place, insert="Lib.or_swap", **{"as": "name"})
    assert applied(text, found).endswith("by exact Lib.or_swap\n")
    editor.open("Work.lean")


async def test_an_import_stays_a_line_above_what_goes_in_at_the_same_place(editor: Editor) -> None:
    """Editors insert what goes in at one place in the order of the edits."""
    editor.open("Work.lean", "import Lib.Basic\n")
    options = {"as": "name", "import": "import Lib.Numbers"}
    found = await edits(editor, "Work.lean", types.Position(1, 0), insert="Lib.plus_swap", **options)
    assert [edit["newText"] for edit in found] == ["import Lib.Numbers\n", "Lib.plus_swap"]
    editor.open("Work.lean")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"as": "tactic"}, "insert must be a string"),
        ({"insert": "rfl"}, "as must be"),
        ({"insert": "rfl", "as": "text"}, "as must be"),
        ({"insert": "rfl", "as": "tactic", "import": "import A\n#eval 1"}, "import must be a line"),
        ({"insert": "rfl", "as": "tactic", "imports": ""}, "'imports' is not a parameter"),
    ],
)
async def test_edits_that_make_no_sense_are_refused(
    editor: Editor, options: dict[str, Any], said: str
) -> None:
    editor.open("Work.lean")
    with pytest.raises(JsonRpcException) as refused:
        await edits(editor, "Work.lean", types.Position(0, 0), **options)
    assert said in refused.value.message
    assert refused.value.code == -32602


async def test_search_finds_names_statements_and_goals(editor: Editor) -> None:
    answer = await search(editor, "plus_swap", k=3)
    assert (answer["kind"], premise_names(answer)[0]) == ("name", "Lib.plus_swap")
    assert answer["premises"][0]["in_scope"] is None
    assert answer["premises"][0]["statement"]
    assert premise_names(await search(editor, "swap or"))[0] == "Lib.or_swap"
    assert premise_names(await search(editor, "double"))[0] == "Lib.double"
    assert premise_names(await search(editor, "x + y = y + x"))[0] == "Lib.plus_swap"
    stated = await search(editor, "x + y = y + x")
    assert (stated["kind"], stated["other_kind"]) == ("goal", None)
    stated = await search(editor, "x + y = y + x", **{"as": "words"})
    assert (stated["kind"], stated["other_kind"]) == ("words", "goal")
    with pytest.raises(JsonRpcException, match="as must be words, name, goal, pattern"):
        await search(editor, "plus_swap", **{"as": "prose"})
    goal = await search(editor, "x y : Nat ⊢ x + y = y + x", k=2)
    assert (goal["kind"], premise_names(goal)[0], len(goal["premises"])) == ("goal", "Lib.plus_swap", 2)
    assert set(goal) == {"kind", "premises", "index", "warnings", "notes", "other_kind"}


async def test_a_pattern_finds_statements_of_its_shape(editor: Editor) -> None:
    found = await search(editor, "?a + ?b = ?b + ?a")
    assert (found["kind"], premise_names(found)[0]) == ("pattern", "Lib.plus_swap")
    swaps = premise_names(await search(editor, '_ ∨ _, "swap"'))
    assert swaps[0] == "Lib.or_swap" and all("or_swap" in name for name in swaps)
    with pytest.raises(JsonRpcException) as refused:
        await search(editor, "_ + (_ = _")
    assert "column 5" in refused.value.message


async def test_search_keeps_to_modules_and_to_what_is_in_scope(editor: Editor) -> None:
    assert set(premise_names(await search(editor, "swap", modules=["Lib.Basic"]))) == {
        "Lib.and_swap",
        "Lib.or_swap",
        "Lib.and_swap_iff",
    }
    assert premise_names(await search(editor, "swap", modules=["Nothing"])) == []
    text = editor.text("Narrow.lean")
    editor.open("Narrow.lean", text)
    here = where(editor, "Narrow.lean", place_of(text, "sorry"))
    found = await search(editor, "⊢ a + b = b + a", **here)
    [swap] = (one for one in found["premises"] if one["name"] == "Lib.plus_swap")
    assert (swap["in_scope"], swap["import"]) == (False, "import Lib.Numbers")
    inside = await search(editor, "⊢ a + b = b + a", inScope=True, **here)
    assert inside["premises"]
    assert all(premise["in_scope"] for premise in inside["premises"])
    unknown = await search(editor, "swap", inScope=True)
    assert unknown["premises"] and "not known without a file" in unknown["warnings"][0]


async def test_what_the_settings_leave_out_takes_no_place_in_a_search(
    project: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(project, environment, options={**QUIET, "premises": {"outOfScope": False}})
    text = editor.text("Narrow.lean")
    editor.open("Narrow.lean", text)
    here = where(editor, "Narrow.lean", place_of(text, "sorry"))
    for query in ("⊢ a + b = b + a", "swap"):  # Lib.plus_swap, which is not imported, would come first
        [best] = (await search(editor, query, k=1, **here))["premises"]
        assert best["in_scope"] is True
    await stop_editor(editor)


@pytest.mark.parametrize("query", ["", "   \n", "\0"])
async def test_a_search_for_nothing_is_told(editor: Editor, query: str) -> None:
    with pytest.raises(JsonRpcException) as refused:
        await search(editor, query)
    assert isinstance(refused.value.data, dict)
    assert refused.value.data["kind"] == "BadQuery"
    assert refused.value.data["hint"]


@pytest.mark.parametrize(
    "query",
    [
        "x" * 100_000,
        "a + " * 25_000,
        "the sum of " * 9_000,
        r"$\sum_i x_i$ " * 7_000,
        "\ud800 swap",
        "⟪⟫ 𝔸 ☃ \u202e",
        "«",
        ".",
        "of the",
        "Summe über alle Teiler",
    ],
)
async def test_odd_queries_are_answered(editor: Editor, query: str) -> None:
    assert (await search(editor, query))["kind"] == "words"


async def test_what_is_not_covered_of_a_query_is_noted(editor: Editor) -> None:
    assert "English only" in (await search(editor, "两个自然数的和"))["notes"][0]


async def test_a_goal_without_a_target_is_told(editor: Editor) -> None:
    with pytest.raises(JsonRpcException) as refused:
        await search(editor, "h : p ⊢ ")
    assert isinstance(refused.value.data, dict)
    assert refused.value.data["kind"] == "BadState"
    for k in (0, -1, 10**9 * 5, 1.5, True):
        with pytest.raises(JsonRpcException, match="k must be a whole number above 0"):
            await search(editor, "swap", k=k)
    assert premise_names(await search(editor, "swap", k=10**9))


async def test_a_declaration_is_found_in_its_file(editor: Editor) -> None:
    params = {"name": "Lib.plus_swap", "module": "Lib.Numbers"}
    answer = plain(await editor.request("premiseSuggest/declaration", params))
    location = answer["location"]
    assert location["uri"] == editor.uri("Lib/Numbers.lean")
    start, end = location["range"]["start"], location["range"]["end"]
    line = editor.text("Lib/Numbers.lean").splitlines()[start["line"]]
    assert line[start["character"] : end["character"]] == "plus_swap"
    assert (answer["docUrl"], answer["doc"]) == (None, "")
    assert answer["statement"] == "(n m : Nat) : n + m = m + n"
    moved = "\n\n-- 𝕜\n" + editor.text("Lib/Numbers.lean")
    uri = editor.open("Lib/Numbers.lean", moved)
    again = plain(await editor.request("premiseSuggest/declaration", params))
    assert again["location"]["range"]["start"]["line"] == start["line"] + 3
    closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    editor.client.text_document_did_close(closed)


@pytest.mark.parametrize("module", ["No.Such", "..", "Lib./etc/passwd", "Lib..Numbers", "A" * 5000])
async def test_what_is_declared_nowhere_has_no_place(editor: Editor, module: str) -> None:
    params = {"name": "no.such", "module": module}
    assert plain(await editor.request("premiseSuggest/declaration", params)) == {
        "location": None,
        "docUrl": None,
        "doc": "",
        "statement": "",
        "reading": "",
    }


DOCUMENTED = """namespace Lib

/-- First.

    * 𝕜 indented
      twice
-/
@[simp] theorem written : True := trivial

structure Point where
  /-- Its abscissa. -/
  x : Nat

theorem long : True := trivial
"""


@pytest.mark.parametrize(
    ("name", "doc", "statement"),
    [
        ("Lib.written", "First.\n\n* 𝕜 indented\n  twice", ": True"),
        ("Lib.Point.x", "Its abscissa.", "(self : Point) : Nat"),
        ("Lib.long", "", ": True"),
        ("Lib.none", "", ""),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_a_doc_string_and_a_statement_come_from_the_text_in_the_editor(
    editor: Editor, name: str, doc: str, statement: str, end: str
) -> None:
    uri = editor.open("Lib/Numbers.lean", DOCUMENTED.replace("\n", end))
    params = {"name": name, "module": "Lib.Numbers"}
    answer = plain(await editor.request("premiseSuggest/declaration", params))
    closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    editor.client.text_document_did_close(closed)
    assert (answer["doc"], answer["statement"]) == (doc, statement)


async def test_a_long_doc_string_is_cut(editor: Editor) -> None:
    uri = editor.open(
        "Lib/Numbers.lean", f"/-- {'𝕜' * 5000} -/\ntheorem t : {'True ∧ ' * 999} True := sorry\n"
    )
    params = {"name": "t", "module": "Lib.Numbers"}
    answer = plain(await editor.request("premiseSuggest/declaration", params))
    closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    editor.client.text_document_did_close(closed)
    assert answer["doc"] == "𝕜" * 4000 + "…"
    assert len(answer["statement"]) == 4001


async def test_a_project_is_indexed_when_asked_and_says_how_far_it_is(
    tmp_path: Path, environment: dict[str, str], core_size: tuple[int, int]
) -> None:
    root = tmp_path / "with a space"
    root.mkdir()
    (root / "lakefile.toml").write_text('name = "Spaced"\n', encoding="utf-8")
    (root / "A.lean").write_text("theorem first_of_all : True := True.intro\n", encoding="utf-8")
    editor = await start_editor(root, environment, options=QUIET)
    heard: asyncio.Queue[Any] = asyncio.Queue()
    editor.client.feature("$/premiseSuggest/status")(lambda params: heard.put_nowait(plain(params)))
    uri = editor.open("A.lean")
    with pytest.raises(JsonRpcException) as missing:
        await search(editor, "first")
    assert missing.value.data["kind"] == "IndexMissing"  # type: ignore[index]
    answer = plain(await editor.request("premiseSuggest/index", {"textDocument": {"uri": uri}}))
    assert (answer["premises"], answer["stopped"]) == (1 + core_size[0], False)
    assert answer["index"]["stale_files"] == 0
    assert (await editor.indexed())[0]["title"] == "Indexing with a space"
    told = [await heard.get()]
    while told[-1]["indexing"]:
        told.append(await heard.get())
    assert told[0] == {
        "root": str(root), "indexing": True, "stage": "", "done": 0, "total": 0, "index": None
    }  # fmt: skip
    assert told[-1]["index"]["line"] == answer["index"]["line"]
    assert premise_names(await search(editor, "first"))[0] == "first_of_all"
    (root / "A.lean").write_text("theorem second : True := True.intro\n" * 1, encoding="utf-8")
    command = types.ExecuteCommandParams("premise-suggest.index", [])
    again = plain(await editor.client.workspace_execute_command_async(command))
    assert again["premises"] == 1 + core_size[0]
    found = premise_names(await search(editor, "second"))
    assert found[0] == "second" and "first_of_all" not in found
    await stop_editor(editor)


async def test_the_answer_says_which_parts_the_target_has_where_it_is_asked_to(editor: Editor) -> None:
    editor.open("Work.lean")
    place = place_of(editor.text("Work.lean"), "sorry", 1)
    asked = ("Work.lean", place.line, place.character)
    answer = conforming(plain(await editor.suggest(*asked, parts=True)), "Suggestion")
    goal = answer["goal"]
    parts = [goal[part["start"] : part["end"]] for part in answer["parts"]]
    assert parts == ["a + b = b + a", "a + b", "a", "b", "b + a", "b", "a"]
    selected = plain(await editor.suggest(*asked, select=parts[4], parts=True))
    assert selected["parts"] == answer["parts"]
    assert selected["premises"][0]["name"] == "Lib.plus_swap"
    assert selected["premises"][0]["form"] == "rw [Lib.plus_swap]"
    assert plain(await editor.suggest(*asked))["parts"] == []


async def test_who_uses_a_lemma_is_told_in_the_project_of_the_document(editor: Editor) -> None:
    editor.open("Narrow.lean", editor.text("Narrow.lean"))
    asked = {"name": "Lib.zero_plus", "textDocument": {"uri": editor.uri("Narrow.lean")}, "k": 1}
    found = conforming(plain(await editor.request("premiseSuggest/uses", asked)), "UsesAnswer")
    assert found["premise"]["name"] == "Lib.zero_plus"
    assert found["used_by"][0]["name"] == "Lib.plus_swap" and found["used_by_count"] >= 1
    for wrong, said in [
        ({"name": "Lib.zero_plu"}, "Lib.zero_plus"),
        ({"name": ""}, "name"),
        ({"names": "x"}, "names"),
    ]:
        with pytest.raises(JsonRpcException) as refused:
            await editor.request("premiseSuggest/uses", wrong)
        assert said in str(refused.value) + str(refused.value.data)


async def test_the_sorries_of_a_document_are_those_that_the_editor_shows(editor: Editor) -> None:
    text = editor.text("Narrow.lean") + (
        '\n-- sorry\ndef quoted := "sorry"\n'
        "theorem first (p : Prop) : p ∧ p := by\n  /- 𝕜 -/ constructor <;> sorry\n"
        "example (p : Prop) : p → p :=\n  sorry\n"
    )
    editor.open("Narrow.lean", text)
    uri = {"uri": editor.uri("Narrow.lean")}
    answer = plain(await editor.request("premiseSuggest/sorries", {"textDocument": uri}))
    found = conforming(answer, "SorriesAnswer")["sorries"][-2:]
    lines = text.split("\n")
    assert [lines[one["line"] - 1][one["column"] - 1 :] for one in found] == ["sorry", "sorry"]
    assert [one["declaration"] for one in found] == ["first", ""]
