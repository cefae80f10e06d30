"""A trained pair of encoders exported, and serving without torch what it learned."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train


from lean_extract.common.errors import ModelError  # noqa: E402
from retriever.models.towers import DOCUMENT, FILE, QUERY, Towers  # noqa: E402
from retriever.search.backends import find_backend  # noqa: E402
from retriever.search.collections.columns import read_columns  # noqa: E402
from retriever.search.collections.index import (  # noqa: E402
    CollectionIndex,
    fused_of,
)
from retriever.search.collections.indexing import index_collection  # noqa: E402
from retriever.training.collection import load_collection  # noqa: E402
from retriever.training.references.pairwise import load_pairwise  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.retriever.training.gardening import Garden  # noqa: E402

export = command("retriever export-towers")

BATCH = {"questions": 16, "corpus_negatives": 8}


@pytest.fixture(scope="module", params=["bag", "layers"])
def run(request: pytest.FixtureRequest, garden: Garden, pairwise: Path) -> Path:
    """A run without layers and one with."""
    if request.param == "bag":
        return pairwise
    return garden.train("pairwise", "layers", model={"layers": 1}, batch=BATCH, schedule={"steps": 2})


@pytest.fixture(scope="module")
def exported(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "model"
    assert export([str(run), str(out)]) == 0
    return out


def test_what_is_served_is_what_was_trained(garden: Garden, run: Path, exported: Path) -> None:
    config, model = load_pairwise(run)
    lengths = {"query": config.lengths.query, "document": config.lengths.document}
    arrays = load_collection(find_backend("naturalproofs"), garden.corpus, run / "tokenizer.json", **lengths)
    collection = find_backend("naturalproofs").read(garden.corpus)
    towers = Towers.load(exported)
    pairs = (
        (model.of_questions(arrays.questions), towers.queries([one.text for one in collection.questions])),
        (model.of_references(arrays.documents), towers.documents([one.text for one in collection.documents])),
    )
    for trained, served in pairs:
        cosines = (trained.numpy() * served).sum(axis=1)
        assert cosines.min() > 0.98  # int8
        assert np.linalg.norm(served, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_collection_is_indexed_and_asked_with_it(garden: Garden, exported: Path, tmp_path: Path) -> None:
    backend, towers = find_backend("naturalproofs"), Towers.load(exported)
    collection, folder = backend.read(garden.corpus), tmp_path / "garden"
    report = index_collection(backend, garden.corpus, folder, towers)
    assert report.manifest.fingerprint == towers.fingerprint
    asked = collection.documents[3].body
    hits = CollectionIndex(folder, backend, towers).search(asked, 3)
    assert len(hits) == 3
    scores = fused_of(backend, read_columns(backend, collection, towers), towers).scores(
        backend.query_text(asked)
    )
    found = [float(scores[collection.documents.index(hit.document)]) for hit in hits]
    assert [hit.score for hit in hits] == pytest.approx(found, abs=1e-5)
    with pytest.raises(ModelError, match="made by another model") as told:
        CollectionIndex(folder, backend, None)
    assert f"premise-suggest index --backend naturalproofs {garden.corpus}" in told.value.hint
    with pytest.raises(ModelError, match="trained for the backend naturalproofs, not lean"):
        index_collection(find_backend("lean"), garden.corpus, folder, towers)


def test_serving_needs_no_torch(garden: Garden, exported: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from lsp_server.cli import main\n"
        "main(sys.argv[1:])\n"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    arguments = ["eval", "retrieval", "--backend", "naturalproofs", "--data", str(garden.corpus)]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--model", str(exported)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "dense" in done.stdout and done.stdout.endswith("[]\n")


def damaged(folder: Path, copy: Path, file: str, text: str) -> Path:
    subprocess.run(["cp", "-r", str(folder), str(copy)], check=True)
    (copy / file).write_text(text, encoding="utf-8")
    return copy


@pytest.mark.parametrize("file", [FILE, f"{QUERY}/config.json", f"{DOCUMENT}/tokenizer.json"])
def test_a_damaged_model_is_told_with_what_mends_it(exported: Path, tmp_path: Path, file: str) -> None:
    with pytest.raises(ModelError) as told:
        Towers.load(damaged(exported, tmp_path / "copy", file, "{"))
    assert told.value.hint
    with pytest.raises(ModelError, match="There is no model"):
        Towers.load(tmp_path / "nowhere")


def test_a_weight_that_is_no_number_is_refused(exported: Path, tmp_path: Path) -> None:
    values = json.loads((exported / FILE).read_text(encoding="utf-8"))
    copy = damaged(exported, tmp_path / "copy", FILE, json.dumps({**values, "weights": {"BM25": 1e999}}))
    with pytest.raises(ModelError, match="not a finite number"):
        Towers.load(copy)


def test_a_run_that_cannot_be_served_is_refused(
    garden: Garden, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loss = {"normalised": False, "temperature": 1.0}
    run = garden.train("pairwise", "long", batch=BATCH, loss=loss, schedule={"steps": 1})
    assert export([str(run), str(tmp_path / "out")]) == 2
    assert "vectors of length 1" in capsys.readouterr().err
    assert export([str(tmp_path), str(tmp_path / "out")]) == 1
    assert not list(tmp_path.iterdir())
