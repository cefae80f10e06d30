"""Tokenizer, masked language modelling and evaluation over collections of any backend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the training extra is not installed")

from lean_extract.common.errors import BadState, UserError
from retriever.documents.store import write_corpus
from retriever.lean.dataset.dataset import build_dataset
from retriever.search.backends import BUILT_IN, find_backend
from retriever.search.collections.index import fused_for_evaluation
from retriever.search.collections.measure import measure
from retriever.training.collection import load_collection
from retriever.training.mlm import MlmConfig
from retriever.training.running.curve import read_curve
from retriever.training.running.train import load_run, run_training
from retriever.training.tokens import open_tokenizer
from tests.commands import command
from tests.retriever.naturalproofs.corpora import gardens

train_tokenizer = command("retriever tokenizer")


@pytest.fixture(scope="module")
def data(little_records: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What the backends read, each a small one."""
    folder = tmp_path_factory.mktemp("backends")
    build_dataset(little_records, folder / "lean")
    write_corpus(folder / "gardens.json", gardens(), None)
    return {"lean": folder / "lean", "naturalproofs": folder / "gardens.json"}


@pytest.mark.parametrize("name", ["lean", "naturalproofs"])
def test_a_corpus_behind_the_interface_is_whole_and_consistent(data: dict[str, Path], name: str) -> None:
    backend = find_backend(name)
    collection = backend.read(data[name])
    assert backend.name == name and name in BUILT_IN
    keys = [document.key for document in collection.documents]
    assert len(set(keys)) == len(keys) and all(document.text for document in collection.documents)
    assert collection.questions
    for question in collection.questions:
        assert question.gold and set(question.gold) <= set(collection.pools[question.split])
    shown = backend.show(collection.documents[0])
    assert shown.title and shown.kind


@pytest.mark.parametrize("name", ["lean", "naturalproofs"])
def test_its_figures_come_from_its_own_metrics(data: dict[str, Path], name: str) -> None:
    backend = find_backend(name)
    collection = backend.read(data[name])
    lexical = fused_for_evaluation(backend, collection).rankers[0]
    figures = measure(backend, collection, lexical, "train", quiet=True)
    wanted = {"lean": ["R@1", "R@10", "R@32", "MRR"], "naturalproofs": ["mAP", "R@10", "R@100"]}[name]
    assert list(figures)[: len(wanted)] == wanted
    assert all(0 <= one.low <= one.mean + 1e-9 <= one.high + 2e-9 <= 100.1 for one in figures.values())


def test_a_typed_goal_is_read_as_a_state() -> None:
    lean = find_backend("lean")
    assert lean.query_text("n : ℕ\n⊢ n = n") == "<VAR> n : ℕ <GOAL> n = n"
    with pytest.raises((BadState, UserError)):
        lean.query_text("no goal here")


def test_tokenizer_and_masked_modelling_read_any_backend(data: dict[str, Path], tmp_path: Path) -> None:
    source, tokenizer = data["naturalproofs"], tmp_path / "tokenizer.json"
    arguments = [str(source), str(tokenizer), "--backend", "naturalproofs", "--vocabulary", "300"]
    assert train_tokenizer(arguments) == 0
    words = open_tokenizer(tokenizer).encode(r"gate \walled").tokens
    assert words[0] == "[CLS]" and "gate" in words and words[-1] == "[SEP]"
    arrays = load_collection(find_backend("naturalproofs"), source, tokenizer, query=12, document=16)
    assert arrays.documents.lengths.max() <= 16 and arrays.questions.lengths.max() <= 12
    preset = load_run(Path("debug-mlm"))
    assert isinstance(preset, MlmConfig)
    config = replace(
        preset, backend="naturalproofs", dataset=source, tokenizer=tokenizer, run=tmp_path / "run"
    )
    config = replace(config, schedule=replace(config.schedule, steps=4, evaluate_every=4))
    assert run_training(config, bar=False).steps == 4
    assert read_curve(config.run)[-1]["masked_loss"] > 0


def test_a_tokenizer_for_no_backend_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = train_tokenizer([str(tmp_path), str(tmp_path / "t.json"), "--backend", "no_such"])
    assert code == 2 and "no backend `no_such`" in capsys.readouterr().err
