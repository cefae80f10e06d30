"""MATcH's models and their training, through the loop and the command lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.train
torch = pytest.importorskip("torch")
pytest.importorskip("lap")

from lean_extract.common.errors import BadRecords, BadSettings, ModelError  # noqa: E402
from retriever.proof_matching.decoding import exact_decoding  # noqa: E402
from retriever.proof_matching.evaluation.plan import all_runs, stages_of  # noqa: E402
from retriever.proof_matching.explanation.explain import AgainstPool  # noqa: E402
from retriever.proof_matching.training.config import MatchConfig, NptConfig, parse_match  # noqa: E402
from retriever.proof_matching.training.data import thinned  # noqa: E402
from retriever.proof_matching.training.matcher import open_matcher  # noqa: E402
from retriever.proof_matching.training.mlm import MatchMlmConfig  # noqa: E402
from retriever.proof_matching.training.model import NptEncoder  # noqa: E402
from retriever.proof_matching.training.objective import global_loss, local_loss  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.running.train import kind_of, run_training  # noqa: E402
from retriever.training.tokens import ragged  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.retriever.proof_matching.matching import make_pairs, write_set  # noqa: E402

evaluate = command("retriever match-evaluate")
experiments = command("retriever match-experiments")
vocabulary = command("retriever match-vocabulary")

NPT = {"layers": 1, "hidden": 16, "heads": 2, "key": 4, "dropout": 0.0}
BERT = {"layers": 1, "hidden": 16, "heads": 2, "intermediate": 16, "positions": 48, "dropout": 0.0}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant_pairs(tmp_path_factory.mktemp("match"))


def plant_pairs(folder: Path) -> Path:
    """Write a set of statements with their proofs, and its tokenizer; returns the folder."""
    write_set(folder / "pairs.jsonl")
    assert vocabulary([str(folder / "pairs.jsonl"), str(folder / "tokenizer.json")]) == 0
    return folder


def values(work: Path, name: str, **changed: Any) -> dict[str, Any]:
    schedule = {"steps": 6, "learning_rate": 0.01, "evaluate_every": 6, "checkpoint_every": 3, "log_every": 2}
    return {
        "kind": "match",
        "dataset": str(work / "pairs.jsonl"),
        "tokenizer": str(work / "tokenizer.json"),
        "run": str(work / name),
        "npt": NPT,
        "model": BERT,
        "lengths": {"statement": 48, "proof": 48},
        "batch": {"pairs": 16},
        **changed,
        "schedule": {**schedule, **changed.get("schedule", {})},
    }


def train(given: dict[str, Any], **options: Any) -> Path:
    config = kind_of(given).parse(given)
    run_training(config, bar=False, **options)
    return config.run


def test_losses_by_hand() -> None:
    scores = torch.tensor([[2.0, 1.0], [3.0, 0.0]])
    expected = [-np.log(np.exp(2) / (np.exp(2) + np.exp(1))), -np.log(1 / (np.exp(3) + 1))]
    assert local_loss(scores).item() == pytest.approx(np.mean(expected), rel=1e-5)
    # The crossed assignment has 4 against 2, and both of its proofs are wrong.
    assert global_loss(scores).item() == pytest.approx((2 + 4 - 2) / 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_global_loss_is_the_worst_violation(seed: int) -> None:
    scores = torch.from_numpy(np.random.default_rng(seed).normal(size=(5, 5)))
    raised = scores.numpy() + (1 - np.eye(5))
    best = raised[np.arange(5), exact_decoding(raised).proofs].sum()
    assert global_loss(scores).item() == pytest.approx((best - scores.trace().item()) / 5)


def test_the_global_loss_is_zero_behind_the_margin() -> None:
    scores = (5 * torch.eye(4)).requires_grad_()
    loss = global_loss(scores)
    loss.backward()
    assert loss.item() == 0
    assert scores.grad is not None and not scores.grad.any()


@pytest.mark.parametrize("layers", [0, 2])
def test_an_npt_reads_a_text_alike_in_any_company(layers: int) -> None:
    torch.manual_seed(0)
    encoder = NptEncoder(NptConfig(layers, 16, 2, 4, 0.0), 30).eval()
    for name, part in encoder.named_parameters():
        if "output" in name:
            torch.nn.init.normal_(part)
    texts = ragged([[2, 7, 3], [2, 9, 9, 11, 12, 3], [2, 3]])
    with torch.no_grad():
        together = encoder(texts)
        for row in range(3):
            alone = encoder(texts.take(np.array([row])))[0]
            assert torch.allclose(together[row], alone, atol=1e-5)


def test_an_npts_layers_begin_as_the_identity() -> None:
    torch.manual_seed(0)
    deep, flat = (NptEncoder(NptConfig(layers, 16, 2, 4, 0.0), 30) for layers in (2, 0))
    flat.word_embeddings.weight.data = deep.word_embeddings.weight.data
    texts = ragged([[2, 7, 3], [2, 9, 9, 11, 12, 3]])
    assert torch.allclose(deep(texts), flat(texts))


def test_a_thinned_text_keeps_its_ends() -> None:
    texts = ragged([[1, *range(10, 60), 2], [1, 2], [1]])
    found = thinned(texts, 0.5, np.random.default_rng(0))
    assert found[1].tolist() == [1, 2] and found[2].tolist() == [1]
    kept = found[0].tolist()
    assert (kept[0], kept[-1]) == (1, 2)
    assert kept == [*sorted(kept[:-1]), 2] and 10 < len(kept) < 45


@pytest.mark.parametrize("encoder", ["npt", "bert"])
def test_a_bag_learns_and_gives_its_words_to_layers(work: Path, encoder: str) -> None:
    bag = {"npt": {**NPT, "layers": 0}, "model": {**BERT, "layers": 0}}
    schedule = {"steps": 60, "evaluate_every": 60}
    first = train(values(work, f"{encoder}-bag", encoder=encoder, **bag, schedule=schedule))
    figures = read_curve(first)[-1]
    assert figures["mrr"] > 60  # by chance 26
    assert 0 <= figures["global_accuracy"] <= 100
    still = {"steps": 1, "learning_rate": 1e-9, "evaluate_every": 1}
    second = train(values(work, f"{encoder}-on", encoder=encoder, start_from=str(first), schedule=still))
    assert read_curve(second)[-1]["mrr"] == pytest.approx(figures["mrr"], abs=5)


def test_a_bert_starts_from_masked_language_modelling(work: Path) -> None:
    given = values(work, "mlm", kind="match-mlm", batch={"texts": 8})
    del given["npt"]
    mlm = train(given)
    assert "masked_accuracy" in read_curve(mlm)[-1]
    after = train(values(work, "after", encoder="bert", start_from=str(mlm), schedule={"steps": 1}))
    model = open_matcher(after).model
    start = torch.load(mlm / "checkpoint.pt", weights_only=True)["model"]
    name = "bert.embeddings.word_embeddings.weight"
    assert torch.allclose(model.state_dict()[f"encoder.{name}"], start[name], atol=0.05)
    with pytest.raises(ModelError, match="no pre-training"):
        train(values(work, "npt-after", start_from=str(mlm)))


def test_scores_of_any_texts_are_those_of_the_matrix(work: Path) -> None:
    model = open_matcher(train(values(work, "scored", modality="math")))
    pairs = make_pairs().part("valid")
    rows = model.scores([pair.statement for pair in pairs[:2]], [pair.proof for pair in pairs])
    assert np.allclose(rows, model.matrix(pairs)[:2], atol=1e-5)


def test_log_odds_are_those_of_the_softmax_over_the_pool(work: Path) -> None:
    model = open_matcher(train(values(work, "explained")))
    one, *others = make_pairs().part("valid")
    pool = [pair.proof for pair in others]
    scores = model.scores([one.statement], [one.proof, *pool])[0].astype(float)
    chance = np.exp(scores[0]) / np.exp(scores).sum()
    scorer = AgainstPool(model, pool)
    expected = pytest.approx(np.log(chance / (1 - chance)), abs=1e-4)
    assert scorer("statement", [one.statement], one.proof)[0] == expected
    assert scorer("proof", [one.proof, one.proof[:5]], one.statement)[0] == expected


def test_evaluate_prints_a_row_a_model_and_decoding(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = train(values(work, "evaluated", replacement="full"))
    out = work / "figures.json"
    source = str(work / "pairs.jsonl")
    assert evaluate([source, "--run", str(folder), "--plain", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "NPT-Local-Local | full | full | both" in printed
    assert "NPT-Local-Global | full | full | both | - |" in printed
    assert "TF-IDF, log-Local | - | full" in printed
    assert "Table 3.1, evaluated on full" in printed
    plain = json.loads(out.read_text())
    assert plain["pairs"] == 12 and len(plain["pairs_sha256"]) == 64
    assert evaluate([source, "--run", str(folder), "--replacement", "partial", "--decoding", "local"]) == 0
    assert "NPT-Local-Local | full | partial" in capsys.readouterr().out
    assert evaluate([source, "--run", str(work / "nowhere")]) == 1


def test_experiments_keep_finished_rows_and_print_the_tables(
    work: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    presets = tmp_path / "presets"
    presets.mkdir()
    for name, layers, objective in (
        ("npt-bag", 0, "local"),
        ("npt", 1, "local"),
        ("npt-hybrid", 1, "hybrid"),
    ):
        given = values(work, "unused", npt={**NPT, "layers": layers}, objective=objective)
        (presets / f"match-cpu-{name}.yaml").write_text(json.dumps(given))
    names = ["npt-conservation-both", "npt-conservation-text", "npt-conservation-both-hybrid"]
    command = [str(work / "pairs.jsonl"), str(tmp_path / "out"), "--presets", str(presets), "--plain"]
    assert experiments([*command, "--only", *names]) == 0
    printed = capsys.readouterr().out
    headings = ("| NPT-Global-Global |", "| NPT, text |", "| conservation |")
    for told in (*headings, "Table 3.1, npt-conservation-both:"):
        assert told in printed
    rows = sorted((tmp_path / "out" / "rows").iterdir())
    assert [path.name for path in rows if path.name.startswith("npt")] == sorted(
        f"{n}-valid.json" for n in names
    )
    before = [path.stat().st_mtime_ns for path in rows]
    assert experiments([*command, "--only", *names]) == 0
    assert [path.stat().st_mtime_ns for path in rows] == before
    assert experiments([*command, "--only", "npt-of-old"]) == 2
    write_set(tmp_path / "other.jsonl", seed=1)
    assert experiments([str(tmp_path / "other.jsonl"), *command[1:], "--print"]) == 2


def test_settings_that_do_not_fit_are_refused(work: Path) -> None:
    for wrong in (
        {"objective": "both"},
        {"batch": {"pairs": 1}},
        {"npt": {**NPT, "heads": 3}},
        {"encoder": "bert", "lengths": {"statement": 64}},
        {"replacement": "none"},
    ):
        with pytest.raises(BadSettings):
            parse_match(values(work, "wrong", **wrong))
    with pytest.raises(BadRecords, match="60 training"):
        train(values(work, "large", batch={"pairs": 61}))


@pytest.mark.parametrize("scale", ["cpu", "gpu"])
def test_every_planned_matcher_has_its_presets(scale: Any, tmp_path: Path) -> None:
    for planned in all_runs():
        stages = stages_of(planned, tmp_path / "pairs.jsonl", tmp_path, scale, 3)
        last = stages[-1]
        assert isinstance(last, MatchConfig)
        assert (last.encoder, last.replacement, last.modality) == (
            planned.encoder,
            planned.level,
            planned.modality,
        )
        assert last.objective == ("hybrid" if planned.hybrid else "local")
        assert last.run.name == planned.name and last.seed == 3
        starts = [stage.start_from for stage in stages if isinstance(stage, MatchConfig | MatchMlmConfig)]
        assert starts == [None, *(stage.run for stage in stages[:-1])]
