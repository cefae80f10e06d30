"""The tools as an agent calls them: the SDK's own client, a real server, real Lean."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from tests.lsp_server.test_repair import BASIC, DEPRECATED, USES
from tests.lsp_server.test_repair import make as make_library
from tests.mcp.conftest import FAR_AWAY, TOKEN, Workplace, on_stdio, over_http

pytestmark = pytest.mark.lean
COMMUTES = "m n : Nat\n⊢ m + n = n + m"
PLACE = {"file": FAR_AWAY, "line": 11}
TOOLS = [
    "suggest",
    "prove",
    "repair",
    "premises",
    "search",
    "try_tactics",
    "declaration",
    "uses",
    "sorries",
    "index_status",
]


def sentence(answer: Any) -> str:
    """What a refused call says."""
    assert answer.is_error
    [block] = answer.content
    assert "\n" not in block.text
    return str(block.text)


async def test_a_suggestion_has_premises_accepted_tactics_and_progress(workplace: Workplace) -> None:
    said: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        said.append(message or "")

    async with on_stdio(workplace) as client:
        listed = (await client.list_tools()).tools
        answer = await client.call_tool("suggest", {**PLACE, "k": 5}, progress_callback=progress)
    assert [tool.name for tool in listed] == TOOLS
    assert all(tool.annotations.read_only_hint for tool in listed)
    found = answer.structured_content
    assert found["goal"] == "m n : ℕ\n⊢ m ≤ n ∨ n ≤ m"
    assert len(found["premises"]) == 5
    assert {"statement", "import", "in_scope", "module"} <= found["premises"][0].keys()
    assert {tactic["status"] for tactic in found["tactics"]} <= {"closes", "progress"}
    assert found["tactics"] and found["index"]["state"] == "consulted"
    [schema] = [tool.output_schema for tool in listed if tool.name == "suggest"]
    jsonschema.validate(found, schema)
    # Where Lean takes its time, how far it is comes first.
    said = [one for one in said if not one.startswith("Lean has elaborated")]
    assert said[0] == "5 premises" and "tactics accepted" in said[-1]
    text = answer.content[0].text
    assert found["premises"][0]["name"] in text and found["tactics"][0]["tactic"] in text


async def test_a_closed_goal_is_an_answer(workplace: Workplace, url: str) -> None:
    file = "Example/Order/Lattice.lean"
    lines = (workplace.root / file).read_text(encoding="utf-8").split("\n")
    number = next(number for number, line in enumerate(lines) if line.startswith("  exact "))
    place = {"file": file, "line": number + 1, "column": len(lines[number]) + 1}
    async with over_http(url) as client:
        answer = await client.call_tool("suggest", place)
    assert (answer.structured_content["place"], answer.structured_content["goal"]) == ("closed", "")
    assert answer.content[0].text.startswith("The goal is closed here.\n")


async def test_the_second_goal_has_tactics_that_go_to_it(workplace: Workplace, url: str) -> None:
    text = "theorem two (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  constructor\n  sorry\n"
    (workplace.root / "Two.lean").write_text(text, encoding="utf-8")
    async with over_http(url) as client:
        answer = await client.call_tool("suggest", {"file": "Two.lean", "line": 3, "goal": 2})
    (workplace.root / "Two.lean").unlink()
    assert answer.structured_content["goal"].endswith("⊢ q")
    assert answer.structured_content["tactics"][0]["tactic"] == "case right => exact k"


async def test_a_proof_is_found_for_a_declaration_and_answered_in_a_few_words(
    workplace: Workplace, url: str
) -> None:
    file = workplace.root / "Unfinished" / "FirstSteps.lean"
    before = file.read_bytes()
    said: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        said.append(message or "")

    async with over_http(url) as client:
        place = {"file": "Unfinished/FirstSteps.lean", "declaration": "factorial_divisible"}
        answer = await client.call_tool("prove", {**place, "seconds": 60}, progress_callback=progress)
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
    found, text = answer.structured_content, answer.content[0].text
    jsonschema.validate(found, schemas["prove"])
    assert (found["status"], found["declaration"]) == ("proved", place["declaration"])
    assert text.startswith("proved (") and found["script"] in text and len(text) < 600
    assert [*found.values()].count([]) == 0  # what is empty is left out
    assert any(re.fullmatch(r"\d+ s of 60 s, \d+ states?", one) for one in said)
    assert file.read_bytes() == before


async def test_the_sorries_of_a_file_are_listed_with_their_goals(url: str) -> None:
    async with over_http(url) as client:
        answer = await client.call_tool("sorries", {"file": "Unfinished/SeveralGoals.lean", "k": 5})
        none = await client.call_tool("sorries", {"file": "Example/Nat/Gcd.lean"})
    found, text = answer.structured_content, answer.content[0].text
    assert (len(found["sorries"]), found["count"]) == (5, 7)
    first, _, _, step, _ = found["sorries"]
    assert first["goals"] == ["case left\nα : Type u\ns t : Set α\n⊢ s ∩ t ⊆ s"]
    assert step["sorry"]["declaration"] == "even_double" and step["goals"][0].startswith(
        "case succ\nn : ℕ\nih : "
    )
    assert text.startswith("15:5 inter_subset_both\ncase left\n") and text.endswith("\n\nand 2 more")
    assert none.content[0].text == "The file has no `sorry`."


async def test_a_sorry_without_a_goal_is_told_beside_the_others(workplace: Workplace) -> None:
    file = workplace.root / "Two.lean"
    file.write_text(
        "def shown : String := #sorry\ntheorem t (p : Prop) (h : p) : p := sorry\n", encoding="utf-8"
    )
    try:
        async with on_stdio(workplace, structured=False) as client:
            text = (await client.call_tool("sorries", {"file": "Two.lean"})).content[0].text
    finally:
        file.unlink()
    assert text.endswith("2:37 t\np : Prop\nh : p\n⊢ p")


async def test_a_false_statement_is_refuted(workplace: Workplace, url: str) -> None:
    file = workplace.root / "False.lean"
    file.write_text("import Example.Nat.Basic\n\ntheorem wrong (m n : ℕ) (h : 0 < n) : m + n = m := sorry\n")
    try:
        async with over_http(url) as client:
            answer = await client.call_tool("prove", {"file": "False.lean", "line": 3, "seconds": 60})
    finally:
        file.unlink()
    assert answer.structured_content["status"] == "false"
    why = "The goal is false: m = 0, n = 1 is a counterexample."
    assert answer.structured_content["message"] == why and why in answer.content[0].text


async def test_what_a_renamed_lemma_broke_is_repaired(workplace: Workplace, tmp_path: Path) -> None:
    """A file, another text of it, and a text without a file; the lemma is renamed while the server runs."""
    basic_text = BASIC.replace(DEPRECATED, "")
    place = Workplace(
        make_library(tmp_path / "lib", Basic=basic_text, Names=USES["Names"]), workplace.environment
    )
    basic, file = place.root / "Lib" / "Basic.lean", place.root / "Lib" / "Names.lean"
    before = file.read_text(encoding="utf-8")
    async with on_stdio(place) as client:
        await client.call_tool("declaration", {"name": "Lib.add_left"})  # the index is built
        basic.write_text(basic_text.replace("theorem add_left", "theorem add_congr_right"), encoding="utf-8")
        in_file = await client.call_tool("repair", {"file": "Lib/Names.lean"})
        without = await client.call_tool("repair", {"text": before})
        changed = before.replace("Lib.add_left a b c h", "Lib.add_lef a b c h", 1)
        other = await client.call_tool("repair", {"file": "Lib/Names.lean", "text": changed})
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
    for answer in (in_file, without, other):
        assert not answer.is_error, answer.content[0].text
        jsonschema.validate(answer.structured_content, schemas["repair"])
        assert answer.structured_content["repaired"] == len(answer.structured_content["errors"]) == 2
        assert [one["kind"] for one in answer.structured_content["errors"]] == ["renamed", "renamed"]
    text = in_file.content[0].text
    assert text.startswith("2 of 2 errors repaired (2 renamed)")
    assert "\n\nline 5 names: renamed\nReplace 5:" in text and "add_congr_right" in text
    assert file.read_text(encoding="utf-8") == before


async def test_what_cannot_be_repaired_says_why(workplace: Workplace) -> None:
    async with on_stdio(workplace, structured=False) as client:
        answer = await client.call_tool(
            "repair", {"text": "theorem wrong (p q : Prop) (h : p) : p ∧ q := by\n  exact ⟨h, h⟩\n"}
        )
    text = answer.content[0].text
    assert text.startswith("0 of 1 error repaired") and "\n\nline 2 wrong: not repaired\n" in text
    assert text.endswith("The statement is false: p = True, q = False is a counterexample.")


async def test_a_slow_file_says_where_lean_is(workplace: Workplace, url: str) -> None:
    slow = "".join(f"def slow{n} : True := by\n  sleep 1000\n  exact trivial\n" for n in range(4))
    file = workplace.root / "Slow.lean"
    file.write_text(f"{slow}theorem t (p : Prop) (h : p) : p := by\n  sorry\n")
    said: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        said.append(message or "")

    try:
        async with over_http(url) as client:
            place = {"file": "Slow.lean", "line": 14}
            answer = await client.call_tool("suggest", {**place, "k": 5}, progress_callback=progress)
    finally:
        file.unlink()
    assert any(tactic["status"] == "closes" for tactic in answer.structured_content["tactics"])
    lines = [
        int(found[1])
        for one in said
        if (found := re.fullmatch(r"Lean has elaborated (\d+) of 14 lines", one))
    ]
    assert lines and lines[0] < 14


async def test_every_tactic_that_is_sent_gets_its_verdict_in_its_place(
    workplace: Workplace, url: str
) -> None:
    tactics = ["exact Or.inl Nat.nowhere_to_be", "left", "sorry", "left"]
    before = (workplace.root / FAR_AWAY).read_bytes()
    async with over_http(url) as client:
        answer = await client.call_tool("try_tactics", {**PLACE, "column": 3, "tactics": tactics})
    found = answer.structured_content["tactics"]
    assert [one["tactic"] for one in found] == tactics
    assert [one["status"] for one in found] == ["fails", "progress", "untried", "progress"]
    assert "nowhere_to_be" in found[0]["message"]
    [note] = answer.structured_content["notes"]
    assert "It knows few names of Lean's own library and none of Mathlib's" in note
    assert found[1]["remaining_goals"] == ["m n : ℕ\n⊢ m ≤ n"]
    assert (workplace.root / FAR_AWAY).read_bytes() == before


async def test_a_misspelt_name_is_not_said_to_be_missing_in_this_lean(url: str) -> None:
    async with over_http(url) as client:
        tactics = ["exact Nat.add_com", "exact nowhere"]
        answer = await client.call_tool("try_tactics", {**PLACE, "tactics": tactics})
    assert [one["status"] for one in answer.structured_content["tactics"]] == ["fails", "fails"]
    assert all("nknown" in one["message"] for one in answer.structured_content["tactics"])
    assert "notes" not in answer.structured_content


async def test_states_searches_and_declarations_are_answered_without_a_file(url: str) -> None:
    async with over_http(url) as client:
        premises = await client.call_tool("premises", {"state": COMMUTES})
        searched = await client.call_tool("search", {"query": "add_comm", "k": 2})
        shaped = await client.call_tool("search", {"query": "?a + ?b = ?b + ?a", "modules": ["Example"]})
        declared = await client.call_tool("declaration", {"name": "Nat.add_comm"})
        documented = await client.call_tool("declaration", {"name": "Function.surjInv"})
        read = await client.call_tool("declaration", {"name": "Subgroup.mul_mem"})
        used = await client.call_tool("uses", {"name": "Nat.add_comm", "k": 2})
        status = await client.call_tool("index_status")
    assert premises.structured_content["premises"][0]["name"] == "Nat.add_comm"
    assert len(premises.structured_content["premises"]) == 10
    assert searched.structured_content["premises"][0]["name"] == "Nat.add_comm"
    assert shaped.structured_content["kind"] == "pattern"
    assert shaped.structured_content["premises"][0]["name"] == "Nat.add_comm"
    found = declared.structured_content
    assert found["path"].endswith("Example/Nat/Basic.lean")
    text = Path(found["path"]).read_text(encoding="utf-8").splitlines()
    assert found["source"].splitlines()[0] == text[found["line"] - 1]
    assert "theorem add_comm" in found["source"]
    assert found["doc"] == "Addition is commutative."
    users = [one["name"] for one in used.structured_content["used_by"]]
    assert users == ["pow_succ'", "pow_mul_comm"]
    assert f"{users[1]}  " in used.content[0].text and "\nand 1" in used.content[0].text
    assert documented.structured_content["doc"] == "A right inverse of a surjective function."
    assert documented.content[0].text.count("A right inverse of a surjective function.") == 1
    reading = "Let G be a group. If a is in H and b is in H, then a * b is in H."
    assert read.structured_content["reading"] == reading and "reading" not in found
    assert f"Read by rules: {reading}" in read.content[0].text
    assert status.structured_content["index"]["state"] == "consulted"


async def test_a_hundred_calls_at_once_are_answered(url: str) -> None:
    async with over_http(url) as first, over_http(url) as second:
        calls = [
            client.call_tool(
                "premises", {"state": f"a{number} b : Nat\n⊢ a{number} + b = b + a{number}", "k": 1}
            )
            for number in range(50)
            for client in (first, second)
        ]
        answers = await asyncio.gather(*calls)
    names = {answer.structured_content["premises"][0]["name"] for answer in answers}
    assert names == {"Nat.add_comm"}


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("suggest", {"file": "/etc/hostname", "line": 1}, "outside of the projects"),
        ("suggest", {"file": "../other/File.lean", "line": 1}, "outside of the projects"),
        ("suggest", {"file": "Nowhere.lean", "line": 1}, "There is no file"),
        ("suggest", {"file": f"{'x' * 300}.lean", "line": 1}, "There is no file"),
        ("suggest", {"file": f"{'x' * 300}/A.lean", "line": 1}, "There is no file"),
        ("suggest", {"file": "lakefile.toml", "line": 1}, "not a Lean file"),
        ("suggest", {"file": FAR_AWAY, "line": 4000}, "There is no line 4000"),
        ("suggest", {"file": FAR_AWAY, "line": 0}, "line: "),
        ("suggest", {"file": FAR_AWAY, "line": 1}, "goal"),
        ("suggest", {"file": FAR_AWAY, "line": 11, "lines": 2}, "lines: "),
        ("suggest", {**PLACE, "caller": "smip"}, "does not know the tactic"),
        ("premises", {"state": "what"}, "⊢"),
        ("premises", {"state": COMMUTES, "k": 0}, "k: "),
        ("search", {"query": "  "}, "nothing to search"),
        ("search", {"query": "_ + (_ = _"}, "is not closed (column 5"),
        ("try_tactics", {**PLACE, "tactics": []}, "tactics: "),
        ("try_tactics", {**PLACE, "tactics": ["simp", " "]}, "Tactic 2 is empty"),
        ("declaration", {"name": "Nat.add_com"}, "The nearest are Nat.add_comm"),
        ("sorries", {"file": "../outside.lean"}, "outside of the projects"),
        ("uses", {"name": "Nat.add_com"}, "The nearest are Nat.add_comm"),
        ("suggest", {"file": FAR_AWAY}, "Either `line` or `declaration`"),
        ("suggest", {**PLACE, "declaration": "t"}, "Either `line` or `declaration`"),
        (
            "try_tactics",
            {"file": FAR_AWAY, "declaration": "is_linea", "tactics": ["simp"]},
            "Unfinished.order_is_linear",
        ),
        ("prove", {**PLACE, "seconds": 0}, "seconds: "),
        ("prove", {"file": FAR_AWAY, "line": 1}, "goal"),
        ("repair", {}, "Neither `file` nor `text`"),
        ("repair", {"file": "../outside.lean"}, "outside of the projects"),
        ("repair", {"text": "theorem t : True := x", "seconds": 601}, "seconds: "),
        ("disprove", {}, "There is no tool 'disprove'"),
    ],
)
async def test_what_cannot_be_answered_is_told_in_a_sentence(
    url: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    async with over_http(url) as client:
        assert said in sentence(await client.call_tool(tool, arguments))


async def test_a_path_that_is_none_is_told_on_stdio_too(workplace: Workplace) -> None:
    async with on_stdio(workplace) as client:
        assert "cannot be read" in sentence(
            await client.call_tool("suggest", {"file": "a\0.lean", "line": 1})
        )


async def test_a_link_out_of_the_project_is_not_followed(
    url: str, workplace: Workplace, tmp_path: Path
) -> None:
    (tmp_path / "Secret.lean").write_text("theorem secret : True := by\n  sorry\n", encoding="utf-8")
    link = workplace.root / "Link.lean"
    link.symlink_to(tmp_path / "Secret.lean")
    try:
        async with over_http(url) as client:
            answer = await client.call_tool("suggest", {"file": "Link.lean", "line": 2})
    finally:
        link.unlink()
    assert "outside of the projects" in sentence(answer)


@pytest.mark.parametrize("credentials", ["Basic", "Bearer wrong"])
async def test_without_the_token_nothing_is_answered(url: str, credentials: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Authorization": credentials, "Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient() as client:
        refused = await client.post(url, json=message, headers=headers)
        foreign = await client.post(
            url,
            json=message,
            headers={**headers, "Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"},
        )
    assert refused.status_code == 401
    assert "token is missing or wrong" in refused.json()["error"]
    assert foreign.status_code == 403


async def test_a_client_that_vanishes_leaves_the_server_to_the_others(url: str) -> None:
    async def vanish() -> None:
        async with over_http(url) as client:
            await client.call_tool("suggest", PLACE)

    asked = asyncio.create_task(vanish())
    async with over_http(url) as other:
        await other.call_tool("index_status")
        asked.cancel()
        answer = await other.call_tool("premises", {"state": COMMUTES, "k": 1})
        with pytest.raises(asyncio.CancelledError):
            await asked
    assert answer.structured_content["premises"][0]["name"] == "Nat.add_comm"


def test_the_process_ends_with_its_input(workplace: Workplace) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    done = subprocess.run(
        workplace.command(),
        input=json.dumps(hello) + "\nnot json\n",
        capture_output=True,
        text=True,
        env=workplace.environment,
        timeout=120,
    )
    assert done.returncode == 0
    answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "premise-suggest"
    assert answers[None]["error"]["code"] == -32700


def test_options_of_http_need_http(workplace: Workplace) -> None:
    done = subprocess.run(
        workplace.command("--token", "x"),
        capture_output=True,
        text=True,
        env=workplace.environment,
        timeout=120,
    )
    assert done.returncode == 2
    assert "--http" in done.stderr


def test_without_the_sdk_the_command_says_what_to_install(workplace: Workplace, tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n")
    environment = {**workplace.environment, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "lsp_server", "mcp"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 2
    assert "premise-suggest[mcp]" in done.stderr
