"""The protocol's server over a workspace: lists the tools, calls them, and turns errors into sentences."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from lean_extract.common.errors import PremiseSuggestError, UserError
from lsp_server import __version__
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_proofs import ProofProgress
from lsp_server.engine.tasks import Gate, LeanProgress
from lsp_server.limits import MCP_RUNNING_CALLS, MCP_WAITING_CALLS
from lsp_server.mcp.arguments import wrong
from lsp_server.mcp.offer import Offer
from lsp_server.mcp.text import answer_text
from lsp_server.mcp.tools import AgentTool, Answer
from lsp_server.mcp.workspace import Workspace
from lsp_server.rendering.proofs import progress_line

log = logging.getLogger("premise_suggest")


def create_server(workspace: Workspace, offer: Offer) -> Server[None]:
    """The server. Its clients share the workspace, which is closed when the server ends."""
    gates = {is_long: Gate(MCP_RUNNING_CALLS, MCP_WAITING_CALLS) for is_long in (False, True)}
    listed = offer.listed()

    async def list_tools(
        context: ServerRequestContext[None], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[None], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = offer.tools.get(params.name)
        if tool is None:
            return _failure(f"There is no tool {params.name!r}. There are {', '.join(offer.tools)}.")
        progress = _Progress(context)
        try:
            call = partial(_called, workspace, tool, params.arguments or {}, progress)
            found = await gates[tool.is_long].run(call)
            return _result(found, structured=offer.structured)
        except asyncio.CancelledError:  # the gate lets the work go on, which a search need not
            progress.is_cancelled.set()
            raise
        except PremiseSuggestError as error:
            return _failure(str(error))
        except Exception as error:  # the server must continue, and the client needs an answer
            log.exception("%s failed", tool.name)
            return _failure(f"{tool.name} failed ({type(error).__name__}); see the server's log.")

    async def list_prompts(
        context: ServerRequestContext[None], params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=offer.prompts())

    async def get_prompt(
        context: ServerRequestContext[None], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            text = offer.prompt(params.name, params.arguments or {})
        except UserError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=types.TextContent(text=text))]
        )

    @asynccontextmanager
    async def lifespan(server: Server[None]) -> AsyncIterator[None]:
        workspace.begin()
        try:
            yield
        finally:
            await workspace.close()

    return Server(
        "premise-suggest",
        version=__version__,
        title="premise-suggest",
        instructions=offer.instructions(),
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


async def _called(
    workspace: Workspace, tool: AgentTool, arguments: dict[str, Any], progress: _Progress
) -> Answer:
    try:
        given = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        raise wrong(error) from error
    try:
        return await tool.run(workspace, given, progress)
    finally:
        await progress.sent()


class _Progress:
    """Sends progress, if the client requested it: Lean's, the number of premises, then each accepted tactic."""

    def __init__(self, context: ServerRequestContext[None]) -> None:
        self.is_cancelled = asyncio.Event()
        self._session = context.session
        self._count = 0
        self._sending: list[asyncio.Task[None]] = []

    def __call__(self, so_far: Suggestion) -> None:
        """Take in a partial suggestion."""
        message = f"{len(so_far.premises)} premises"
        if so_far.tactics:
            message = f"{len(so_far.tactics)} tactics accepted, the best so far: {so_far.tactics[0].tactic}"
        self._send(message)

    def proving(self, so_far: ProofProgress) -> None:
        """Take in how far a search for a proof is."""
        self._send(progress_line(so_far))

    def waiting(self, progress: LeanProgress) -> None:
        """Take in how far Lean is."""
        self._send(str(progress))

    def _send(self, message: str) -> None:
        self._count += 1
        self._sending.append(asyncio.ensure_future(self._session.report_progress(self._count, None, message)))

    async def sent(self) -> None:
        """Wait until all is sent; nothing is sent to a client that has disconnected."""
        for failure in await asyncio.gather(*self._sending, return_exceptions=True):
            if isinstance(failure, Exception):
                log.debug("Progress was not sent", exc_info=failure)


def _result(answer: Answer, *, structured: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=answer_text(answer))],
        structured_content=to_json(answer, omits_empty=True) if structured else None,
    )


def _failure(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)
