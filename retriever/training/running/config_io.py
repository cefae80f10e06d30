"""Configurations from YAML files and presets: frozen dataclasses from plain values and back.

Presets are in the folder `presets` of each corpus's package. Errors name the setting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.json_text import shown
from lean_extract.common.typed import Form, Misfit, read_typed
from retriever.search.backends import BUILT_IN, folder_of

T = TypeVar("T")
_PLAN = "experiments-"
_YAML = Form(number_text=True, converts=True)


def require(condition: bool, message: str) -> None:
    """Raises BadSettings with the message unless the condition holds."""
    if not condition:
        raise BadSettings(f"Training configuration: {message}.", "Correct the preset and start again.")


def from_plain(kind: type[T], values: Mapping[str, Any]) -> T:
    """A dataclass from names and values; nested ones from nested names and values.

    Raises BadSettings on unknown and missing names, values of another type, and what the class refuses.
    """
    try:
        return read_typed(kind, values, _YAML)
    except Misfit as error:
        require(False, _problem(error))
        raise


def _problem(misfit: Misfit) -> str:
    name = ".".join(misfit.path) or "the file"
    if misfit.kind == "unknown":
        return f"unknown setting `{name}`"
    if misfit.kind == "missing":
        return f"`{name}` is missing"
    if misfit.kind == "refused":
        return f"`{name}`: {misfit.wanted}"
    wanted = "hold names and values" if misfit.kind == "object" else f"be {misfit.wanted}"
    return f"`{name}` must {wanted}, not {shown(misfit.value)}"


def to_plain(config: Any) -> dict[str, Any]:
    """A dataclass as YAML values; `from_plain` gives it back."""
    return {name: _plain(value) for name, value in asdict(config).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


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
