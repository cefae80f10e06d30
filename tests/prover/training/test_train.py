"""The generator's training on real pairs, small: it learns, stops, resumes, and refuses what does not fit."""

import json
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
import yaml

pytest.importorskip("torch")
import torch

from lean_extract.common.errors import BadSettings, ModelError
from lean_extract.source.extract import extract_project
from prover.training.data import Draws, EncodedPairs
from prover.training.model import FastT5, build_model, load_model
from prover.training.objective import make_objective, parse
from prover.training.pairs import build_pairs
from prover.training.train import PRESETS, ShapeConfig, load_run
from retriever.training.running import train
from retriever.training.running.checkpoint import load_checkpoint
from tests.commands import command

main = command("prover train")

pytestmark = pytest.mark.train

SHAPE = ShapeConfig(2, 2, 32, 4, 8, 48, 0.0, learned_distances=False)
WORDS = ("add", "mul", "sub", "inf", "sup", "max", "min", "gcd", "lcm", "pow")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant_words(tmp_path_factory.mktemp("library"))


def plant_words(folder: Path) -> Path:
    """The pairs of a few hundred theorems that differ in one word, which their proofs name."""
    lines = ["theorem foo : p := by simp"]
    for one in WORDS:
        for two in WORDS:
            for three in ("comm", "assoc"):
                lines.append(f"theorem {one}_{two}_{three} (x : α) : {one} x = {two} x := by rw [foo, {one}]")
    (folder / "Words.lean").write_text("\n".join(lines) + "\n", encoding="utf-8")
    extract_project(folder, folder / "records.jsonl", states=True)
    build_pairs([folder / "records.jsonl"], folder / "pairs", [])
    return folder / "pairs"


def write_config(path: Path, pairs: Path, **changes: object) -> Path:
    values = {
        "dataset": str(pairs),
        "run": str(path / "run"),
        "shape": {
            "encoder_layers": 2, "decoder_layers": 2, "hidden": 32, "heads": 4, "head_size": 8,
            "intermediate": 48, "dropout": 0.1, "learned_distances": False,
        },
        "prompt": {"max_prompt": 128, "max_tactic": 48},
        "mix": {"pairs": 8, "judged": 0.5},
        "schedule": {
            "steps": 12, "learning_rate": 3e-3, "precision": "fp32", "evaluate_every": 6,
            "checkpoint_every": 6, "log_every": 3, "evaluation_queries": 16,
        },
    }  # fmt: skip
    file = path / "config.yaml"
    file.write_text(yaml.safe_dump({**values, **changes}))
    return file


def test_a_run_learns(pairs: Path, tmp_path: Path) -> None:
    config = write_config(tmp_path, pairs)
    assert main([config]) == 0
    assert main([config]) != 0  # there is a run already
    curve = [json.loads(line) for line in (tmp_path / "run/curve.jsonl").read_text().splitlines()]
    losses = [point["loss"] for point in curve if "loss" in point]
    assert losses[-1] < 0.8 * losses[0]
    assert {"exact", "loss_valid", "pointed", "judged"} <= set().union(*curve)


