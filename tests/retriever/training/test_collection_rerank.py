"""A re-ranker trained on another backend's collection, from mining to the command line."""

from __future__ import annotations

import json
import os
import string
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

from lean_extract.common.errors import ModelError  # noqa: E402
from retriever.documents.schema import Split, Splits  # noqa: E402
from retriever.documents.store import read_corpus, write_corpus  # noqa: E402
from retriever.models.reranker import FOLDER, read_config  # noqa: E402
from retriever.models.towers import Towers  # noqa: E402
from retriever.search.backend import Question  # noqa: E402
from retriever.search.backends import find_backend  # noqa: E402
from retriever.search.collections.index import CollectionIndex, fused_for_evaluation  # noqa: E402
from retriever.search.collections.indexing import index_collection  # noqa: E402
from retriever.search.collections.measure import measure  # noqa: E402
from retriever.search.collections.rankers import Neighbours, RerankedRanker  # noqa: E402
from retriever.search.splits import SPLITS, split_of  # noqa: E402
from retriever.training.collection import pair_arrays  # noqa: E402
from retriever.training.reranking.mined import load_mined  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.tokens import open_tokenizer  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.forked import forked_run  # noqa: E402
from tests.retriever.training.gardening import Garden, plant  # noqa: E402

BACKEND = find_backend("naturalproofs")
MINER = "retriever mine-collection"
mine = command(MINER)


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Garden:
    """As others have it, but every fourth theorem is to measure on."""
    found = plant(tmp_path_factory.mktemp("garden"))
    corpus, splits = read_corpus(found.corpus)
    assert splits is not None
    everything = [(theorem.id, 0) for theorem in corpus.theorems]
    valid = tuple(everything[::4])
    train = replace(splits.train, examples=tuple(one for one in everything if one not in valid))
    whole = tuple(statement.id for statement in corpus.statements)
    parts = Splits(train, Split(valid, whole), Split((), whole))
    write_corpus(found.corpus, corpus, parts)
    settle_vocabulary(
        found.tokenizer,
        [line for statement in corpus.statements for line in (statement.title, *statement.contents)],
    )
    return found


def settle_vocabulary(path: Path, texts: Sequence[str]) -> None:
    """One token a word, in order: what the library learns is another vocabulary in every process."""
    tokenizer = open_tokenizer(path)
    words = {word for text in texts for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text)}
    document = json.loads(path.read_text(encoding="utf-8"))
    special = sorted(document["added_tokens"], key=lambda one: int(one["id"]))
    tokens = [*(one["content"] for one in special), *sorted(words | set(string.ascii_letters))]
    document["model"]["vocab"] = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


@pytest.fixture(scope="module")
def mined(garden: Garden) -> Path:
    """The folder with both mined files."""
    for queries in ("train", "valid"):
        out = str(garden.work / f"mined-{queries}.npz")
        assert mine([garden.corpus, out, "--top", "30", "--queries", queries]) == 0
    return garden.work


@pytest.fixture(scope="module")
def run(garden: Garden, mined: Path) -> Path:
    values = garden.values(
        "crossencoder",
        "rerank",
        backend="naturalproofs",
        candidates=str(mined / "mined-train.npz"),
        validation=str(mined / "mined-valid.npz"),
        model={"layers": 1, "positions": 96},
        batch={"queries": 8, "negatives": 5, "among": 30},
        depth=30,
        schedule={"steps": 300, "evaluate_every": 150},
    )
    values["lengths"] = {"state": 40, "premise": 40}
    return garden.train_values(values)


@pytest.fixture(scope="module")
def model(garden: Garden, run: Path) -> Path:
    """Two encoders and the re-ranker, its weight fitted."""
    batch = {"questions": 16, "corpus_negatives": 8}
    towers = garden.train("pairwise", "towers", batch=batch, schedule={"steps": 2, "evaluate_every": 2})
    out = garden.work / "model"
    assert command("retriever export-towers")([towers, out]) == 0
    assert command("retriever export")([run, out / FOLDER]) == 0
    assert read_config(out / FOLDER).weight == 0
    assert command("retriever fit-collection-rerank")([out, garden.corpus, "--first", "30"]) == 0
    return out


def test_mined_candidates_hold_no_answer_to_learn_from_and_all_to_measure(
    garden: Garden, mined: Path
) -> None:
    collection = BACKEND.read(garden.corpus)
    train = load_mined(mined / "mined-train.npz", collection.digest, MINER)
    valid = load_mined(mined / "mined-valid.npz", collection.digest, MINER, with_gold=True)
    for found, split in ((train, "train"), (valid, "valid")):
        assert len(found.queries) == len(collection.of(split))  # type: ignore[arg-type]
        for number in found.queries.tolist():
            question = collection.questions[number]
            row = set(found.of(np.array([number]))[0].tolist()) - {-1}
            assert question.split == split and question.own not in row
            assert row <= set(collection.pools[question.split])
            if split == "train":
                assert not row & set(question.gold)
    rows = dict(zip(valid.queries.tolist(), valid.candidates.tolist(), strict=True))
    assert any(set(row) & set(collection.questions[number].gold) for number, row in rows.items())


def test_what_is_held_out_is_not_trained_on(garden: Garden) -> None:
    collection = BACKEND.read(garden.corpus)
    held = [one for one in collection.questions if one.split == "train" and split_of(one.name) != "train"]
    names = iter(f"theorem {number}" for number in range(1000))
    out = next(name for name in names if split_of(name) == "valid")
    renamed = replace(collection.questions[0], split="train", name=out)
    changed = replace(collection, questions=(renamed, *collection.questions[1:]))
    arrays = pair_arrays(changed, open_tokenizer(garden.tokenizer))
    assert arrays.splits[0] == SPLITS.index("test")
    trained = int((arrays.splits == SPLITS.index("train")).sum())
    assert trained == sum(one.split == "train" for one in changed.questions[1:]) - len(
        [one for one in held if one.key != renamed.key]
    )


