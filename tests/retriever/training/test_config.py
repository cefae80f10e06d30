from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lean_extract.common.errors import BadSettings
from retriever.training.running.config import TrainConfig, load_config
from retriever.training.running.config_io import from_plain, preset_files, read_values, to_plain

MINIMAL = {"dataset": "d", "tokenizer": "t", "run": "r"}


@pytest.mark.train
@pytest.mark.parametrize(
    "preset", [path.name for name, path in preset_files().items() if not name.startswith("experiments-")]
)
def test_every_preset_is_read_and_written_back(preset: str) -> None:
    pytest.importorskip("torch")
    from retriever.training.running.train import kind_of, load_run

    config = load_run(Path(preset))
    values = yaml.safe_load(yaml.safe_dump(to_plain(config)))
    assert kind_of(values).parse(values) == config
    assert load_run(Path(preset).with_suffix("")) == config


@pytest.mark.train
@pytest.mark.parametrize("name", ["paper", "small", "cpu-layers"])
def test_a_preset_that_goes_on_from_another_has_its_shape_and_data(name: str) -> None:
    pytest.importorskip("torch")
    from retriever.training.mlm import MlmConfig
    from retriever.training.running.train import load_run

    config = load_config(Path(name))
    before = {
        run.run: run
        for run in (load_run(path) for name, path in preset_files().items() if name.endswith("-mlm"))
    }[config.start_from]
    assert isinstance(before, MlmConfig)
    assert (before.model, before.dataset, before.tokenizer) == (
        config.model,
        config.dataset,
        config.tokenizer,
    )


def test_numbers_without_a_point_are_read_as_they_were_meant() -> None:
    values = yaml.safe_load("{dataset: d, tokenizer: t, run: r, schedule: {learning_rate: 2e-5}}")
    assert from_plain(TrainConfig, values).schedule.learning_rate == 2e-5


@pytest.mark.train
def test_a_kind_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from retriever.training.running.train import load_run

    (tmp_path / "run.yaml").write_text("kind: mlmm", encoding="utf-8")
    with pytest.raises(BadSettings, match="no kind of run `mlmm`") as error:
        load_run(tmp_path / "run.yaml")
    assert "biencoder, " in error.value.hint and " mlm, " in error.value.hint


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"modle": {}}, "unknown setting `modle`"),
        ({"model": {"layres": 2}}, "unknown setting `model.layres`"),
        ({"model": {"hidden": 30, "heads": 4}}, "multiple of heads"),
        ({"model": [1]}, "names and values"),
        ({"lengths": {"state": 1024}}, "model.positions"),
        ({"loss": {"temperature": 0}}, "temperature must be positive"),
        ({"loss": {"similarity": "cosine"}}, "`loss.similarity` must be one of fine, plain"),
        ({"loss": {"dimensions": [4096]}}, "must not exceed model.hidden"),
        ({"batch": {"queries": 1}}, "at least 2"),
        ({"schedule": {"steps": 0}}, "steps must be positive"),
        ({"schedule": {"precision": "fp8"}}, "precision"),
        ({"schedule": {"accumulate": 0}}, "accumulate must be positive"),
        ({"schedule": {"steps": "many"}}, "`schedule.steps` must be a whole number"),
        ({"schedule": {"steps": 1.5}}, "`schedule.steps` must be a whole number"),
        ({"schedule": {"learning_rate": "fast"}}, "`schedule.learning_rate` must be a number"),
        ({"batch": {"share": 0}}, "share must be in"),
        ({"batch": {"hard_negatives": 2}}, "go together"),
        ({"loss": {"dimensions": 128}}, "`loss.dimensions` must be a list"),
        ({"kind": "mlm"}, "`kind` must be one of biencoder, not 'mlm'"),
    ],
)
def test_values_that_do_not_fit_are_named(values: dict[str, object], told: str) -> None:
    with pytest.raises(BadSettings, match=told):
        from_plain(TrainConfig, {**MINIMAL, **values})


RERANK = {**MINIMAL, "kind": "crossencoder", "candidates": "c", "validation": "v"}
TOWER = {"kind": "tower", "dataset": "d", "encoder": "e", "run": "r"}


@pytest.mark.train
@pytest.mark.parametrize(
    ("minimal", "values", "told"),
    [
        (RERANK, {"candidates": None}, "`candidates` must be a path"),
        (RERANK, {"objective": "hinge"}, "one of softmax, sigmoid"),
        (RERANK, {"model": {"layers": 0}}, "layers must be at least 1"),
        (RERANK, {"lengths": {"state": 1000, "premise": 100}}, "lengths together"),
        (RERANK, {"lengths": {"state": 7, "premise": 100}}, "at least 8"),
        (RERANK, {"batch": {"negatives": 0}}, "negatives must be at least 1"),
        (RERANK, {"batch": {"negatives": 9, "among": 8}}, "among must be at least"),
        (RERANK, {"depth": 1}, "depth must be at least 2"),
        (TOWER, {"temperature": 0}, "temperature must be positive"),
        (TOWER, {"model": {"layers": 0}}, "layers must be at least 1"),
        (TOWER, {"state": 1000}, "state must be between"),
        (TOWER, {"batch": {"queries": 1}}, "queries must be at least 2"),
    ],
)
def test_values_of_other_kinds_that_do_not_fit_are_named(
    minimal: dict[str, object], values: dict[str, object], told: str
) -> None:
    pytest.importorskip("torch")
    from retriever.training.running.train import kind_of

    with pytest.raises(BadSettings, match=told):
        kind_of(minimal).parse({**minimal, **values})


def test_missing_paths_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="`tokenizer` is missing"):
        from_plain(TrainConfig, {"dataset": "d", "run": "r"})
    with pytest.raises(BadSettings, match="no configuration") as error:
        load_config(tmp_path / "none.yaml")
    assert "debug" in error.value.hint
    (tmp_path / "bad.yaml").write_text("a: [", encoding="utf-8")
    with pytest.raises(BadSettings, match="not YAML"):
        load_config(tmp_path / "bad.yaml")


def test_an_unknown_name_is_told_the_presets_and_the_plans() -> None:
    with pytest.raises(BadSettings, match="no configuration") as caught:
        read_values(Path("tiny"))
    presets, _, plans = caught.value.hint.partition("; ")
    assert "debug" in presets and "experiments-" not in presets
    assert "experiments-cpu" in plans and "debug" not in plans
