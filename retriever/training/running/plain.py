"""Frozen dataclasses from plain YAML values and back, with errors that name the setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.json_text import shown
from lean_extract.common.typed import Form, Misfit, read_typed

T = TypeVar("T")
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
