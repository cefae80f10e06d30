"""The tools: their names, arguments and answers, and how they call the engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lsp_server.engine.repair_files import RepairLimits, repair_file
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.requests import ProveRequest, SearchRequest, SuggestRequest
from lsp_server.engine.schema import (
    DeclarationAnswer,
    IndexStatusAnswer,
    SearchAnswer,
    SorryGoalsAnswer,
    Suggestion,
    TrialsAnswer,
    UsesAnswer,
)
from lsp_server.engine.schema_items import IndexState
from lsp_server.engine.schema_proofs import ProofAnswer, ProofProgress, RepairAnswer, RepairKind
from lsp_server.engine.sorry_goals import sorry_goals
from lsp_server.engine.tasks import LeanProgress
from lsp_server.limits import MCP_REPAIR_SECONDS
from lsp_server.mcp.arguments import (
    Arguments,
    DeclarationArguments,
    PremisesArguments,
    ProveArguments,
    RepairArguments,
    SearchArguments,
    SorriesArguments,
    StatusArguments,
    SuggestArguments,
    TrialArguments,
    UsesArguments,
    caller_named,
)
from lsp_server.mcp.workspace import Workspace


class Updates(Protocol):
    """Takes in how far an answer is, and says when nobody waits for it any more."""

    is_cancelled: asyncio.Event

    def __call__(self, so_far: Suggestion) -> None:
        """Take in a partial suggestion."""

    def proving(self, so_far: ProofProgress) -> None:
        """Take in how far a search for a proof is."""

    def waiting(self, progress: LeanProgress) -> None:
        """Take in how far Lean is."""


Answer = (
    Suggestion
    | ProofAnswer
    | RepairAnswer
    | SearchAnswer
    | TrialsAnswer
    | DeclarationAnswer
    | UsesAnswer
    | SorryGoalsAnswer
    | IndexStatusAnswer
)
_Run = Callable[[Workspace, Any, Updates], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool. `answer` is the class of its answers; `run` gets the parsed arguments."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[Answer]
    run: _Run
    is_long: bool = False
    """Whether a call may take minutes: those wait for each other only."""


async def _suggest(workspace: Workspace, given: SuggestArguments, updates: Updates) -> Suggestion:
    caller = caller_named(given.caller)
    engine, position = await workspace.at(given)
    request = SuggestRequest(
        position=position,
        k=given.k,
        tactics=given.tactics,
        goal_number=given.goal,
        caller=caller,
        select=given.select,
    )
    return await engine.suggest(request, updates, updates.waiting)


async def _prove(workspace: Workspace, given: ProveArguments, updates: Updates) -> ProofAnswer:
    engine, position = await workspace.at(given)
    seconds = given.seconds if given.seconds is not None else engine.settings.prove.seconds
    request = ProveRequest(position, seconds, imports=given.imports)
    return await engine.prove(request, updates.proving, updates.is_cancelled, updates.waiting)


async def _repair(workspace: Workspace, given: RepairArguments, updates: Updates) -> RepairAnswer:
    engine, path, text = await workspace.to_repair(given.file, given.text)
    names = MeantNames(engine, await workspace.names_before(engine))
    began = time.monotonic()
    limits = RepairLimits(MCP_REPAIR_SECONDS, began + given.seconds)
    errors = await repair_file(engine, names, path, given.file, text, limits, updates.is_cancelled)
    repaired = sum(one.kind != RepairKind.NONE for one in errors)
    return RepairAnswer(errors, repaired, [], round(time.monotonic() - began, 3))


async def _premises(workspace: Workspace, given: PremisesArguments, updates: Updates) -> Suggestion:
    request = SuggestRequest(goal=given.state, k=given.k, caller=caller_named(given.caller))
    return await workspace.first.suggest(request)


async def _search(workspace: Workspace, given: SearchArguments, updates: Updates) -> SearchAnswer:
    request = SearchRequest(given.query, given.k, given.reading, modules=tuple(given.modules))
    return await workspace.first.search(request)


async def _try_tactics(workspace: Workspace, given: TrialArguments, updates: Updates) -> TrialsAnswer:
    engine, position = await workspace.at(given)
    return await engine.try_tactics(position, given.tactics)


async def _declaration(
    workspace: Workspace, given: DeclarationArguments, updates: Updates
) -> DeclarationAnswer:
    return await workspace.first.describe(given.name, given.module)


async def _uses(workspace: Workspace, given: UsesArguments, updates: Updates) -> UsesAnswer:
    return await workspace.first.uses(given.name, given.module, given.k)


async def _sorries(workspace: Workspace, given: SorriesArguments, updates: Updates) -> SorryGoalsAnswer:
    engine, path, text = await workspace.in_file(given.file)
    return await sorry_goals(engine.goal_at, path, text, given.k)


async def _index_status(workspace: Workspace, given: StatusArguments, updates: Updates) -> IndexStatusAnswer:
    found = await workspace.first.status()
    failure = workspace.first_failure
    if not failure:
        return found
    index = replace(found.index, state=IndexState.UNAVAILABLE)
    return IndexStatusAnswer(index, [*found.warnings, failure])


TOOLS = (
    AgentTool(
        "suggest",
        "Premises and tactics at a place",
        "Gets Lean's goal at a place in a file, lists the lemmas that fit it best (signature, module, import "
        "line, whether it is in scope there), and tactics that Lean has accepted there, those that close the goal "
        "first. Put a `sorry` where you want a proof. Start here.",
        SuggestArguments,
        Suggestion,
        _suggest,
    ),
    AgentTool(
        "prove",
        "Search for a proof",
        "Searches for a whole proof of the goal at a place in a file, and answers with the script and the edits that "
        "insert it, imports included. `proved`: Lean has accepted the file with them. `false`: Lean has refuted the "
        "goal. The file is not changed.",
        ProveArguments,
        ProofAnswer,
        _prove,
        is_long=True,
    ),
    AgentTool(
        "repair",
        "Repair a file",
        "Repairs proofs that broke, such as after a change of Lean or of a library: finds what was renamed, moved, or "
        "takes other arguments, and answers with edits that Lean has accepted. Statements stay as they are, and so "
        "does the file.",
        RepairArguments,
        RepairAnswer,
        _repair,
        is_long=True,
    ),
    AgentTool(
        "premises",
        "Premises for a printed goal",
        "Lists the lemmas that fit a proof state sent as text. Needs no file and no Lean.",
        PremisesArguments,
        Suggestion,
        _premises,
    ),
    AgentTool(
        "search",
        "Search declarations",
        "Searches the project, its packages and Mathlib by name, part of a name, words of English, a statement, or a "
        'pattern as Loogle takes it: `Real.sin, "add"`, `?a * _ ≤ ?b * _`, `⊢ _ < _`.',
        SearchArguments,
        SearchAnswer,
        _search,
    ),
    AgentTool(
        "try_tactics",
        "Try tactics at a place",
        "Has Lean try several tactics at a place in a file, each by itself, without changing the file. Answers "
        "for each whether it closes the goal, the goals that it leaves, or Lean's error.",
        TrialArguments,
        TrialsAnswer,
        _try_tactics,
    ),
    AgentTool(
        "declaration",
        "A declaration",
        "The statement of a declaration, its file, line and text where they are on this machine, its page in "
        "Mathlib's documentation.",
        DeclarationArguments,
        DeclarationAnswer,
        _declaration,
    ),
    AgentTool(
        "uses",
        "Uses of a declaration",
        "Lists the theorems whose proofs use a declaration, with file and line, and what its own proof uses; says "
        "what replaces it if it is deprecated.",
        UsesArguments,
        UsesAnswer,
        _uses,
    ),
    AgentTool(
        "sorries",
        "The sorrys of a file",
        "Lists the `sorry`s of a file: line, column, declaration, and Lean's goals there.",
        SorriesArguments,
        SorryGoalsAnswer,
        _sorries,
    ),
    AgentTool(
        "index_status",
        "State of the index",
        "Which packages and revisions are searched, how fresh they are, and what is missing.",
        StatusArguments,
        IndexStatusAnswer,
        _index_status,
    ),
)
"""All tools, the most useful first."""
