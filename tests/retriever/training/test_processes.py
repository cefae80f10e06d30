"""Every kind of run, stopped and resumed, and in two processes over gloo, as a launcher starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = [pytest.mark.train, pytest.mark.slow]

from prover.training.train import KINDS as PROVERS  # noqa: E402
from retriever.lean.training.biencoder import make_objective  # noqa: E402
from retriever.training.running.checkpoint import load_checkpoint  # noqa: E402
from retriever.training.running.config import TrainConfig  # noqa: E402
from retriever.training.running.config_io import read_values  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.running.kinds import KINDS  # noqa: E402
from retriever.training.running.loop import Loop, Objective, accelerator_for  # noqa: E402
from retriever.training.running.stopping import Stopping  # noqa: E402
from retriever.training.running.tracking import NullTracker  # noqa: E402
from retriever.training.running.train import load_run  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.prover.training.test_train import plant_words, write_config  # noqa: E402
from tests.retriever.little_library import DebugData  # noqa: E402
from tests.retriever.training.gardening import PAIRWISE, Garden  # noqa: E402
from tests.retriever.training.test_autoregressive import SMALL  # noqa: E402
from tests.retriever.training.test_match import plant_pairs  # noqa: E402
from tests.retriever.training.test_match import values as match_values  # noqa: E402

STEPS = 2
SCHEDULE = {
    "steps": STEPS,
    "log_every": 1,
    "evaluate_every": STEPS,
    "checkpoint_every": STEPS,
    "evaluation_queries": 8,
}
PROCESSES = 2


@dataclass(frozen=True)
class Runs:
    """The values of a preset for each kind of run, and the folder of its runs."""

    values: dict[str, dict[str, Any]]
    work: Path

    def preset(self, kind: str, name: str) -> Path:
        """The preset of a run `name` of this kind."""
        file = self.work / f"{kind}-{name}.yaml"
        values = {**self.values[kind], "run": str(self.folder(kind, name))}
        file.write_text(yaml.safe_dump(values), encoding="utf-8")
        return file

    def folder(self, kind: str, name: str) -> Path:
        return self.work / name / kind

    def train(self, kind: str, name: str, *arguments: object) -> Path:
        """Train in this process; the run's folder."""
        assert command(f"{package_of(kind)} train")([self.preset(kind, name), *arguments]) == 0
        return self.folder(kind, name)


def launched(*presets: str) -> subprocess.CompletedProcess[str]:
    """Train in two processes. `accelerate launch` does the same with several GPUs; with CPUs alone it asks for MPI."""
    launcher = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc_per_node",
        str(PROCESSES),
    ]
    script = str(Path(__file__).with_name("several.py"))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.run(
        [*launcher, script, *presets],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=600,
    )


@pytest.fixture(scope="module")
def runs(
    debug_data: DebugData,
    model_folder: Path,
    garden: Garden,
    pairwise: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Runs:
    work = tmp_path_factory.mktemp("processes")
    mined = {split: work / f"mined-{split}.npz" for split in ("train", "valid")}
    for split, path in mined.items():
        arguments = [model_folder, debug_data.dataset, path, "--top", "20", "--queries", split]
        assert command("retriever mine")(arguments) == 0
    bag = lean("debug", debug_data, model={"layers": 0}, loss={"similarity": "plain"}, run=str(work / "bag"))
    (work / "bag.yaml").write_text(yaml.safe_dump(bag), encoding="utf-8")
    assert command("retriever train")([work / "bag.yaml"]) == 0
    assert command("retriever export")([work / "bag", work / "model"]) == 0
    small = {"steps": STEPS, "log_every": 1, "evaluate_every": STEPS, "checkpoint_every": STEPS}
    start = {"pairwise": str(pairwise)}
    matching, prover = (tmp_path_factory.mktemp(name) for name in ("match", "prover"))
    plant_pairs(matching)
    generator = write_config(prover, plant_words(prover), schedule={**SCHEDULE, "precision": "fp32"})
    kinds: dict[str, dict[str, Any]] = {
        "biencoder": lean("debug", debug_data),
        "mlm": lean("debug-mlm", debug_data),
        "crossencoder": lean(
            "debug-rerank", debug_data, candidates=str(mined["train"]), validation=str(mined["valid"])
        ),
        "tower": without(lean("debug-tower", debug_data, encoder=str(work / "model")), "tokenizer"),
        "pairwise": garden.values("pairwise", "pairwise", **PAIRWISE, schedule=small),
        "joint": garden.values("joint", "joint", pairs=64, start=start, schedule=small),
        "autoregressive": garden.values(
            "autoregressive", "sequence", pairs=64, start=start, decoder=SMALL, schedule=small
        ),
        "match": match_values(
            matching, "match", objective="hybrid", batch={"pairs": 8, "dropped": 0.3}, schedule=small
        ),
        "match-mlm": without(
            match_values(matching, "mlm", kind="match-mlm", batch={"texts": 8}, schedule=small), "npt"
        ),
        "generator": yaml.safe_load(generator.read_text(encoding="utf-8")),
    }
    return Runs(kinds, work)


@pytest.fixture(scope="module")
def spread(runs: Runs) -> Runs:
    """Every kind trained in two processes, in runs named `spread`."""
    done = launched(*(f"{package_of(kind)}:{runs.preset(kind, 'spread')}" for kind in runs.values))
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "[rank0]" in line)
    assert done.stdout.count(f"{STEPS} steps") == len(runs.values), "told once each, by the first process"
    return runs


