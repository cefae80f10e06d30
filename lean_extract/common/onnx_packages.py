"""Which packages of onnxruntime are installed.

Several packages (`onnxruntime`, `onnxruntime-gpu`, …) write the same folder, and pip knows no *instead of*: where two
are installed the last one written counts, and removing one breaks the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import metadata

from lean_extract.common.terminal_text import pip

CPU_PACKAGE, GPU_PACKAGE = "onnxruntime", "onnxruntime-gpu"
_MODULE = "onnxruntime"


def installed_packages() -> dict[str, str]:
    """The version of each package that holds the module `onnxruntime`, by name."""
    return packages_among(metadata.distributions())


def packages_among(distributions: Iterable[metadata.Distribution]) -> dict[str, str]:
    """The same among these distributions."""
    named = sorted(((_name(one), one) for one in distributions), key=lambda pair: pair[0])
    return {name: one.version for name, one in named if name.startswith(_MODULE) and _holds_module(one)}


def _name(one: metadata.Distribution) -> str:
    """Its name; empty for what a removal left of one. The package importlib_metadata raises where Python says None."""
    try:
        return str(one.name)
    except FileNotFoundError:
        return ""


def _holds_module(one: metadata.Distribution) -> bool:
    return (one.read_text("top_level.txt") or "").strip() == _MODULE


def replacement(unwanted: Sequence[str], wanted: str) -> str:
    """The commands that leave only the wanted package, whole: removing another takes shared files along."""
    removal = f"{pip()} uninstall -y {' '.join(unwanted)} && " if unwanted else ""
    return f"{removal}{pip()} install --force-reinstall --no-deps {wanted}"
