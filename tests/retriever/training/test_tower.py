"""A state tower beside a bag of words: trained, stopped, resumed, exported, and refused where it does not fit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import retriever
from lean_extract.common.errors import ModelError
from lean_extract.records import Goal, Hypothesis
from retriever.lean.dataset.dataset import load_dataset
from retriever.lean.eligibility import RankRequest
from retriever.lean.evaluation.ranker_graph import write_ranker
from retriever.lean.goal_context import GoalContext
from retriever.lean.service import PremiseService
from retriever.lean.training.arrays import load_arrays
from retriever.models.encoder import Encoder
from retriever.models.state_tower import FOLDER, StateTower
from retriever.training.drawing import draw_positives
from retriever.training.running.config import Labels
from retriever.training.running.config_io import from_plain, read_values, to_plain
from retriever.training.tower_config import TermsConfig, TowerConfig
from tests.commands import command
from tests.retriever.little_library import DebugData
from tests.retriever.support import Sheet, make_store, theorem

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from retriever.lean.training.tower import never_negative, weighted_gold  # noqa: E402
from retriever.training.losses import Positives, against_all  # noqa: E402

SHIPPED = Path(retriever.__file__).parent / "data" / "encoder"
GOAL = Goal((Hypothesis(("p", "q"), "S"),), "mix p q = mix q p")


def exported_debug(debug_data: DebugData, folder: Path, **changes: object) -> Path:
    """The model folder of a run of the debug preset with these changes."""
    data = {"dataset": str(debug_data.dataset), "tokenizer": str(debug_data.tokenizer)}
    values = {**read_values(Path("debug")), **data, "run": str(folder / "run"), **changes}
    (folder / "run.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    assert command("retriever train")([folder / "run.yaml"]) == 0
    assert command("retriever export")([folder / "run", folder / "model"]) == 0
    return folder / "model"


@pytest.fixture(scope="module")
def bag(debug_data: DebugData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model folder of a bag of words."""
    model = {"layers": 0, "hidden": 16, "heads": 2, "intermediate": 32, "positions": 64}
    folder = tmp_path_factory.mktemp("bag")
    return exported_debug(debug_data, folder, model=model, loss={"similarity": "plain"})


def config_for(debug_data: DebugData, bag: Path, run: Path) -> TowerConfig:
    return replace(
        from_plain(TowerConfig, read_values(Path("debug-tower"))),
        dataset=debug_data.dataset,
        encoder=bag,
        run=run,
    )


def train(config: TowerConfig, folder: Path, *more: str) -> int:
    preset = folder / "tower.yaml"
    preset.write_text(yaml.safe_dump(to_plain(config)), encoding="utf-8")
    return command("retriever train")([preset, *more])


