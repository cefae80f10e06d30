"""What several tests of the session share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from lean_extract.session import LeanSession
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean_extract.session_helpers import toolchain_of


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session(
    tmp_path_factory: pytest.TempPathFactory, packaged_lean: PackagedLean
) -> AsyncIterator[LeanSession]:
    """A session in an empty project, for all tests of a file."""
    folder = tmp_path_factory.mktemp("project")
    async with await LeanSession.start(folder, toolchain_of(packaged_lean)) as session:
        yield session
