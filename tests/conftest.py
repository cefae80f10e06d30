"""Fixtures that several parts share."""

from __future__ import annotations

import os

import pytest

from lean_extract.packaged import PackagedLean, prepare, runtime_available


@pytest.fixture(scope="session")
def packaged_lean() -> PackagedLean:
    """The packaged Lean with the mini core built; on CI its absence is a failure, elsewhere a skip."""
    if not runtime_available() and not os.environ.get("CI"):
        pytest.skip("the packaged Lean is not installed (pip install 'premise-suggest[lean]')")
    return prepare()