@pytest.fixture(scope="module")
def trained(debug_data: DebugData, bag: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of a tower that was stopped and went on."""
    folder = tmp_path_factory.mktemp("tower")
    config = config_for(debug_data, bag, folder / "run")
    assert train(config, folder, "--until", "15") == 0
    assert train(config, folder, "--resume") == 0
    return config.run


@contextmanager
def exported(run: Path, bag: Path, *more: str) -> Iterator[Path]:
    """A copy of the bag's folder with the tower in it."""
    model = run.parent / "model"
    shutil.copytree(bag, model)
    try:
        assert command("retriever export")([run, model / FOLDER, *more]) == 0
        yield model
    finally:
        shutil.rmtree(model)


def test_it_begins_as_the_bag_of_words(debug_data: DebugData, bag: Path, tmp_path: Path) -> None:
    config = config_for(debug_data, bag, tmp_path / "run")
    still = replace(config, schedule=replace(config.schedule, steps=1, learning_rate=1e-12))
    assert train(still, tmp_path) == 0
    encoder = Encoder.load(bag)
    goals = [query.goal for query in load_dataset(debug_data.dataset).queries[:20]]
    with exported(still.run, bag, "--fp32") as model:
        tower = StateTower.load(model / FOLDER, encoder)
        expected = [encoder.encode([encoder.fit(goal).text])[0] for goal in goals]
        assert np.allclose(tower.encode_states(goals), np.stack(expected), atol=1e-4)


def test_premises_can_be_embedded_by_terms_that_are_trained_along(
    debug_data: DebugData, bag: Path, tmp_path: Path
) -> None:
    config = config_for(debug_data, bag, tmp_path / "run")
    batch = replace(config.batch, varied=0.5)
    along = replace(config, terms=TermsConfig(pairs=64), batch=batch)
    assert train(along, tmp_path, "--until", "15") == 0
    assert train(along, tmp_path, "--resume") == 0
    curve = [json.loads(line) for line in (along.run / "curve.jsonl").read_text().splitlines()]
    losses = [point["loss"] for point in curve if "loss" in point]
    assert losses[-1] < losses[0]

    model = tmp_path / "model"
    assert command("retriever export")([along.run, model]) == 0
    encoder = Encoder.load(model)
    tower = StateTower.load(model / FOLDER, encoder)
    dataset = load_dataset(debug_data.dataset)
    premises = encoder.encode_premises(dataset.corpus)
    renamed = encoder.encode_premises([replace(dataset.corpus[0], name="quite.another_name")])[0]
    assert not np.allclose(renamed, premises[0])
    valid = [query for query in dataset.queries if query.split == "valid"]
    ranks = {
        reader: [
            int((scores > max(scores[list(query.gold)])).sum())
            for query, scores in zip(
                valid, read.encode_states([q.goal for q in valid]) @ premises.T, strict=True
            )
        ]
        for reader, read in (("terms", encoder), ("tower", tower))
    }
    assert all(np.median(found) < len(premises) / 4 for found in ranks.values())

    terms, config_file = model / "terms.npz", model / "config.json"
    config_file.write_text(config_file.read_text().replace('"pairs": 64', '"pairs": 65'))
    with pytest.raises(ModelError, match="vectors for"):
        Encoder.load(model)
    terms.write_bytes(terms.read_bytes()[:-400])
    with pytest.raises(ModelError, match="damaged"):
        Encoder.load(model)


def test_it_learns_what_the_bag_cannot(trained: Path, debug_data: DebugData, bag: Path) -> None:
    curve = [json.loads(line) for line in (trained / "curve.jsonl").read_text().splitlines()]
    losses = [point["loss"] for point in curve if "loss" in point]
    assert losses[-1] < losses[0]
    assert curve[-1]["recall_at_10"] > 0
    encoder = Encoder.load(bag)
    with exported(trained, bag) as model:
        tower = StateTower.of_model(model, encoder)
        assert tower is not None
        [vector] = tower.encode_states([GOAL])
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
        assert not np.allclose(vector, encoder.encode_state(GOAL), atol=1e-2)
        assert command("retriever export")([trained, model / FOLDER]) == 0
        assert StateTower.load(model / FOLDER, encoder).fingerprint == tower.fingerprint


def test_another_encoder_is_refused(
    trained: Path, debug_data: DebugData, bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with exported(trained, bag) as model:
        values = json.loads((model / FOLDER / "config.json").read_text())
        values["encoder"] = "0" * 16
        (model / FOLDER / "config.json").write_text(json.dumps(values))
        with pytest.raises(ModelError, match="belongs to the encoder 0000"):
            StateTower.of_model(model, Encoder.load(model))
    other = tmp_path / "other"
    shutil.copytree(bag, other)
    settings = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**settings, "max_length": 24}))
    config = config_for(debug_data, other, tmp_path / "run")
    shutil.copytree(trained, config.run)
    assert train(config, tmp_path, "--resume") != 0
    assert "was trained on other data" in capsys.readouterr().err


def test_the_service_ranks_by_what_it_reads(trained: Path, bag: Path, tmp_path: Path) -> None:
    """Where only the tower's similarity counts, premises come in its order, those of the open file among them."""
    names = {"comm": "mix p q = mix q p", "idem": "mix p p = p", "unit": "mix p unit = p"}
    names["fold"] = "fold p q = q"
    sheet = Sheet([theorem(name, "Lib", text, "(p q : S)") for name, text in names.items()])
    own = theorem("own", "New", "mix (mix p q) r = mix p (mix q r)", "(p q r : S)")
    encoder = Encoder.load(bag)
    store = make_store(tmp_path / "index", {"Lib": sheet}, encoder)
    with exported(trained, bag) as model:
        shutil.copyfile(SHIPPED / "fusion.json", model / "fusion.json")
        write_ranker(model, {"tree_info": [{"tree_structure": {"leaf_value": 0.0}}]}, {"tower": 1.0}, "")
        place = GoalContext("New", ("Lib",), local=(own,))
        ranked = PremiseService.open([store], model).rank(RankRequest(GOAL, place))
        tower = StateTower.load(model / FOLDER, encoder)
        [vector] = tower.encode_states([GOAL])
    assert {one.premise.name for one in ranked} == {*names, "own"}
    for one in ranked:
        [expected] = encoder.encode_premises([one.premise]) @ vector
        assert one.score == pytest.approx(float(expected), abs=0.01)


