"""Packages that write the folder `onnxruntime`: which are there, and what leaves one of them."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import onnxruntime
import pytest

from lean_extract.common.onnx_runtime import installed_packages, packages_among, replacement


def install(folder: Path, name: str, version: str, module: str) -> None:
    """What pip notes of a package."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n")
    (info / "top_level.txt").write_text(f"{module}\n")


def test_the_running_one_is_found() -> None:
    assert onnxruntime.__version__ in installed_packages().values()


@pytest.mark.parametrize("names", [(), ("onnxruntime",), ("onnxruntime", "onnxruntime-gpu")])
def test_packages_of_one_folder_are_told_from_others(tmp_path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        install(tmp_path, name, "1.31.1", "onnxruntime")
    install(tmp_path, "onnxruntime-tools", "1.7.0", "onnxruntime_tools")
    install(tmp_path, "numpy", "2.0", "numpy")
    (tmp_path / "broken-1.dist-info").mkdir()
    found = packages_among(metadata.distributions(path=[str(tmp_path)]))
    assert found == dict.fromkeys(names, "1.31.1")


def test_the_wanted_package_is_written_again() -> None:
    pip = f"{sys.executable} -m pip"
    again = f"{pip} install --force-reinstall --no-deps onnxruntime-gpu"
    assert replacement([], "onnxruntime-gpu") == again
    assert replacement(["onnxruntime"], "onnxruntime-gpu") == f"{pip} uninstall -y onnxruntime && {again}"
