"""A plan of small rows from nothing to tables: trained, stopped, resumed, measured, printed; the ablation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from lean_extract.common.errors import BadRecords, BadSettings
from tests.retriever.little_library import DebugData

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from retriever.evaluation.experiments import merged  # noqa: E402
from retriever.lean.evaluation import ablation  # noqa: E402
from retriever.lean.evaluation.measure import COLUMNS  # noqa: E402
from retriever.lean.experiments.tables import load_plan, read_row  # noqa: E402
from retriever.lean.features import FEATURES, load_fusion  # noqa: E402
from retriever.training.running.checkpoint import load_checkpoint  # noqa: E402
from retriever.training.running.config_io import preset_files  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.running.stopping import RunLimits  # noqa: E402
from retriever.training.running.train import load_run  # noqa: E402
from retriever.training.running.train import run_training as train  # noqa: E402
from tests.commands import command  # noqa: E402

experiments = command("retriever experiments")
STEPS = {"schedule": {"steps": 12, "checkpoint_every": 4, "evaluate_every": 12, "log_every": 4}}
UNSEEN = ["use_count", "neighbours"]
PIECES = {"model": "one layer", "pre-training": "no", "tokenizer": "ours", "similarity": "eq. (3)"}


def row(name: str, tables: list[str], label: dict[str, str], **more: object) -> dict[str, object]:
    train = {"preset": "debug", "override": STEPS}
    shared = {"dataset": "data", "tokenizer": "ours", "train": train, "methods": ["bm25", "dense", "fused"]}
    return {"name": name, "tables": tables, "label": label, **shared, **more}


PLAN = {
    "tokenizers": {"ours": 300},
    "questions": 10,
    "tune": 10,
    "rows": [
        row(
            "share-50",
            ["share"],
            {"share": "50%"},
            train={"preset": "debug", "override": merged(STEPS, {"batch": {"share": 0.5}})},
        ),
        row(
            "mlm",
            ["pieces"],
            {**PIECES, "pre-training": "yes"},
            pretrain={"preset": "debug-mlm", "override": STEPS},
        ),
        row("rd", ["splits", "pieces", "share"], {**PIECES, "split": "RD", "share": "100%"}, without=UNSEEN),
    ],
}


@pytest.fixture(scope="module")
def work(debug_data: DebugData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experiments")
    (folder / "data").symlink_to(debug_data.dataset)
    return folder


@pytest.fixture(scope="module")
def model(finished: Path, work: Path) -> Path:
    """The model of the row `rd`."""
    return work / "experiments" / "models" / "rd"


@pytest.fixture(scope="module")
def plan(work: Path) -> Path:
    path = work / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def arguments(plan: Path, work: Path) -> list[str]:
    return [str(plan), "--work", str(work)]


@pytest.fixture(scope="module")
def finished(arguments: list[str], work: Path) -> Path:
    """All rows, after a first call without time and one that was killed four steps into a run."""
    assert experiments([*arguments, "--only", "rd", "--minutes", "1e-9"]) == 0
    rows, run = work / "experiments" / "rows", work / "experiments" / "runs" / "rd"
    assert not (rows / "rd.json").exists() and not run.exists()
    [tokenizer] = (work / "experiments" / "tokenizers").iterdir()
    config = load_plan(Path(arguments[0])).rows[2].train.config(work / "data", tokenizer, run, None)
    assert train(config, limits=RunLimits(until=4)).steps == 4
    assert experiments(arguments) == 0
    assert [point["step"] for point in read_curve(run) if "loss" in point] == [4, 8, 12]
    return rows


def test_every_row_is_kept_with_what_made_it(finished: Path, work: Path) -> None:
    for name in ("share-50", "mlm", "rd"):
        about = json.loads((finished / f"{name}.json").read_text(encoding="utf-8"))
        assert about["planned"]["name"] == name
        assert about["steps"] == 12
        assert about["parts"]["test"]["data"] and about["parts"]["test"]["encoder"]
        saved = load_checkpoint(work / "experiments" / "runs" / name)
        assert saved is not None and saved.step == 12
    weights = dict(zip(FEATURES, load_fusion(work / "experiments" / "models" / "rd").weights, strict=True))
    assert weights["dense"] and not any(weights[name] for name in UNSEEN)
    runs = {path.name for path in (work / "experiments" / "runs").iterdir()}
    assert sum(name.startswith("pretrain-") for name in runs) == 1
    started = load_run(work / "experiments" / "runs" / "mlm" / "config.yaml")
    assert started.start_from is not None and started.start_from.name in runs


def test_a_second_call_trains_nothing_and_prints_the_tables(
    finished: Path, arguments: list[str], work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    curve = work / "experiments" / "runs" / "rd" / "curve.jsonl"
    before = curve.read_bytes()
    assert experiments([*arguments, "--plot", tmp_path / "share.svg"]) == 0
    assert curve.read_bytes() == before
    printed = capsys.readouterr().out
    for title in ("Table 3", "Table 4", "Section 4.4.2"):
        assert title in printed
    assert printed.count("| RD | fused |") == 2  # all candidates, importable ones
    assert printed.count("| RD | bm25 |") == 2
    assert printed.count("| one layer | yes | ours | eq. (3) | dense |") == 2
    assert "| share | method |" in printed and "| 50% | bm25 |" not in printed
    assert all(name in printed for name in COLUMNS)
    assert "fused, R@10" in (tmp_path / "share.svg").read_text(encoding="utf-8")


def test_a_finished_row_of_another_plan_is_refused(
    finished: Path, work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "plan.yaml"
    other.write_text(yaml.safe_dump({**PLAN, "rows": [{**PLAN["rows"][2], "methods": ["dense"]}]}))  # type: ignore[index]
    assert experiments([other, "--work", work]) == 2
    assert "another plan" in capsys.readouterr().err
    assert experiments([other, "--work", work, "--only", "rt"]) == 2
    assert "no row 'rt'" in capsys.readouterr().err


def test_a_cut_off_row_is_named(finished: Path, plan: Path, tmp_path: Path) -> None:
    planned = load_plan(plan).rows[2]
    for name in ("rd.json", "rd.npz"):
        (tmp_path / name).write_bytes((finished / name).read_bytes())
    assert read_row(tmp_path, planned) is not None
    for size in (0, 100):
        (tmp_path / "rd.npz").write_bytes((finished / "rd.npz").read_bytes()[:size])
        with pytest.raises(BadRecords, match=r"rd\.json is damaged"):
            read_row(tmp_path, planned)


def test_nothing_to_fit_the_fusion_on_is_told(
    model: Path, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = load_fusion(model)
    assert command("retriever fit-fusion")([model, work / "data", "--limit", "0"]) == 1
    assert "`tune` half has a gold premise" in capsys.readouterr().err
    assert load_fusion(model) == before


def test_an_unknown_method_to_hold_the_others_against_is_refused(
    model: Path, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [str(model), str(work / "data"), "--methods", "random", "--against", "bm52"]
    assert command("retriever evaluate")(asked) == 2
    assert "no method 'bm52'" in capsys.readouterr().err


def test_the_ablation_has_a_row_for_every_feature(
    model: Path, work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures.json"
    assert command("retriever ablation")([model, work / "data", "--json", out]) == 0
    printed = capsys.readouterr().out
    for name in FEATURES:
        assert printed.count(f"| without {name} |") == 3
    assert printed.count("| dense and ") == 3 * (len(FEATURES) - 1)
    rows = json.loads(out.read_text(encoding="utf-8"))["valid"]
    assert {row["method"] for row in rows if not row["differences"]} == {ablation.ALL}


@pytest.mark.parametrize("name", [name for name in preset_files() if name.startswith("experiments-")])
def test_every_shipped_plan_is_of_runs_that_parse(name: str) -> None:
    plan = load_plan(Path(name))
    here = Path("d")
    for planned in plan.rows:
        config = planned.train.config(here, here, here / planned.name, here)
        assert config.dataset == here
        if planned.pretrain:
            shape = planned.pretrain.config(here, here, here, None).model  # type: ignore[attr-defined]
            assert shape == config.model  # type: ignore[attr-defined]
    for table in ("splits", "pieces", "share"):
        assert sum(table in planned.tables for planned in plan.rows) >= 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": [row("a", ["splits"], {"split": "RD"})] * 2}, "Two rows"),
        ({"rows": [row("a", ["figures"], {})]}, "no table 'figures'"),
        ({"rows": [row("a", ["share"], {"split": "RD"})]}, "no label `share`"),
        ({"rows": [row("a", ["splits"], {"split": "RD"}, tokenizer="theirs")]}, "unknown tokenizer"),
        ({"tokenizers": {"ours": "big"}}, "cannot be 'big'"),
        ({"rows": [row("a", ["splits"], {"split": "RD"}, without=["luck"])]}, "no feature 'luck'"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump({**PLAN, **change}), encoding="utf-8")
    with pytest.raises(BadSettings, match=message):
        load_plan(path)
