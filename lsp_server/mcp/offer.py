"""How the tools are offered: which, under which names, and with how much of their schemas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import mcp_types as types

from lean_extract.common.errors import UserError
from lsp_server.engine.schema_files.json_schema import inlined
from lsp_server.mcp.prompts import PROMPTS, AgentPrompt
from lsp_server.mcp.tools import TOOLS, AgentTool

DISABLED_VARIABLE = "PREMISE_SUGGEST_MCP_DISABLED"
NAMES_VARIABLE = "PREMISE_SUGGEST_MCP_NAMES"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""What agents take as the name of a tool."""
_QUOTED = re.compile(r"`(\w+)`")
_READS = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
"""The other hints have a meaning only for tools that change something."""
_UNNEEDED = ("title", "anyOf", "minLength", "maxLength")
_START = "Call `suggest` with a file and the line of a `sorry`."
_PROVE = "`prove` searches for a whole proof."
_ABOUT = (
    "premise-suggest finds lemmas for Lean 4 goals in the project's own Mathlib and has Lean check tactics, on this "
    "machine."
)
_STATES = (
    "If `index.state` in an answer is `consulted`, what is not listed was not found; if it is `warming` or "
    "`unavailable`, a part was not searched. Fields of answers that are empty are left out."
)
_SEARCHED = "What is not listed was not found, unless the line `Searched:` says that a part was not searched."


@dataclass(frozen=True, slots=True)
class Offer:
    """What agents are offered."""

    tools: Mapping[str, AgentTool] = field(default_factory=lambda: {tool.name: tool for tool in TOOLS})
    """By the names that they have for agents."""
    structured: bool = False
    """Whether answers are sent as objects, too, with their schemas in the list of tools."""

    def listed(self) -> list[types.Tool]:
        """The list of tools."""
        return [self._listed(name, tool) for name, tool in self.tools.items()]

    def instructions(self) -> str:
        """What an agent is told once."""
        return " ".join([_ABOUT, *self.worded((_START, _PROVE)), _STATES if self.structured else _SEARCHED])

    def worded(self, lines: Iterable[str]) -> Iterator[str]:
        """Lines with the tools' names as agents have them, without those that name a tool that is not offered."""
        names = {tool.name: "" for tool in TOOLS} | {tool.name: name for name, tool in self.tools.items()}
        for line in lines:
            if all(names.get(one, one) for one in _QUOTED.findall(line)):
                yield _QUOTED.sub(lambda found: f"`{names.get(found[1], found[1])}`", line)

    def skill(self) -> str:
        """The text of a skill file, which tells agents when to call which tool."""
        text = files("lsp_server").joinpath("mcp", "skill", "SKILL.md").read_text(encoding="utf-8")
        return "".join(self.worded(text.splitlines(keepends=True)))

    def prompts(self) -> list[types.Prompt]:
        """The list of prompts: those whose tool is offered."""
        return [
            types.Prompt(
                name=one.name,
                title=one.title,
                description=one.description,
                arguments=[
                    types.PromptArgument(name=name, description=text, required=True)
                    for name, text in one.arguments.items()
                ],
            )
            for one in self._prompts()
        ]

    def prompt(self, name: str, given: Mapping[str, str]) -> str:
        """The text of a prompt. Raises UserError: there is none of this name, or an argument is missing."""
        prompts = {one.name: one for one in self._prompts()}
        if name not in prompts:
            raise UserError(f"There is no prompt {name!r}.", f"There are {', '.join(prompts) or 'none'}.")
        missing = [one for one in prompts[name].arguments if not given.get(one, "").strip()]
        if missing:
            raise UserError(f"{name} needs {', '.join(missing)}.", "Send it as an argument of the prompt.")
        first, *lines = self.worded(prompts[name].lines)
        return "\n".join([first.format_map(given), *lines])

    def _prompts(self) -> list[AgentPrompt]:
        offered = {tool.name for tool in self.tools.values()}
        return [one for one in PROMPTS if one.tool in offered]

    def _listed(self, name: str, tool: AgentTool) -> types.Tool:
        return types.Tool(
            name=name,
            title=tool.title,
            description=tool.description,
            input_schema=slim(tool.arguments.model_json_schema()),
            output_schema=inlined(tool.answer, omits_empty=True) if self.structured else None,
            annotations=_READS,
        )


def offer_of(variables: Mapping[str, str], *, structured: bool) -> Offer:
    """The tools without those that a variable disables, under the names that another gives. Raises UserError."""
    tools = {tool.name: tool for tool in TOOLS}
    disabled = _words(variables.get(DISABLED_VARIABLE, ""))
    pairs = [word.partition("=")[::2] for word in _words(variables.get(NAMES_VARIABLE, ""))]
    _refuse_unknown(DISABLED_VARIABLE, disabled, tools)
    _refuse_unknown(NAMES_VARIABLE, [own for own, _ in pairs], tools)
    given = dict(pairs)
    offered = {given.get(name, name): tool for name, tool in tools.items() if name not in disabled}
    bad = next((name for name in given.values() if not _NAME.fullmatch(name)), None)
    if bad is not None or len(offered) + len(set(disabled)) < len(tools):
        what = "gives two tools one name" if bad is None else f"gives a tool the name {bad!r}"
        raise UserError(
            f"{NAMES_VARIABLE} {what}.",
            "Write `suggest=lean_suggest,prove=lean_prove`: letters, digits, _, - and dots.",
        )
    if not offered:
        raise UserError(f"{DISABLED_VARIABLE} disables every tool.", "Leave at least one.")
    return Offer(offered, structured)


def slim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of arguments without what agents pay for and do not need: titles, null, defaults that are nothing, and
    the longest texts, which an error names."""
    kept = {key: one for key, one in schema.items() if key not in ("title", "description")}
    properties = {name: _slim_argument(one) for name, one in schema.get("properties", {}).items()}
    return {**kept, "properties": properties}


def _slim_argument(argument: Mapping[str, Any]) -> dict[str, Any]:
    """An argument that may be left out, in place of one that may be null."""
    kept = {key: one for key, one in argument.items() if key not in _UNNEEDED}
    if kept.get("default", 0) in (None, "", []):
        del kept["default"]
    choices = [one for one in argument.get("anyOf", ()) if one != {"type": "null"}]
    choices = [{key: value for key, value in one.items() if key not in _UNNEEDED} for one in choices]
    return {**kept, **(choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {})}


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _refuse_unknown(variable: str, names: list[str], tools: Mapping[str, AgentTool]) -> None:
    unknown = next((name for name in names if name not in tools), None)
    if unknown is not None:
        raise UserError(f"{variable} names {unknown!r}, which is no tool.", f"There are {', '.join(tools)}.")
