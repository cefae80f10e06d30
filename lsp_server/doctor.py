"""What is set up on this machine and for a project, what is missing, and the command that mends it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from lean_extract.errors import PremiseSuggestError
from lean_extract.toolchain import resolve_lean
from lsp_server import __version__
from lsp_server.knowledge import SHIPPED_MODEL, index_folder, model_folder, needs_mathlib, project_store
from lsp_server.render import Style
from retriever.encoder import Encoder
from retriever.index import hnsw
from retriever.index.bundled import check_fits, read_card
from retriever.service import PremiseService

Status = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `note` can be lived with; `missing` cannot. `fix` mends it."""

    name: str
    status: Status
    message: str
    fix: str = ""


def examine(root: Path, lean_command: str = "", model: str = "") -> list[Finding]:
    """Look at everything; never raises for what is missing."""
    return [
        Finding("premise-suggest", "ok", f"{__version__} on Python {platform.python_version()}"),
        _checked("lean", lambda: _lean(root, lean_command)),
        _checked("model", lambda: _model(model)),
        _checked("index", lambda: _index(root, model)),
        _checked("bundled Mathlib", lambda: _bundled(root, model), soft=True),
        _hnsw(),
    ]


def _checked(name: str, look: Callable[[], Finding], *, soft: bool = False) -> Finding:
    try:
        return look()
    except PremiseSuggestError as error:
        return Finding(name, "note" if soft else "missing", error.message, error.hint)


def _lean(root: Path, command: str) -> Finding:
    toolchain = resolve_lean(root, override=command or None)
    said = f"{toolchain.version or 'a Lean'} ({toolchain.kind}). {toolchain.reason}"
    if toolchain.kind != "packaged" or not needs_mathlib(root):
        return Finding("lean", "ok", said)
    return Finding(
        "lean",
        "note",
        f"{said} It has no Mathlib, which {root} needs.",
        "Install Lean with elan: https://lean-lang.org/install",
    )


def _model(setting: str) -> Finding:
    folder = model_folder(setting)
    encoder = Encoder.load(folder)
    which = "as shipped" if folder == SHIPPED_MODEL else f"from {folder}"
    return Finding("model", "ok", f"{encoder.fingerprint}, {encoder.dimension} dimensions, {which}")


def _index(root: Path, setting: str) -> Finding:
    command = f"premise-suggest index {root}"
    store = project_store(root)
    fingerprint = Encoder.load(model_folder(setting)).fingerprint
    try:
        manifest, _ = store.open(fingerprint)
        fresh = PremiseService.open([store], model_folder(setting)).freshness()
    except PremiseSuggestError as error:
        return Finding("index", "missing", error.message, command)
    total = sum(source.premises for source in fresh.sources)
    said = f"{total:,} premises of {root}, written {fresh.built_at}"
    if not manifest.complete:
        return Finding("index", "note", f"{said}; it was stopped before its end", command)
    if fresh.stale_files:
        return Finding("index", "note", f"{said}; {len(fresh.stale_files)} files have changed since", command)
    return Finding("index", "ok", f"{said}, up to date, in {store.root}")


def _bundled(root: Path, setting: str) -> Finding:
    bundle = read_card()
    check_fits(bundle, Encoder.load(model_folder(setting)).fingerprint)
    said = f"{bundle.premises:,} names of Mathlib {bundle.revision} for --state, kept in {index_folder()}"
    return Finding("bundled Mathlib", "ok", said)


def _hnsw() -> Finding:
    if hnsw.available():
        return Finding("hnswlib", "ok", "installed; large indexes are searched by HNSW")
    message = "not installed; every search is exact, which is right but slower on very large indexes"
    return Finding("hnswlib", "note", message, "pip install 'premise-suggest[hnsw]' (needs a C++ compiler)")


def report(findings: list[Finding], style: Style) -> str:
    """The findings for a person."""
    return "\n".join(line for finding in findings for line in _lines(finding, style)) + "\n"


def _lines(finding: Finding, style: Style) -> Iterator[str]:
    mark = {"ok": style.good("ok     "), "note": style.caution("note   ")}.get(
        finding.status, style.caution("MISSING")
    )
    yield f"{mark}  {style.bold(finding.name)}: {finding.message}"
    if finding.fix:
        yield f"         to mend it: {finding.fix}"


def to_json(findings: list[Finding]) -> list[dict[str, str]]:
    """The findings as plain JSON values."""
    return [asdict(finding) for finding in findings]
