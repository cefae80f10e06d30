"""Every kind of run in two processes, over gloo, as a launcher starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = [pytest.mark.train, pytest.mark.slow]

from prover.training.train import KINDS as PROVERS  # noqa: E402
from retriever.training.running.checkpoint import load_checkpoint  # noqa: E402
from retriever.training.running.config_io import read_values  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.running.kinds import KINDS  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.prover.training.test_train import plant_words, write_config  # noqa: E402
from tests.retriever.training.conftest import DebugData  # noqa: E402
from tests.retriever.training.gardening import plant  # noqa: E402
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
    """The run folders of all kinds, by kind, and their presets."""

    folders: dict[str, Path]
    presets: dict[str, Path]


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
    debug_data: DebugData, model_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Runs]:
    work = tmp_path_factory.mktemp("processes")
    mined = {split: work / f"mined-{split}.npz" for split in ("train", "valid")}
    for split, path in mined.items():
        arguments = [str(model_folder), str(debug_data.dataset), str(path), "--top", "20", "--queries", split]
        assert command("retriever mine")(arguments) == 0
    bag = lean("debug", debug_data, model={"layers": 0}, loss={"similarity": "plain"}, run=str(work / "bag"))
    (work / "bag.yaml").write_text(yaml.safe_dump(bag), encoding="utf-8")
    assert command("retriever train")([work / "bag.yaml"]) == 0
    assert command("retriever export")([work / "bag", work / "model"]) == 0
    (work / "garden").mkdir()
    garden = plant(work / "garden")
    small = {"steps": STEPS, "log_every": 1, "evaluate_every": STEPS, "checkpoint_every": STEPS}
    pair = {"pairs": 64, "batch": {"questions": 8, "corpus_negatives": 8}, "schedule": small}
    start = {"pairwise": str(garden.train("pairwise", "begun", **pair))}
    (work / "match").mkdir()
    matching = plant_pairs(work / "match")
    kinds: dict[str, dict[str, Any]] = {
        "biencoder": lean("debug", debug_data),
        "mlm": lean("debug-mlm", debug_data),
        "crossencoder": lean(
            "debug-rerank", debug_data, candidates=str(mined["train"]), validation=str(mined["valid"])
        ),
        "tower": without(lean("debug-tower", debug_data, encoder=str(work / "model")), "tokenizer"),
        "pairwise": garden.values("pairwise", "pairwise", **pair),
        "joint": garden.values("joint", "joint", pairs=64, start=start, schedule=small),
        "autoregressive": garden.values(
            "autoregressive", "sequence", pairs=64, start=start, decoder=SMALL, schedule=small
        ),
        "match": match_values(matching, "match", schedule=small),
        "match-mlm": without(
            match_values(matching, "mlm", kind="match-mlm", batch={"texts": 8}, schedule=small), "npt"
        ),
    }
    folders, presets = {}, {}
    for kind, values in kinds.items():
        folders[kind] = work / "runs" / kind
        presets[kind] = work / f"{kind}.yaml"
        presets[kind].write_text(yaml.safe_dump({**values, "run": str(folders[kind])}), encoding="utf-8")
    (work / "prover").mkdir()
    library = tmp_path_factory.mktemp("library")
    presets["generator"] = write_config(
        work / "prover", plant_words(library), schedule={**SCHEDULE, "precision": "fp32"}
    )
    folders["generator"] = work / "prover" / "run"
    done = launched(*(f"{package_of(kind)}:{preset}" for kind, preset in presets.items()))
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if "[rank0]" in line)
    assert done.stdout.count(f"{STEPS} steps") == len(presets), (
        done.stdout
    )  # told once each, by the first process
    yield Runs(folders, presets)


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
    assert set(runs.folders) == {*KINDS, *PROVERS}


@pytest.mark.parametrize("kind", [*KINDS, *PROVERS])
def test_two_processes_train_it(runs: Runs, kind: str) -> None:
    saved = load_checkpoint(runs.folders[kind])
    assert saved is not None
    assert (saved.step, saved.processes, saved.kind) == (STEPS, PROCESSES, kind)
    points = read_curve(runs.folders[kind])
    assert sorted({point["step"] for point in points}) == [1, 2]
    assert all(torch.isfinite(values).all() for values in saved.model.values() if values.is_floating_point())


def test_another_number_of_processes_does_not_resume_it(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("retriever train")([runs.presets["biencoder"], "--resume"]) == 1
    said = capsys.readouterr().err
    assert "is trained with 2 of the launcher's processes, not 1" in said
    assert "Resume it with 2" in said