def test_a_run_in_the_background_is_the_generators(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How such runs go on is tested with the retriever's."""
    started: list[list[str]] = []
    monkeypatch.setattr(train, "start_in_background", lambda command, run: started.append(command) or 0)
    config = str(write_config(tmp_path, pairs))
    assert main([config, "--background", "--until", "2"]) == 0
    [[python, *line]] = started
    assert python == sys.executable and line[line.index("-m") :][:4] == ["-m", "prover", "train", config]
    assert "--background" not in line and line[line.index("--until") + 1] == "2"


def test_weights_are_taken_over(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    assert main([str(write_config(tmp_path / "first", pairs)), "--until", "3"]) == 0
    run = tmp_path / "first" / "run"
    taken = load_model(run, SHAPE).state_dict()
    saved = load_checkpoint(run)
    assert saved is not None
    assert torch.equal(taken["lm_head.weight"], saved.model["t5.lm_head.weight"])
    with pytest.raises(ModelError, match="another shape"):
        load_model(run, ShapeConfig(3, 2, 32, 4, 8, 48))
    with pytest.raises(ModelError, match="holds no checkpoint"):
        load_model(tmp_path, SHAPE)
    (tmp_path / "second").mkdir()
    config = write_config(tmp_path / "second", pairs, start_from=str(run))
    objective = make_objective(load_run(config), torch.device("cpu"))
    now = objective.model.state_dict()
    assert now.keys() == saved.model.keys()
    assert all(torch.equal(now[name], saved.model[name]) for name in now)


def test_a_transformers_folder_is_taken_over(tmp_path: Path) -> None:
    model = build_model(SHAPE)
    model.save_pretrained(tmp_path / "t5")
    loaded = load_model(tmp_path / "t5", SHAPE).state_dict()
    for name, weight in model.state_dict().items():
        assert torch.equal(loaded[name], weight), name


@pytest.mark.parametrize("learned", [True, False])
def test_the_fast_pass_gives_transformers_numbers(learned: bool) -> None:
    torch.manual_seed(1)
    model = build_model(ShapeConfig(2, 3, 48, 4, 12, 64, 0.0, learned)).eval()
    prompts = torch.randint(3, 384, (3, 140))
    mask = torch.ones_like(prompts, dtype=torch.bool)
    mask[1, 90:] = False
    prompts[~mask] = 0
    written = torch.randint(3, 384, (3, 20))
    with torch.no_grad():
        expected = model(input_ids=prompts, attention_mask=mask, decoder_input_ids=written).logits
        found, judged = FastT5(model, torch.float32)(prompts, mask, written)
    assert torch.allclose(expected, found, atol=1e-4)
    assert judged.shape == prompts.shape


def test_distances_that_are_not_learned_have_no_gradient() -> None:
    frozen = [name for name, weight in build_model(SHAPE).named_parameters() if not weight.requires_grad]
    assert len(frozen) == 2 and all("relative_attention_bias" in name for name in frozen)


def test_batches_depend_on_nothing_but_seed_and_step(pairs: Path) -> None:
    config = parse({"dataset": str(pairs), "run": "x", "mix": {"pairs": 4}})
    known = EncodedPairs(pairs, "train")
    one, two = (Draws(known, config.prompt, config.mix, 7) for _ in range(2))
    later = [one.batch(step, 0) for step in range(40)]
    assert [two.batch(step, 0) for step in reversed(range(40))] == later[::-1]
    assert one.batch(3, 0) != one.batch(3, 1)
    assert all(len(example.prompt) <= 512 for batch in later for example in batch)


def test_no_process_repeats_what_another_sees_later(pairs: Path) -> None:
    config = parse({"dataset": str(pairs), "run": "x", "mix": {"pairs": 1, "terms": 0.0, "bare": 1.0}})
    known = EncodedPairs(pairs, "train")
    known.pairs = known.pairs[:128]  # an epoch: 128 batches
    draws = Draws(known, config.prompt, config.mix, 0)
    halves = [
        Counter(tuple(draws.batch(step, rank)[0].prompt) for step in range(64 * half, 64 * half + 64))
        for rank in (0, 1)
        for half in range(6)
    ]
    assert sum(one == two for one, two in combinations(halves, 2)) == 0


def test_what_only_memory_could_spell_is_known(pairs: Path) -> None:
    config = parse({"dataset": str(pairs), "run": "x", "mix": {"pairs": 1}})
    known = EncodedPairs(pairs, "train")
    draws = Draws(known, config.prompt, config.mix, 0)
    examples = [example for step in range(64) for example in draws.batch(step, 0)]
    assert all(len(example.spelled) == len(example.tactic) for example in examples)
    spelled = {
        bytes(s - 3 for s, out in zip(one.tactic, one.spelled, strict=True) if out) for one in examples
    }
    assert spelled == {b"", b"foo"}  # a premise that is in the prompt is pointed at


def test_a_share_of_the_prompts_has_no_positive_premise(pairs: Path) -> None:
    known = EncodedPairs(pairs, "train")
    shares = []
    for missed in (0.0, 1.0):
        mix = {"pairs": 8, "bare": 0.0, "missed": missed}
        config = parse({"dataset": str(pairs), "run": "x", "mix": mix})
        draws = Draws(known, config.prompt, config.mix, 0)
        examples = [example for step in range(8) for example in draws.batch(step, 0)]
        shares.append(sum(bool(example.good) for example in examples) / len(examples))
    assert shares[1] == 0 < 0.5 < shares[0]


def test_an_epoch_takes_every_step_once(pairs: Path) -> None:
    config = parse({"dataset": str(pairs), "run": "x", "mix": {"pairs": 1, "terms": 0.0}})
    known = EncodedPairs(pairs, "train")
    assert Draws(known, config.prompt, config.mix, 0).size == len(known.pairs)


@pytest.mark.parametrize("preset", sorted(path.stem for path in PRESETS.glob("*.yaml")))
def test_presets_are_read(preset: str) -> None:
    assert load_run(Path(preset)).schedule.steps > 0


def test_a_mistyped_setting_is_reported() -> None:
    with pytest.raises(BadSettings, match=r"unknown setting `shape\.layer`"):
        parse({"dataset": "d", "run": "r", "shape": {"layer": 3}})
    with pytest.raises(BadSettings, match=r"`prompt.form` must be one of numbered, reprover"):
        parse({"dataset": "d", "run": "r", "prompt": {"form": "other"}})