@pytest.mark.parametrize("damage", ["model.onnx", "config.json"])
def test_a_damaged_one_is_told(trained: Path, bag: Path, damage: str) -> None:
    with exported(trained, bag) as model:
        path = model / FOLDER / damage
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(ModelError, match=r"state tower|does not fit"):
            StateTower.of_model(model, Encoder.load(model))


def test_an_encoder_with_layers_is_no_bag(debug_data: DebugData, tmp_path: Path) -> None:
    schedule = {**read_values(Path("debug"))["schedule"], "steps": 2, "evaluate_every": 2}
    model = exported_debug(debug_data, tmp_path, schedule=schedule)
    with pytest.raises(ModelError, match="has layers"):
        Encoder.load(model).token_vectors()


@pytest.mark.parametrize("other", [{"layers": 2}, {"heads": 4}, {"intermediate": 64}])
def test_a_start_of_another_shape_is_refused(
    trained: Path,
    debug_data: DebugData,
    bag: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    other: dict[str, int],
) -> None:
    config = config_for(debug_data, bag, tmp_path / "run")
    assert train(replace(config, model=replace(config.model, **other), start_from=trained), tmp_path) != 0
    assert "The run to start from has another shape" in capsys.readouterr().err


@given(st.integers(1, 5), st.integers(4, 9), st.integers(0, 2**32 - 1))
def test_the_loss_is_the_equation(states: int, premises: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    table = torch.nn.functional.normalize(torch.randn(premises, 6, generator=generator), dim=1)
    asked = torch.nn.functional.normalize(torch.randn(states, 6, generator=generator), dim=1).requires_grad_()
    drawn = np.random.default_rng(seed)
    gold = [drawn.permutation(premises)[: drawn.integers(1, 3)] for _ in range(states)]
    rows = torch.tensor([row for row, own in enumerate(gold) for _ in own])
    chosen = torch.tensor([int(one) for own in gold for one in own])
    weights = torch.tensor([1 / len(own) for own in gold for _ in own])
    excluded = torch.stack([rows, chosen])
    found = against_all(asked, table, Positives(rows, chosen, weights), excluded, 0.5)
    [gradient] = torch.autograd.grad(found, asked)
    scores = asked @ table.T / 0.5
    expected = torch.zeros(())
    for row, own in enumerate(gold):
        rest = [number for number in range(premises) if number not in own]
        for positive in own:
            among = scores[row, [int(positive), *rest]]
            expected = expected - torch.log_softmax(among, dim=0)[0] / len(own) / states
    [wanted] = torch.autograd.grad(expected, asked)
    assert torch.allclose(found, expected, atol=1e-5)
    assert torch.allclose(gradient, wanted, atol=1e-5)


def test_positives_weigh_what_they_are_drawn_with(debug_data: DebugData) -> None:
    arrays = load_arrays(debug_data.dataset, debug_data.tokenizer)
    labels = Labels(step=0.5, rest=0.3, proof=0.2)
    queries = np.arange(min(12, len(arrays.states)))
    rows, premises, weights = weighted_gold(arrays, queries, labels)
    assert np.bincount(rows, weights=weights) == pytest.approx(np.ones(len(queries)))
    generator = np.random.default_rng(0)
    drawn = np.stack([draw_positives(arrays, queries, labels, generator) for _ in range(4000)])
    for row, premise, weight in zip(rows, premises, weights, strict=True):
        assert (drawn[:, row] == premise).mean() == pytest.approx(weight, abs=0.05)
    pairs = set(map(tuple, never_negative(arrays, queries).T.tolist()))
    assert pairs >= set(zip(rows.tolist(), premises.tolist(), strict=True))
    for row, query in enumerate(queries.tolist()):
        family = np.flatnonzero(arrays.families == arrays.query_families[query])
        assert pairs >= {(row, int(premise)) for premise in family}
