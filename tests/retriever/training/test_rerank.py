"""The re-ranker from mined candidates to a folder that re-orders: trained, stopped, resumed, exported."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError
from lean_extract.records import Goal, Premise
from retriever.models.reranker import PairLengths, Reranker, cut_premise, cut_state, token_types
from retriever.training.arrays import TrainingArrays, no_rows
from retriever.training.reranking.mined import Mined
from retriever.training.reranking.rerank_config import RerankBatchConfig, RerankConfig
from retriever.training.reranking.rerank_data import draw_candidates, minable_queries, pair_texts
from retriever.training.running.config import Shares
from retriever.training.running.config_io import from_plain, preset_files, read_values
from retriever.training.running.kinds import with_backend
from retriever.training.tokens import Ragged, ragged
from tests.commands import command
from tests.retriever.little_library import DebugData

CLS, SEP = 2, 3
TOKENS = st.lists(st.integers(5, 99), max_size=20)
OURS = [name for name, path in preset_files().items() if read_values(path).get("kind") == "crossencoder"]


def parse(values: Mapping[str, Any]) -> RerankConfig:
    return from_plain(RerankConfig, with_backend(values, "crossencoder"))


def test_the_presets_are_there() -> None:
    assert OURS == ["cpu-rerank", "debug-rerank", "naturalproofs-rerank", "paper-rerank", "small-rerank"]
    paper = parse(read_values(Path("paper-rerank")))
    assert (paper.model.layers, paper.model.hidden, paper.model.positions) == (6, 768, 1024)
    assert (paper.batch.queries, paper.batch.negatives + 1, paper.schedule.accumulate) == (2, 8, 8)


@given(st.lists(st.tuples(TOKENS.filter(bool), TOKENS.filter(bool)), min_size=1, max_size=4))
def test_token_types_mark_the_half_and_what_stands_in_both(pairs: list[tuple[list[int], list[int]]]) -> None:
    longest = max(len(state) + len(premise) for state, premise in pairs)
    ids, mask = np.zeros((2, len(pairs), longest), dtype=np.int64)
    for row, (state, premise) in enumerate(pairs):
        ids[row, : len(state) + len(premise)] = [*state, *premise]
        mask[row, : len(state) + len(premise)] = 1
    states = np.array([len(state) for state, _ in pairs])
    two, four = token_types(ids, mask, states, 2), token_types(ids, mask, states, 4)
    for row, (state, premise) in enumerate(pairs):
        padding = [0] * (longest - len(state) - len(premise))
        assert two[row].tolist() == [0] * len(state) + [1] * len(premise) + padding
        marked = [2 * (token in premise) for token in state] + [1 + 2 * (token in state) for token in premise]
        assert four[row].tolist() == marked + padding


@given(TOKENS, TOKENS, TOKENS.filter(bool), st.integers(8, 24), st.integers(8, 24))
def test_a_pair_keeps_both_goals(
    state: list[int], context: list[int], goal: list[int], left: int, right: int
) -> None:
    lengths = PairLengths(left, right)
    first, second = cut_state(state, lengths, CLS, SEP), cut_premise(context, goal, lengths, SEP)
    assert first == [CLS, *state[-(left - 2) :], SEP]
    assert second[-1] == SEP and len(second) == min(len(context) + len(goal) + 1, right)
    kept = goal[: right - 1]
    room = right - 1 - len(kept)
    assert second == [*(context[-room:] if room else []), *kept, SEP]


def arrays(states: list[list[int]], contexts: list[list[int]], goals: list[list[int]]) -> TrainingArrays:
    def framed(rows: list[list[int]]) -> Ragged:
        return ragged([[CLS, *row, SEP] for row in rows])

    count = len(states)
    return TrainingArrays(
        contexts=framed([context or goal for context, goal in zip(contexts, goals, strict=True)]),
        goals=framed(goals),
        families=np.arange(len(goals)),
        states=framed(states),
        gold=ragged([[number % len(goals)] for number in range(count)]),
        splits=np.zeros(count, dtype=np.int64),
        later=no_rows(count),
        earlier=no_rows(count),
        origins=np.arange(count) % 2,
        theorems=np.arange(count),
        query_families=np.full(count, -1),
        ranks=np.zeros(count),
    )


@given(st.lists(st.tuples(TOKENS, TOKENS, TOKENS.filter(bool)), min_size=1, max_size=6), st.data())
def test_training_reads_pairs_as_the_runtime_cuts_them(
    rows: list[tuple[list[int], list[int], list[int]]], data: st.DataObject
) -> None:
    states, contexts, goals = (list(part) for part in zip(*rows, strict=True))
    contexts = [[] if context == goal else context for context, goal in zip(contexts, goals, strict=True)]
    lengths = PairLengths(9, 10)
    texts = pair_texts(arrays(states, contexts, goals), lengths)
    number = st.integers(0, len(rows) - 1)
    asked = data.draw(st.lists(st.tuples(number, number), max_size=8))
    queries, premises = (np.array([pair[side] for pair in asked], dtype=np.int64) for side in (0, 1))
    pairs = texts.pairs(queries, premises)
    assert len(pairs.ids) == len(asked)
    for row, (query, premise) in enumerate(asked):
        left = cut_state(states[query], lengths, CLS, SEP)
        assert pairs.ids[row].tolist() == [
            *left,
            *cut_premise(contexts[premise], goals[premise], lengths, SEP),
        ]
        assert pairs.states[row] == len(left)


def test_batches_are_drawn_from_the_key_and_the_first_candidates() -> None:
    data = arrays([[5]] * 8, [[]] * 30, [[6 + number] for number in range(30)])
    candidates = np.tile(np.arange(8, 28, dtype=np.int32), (6, 1))
    candidates[5, 3:] = -1  # too few
    mined = Mined(np.array([0, 1, 2, 3, 4, 7]), candidates, "d", "f", has_gold=False)
    config = RerankBatchConfig(queries=6, negatives=4, among=10, shares=Shares(statement=0.5, inner=0.5))
    pools = minable_queries(data, mined, config.negatives)
    assert [pool.tolist() for pool in pools] == [[0, 2, 4], [1, 3], [], []]
    queries, premises = draw_candidates(data, pools, mined, config, (0, 7, 0, 0))
    again = draw_candidates(data, pools, mined, config, (0, 7, 0, 0))
    other = draw_candidates(data, pools, mined, config, (0, 7, 1, 0))
    assert np.array_equal(premises, again[1]) and not np.array_equal(premises, other[1])
    assert premises.shape == (6, 5) and int(data.origins[queries].sum()) == 3
    for query, (positive, *negatives) in zip(queries.tolist(), premises.tolist(), strict=True):
        assert positive in data.gold[query]
        assert len(set(negatives)) == 4 and set(negatives) <= set(range(8, 18))
    with pytest.raises(ModelError, match="21 mined candidates"):
        minable_queries(data, mined, 21)


@pytest.mark.train
def test_the_loss_is_equation_7() -> None:
    torch = pytest.importorskip("torch")
    from retriever.training.losses import listwise_loss

    logits = torch.tensor([[1.0, -2.0, 0.5], [-9.0, -8.0, -12.0]])
    chance = 1 / (1 + np.exp(-logits.numpy()))
    expected = -np.log(chance[:, 0] / chance.sum(axis=1)).mean()
    assert float(listwise_loss(logits, "sigmoid")) == pytest.approx(expected, rel=1e-5)
    low = logits[1:]
    softmax = torch.nn.functional.cross_entropy(low, torch.tensor([0]))
    assert float(listwise_loss(low, "softmax")) == pytest.approx(float(softmax), rel=1e-6)
    assert float(listwise_loss(low, "sigmoid")) == pytest.approx(float(softmax), rel=1e-3)
    high = (torch.tensor([[20.0, 21.0, 19.0]]), "sigmoid", "softmax")
    assert float(listwise_loss(high[0], "sigmoid")) == pytest.approx(np.log(3), rel=1e-4)  # the plateau
    assert float(listwise_loss(high[0], "softmax")) > 1.3


@pytest.fixture(scope="module")
def config(
    debug_data: DebugData, model_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> RerankConfig:
    pytest.importorskip("torch")

    work, data = tmp_path_factory.mktemp("rerank"), debug_data.dataset
    paths = {"train": work / "train.npz", "valid": work / "valid.npz"}
    for split, path in paths.items():
        arguments = [str(model_folder), str(data), str(path), "--top", "20", "--queries", split]
        assert command("retriever mine")(arguments) == 0
    preset = parse(read_values(Path("debug-rerank")))
    return replace(
        preset,
        dataset=data,
        tokenizer=debug_data.tokenizer,
        run=work / "run",
        candidates=paths["train"],
        validation=paths["valid"],
    )


@pytest.fixture(scope="module")
def trained(config: RerankConfig) -> RerankConfig:
    from retriever.training.running.stopping import RunLimits
    from retriever.training.running.train import run_training

    assert run_training(config, limits=RunLimits(until=30)).steps == 30
    assert run_training(config, resume=True).steps == config.schedule.steps
    return config


@pytest.mark.train
def test_a_stopped_run_goes_on_and_learns(trained: RerankConfig) -> None:
    from retriever.training.running.curve import read_curve

    points = read_curve(trained.run)
    losses = [point["loss"] for point in points if "loss" in point]
    assert len(losses) == 6 and losses[-1] < losses[0] / 2 < np.log(8)
    assert points[-1]["mrr"] > points[-1]["mrr_before"]
    assert points[-1]["recall_at_10"] >= points[-1]["recall_at_10_before"]


GOAL = Goal((), "mix (mix p q) r = mix (mix p r) q")
PREMISES = [
    Premise("a", "theorem", "M", ("(x y : S)",), "mix x y = mix y x"),
    Premise("b", "theorem", "M", (), "glue x x = x"),
    Premise("c", "theorem", "M", tuple(f"(x{i} : S)" for i in range(60)), "cut x y = cut x z"),
    Premise("unknown", "theorem", "M"),
]


@pytest.mark.train
def test_the_exported_folder_gives_what_torch_gives(trained: RerankConfig) -> None:
    torch = pytest.importorskip("torch")
    from retriever.models import text
    from retriever.training import export
    from retriever.training.reranking.crossencoder import load_crossencoder
    from retriever.training.reranking.rerank_data import Pairs
    from retriever.training.tokens import open_tokenizer

    out = trained.run / "small"
    assert command("retriever export")([trained.run, out]) == 0
    full = Reranker.load(export.export_run(trained.run, trained.run / "full", int8=False))
    tokenizer = open_tokenizer(trained.tokenizer)
    model = load_crossencoder(trained.run, tokenizer.get_vocab_size()).eval()

    def ids(sentence: str) -> list[int]:
        return list(tokenizer.encode(sentence, add_special_tokens=False).ids)

    left = cut_state(ids(text.state_text(GOAL)), trained.lengths, CLS, SEP)
    texts = [text.premise_texts(premise) for premise in PREMISES[:3]]
    rows = [[*left, *cut_premise(ids(one), ids(two), trained.lengths, SEP)] for one, two in texts]
    assert len(rows[2]) == len(left) + trained.lengths.premise
    with torch.no_grad():
        expected = model(Pairs(ragged(rows), np.full(3, len(left)))).numpy()
    found = full.scores(GOAL, PREMISES)
    assert np.allclose(found[:3], expected, atol=1e-4) and np.isnan(found[3])
    small = Reranker.load(out)
    rounded = small.scores(GOAL, PREMISES)[:3] - expected
    # A shift of all logits changes no ranking.
    assert np.abs(rounded - rounded.mean()).max() < 0.3 * np.ptp(expected)
    assert small.weight == 0.0 and small.fingerprint != full.fingerprint


@pytest.mark.train
def test_it_starts_from_another_run_where_the_shapes_agree(trained: RerankConfig) -> None:
    torch = pytest.importorskip("torch")
    from retriever.training.reranking.crossencoder import build_crossencoder, load_crossencoder
    from retriever.training.tokens import open_tokenizer

    vocabulary = open_tokenizer(trained.tokenizer).get_vocab_size()
    source = load_crossencoder(trained.run, vocabulary).bert.state_dict()
    wider = replace(trained.model, layers=2, positions=96, intermediate=48)
    begun = build_crossencoder(wider, vocabulary, trained.run).bert.state_dict()
    words, query, inner = (
        "embeddings.word_embeddings.weight",
        "encoder.layer.0.attention.self.query.weight",
        "encoder.layer.0.intermediate.dense.weight",
    )
    assert torch.equal(begun[words], source[words]) and torch.equal(begun[query], source[query])
    assert begun[inner].shape != source[inner].shape
    positions = "embeddings.position_embeddings.weight"
    assert torch.equal(begun[positions][64:], source[positions][:32])
    with pytest.raises(ModelError, match="another width"):
        build_crossencoder(replace(trained.model, hidden=64), vocabulary, trained.run)


@pytest.mark.train
def test_candidates_with_gold_are_no_negatives(config: RerankConfig) -> None:
    from retriever.training.running.train import run_training

    with pytest.raises(ModelError, match="holds gold premises too"):
        run_training(replace(config, run=config.run.parent / "other", candidates=config.validation))


@pytest.fixture
def model(trained: RerankConfig, model_folder: Path, tmp_path: Path) -> Path:
    """An encoder's folder with the trained re-ranker in it."""
    from retriever.training.export import export_run

    folder = Path(shutil.copytree(model_folder, tmp_path / "model"))
    export_run(trained.run, folder / "reranker")
    return folder


@pytest.mark.train
def test_the_weight_is_fitted_where_it_helps_and_the_tables_have_the_rows(
    trained: RerankConfig, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate = command("retriever evaluate")
    fit = command("retriever fit-rerank")

    assert fit([str(model), str(trained.dataset), "--first", "10"]) == 0
    assert "blended" in capsys.readouterr().out
    assert Reranker.load(model / "reranker").weight > 0
    arguments = [str(model), str(trained.dataset), "--part", "tune", "--json", str(tmp_path / "figures")]
    assert evaluate([*arguments, "--methods", "fused", "reranked", "dense", "dense-reranked"]) == 0
    report = json.loads((tmp_path / "figures" / "tune.json").read_text(encoding="utf-8"))
    ranks = {
        row["method"]: row["figures"]["MRR"]["mean"] for row in report["rows"] if row["setting"] == "state"
    }
    assert ranks["dense-reranked"] > ranks["dense"]
    assert ranks["reranked"] >= ranks["fused"]


@pytest.mark.train
def test_a_model_without_a_reranker_is_told(
    config: RerankConfig, model_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = command("retriever fit-rerank")

    assert fit([str(model_folder), str(config.dataset)]) == 1
    assert "python -m retriever export" in capsys.readouterr().err
