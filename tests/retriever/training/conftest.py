from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.retriever.training.gardening import PAIRWISE, Garden, plant


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Garden:
    return plant(tmp_path_factory.mktemp("garden"))


@pytest.fixture(scope="module")
def garden(planted: Garden, tmp_path_factory: pytest.TempPathFactory) -> Garden:
    """The invented corpus, with a folder for the runs of one file."""
    return replace(planted, work=tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def pairwise(planted: Garden) -> Path:
    """The run `pair`: a pairwise model that has learned the invented corpus."""
    return planted.train("pairwise", "pair", **PAIRWISE)
