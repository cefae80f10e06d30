"""What several tests of the session share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lean_extract.session import LeanSession
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean_extract.machines import Machine
from tests.lean_extract.session_helpers import toolchain_of


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without a Lean."""
    return Machine(tmp_path)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `session`."""
    return tmp_path_factory.mktemp("project")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def session(project: Path, packaged_lean: PackagedLean) -> AsyncIterator[LeanSession]:
    """A session in an empty project, for all tests that need none of their own."""
    async with await LeanSession.start(project, toolchain_of(packaged_lean)) as session:
        yield session
