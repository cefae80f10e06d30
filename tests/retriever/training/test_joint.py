"""The joint model: its loss against its definition, what its parts begin as, and a run on another corpus."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

from lean_extract.common.errors import BadSettings, ModelError  # noqa: E402
from retriever.documents.schema import Corpus  # noqa: E402
from retriever.documents.store import write_corpus  # noqa: E402
from retriever.evaluation.evaluate import best_weights  # noqa: E402
from retriever.evaluation.rows import task_of  # noqa: E402
from retriever.evaluation.trained_rankers import lexical  # noqa: E402
from retriever.naturalproofs.backend import BACKEND  # noqa: E402
from retriever.naturalproofs.splits import make_splits  # noqa: E402
from retriever.search.collections.rankers import levelled  # noqa: E402
from retriever.training.references.joint import load_joint, make_objective, parse  # noqa: E402
from retriever.training.references.joint_model import reference_loss  # noqa: E402
from retriever.training.references.pairwise import load_pairwise  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.tokens import ragged  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.retriever.training.gardening import PAIRWISE, Garden, gardening  # noqa: E402

TEXTS = ragged([[2, 30, 31, 3], [2, 40, 3]])


@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
def test_the_loss_is_the_divergence_from_the_references(seed: int, columns: int) -> None:
    generator = np.random.default_rng(seed)
    logits = generator.normal(size=(3, columns)) * 4
    kinds = generator.integers(0, 3, (3, columns))  # 0: another document, 1: a reference, 2: left out
    kinds[:, 0] = 1
    total = 0.0
    for row, kind in zip(logits, kinds, strict=True):
        ranked = np.exp(row[kind != 2])
        shares = np.exp(row[kind == 1]) / ranked.sum()
        uniform = 1 / len(shares)
        total += float(np.sum(uniform * np.log(uniform / shares)))
    wanted, left_out = torch.from_numpy(kinds == 1), torch.from_numpy(kinds == 2)
    found = reference_loss(torch.from_numpy(logits), wanted, left_out)
    assert float(found) == pytest.approx(total / 3, rel=1e-4, abs=1e-5)


def test_it_begins_with_what_the_pairwise_model_knows_and_learns(garden: Garden, pairwise: Path) -> None:
    still = {"steps": 1, "learning_rate": 1e-12}
    begun = garden.train("joint", "begun", pairs=64, start={"pairwise": str(pairwise)}, schedule=still)
    reached = max(point["mAP"] for point in read_curve(pairwise) if "mAP" in point)
    assert read_curve(begun)[-1]["mAP"] == pytest.approx(reached, abs=1e-4)
    (_, towers), (_, model) = load_pairwise(pairwise), load_joint(begun)
    assert torch.allclose(model.encode(TEXTS), towers.of_questions(TEXTS), atol=1e-6)
    fresh = {"encoder": "fresh", "embeddings": "fresh"}
    alone = garden.train("joint", "alone", start=fresh, schedule={"steps": 40, "learning_rate": 0.02})
    figures = [point["mAP"] for point in read_curve(alone) if "mAP" in point]
    guess = garden.train("joint", "guess", start=fresh, schedule=still)
    assert max(figures) > read_curve(guess)[-1]["mAP"]


def test_frozen_embeddings_stay_and_others_move(garden: Garden, pairwise: Path) -> None:
    moved = {}
    for frozen in (True, False):
        run = garden.train(
            "joint",
            f"frozen-{frozen}".lower(),
            pairs=64,
            start={"pairwise": str(pairwise), "frozen": frozen},
            schedule={"steps": 4, "evaluate_every": 4},
        )
        _, model = load_joint(run)
        moved[frozen] = float(model.table.learned.detach().abs().max())
        assert float(model.table.bias.detach().abs().max()) > 0
    assert moved[True] == 0 < moved[False]


def test_another_corpus_is_ranked_by_encodings(
    garden: Garden, pairwise: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    still = {"steps": 1, "learning_rate": 1e-12}
    joint = garden.train("joint", "far", pairs=64, start={"pairwise": str(pairwise)}, schedule=still)
    whole = gardening()
    part = Corpus(theorems=whole.theorems[:9], definitions=whole.definitions)
    write_corpus(tmp_path / "part.json", part, make_splits(part, 0, 0.5))
    out = tmp_path / "rows.json"
    asked = [str(tmp_path / "part.json"), str(joint), str(pairwise), "--part", "all", "--json", str(out)]
    assert command("retriever evaluate-collection")(asked) == 0
    rows = json.loads(out.read_text())["rows"]
    far, near = ([row for row in rows if row["model"] == name] for name in ("far", "pair"))
    assert [row["figures"] for row in far] == [row["figures"] for row in near]
    assert {row["questions"] for row in rows} == {9}
    fresh = {"encoder": "fresh", "embeddings": "fresh"}
    alone = garden.train("joint", "lonely", start=fresh, schedule=still)
    assert command("retriever evaluate-collection")([asked[0], alone, "--part", "all"]) != 0
    assert "only the documents that it was trained with" in capsys.readouterr().err
    other = garden.train("pairwise", "narrow", **PAIRWISE, model={"hidden": 16}, schedule=still)
    misfit = parse(garden.values("joint", "misfit", pairs=64, start={"pairwise": str(other)}))
    with pytest.raises(ModelError, match="another shape"):
        make_objective(misfit, torch.device("cpu"))


def test_a_sum_is_never_worse_than_its_best_part_where_it_was_fitted(
    garden: Garden, pairwise: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rows.json"
    asked = [str(garden.corpus), str(pairwise), "--lexical", "--fuse", "--json", str(out)]
    assert command("retriever evaluate-collection")(asked) == 0
    rows = [row for row in json.loads(out.read_text())["rows"] if row["protocol"] == "excluded"]
    figures = {row["model"]: row["figures"]["mAP"]["mean"] for row in rows}
    assert set(figures) == {"BM25", "neighbours", "pair", "weighted sum"}
    assert figures["weighted sum"] >= max(figures.values()) - 1e-6


def test_weights_leave_out_what_only_harms(garden: Garden) -> None:
    task = task_of(BACKEND.read(garden.corpus), "valid")
    right = np.zeros((len(task.questions), len(task.documents)), dtype=np.float32)
    for row, number in enumerate(task.questions.tolist()):
        right[row, task.columns[list(task.collection.questions[number].gold)]] = 1
    noise = np.random.default_rng(0).normal(size=right.shape).astype(np.float32)
    assert best_weights([levelled(-right), levelled(right), levelled(noise)], task) == (0.0, 1.0, 0.0)


def test_no_theorem_votes_for_itself(garden: Garden) -> None:
    collection = BACKEND.read(garden.corpus)
    theorem = next(number for number, one in enumerate(collection.questions) if one.split == "train")
    kept = tuple(one for one in collection.questions if one is collection.questions[theorem])
    alone = replace(collection, questions=kept)
    documents = np.arange(len(collection.documents))
    _, neighbours = lexical(BACKEND, alone)
    assert not neighbours.table(np.array([0]), documents).any()
    _, neighbours = lexical(BACKEND, collection)
    assert neighbours.table(np.array([theorem]), documents).any()


def test_settings_that_contradict_each_other_are_told(garden: Garden) -> None:
    for start in (
        {"encoder": "pairwise"},
        {"pairwise": "run", "encoder": "fresh", "embeddings": "fresh"},
        {"pairwise": "run", "embeddings": "fresh", "frozen": True},
        {"pairwise": "run", "encoder": "other"},
    ):
        with pytest.raises(BadSettings):
            parse(garden.values("joint", "no", start=start))
