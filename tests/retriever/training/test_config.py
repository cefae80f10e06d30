from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lean_extract.errors import BadSettings
from retriever.training.config import PRESETS, load_config, parse_config, to_plain

MINIMAL = {"dataset": "d", "tokenizer": "t", "run": "r"}


@pytest.mark.parametrize("preset", sorted(path.name for path in PRESETS.glob("*.yaml")))
def test_every_preset_is_read_and_written_back(preset: str) -> None:
    config = load_config(Path(preset))
    assert parse_config(yaml.safe_load(yaml.safe_dump(to_plain(config)))) == config
    assert load_config(Path(preset).with_suffix("")) == config


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"modle": {}}, "unknown setting `modle`"),
        ({"model": {"layres": 2}}, "unknown setting `model.layres`"),
        ({"model": {"hidden": 30, "heads": 4}}, "multiple of heads"),
        ({"model": [1]}, "names and values"),
        ({"lengths": {"state": 1024}}, "model.positions"),
        ({"loss": {"temperature": 0}}, "temperature must be positive"),
        ({"loss": {"similarity": "cosine"}}, "`fine` or `plain`"),
        ({"loss": {"dimensions": [4096]}}, "must not exceed model.hidden"),
        ({"batch": {"queries": 1}}, "at least 2"),
        ({"schedule": {"steps": 0}}, "steps must be positive"),
        ({"schedule": {"precision": "fp8"}}, "precision"),
    ],
)
def test_values_that_do_not_fit_are_named(values: dict[str, object], told: str) -> None:
    with pytest.raises(BadSettings, match=told):
        parse_config({**MINIMAL, **values})


def test_missing_paths_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="`tokenizer` is missing"):
        parse_config({"dataset": "d", "run": "r"})
    with pytest.raises(BadSettings, match="no configuration") as error:
        load_config(tmp_path / "none.yaml")
    assert "debug" in error.value.hint
    (tmp_path / "bad.yaml").write_text("a: [", encoding="utf-8")
    with pytest.raises(BadSettings, match="not YAML"):
        load_config(tmp_path / "bad.yaml")
