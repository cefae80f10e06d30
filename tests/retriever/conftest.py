from __future__ import annotations

from pathlib import Path

import pytest

from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from tests.retriever.support import CountingEncoder


@pytest.fixture(scope="session")
def model_folder() -> Path:
    return Path(__file__).parent / "fixtures" / "encoder"


@pytest.fixture(scope="session")
def reranker_folder() -> Path:
    return Path(__file__).parent / "fixtures" / "reranker"


@pytest.fixture(scope="session")
def encoder(model_folder: Path) -> Encoder:
    return Encoder.load(model_folder)


@pytest.fixture
def counting(encoder: Encoder) -> CountingEncoder:
    """The encoder, which keeps the names that it was asked for."""
    return CountingEncoder(encoder)


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> PremiseService:
    """The bundled Mathlib index with the encoder that is shipped."""
    store = bundled.unpack(tmp_path_factory.mktemp("cache"))
    assert store.verify() == []
    return PremiseService.open([store], bundled.DATA.parent / "encoder")