def package_of(kind: str) -> str:
    return "prover" if kind in PROVERS else "retriever"


def lean(preset: str, data: DebugData, **changes: Any) -> dict[str, Any]:
    values = {**read_values(Path(preset)), "dataset": str(data.dataset), "tokenizer": str(data.tokenizer)}
    values["schedule"] = {**values["schedule"], **SCHEDULE}
    for name, value in changes.items():
        values[name] = {**values.get(name, {}), **value} if isinstance(value, dict) else value
    return values


def without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


def test_no_kind_of_run_is_forgotten(runs: Runs) -> None:
    assert set(runs.values) == {*KINDS, *PROVERS}


@pytest.mark.parametrize("kind", [*KINDS, *PROVERS])
def test_a_resumed_run_ends_like_one_that_never_stopped(runs: Runs, kind: str) -> None:
    whole = weights(runs.train(kind, "whole"))
    runs.train(kind, "halved", "--until", 1)
    halved = weights(runs.train(kind, "halved", "--resume"))
    assert whole.keys() == halved.keys()
    assert all(torch.equal(values, halved[name]) for name, values in whole.items())


@pytest.mark.parametrize("kind", [*KINDS, *PROVERS])
def test_two_processes_train_it(spread: Runs, kind: str) -> None:
    saved = load_checkpoint(spread.folder(kind, "spread"))
    assert saved is not None
    assert (saved.step, saved.processes, saved.kind) == (STEPS, PROCESSES, kind)
    assert [point["step"] for point in read_curve(spread.folder(kind, "spread"))] == [1, 2, 2]
    assert all(torch.isfinite(values).all() for values in saved.model.values() if values.is_floating_point())


class RanksAsMicroBatches:
    """One process that sees in turn what several would see at once."""

    def __init__(self, objective: Objective) -> None:
        self.model, self.data, self._objective = objective.model, objective.data, objective
        self.parameter_groups, self.validate = objective.parameter_groups, objective.validate

    def loss(self, model: torch.nn.Module, step: int, micro: int, rank: int) -> torch.Tensor:
        return self._objective.loss(model, step, 0, micro)


def test_two_processes_train_one_run_on_batches_of_their_own(spread: Runs) -> None:
    config = load_run(spread.preset("biencoder", "alone"))
    assert isinstance(config, TrainConfig)
    alone = replace(config, schedule=replace(config.schedule, accumulate=PROCESSES))
    torch.manual_seed(alone.seed)
    accelerator = accelerator_for(alone.schedule)
    inner = make_objective(alone, accelerator.device)
    inner.model.eval()
    assert float(inner.loss(inner.model, 0, 0, 0)) != float(inner.loss(inner.model, 0, 0, 1))
    torch.manual_seed(alone.seed)
    objective = RanksAsMicroBatches(make_objective(alone, accelerator.device))
    Loop(alone, objective, accelerator).train(NullTracker(), Stopping())
    one, two = weights(alone.run), weights(spread.folder("biencoder", "spread"))
    assert all(torch.allclose(values, two[name], atol=1e-5) for name, values in one.items())


def test_another_number_of_processes_does_not_resume_it(
    spread: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("retriever train")([spread.preset("biencoder", "spread"), "--resume"]) == 1
    said = capsys.readouterr().err
    assert "is trained with 2 of the launcher's processes, not 1" in said
    assert "Resume it with 2" in said


def weights(run: Path) -> dict[str, torch.Tensor]:
    saved = load_checkpoint(run)
    assert saved is not None
    return saved.model
