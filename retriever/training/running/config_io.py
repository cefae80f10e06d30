"""Configurations from YAML files and presets: frozen dataclasses from plain values and back.

Presets are in the folder `presets` of each corpus's package. Errors name the setting.

Not cattrs: it takes "3" for a number and a string for a list, so every kind of value would need a hook, and its
messages would have to be rewritten to name a setting as a preset does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import yaml

from lean_extract.common.errors import BadSettings
from retriever.search.backends import BUILT_IN, folder_of

T = TypeVar("T")
_PLAN = "experiments-"


def require(condition: bool, message: str) -> None:
    """Raises BadSettings with the message unless the condition holds."""
    if not condition:
        raise BadSettings(f"Training configuration: {message}.", "Correct the preset and start again.")


def from_plain(kind: type[T], values: Mapping[str, Any], prefix: str = "") -> T:
    """A dataclass from names and values; nested ones from nested names and values.

    Raises BadSettings on unknown and missing names, values of another type, and what the class refuses.
    """
    require(isinstance(values, Mapping), f"`{prefix or 'the file'}` must hold names and values")
    hints = get_type_hints(kind)
    unknown = sorted(str(name) for name in values if name not in hints)
    require(not unknown, f"unknown setting `{prefix}{unknown[0] if unknown else ''}`")
    needed = [item.name for item in fields(kind) if _is_needed(item)]  # type: ignore[arg-type]
    missing = [name for name in needed if name not in values]
    require(not missing, f"`{prefix}{missing[0] if missing else ''}` is missing")
    return kind(**{name: _fit(hints[name], value, f"{prefix}{name}") for name, value in values.items()})


def _is_needed(item: Any) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def _fit(hint: Any, value: Any, name: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, value, f"{name}.")
    if get_origin(hint) in (UnionType, Union):
        return _fit_union(get_args(hint), value, name)
    if get_origin(hint) is tuple:
        require(isinstance(value, (list, tuple)), f"`{name}` must be a list")
        return tuple(_fit(get_args(hint)[0], item, name) for item in value)
    if get_origin(hint) is Literal:
        *others, last = (f"`{word}`" for word in get_args(hint))
        choices = f"{', '.join(others)} or {last}" if others else last
        require(value in get_args(hint), f"`{name}` must be {choices}, not {value!r}")
        return value
    if hint is Path:
        require(isinstance(value, (str, Path)), f"`{name}` must be a path")
        return Path(value)
    if hint in (int, float):
        return _number(hint, value, name)
    return value


def _fit_union(hints: tuple[Any, ...], value: Any, name: str) -> Any:
    """One of `X | None` and `X | Literal[...]`, of which no others are in use."""
    words = [word for hint in hints if get_origin(hint) is Literal for word in get_args(hint)]
    if value in words or (value is None and type(None) in hints):
        return value
    return _fit(hints[0], value, name)


def _number(kind: type[int] | type[float], value: Any, name: str) -> int | float:
    if kind is float and isinstance(value, str):  # YAML reads `2e-5`, which has no point, as text
        try:
            return float(value)
        except ValueError:
            require(False, f"`{name}` must be a number")
    allowed, wanted = ((int,), "a whole number") if kind is int else ((int, float), "a number")
    require(isinstance(value, allowed) and not isinstance(value, bool), f"`{name}` must be {wanted}")
    return kind(value)


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
