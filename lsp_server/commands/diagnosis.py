"""Examines this machine and a project: what is set up, what is missing, and how to fix it."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError, PremiseSuggestError, ProjectBroken
from lean_extract.common.terminal_text import pip_install
from lean_extract.source.projects.packages import read_layout
from lean_extract.source.projects.project import named_below
from lean_extract.toolchains.lake_packages import refuse_fetching
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server import __version__
from lsp_server.commands.client_variables import client_variables
from lsp_server.commands.device_findings import device_finding, onnxruntime_finding
from lsp_server.commands.findings import Finding, IndexReading
from lsp_server.commands.index_findings import (
    LEAN_CORE,
    REINSTALL,
    bundled_finding,
    lean_core_finding,
    project_index_finding,
)
from lsp_server.engine.generators import SHIPPED_GENERATOR, generator_folder
from lsp_server.engine.stores import SHIPPED_MODEL, model_folder, needs_mathlib
from prover.opening import open_folder
from retriever.lean.features import load_fusion
from retriever.lean.index.bundled import DATA
from retriever.models.encoder import Encoder
from retriever.search.index import hnsw


def _silent(sentence: str) -> None:
    """Report nothing."""


def examine(
    root: Path,
    lean_command: str = "",
    model: str = "",
    data: Path = DATA,
    report: Callable[[str], None] = _silent,
    device: Device = "auto",
    below: Sequence[Path] = (),
) -> list[Finding]:
    """Check everything. Something that is missing is a finding, not an error.

    Args:
        data: the folder of the bundled index.
        report: called with a sentence from time to time if it takes long.
        device: where models are to run.
        below: the projects below `root`, if it is not one itself: they are named, and no index is checked.
    """
    folder: Path | None = None
    try:
        folder = model_folder(model)
        model_found = _model(folder)
    except PremiseSuggestError as error:
        model_found = Finding("model", "missing", error.message, error.hint)
    findings = [
        Finding("premise-suggest", "ok", f"{__version__} on Python {platform.python_version()}"),
        _checked("lean", lambda: _lean(root, lean_command)),
        onnxruntime_finding(),
        device_finding(device),
        model_found,
    ]
    usable = folder if model_found.status == "ok" else None
    if below:
        findings.append(_project_finding(root, below))
    elif usable is not None:
        findings.append(_checked("index", lambda: project_index_finding(root, usable, IndexReading(report))))
        findings.append(lean_core_finding(root, lean_command, usable))
    else:
        unchecked = "not checked: the model is damaged or missing"
        findings += [Finding(name, "note", unchecked) for name in ("index", LEAN_CORE)]
    bundled = _checked("bundled Mathlib", lambda: bundled_finding(usable, data, IndexReading(report)))
    found = [*findings, bundled, _checked("generator", _generator), _hnsw()]
    return [*found, *_public_searches(root)]


def _project_finding(root: Path, projects: Sequence[Path]) -> Finding:
    message = f"{root} is not a Lean project itself. {named_below(projects)}"
    return Finding("project", "note", message, f"premise-suggest doctor {shlex.quote(str(projects[0]))}")


def _checked(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except PremiseSuggestError as error:
        return Finding(name, "missing", error.message, error.hint)


def _lean(root: Path, command: str) -> Finding:
    toolchain = resolve_lean(root, override=command or None)
    found = (
        f"{toolchain.version or 'a Lean'} ({toolchain.kind}). {toolchain.reason} {toolchain.library}".rstrip()
    )
    if toolchain.kind == "packaged" and needs_mathlib(root):
        return Finding("lean", "note", f"{found} It has no Mathlib, which {root} needs.", toolchain.install)
    if toolchain.in_place_of:
        return Finding("lean", "note", found, toolchain.install)
    if toolchain.runs_lake:
        try:
            refuse_fetching(root)
        except ProjectBroken as error:
            return Finding("lean", "note", f"{found} {error.message}", error.hint)
    return Finding("lean", "ok", found)


def _model(folder: Path) -> Finding:
    encoder = Encoder.load(folder)
    load_fusion(folder)
    which = "as shipped" if folder == SHIPPED_MODEL else f"from {folder}"
    return Finding("model", "ok", f"{encoder.fingerprint}, {encoder.dimension} dimensions, {which}")


def _generator() -> Finding:
    try:
        folder = generator_folder("")
        if folder is None:
            message = "none is shipped here; tactics come from templates only"
            return Finding("generator", "note", message, REINSTALL)
        fingerprint = open_folder(folder).fingerprint
    except ModelError as error:  # templates work without it
        return Finding("generator", "note", error.message, error.hint)
    which = "as shipped" if folder == SHIPPED_GENERATOR else f"from {folder}"
    return Finding("generator", "ok", f"{fingerprint}, {which}")


def _public_searches(root: Path) -> Iterator[Finding]:
    """How a project with LeanSearchClient can have this machine answer its searches."""
    if any(package.name == "LeanSearchClient" for package in read_layout(root).packages):
        message = (
            "#leansearch, #loogle and #statesearch use public servers; `premise-suggest http` answers them here, from "
            "your own index"
        )
        yield Finding(
            "LeanSearchClient", "note", message, f"where the editor is started: {client_variables()}"
        )


def _hnsw() -> Finding:
    if hnsw.available():
        return Finding("hnswlib", "ok", "installed; large indexes are searched with HNSW")
    message = "not installed; every search is exact, which is slower on very large indexes"
    return Finding("hnswlib", "note", message, f"{pip_install('hnsw')} (needs a C++ compiler)")
