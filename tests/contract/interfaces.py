"""How other programs see us: the tools for agents, and the OpenAPI document of the HTTP server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.contract.workplace import Workplace
from tests.forked import program
from tests.http.conftest import serving

_OF_FASTAPI = ("HTTPValidationError", "ValidationError")


def tools(place: Workplace) -> Mapping[str, Any]:
    """The answer to `tools/list` by tool; needs the package mcp."""

    async def listed() -> Mapping[str, Any]:
        from mcp.client.client import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client

        command = StdioServerParameters(
            command=program(), args=["mcp", "--project", str(place.root)], env=place.environment
        )
        async with Client(stdio_client(command)) as client:
            found = (await client.list_tools()).tools
        return {tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in found}

    return asyncio.run(listed())


def openapi(place: Workplace) -> Mapping[str, Any]:
    """The OpenAPI document, but for our version and for the schemas that FastAPI adds; needs the package fastapi."""
    with serving(place.environment, "--project", place.root) as server:
        document = server.client.get("/openapi.json").json()
    del document["info"]["version"]
    for name in _OF_FASTAPI:
        document.get("components", {}).get("schemas", {}).pop(name, None)
    assert isinstance(document, dict)
    return document
