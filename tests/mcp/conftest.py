"""The example library, and real servers for agents: one process a session over HTTP, one a test on stdio."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from tests.forked import program
from tests.http.conftest import environment  # noqa: F401 - a fixture

mcp = pytest.importorskip("mcp", reason="mcp is not installed (pip install 'premise-suggest[mcp]')")

TOKEN = "a-token-for-agents"
FAR_AWAY = "Unfinished/FarAway.lean"


@dataclass(frozen=True, slots=True)
class Workplace:
    """A project, and the variables that keep its index in a scratch folder."""

    root: Path
    environment: dict[str, str]

    def command(self, *arguments: str, structured: bool = True) -> list[str]:
        """The server; `structured`: with answers as objects, which are easier to examine."""
        options = ["--structured"] if structured else []
        return [program(), "mcp", *options, "--project", str(self.root), *arguments]


@pytest.fixture(scope="session")
def workplace(
    packaged_lean: PackagedLean,
    tmp_path_factory: pytest.TempPathFactory,
    environment: dict[str, str],  # noqa: F811
) -> Workplace:
    """A copy of the example library that nobody has indexed."""
    root = tmp_path_factory.mktemp("agents") / "example"
    shutil.copytree(EXAMPLE, root)
    return Workplace(root, environment)


@asynccontextmanager
async def on_stdio(
    workplace: Workplace, *arguments: str, structured: bool = True, **variables: str
) -> AsyncIterator[Any]:
    """The SDK's client, and a server of its own."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = workplace.command(*arguments, structured=structured)
    given = {**workplace.environment, **variables}
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=given)
    async with Client(stdio_client(parameters)) as client:
        yield client


@pytest.fixture(scope="session")
def url(workplace: Workplace) -> Iterator[str]:
    """The address of a server over HTTP that asks for a token."""
    command = workplace.command("--http", "--port", "0", "--token", TOKEN)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=workplace.environment) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield line.split()[2]
        finally:
            process.terminate()
            assert process.wait(60) in (0, -15)


@asynccontextmanager
async def over_http(url: str, token: str = TOKEN) -> AsyncIterator[Any]:
    """The SDK's client over streamable HTTP."""
    import httpx
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client
