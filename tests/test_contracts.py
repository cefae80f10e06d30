"""The contracts in pyproject.toml fail when somebody adds a cycle or an import of an upper layer."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("importlinter", reason="import-linter is not installed")

ROOT = Path(__file__).parent.parent
PACKAGES = ("lean_extract", "retriever", "prover", "lsp_server")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The packages' modules and the contracts, to be changed."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=_all_but_modules)
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    return tmp_path


def _all_but_modules(folder: str, names: list[str]) -> list[str]:
    return [
        name
        for name in names
        if name == "__pycache__" or not (name.endswith(".py") or (Path(folder) / name).is_dir())
    ]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    return subprocess.run(
        [*command, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def close_a_cycle(folder: Path, package: str) -> None:
    """Let a module of a package import a sibling that imports it."""
    modules = sorted((folder / package.replace(".", "/")).glob("*.py"))
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            name = node.module if isinstance(node, ast.ImportFrom) else None
            other = module.with_name(f"{(name or '').rpartition('.')[2]}.py")
            if name == f"{package}.{other.stem}" and other in modules and other != module:
                with other.open("a", encoding="utf-8") as stream:
                    stream.write(f"\nimport {package}.{module.stem}\n")
                return
    raise AssertionError(f"no module of {package} imports another")


@pytest.mark.parametrize(
    "package", ["retriever.proof_matching", "retriever.training.running", "lsp_server.http"]
)
def test_a_cycle_between_siblings_is_refused(copied: Path, package: str) -> None:
    close_a_cycle(copied, package)
    found = lint(copied)
    assert found.returncode == 1
    assert f"No cycles are allowed in {package}." in found.stdout


def test_an_import_of_an_upper_layer_is_refused(copied: Path) -> None:
    with (copied / "retriever/metrics/ranks.py").open("a", encoding="utf-8") as stream:
        stream.write("\nimport retriever.evaluation.rows\n")
    found = lint(copied)
    assert found.returncode == 1
    assert "retriever.metrics is not allowed to import retriever.evaluation:" in found.stdout


def test_one_corpus_may_not_import_another(copied: Path) -> None:
    with (copied / "retriever/proof_matching/schema.py").open("a", encoding="utf-8") as stream:
        stream.write("\nimport retriever.naturalproofs.splits\n")
    found = lint(copied)
    assert found.returncode == 1
    assert "retriever.proof_matching is not allowed to import retriever.naturalproofs:" in found.stdout
