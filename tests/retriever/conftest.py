from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Header, write_records
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.index.store import IndexStore
from tests.commands import command
from tests.once import Once
from tests.retriever.little_library import DebugData, library
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
def little_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "little.jsonl"
    write_records(path, Header("text", "little"), library())
    return path


@pytest.fixture(scope="session")
def debug_data(little_records: Path, tmp_path_factory: pytest.TempPathFactory) -> DebugData:
    """A dataset folder and a tokenizer of the little library."""
    work = tmp_path_factory.mktemp("debug")
    assert command("retriever dataset")([little_records, work / "dataset"]) == 0
    vocabulary = ["--vocabulary", "300"]
    assert command("retriever tokenizer")([work / "dataset", work / "tokenizer.json", *vocabulary]) == 0
    return DebugData(work / "dataset", work / "tokenizer.json")


@pytest.fixture
def store(tmp_path: Path) -> IndexStore:
    """An empty one."""
    return IndexStore(tmp_path / "index")


@pytest.fixture(scope="session")
def shipped(once: Once) -> PremiseService:
    """The bundled Mathlib index with the encoder that is shipped."""
    store = bundled.unpack(once.folder("bundled", bundled.unpack))
    assert store.verify() == []
    return PremiseService.open([store], bundled.DATA.parent / "encoder")
