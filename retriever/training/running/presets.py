"""Presets: YAML files with the values of a run or a plan, in the folder `presets` of each corpus's package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from lean_extract.common.errors import BadSettings
from retriever.search.backends import BUILT_IN, folder_of
from retriever.training.running.plain import require

_PLAN = "experiments-"


def preset_folders() -> tuple[Path, ...]:
    """Where the presets of the corpora are."""
    folders = (folder_of(name) / "presets" for name in BUILT_IN)
    return tuple(folder for folder in folders if folder.is_dir())


def preset_files(folders: Sequence[Path] | None = None) -> dict[str, Path]:
    """The presets by name, in the order of their names; of two with one name that of the first folder."""
    chosen = preset_folders() if folders is None else folders
    files = {file.stem: file for folder in reversed(chosen) for file in folder.glob("*.yaml")}
    return dict(sorted(files.items()))


def read_values(path: Path, folders: Sequence[Path] | None = None) -> dict[str, Any]:
    """The plain values of a YAML file; a bare name stands for a preset in one of the folders.

    `folders` are those of the corpora unless they are given. Raises BadSettings when there is no such file,
    or when it does not hold names and values.
    """
    file = path if path.is_file() else preset_files(folders).get(path.with_suffix("").name, path)
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        hint = _hint(list(preset_files(folders)))
        raise BadSettings(f"There is no configuration {path}.", hint) from error
    except yaml.YAMLError as error:
        raise BadSettings(f"{file} is not YAML: {error}.", "Correct it and start again.") from error
    require(isinstance(values, dict), f"{file} must hold names and values")
    return cast(dict[str, Any], values)


def _hint(names: Sequence[str]) -> str:
    plans = ", ".join(name for name in names if name.startswith(_PLAN))
    hint = f"The presets are: {', '.join(name for name in names if not name.startswith(_PLAN))}"
    return hint + (f"; the plans of experiments: {plans}." if plans else ".")
