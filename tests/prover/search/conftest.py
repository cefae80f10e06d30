"""A real Lean with the example library, and a proposer that knows its premises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from lean_extract.session import LeanSession
from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.toolchains.toolchain import Toolchain
from tests.lean_extract.session_helpers import toolchain_of
from tests.prover.search.helpers import EXAMPLE


@pytest.fixture(scope="session")
def example(packaged_lean: PackagedLean, example_oleans: Path) -> Toolchain:
    """The packaged Lean, able to import the example library."""
    environment = packaged_lean.environment_for(example_oleans, EXAMPLE)
    return replace(toolchain_of(packaged_lean), environment=environment)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's empty project."""
    return tmp_path_factory.mktemp("project")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session(project: Path, example: Toolchain) -> AsyncIterator[LeanSession]:
    async with await LeanSession.start(project, example) as session:
        yield session
