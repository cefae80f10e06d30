"""What agents pay for: the list of tools, and answers as text; which tools there are, and under which names."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
import yaml
from mcp.shared.exceptions import MCPError

from lsp_server.mcp.offer import Offer
from lsp_server.mcp.prompts import PROMPTS
from lsp_server.mcp.tools import TOOLS
from tests.forked import SCRIPT
from tests.mcp.conftest import FAR_AWAY, Workplace, on_stdio

pytestmark = pytest.mark.lean
PLACE = {"file": FAR_AWAY, "line": 11}
CLOSED = "theorem both (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  sorry\n"


async def test_the_list_is_short_and_answers_are_text(workplace: Workplace) -> None:
    async with on_stdio(workplace, structured=False) as client:
        listed = (await client.list_tools()).tools
        answer = await client.call_tool("premises", {"state": "m n : Nat\n⊢ m + n = n + m", "k": 2})
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) < 9000
    assert all("outputSchema" not in tool and tool["inputSchema"]["type"] == "object" for tool in tools)
    assert "default" not in tools[0]["inputSchema"]["properties"]["line"]
    assert answer.structured_content is None and "Nat.add_comm" in answer.content[0].text


async def test_hypotheses_that_stay_as_they_are_are_not_repeated(workplace: Workplace) -> None:
    tactics = ["intro a", "revert h", "revert q"]
    file = workplace.root / "Kept.lean"
    file.write_text(
        "theorem t (p q : Prop) (h : p ∨ q) (k : q) : p → q ∨ p := by\n  sorry\n", encoding="utf-8"
    )
    try:
        async with on_stdio(workplace, structured=False) as client:
            answer = await client.call_tool(
                "try_tactics", {"file": "Kept.lean", "line": 2, "tactics": tactics}
            )
    finally:
        file.unlink()
    text = answer.content[0].text
    assert text.count("k : q") == 1 and text.count("p q : Prop") == 1
    assert "intro a  -- leaves 1 goal\n    a : p\n    ⊢ q ∨ p\n" in text
    assert "    p : Prop\n    without q, h, k\n    ⊢ " in text
    assert "revert h  -- leaves 1 goal\n    without h\n    ⊢ p ∨ q → p → q ∨ p" in text


async def test_where_a_tactic_closes_the_goal_three_premises_are_enough(workplace: Workplace) -> None:
    file = workplace.root / "Closed.lean"
    file.write_text(CLOSED, encoding="utf-8")
    try:
        async with on_stdio(workplace, structured=False) as client:
            closed = await client.call_tool("suggest", {"file": "Closed.lean", "line": 2})
            premises = await client.call_tool("suggest", {"file": "Closed.lean", "line": 2, "tactics": False})
    finally:
        file.unlink()

    def listed(answer: object) -> list[str]:
        text = answer.content[0].text  # type: ignore[attr-defined]
        return text.partition("Premises\n")[2].partition("\n\n")[0].splitlines()

    assert "closes the goal" in closed.content[0].text
    assert len(listed(closed)) == 3 and listed(closed) == listed(premises)[:3] and len(listed(premises)) == 10


async def test_tools_are_disabled_and_renamed_by_variables(workplace: Workplace) -> None:
    variables = {
        "PREMISE_SUGGEST_MCP_DISABLED": "try_tactics, prove",
        "PREMISE_SUGGEST_MCP_NAMES": "suggest=lean_suggest,search=lean.find",
    }
    async with on_stdio(workplace, structured=False, **variables) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("lean.find", {"query": "Nat.add_comm", "k": 1})
        refused = [await client.call_tool(name, {"query": "x"}) for name in ("search", "prove")]
        said = client.instructions
    assert names == [
        "lean_suggest",
        "repair",
        "premises",
        "lean.find",
        "declaration",
        "uses",
        "sorries",
        "index_status",
    ]
    assert "Nat.add_comm" in found.content[0].text
    assert all(one.is_error and "lean.find" in one.content[0].text for one in refused)
    assert "Call `lean_suggest`" in said and "prove" not in said


async def test_prompts_name_the_tools_as_they_are_offered(workplace: Workplace) -> None:
    variables = {
        "PREMISE_SUGGEST_MCP_DISABLED": "try_tactics,repair",
        "PREMISE_SUGGEST_MCP_NAMES": "prove=lean_prove",
    }
    odd = {"file": "A `prove` {b}.lean", "place": "12"}
    async with on_stdio(workplace, structured=False, **variables) as client:
        listed = (await client.list_prompts()).prompts
        texts = [
            (await client.get_prompt(one.name, {argument.name: "x" for argument in one.arguments})).messages
            for one in listed
        ]
        [asked] = (await client.get_prompt("prove_goal", odd)).messages
        refusals = []
        for name, arguments in [("repair_file", {"file": "A.lean"}), ("prove_goal", {"file": "A.lean"})]:
            with pytest.raises(MCPError) as refused:
                await client.get_prompt(name, arguments)
            refusals.append(refused.value.message)
    assert [one.name for one in listed] == ["prove_goal", "fill_sorries", "find_lemma"]
    assert all(one.description and len(messages) == 1 for one, messages in zip(listed, texts, strict=True))
    said = asked.content.text
    assert said.startswith("Prove the goal in A `prove` {b}.lean at 12.\nCall `lean_prove` there first.")
    assert "`suggest`" in said and "try_tactics" not in said
    assert refusals[0].startswith("There is no prompt 'repair_file'. There are prove_goal, fill_sorries")
    assert refusals[1].startswith("prove_goal needs place.")


def test_the_skill_file_names_the_tools_that_are_offered(workplace: Workplace) -> None:
    """What agents need of its form: names and lengths as their documentation has them."""
    variables = {"PREMISE_SUGGEST_MCP_DISABLED": "uses", "PREMISE_SUGGEST_MCP_NAMES": "prove=lean_prove"}
    shown = [
        subprocess.run(
            [str(SCRIPT), "mcp", "--skill"],
            env={**workplace.environment, **given},
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for given in ({}, variables)
    ]
    lines = shown[0].splitlines()
    assert len(lines) < 60 and lines[0] == lines[3] == "---"
    about = yaml.safe_load("\n".join(lines[1:3]))
    assert about["name"] == "premise-suggest" and len(about["description"]) <= 1024
    assert {one.name for one in TOOLS} <= set(re.findall(r"`(\w+)`", shown[0]))
    assert "`lean_prove`" in shown[1] and "`prove`" not in shown[1] and "`uses`" not in shown[1]


def test_every_tool_and_argument_in_a_prompt_is_one() -> None:
    offer = Offer()
    for one in PROMPTS:
        text = offer.prompt(one.name, dict.fromkeys(one.arguments, "x"))
        assert "{" not in text and text.count("\n") == len(one.lines) - 1
        assert set(re.findall(r"`(\w+)`", text)) <= {*offer.tools, "sorry"} and f"`{one.tool}`" in text


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DISABLED", "sugest", "names 'sugest', which is no tool"),
        ("DISABLED", ",".join(tool.name for tool in TOOLS), "disables every tool"),
        ("NAMES", "sugest=x", "names 'sugest', which is no tool"),
        ("NAMES", "suggest", "gives a tool the name ''"),
        ("NAMES", "suggest=a b", "gives a tool the name 'a b'"),
        ("NAMES", "suggest=prove", "gives two tools one name"),
        ("NAMES", "suggest=x,prove=x", "gives two tools one name"),
    ],
)
def test_a_variable_that_cannot_be_used_is_told_at_the_start(
    workplace: Workplace, variable: str, value: str, said: str
) -> None:
    environment = {**workplace.environment, f"PREMISE_SUGGEST_MCP_{variable}": value}
    done = subprocess.run(
        workplace.command(), env=environment, capture_output=True, text=True, timeout=60, input=""
    )
    assert done.returncode == 2 and said in done.stderr
