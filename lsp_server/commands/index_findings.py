"""The part of `doctor` that checks indexes: the project's, Lean's core in it, and the bundled one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from lean_extract.common.errors import (
    BadSettings,
    IndexDamaged,
    IndexMissing,
    LeanError,
    ModelError,
    PremiseSuggestError,
)
from lean_extract.toolchains.core_sources import CORE_PACKAGES
from lsp_server.commands.findings import Finding, IndexReading
from lsp_server.engine.current_files import freshness
from lsp_server.engine.freshness import dated
from lsp_server.engine.indexing import core_package
from lsp_server.engine.stores import index_folder, indexed_core, project_core, project_store, shared_folder
from lsp_server.limits import INDEX_CHECK_SECONDS
from lsp_server.rendering.labels import counted
from retriever.lean.freshness import Freshness
from retriever.lean.index.build import complete_report
from retriever.lean.index.bundled import check_fits, read_card, read_part, unpack, verify_unpacked
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder

LEAN_CORE = "Lean core"
"""The name of the finding about Lean's own library."""
REINSTALL = "install premise-suggest again from where you have it (a clone: git checkout retriever/data)"
"""How to fix files that came with the installation."""


def project_index_finding(root: Path, model: Path, reading: IndexReading) -> Finding:
    """Check whether the project has an index that is intact and up to date."""
    command = f"premise-suggest index {shlex.quote(str(root))}"
    store = project_store(root)
    try:
        if damage := store.verify(reading.go_on):
            return Finding("index", "missing", _damage_text(damage), command)
        manifest, _ = store.open(Encoder.load(model).fingerprint)
        fresh = freshness(PremiseService.open([store], model), root)
    except PremiseSuggestError as error:
        return Finding("index", "missing", error.message, command)
    total = sum(source.premises for source in fresh.sources if source.package not in CORE_PACKAGES)
    contents = f"{counted(total, 'premise')} of {root}, written {fresh.built_at}"
    reasons = list(_why_outdated(manifest.complete, fresh))
    if reasons:
        return Finding("index", "note", "; ".join([contents, *reasons]), command)
    return Finding("index", "ok", f"{contents}, up to date, in {store.root}{_unread(reading)}")


def _damage_text(damage: Sequence[str]) -> str:
    """The first damaged file, and the number of others."""
    more = f", and {counted(len(damage) - 1, 'file')} more" if len(damage) > 1 else ""
    return f"it is damaged: {damage[0].rstrip('.')}{more}"


def _unread(reading: IndexReading) -> str:
    return "" if reading.is_whole else f" (not all of it was read within {INDEX_CHECK_SECONDS:.0f} s)"


def lean_core_finding(root: Path, lean_command: str, model: Path) -> Finding:
    """Check whether Lean's own library (Init and Std) is in the project's index."""
    try:
        core = project_core(root, lean_command)
    except (BadSettings, LeanError) as error:
        return Finding(LEAN_CORE, "note", error.message, error.hint)
    command = f"premise-suggest index {shlex.quote(str(root))}"
    if lean_command:
        command += f" --lean {shlex.quote(lean_command)}"
    package = core_package(core)
    try:
        found = indexed_core(project_store(root))
        if found is None:
            return Finding(LEAN_CORE, "note", f"{core.title} is not in the index yet", command)
        if found != (package.name, package.revision):
            return Finding(LEAN_CORE, "note", f"the index has {found[1]}, not {core.title}", command)
        fingerprint = Encoder.load(model).fingerprint
        read = complete_report(package, package.store(shared_folder(), fingerprint), fingerprint)
    except PremiseSuggestError as error:
        return Finding(LEAN_CORE, "note", error.message, command)
    if read is None:
        message = f"{core.title} has changed since it was read, or was not read completely"
        return Finding(LEAN_CORE, "note", message, command)
    libraries = " and ".join(core.libraries)
    contents = f"{counted(read.documents, 'premise')} of {core.title} ({libraries}), from {core.root}"
    return Finding(LEAN_CORE, "ok", contents)


def _why_outdated(complete: bool, fresh: Freshness) -> Iterator[str]:
    """Why the index is not up to date."""
    if fresh.unindexed_files:
        number = len(fresh.unindexed_files)
        yield f"{counted(number, 'file')} {'is' if number == 1 else 'are'} not in the index yet"
    elif not complete:
        yield "it was stopped before it was complete"
    if fresh.stale_files:
        number = len(fresh.stale_files)
        yield f"{counted(number, 'file')} {'has' if number == 1 else 'have'} changed since"
    if fresh.without_steps:
        files = counted(fresh.without_steps, "file")
        yield f"an older version kept no proof steps, votes or doc strings of {files}"


def bundled_finding(model: Path | None, data: Path, reading: IndexReading) -> Finding:
    """Check the shipped parts and their unpacked copy, which is replaced if it is damaged.

    `model` is the folder of a usable model, with which the index must then be compatible.
    """
    name = "bundled Mathlib"
    try:
        bundle = read_card(data)
    except IndexMissing as error:
        return Finding(name, "note", error.message, error.hint)
    try:
        for part in bundle.parts:
            read_part(data, part, bundle)
    except IndexDamaged as error:
        return Finding(name, "missing", error.message, REINSTALL)
    if model is not None:
        try:
            check_fits(bundle, Encoder.load(model).fingerprint)
        except ModelError as error:
            return Finding(name, "note", error.message, error.hint)
    folder = index_folder() / "bundled"
    if damage := verify_unpacked(folder, bundle, reading.go_on):
        unpack(folder, data)
        return Finding(name, "note", f"{_damage_text(damage)}; it was unpacked again")
    contents = f"{counted(bundle.premises, 'name')} of Mathlib {dated(bundle.revision)}, for --state"
    return Finding(name, "ok", f"{contents}, kept in {index_folder()}{_unread(reading)}")