def test_what_is_held_out_does_not_vote(garden: Garden) -> None:
    collection = BACKEND.read(garden.corpus)
    names = (f"theorem {number}" for number in range(1000))
    out = next(name for name in names if split_of(name) == "test")
    train = [one for one in collection.questions if one.split == "train"]

    def voters(questions: list[Question]) -> list[int]:
        changed = replace(collection, questions=tuple(questions))
        neighbours = fused_for_evaluation(BACKEND, changed).rankers[-1]
        assert isinstance(neighbours, Neighbours)
        return neighbours.proofs.owners.tolist()

    before = voters(train)
    assert voters([replace(train[0], name=out), *train[1:]]) == [own for own in before if own != train[0].own]


def test_it_learns_which_of_the_first_candidates_answer(run: Path) -> None:
    last = read_curve(run)[-1]
    assert last["mrr"] > last["mrr_before"]


def test_the_fitted_weight_moves_answers_up(garden: Garden, model: Path) -> None:
    assert read_config(model / FOLDER).weight > 0
    collection, towers = BACKEND.read(garden.corpus), Towers.load(model)
    fused = fused_for_evaluation(BACKEND, collection, towers)
    assert towers.reranker is not None
    again = RerankedRanker(fused, towers.reranker, collection.documents, 30)
    before = measure(BACKEND, collection, fused, "valid", quiet=True)["mAP"].mean
    after = measure(BACKEND, collection, again, "valid", quiet=True)["mAP"].mean
    assert after > before
    for question in collection.of("valid"):
        plain = fused.scores(question.text, question.own)
        found = again.again(question.text, plain, question.own)
        head = again.head(plain, question.own)
        order = [n for n in np.argsort(-found, kind="stable").tolist() if n != question.own]
        kept = [n for n in np.argsort(-plain, kind="stable").tolist() if n != question.own]
        assert set(order[:30]) == set(head) == set(kept[:30])
        assert order[30:] == kept[30:]


def test_a_collection_is_asked_with_it_and_without(garden: Garden, model: Path, tmp_path: Path) -> None:
    towers = Towers.load(model)
    index_collection(BACKEND, garden.corpus, tmp_path / "garden", towers)
    plain = CollectionIndex(tmp_path / "garden", BACKEND, towers, rerank=0)
    again = CollectionIndex(tmp_path / "garden", BACKEND, towers, rerank=30)
    asked = "A bouquet of rose can be picked."
    orders = [[hit.document.key for hit in index.search(asked, 8)] for index in (plain, again)]
    assert set(orders[0]) and orders[0] != orders[1]
    scores = [hit.score for hit in again.search(asked, 60)]
    assert scores == sorted(scores, reverse=True)


def test_the_command_line(garden: Garden, model: Path, tmp_path: Path, forked: None) -> None:
    bare = copytree(model, tmp_path / "bare", ignore=lambda folder, names: [FOLDER])
    environment = {**os.environ, "PREMISE_SUGGEST_INDEX": str(tmp_path / "index")}

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        return forked_run(*arguments, "--backend", "naturalproofs", environment=environment)

    for name, folder in (("garden", model), ("plain", bare)):
        done = start("index", str(garden.corpus), "--name", name, "--model", str(folder), "--quiet")
        assert done.returncode == 0, done.stderr
    asked = ("suggest", "--text", "A bouquet of rose can be picked.", "--json", "--collection")
    found = [start(*asked, "garden", *more).stdout for more in ((), ("--rerank", "0"), ("--rerank", "20"))]
    titles = [[hit["title"] for hit in json.loads(out)["hits"]] for out in found]
    assert titles[0] == titles[2] != titles[1]
    refused = start(*asked, "plain", "--rerank", "5")
    assert refused.returncode == 2 and "no model that has a re-ranker" in refused.stderr
    assert [hit["title"] for hit in json.loads(start(*asked, "plain").stdout)["hits"]] == titles[1]
    arguments = ("eval", "retrieval", "--data", str(garden.corpus), "--json", "--rerank", "30", "--model")
    refused = start(*arguments, str(bare))
    assert refused.returncode == 2 and "The model has no re-ranker" in refused.stderr
    rows = json.loads(start(*arguments, str(model)).stdout)["rows"]
    assert rows["re-ranked"]["mAP"]["mean"] > rows["weighted sum"]["mAP"]["mean"]


def test_what_does_not_fit_is_told(
    garden: Garden, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = copytree(model, tmp_path / "bare", ignore=lambda folder, names: [FOLDER])
    assert command("retriever fit-collection-rerank")([bare, garden.corpus]) == ModelError.exit_code
    assert "has no re-ranker" in capsys.readouterr().err
    out = tmp_path / "mined.npz"
    assert mine([garden.corpus, out, "--backend", "lean"]) == 2
    assert "a miner of its own" in capsys.readouterr().err and not out.exists()
    assert mine([garden.corpus, garden.corpus / "out.npz", "--queries", "valid"]) == 1
    assert "cannot be read or written" in capsys.readouterr().err
    (copytree(model, tmp_path / "torn") / FOLDER / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match="re-ranker"):
        Towers.load(tmp_path / "torn")
