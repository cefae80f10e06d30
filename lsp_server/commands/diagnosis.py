"""What is set up on this machine and for a project, what is missing, and the command that mends it."""

from __future__ import annotations

import hashlib
import platform
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from lean_extract.errors import BadSettings, IndexMissing, LeanError, ModelError, PremiseSuggestError
from lean_extract.files.reading import said_size
from lean_extract.telling import pip_install
from lean_extract.toolchains.core_sources import CORE_PACKAGES
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server import __version__
from lsp_server.engine.freshness import dated
from lsp_server.engine.generators import SHIPPED_GENERATOR, generator_folder
from lsp_server.engine.indexed_files import freshness
from lsp_server.engine.models import SHIPPED_MODEL, model_folder
from lsp_server.engine.stores import (
    core_package,
    index_folder,
    indexed_core,
    needs_mathlib,
    project_core,
    project_store,
    shared_folder,
)
from lsp_server.rendering.labels import counted
from lsp_server.rendering.style import Style
from prover.generator.model import Generator
from retriever.lean.features import load_fusion
from retriever.lean.freshness import Freshness
from retriever.lean.index.build import settled
from retriever.lean.index.bundled import ARCHIVE, DATA, check_fits, read_card, unpack, verify_unpacked
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.index import hnsw

Status = Literal["ok", "note", "missing"]
_CORE = "Lean core"
_TELL_SECONDS, _MOST_SECONDS = 1.0, 60.0
_REINSTALL = "install premise-suggest again from where you have it (a clone: git checkout retriever/data)"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `note` can be lived with; `missing` cannot. `fix` mends it."""

    name: str
    status: Status
    message: str
    fix: str = ""


class IndexReading:
    """Reads an index to its end, as far as that can be done soon, and tells how far it is.

    Args:
        tell: hears a sentence now and then where it takes long.
        limit: seconds after which the rest is left unread.
        every: seconds between two sentences.
    """

    def __init__(
        self, tell: Callable[[str], None], limit: float = _MOST_SECONDS, every: float = _TELL_SECONDS
    ) -> None:
        self._tell = tell
        self._limit, self._every = limit, every
        self._began = self._told = time.monotonic()
        self._read = 0
        self.is_whole = True
        """Whether all was read."""

    def go_on(self, count: int) -> bool:
        """Take in that so many bytes were read; whether there is time for more."""
        self._read += count
        now = time.monotonic()
        if now - self._told > self._every:
            self._told = now
            self._tell(f"Reading the index to find damage: {said_size(self._read)} ...")
        self.is_whole = self.is_whole and now - self._began < self._limit
        return self.is_whole


def _quietly(said: str) -> None:
    """Tell nobody."""


def examine(
    root: Path,
    lean_command: str = "",
    model: str = "",
    data: Path = DATA,
    tell: Callable[[str], None] = _quietly,
) -> list[Finding]:
    """Look at everything; never raises for what is missing.

    Args:
        data: the folder of the bundled index.
        tell: hears how far it is where that takes long.
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
        model_found,
    ]
    usable = folder if model_found.status == "ok" else None
    if usable is not None:
        findings.append(_checked("index", lambda: _index(root, usable, IndexReading(tell))))
        findings.append(_lean_core(root, lean_command, usable))
    else:
        unchecked = "not checked: the model is damaged or missing"
        findings += [Finding(name, "note", unchecked) for name in ("index", _CORE)]
    bundled = _checked("bundled Mathlib", lambda: _bundled(usable, data, IndexReading(tell)))
    return [*findings, bundled, _checked("generator", _generator), _hnsw()]


def _checked(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except PremiseSuggestError as error:
        return Finding(name, "missing", error.message, error.hint)


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


def _model(folder: Path) -> Finding:
    encoder = Encoder.load(folder)
    load_fusion(folder)
    which = "as shipped" if folder == SHIPPED_MODEL else f"from {folder}"
    return Finding("model", "ok", f"{encoder.fingerprint}, {encoder.dimension} dimensions, {which}")


def _generator() -> Finding:
    try:
        folder = generator_folder("")
        if folder is None:
            said = "none is shipped here; tactics come from templates alone"
            return Finding("generator", "note", said, _REINSTALL)
        fingerprint = Generator.load(folder).fingerprint
    except ModelError as error:  # templates go on without it
        return Finding("generator", "note", error.message, error.hint)
    which = "as shipped" if folder == SHIPPED_GENERATOR else f"from {folder}"
    return Finding("generator", "ok", f"{fingerprint}, {which}")


def _index(root: Path, model: Path, reading: IndexReading) -> Finding:
    command = f"premise-suggest index {shlex.quote(str(root))}"
    store = project_store(root)
    try:
        if damage := store.verify(reading.go_on):
            return Finding("index", "missing", _told(damage), command)
        manifest, _ = store.open(Encoder.load(model).fingerprint)
        fresh = freshness(PremiseService.open([store], model), root)
    except PremiseSuggestError as error:
        return Finding("index", "missing", error.message, command)
    total = sum(source.premises for source in fresh.sources if source.package not in CORE_PACKAGES)
    said = f"{counted(total, 'premise')} of {root}, written {fresh.built_at}"
    amiss = list(_amiss(manifest.complete, fresh))
    if amiss:
        return Finding("index", "note", "; ".join([said, *amiss]), command)
    return Finding("index", "ok", f"{said}, up to date, in {store.root}{_unread(reading)}")


def _told(damage: Sequence[str]) -> str:
    """The first of what is wrong, and how much more there is."""
    more = f", and {counted(len(damage) - 1, 'file')} more" if len(damage) > 1 else ""
    return f"it is damaged: {damage[0].rstrip('.')}{more}"


def _unread(reading: IndexReading) -> str:
    return "" if reading.is_whole else f" (not all of it was read within {_MOST_SECONDS:.0f} s)"


def _lean_core(root: Path, lean_command: str, model: Path) -> Finding:
    """Whether what Lean itself declares (Init and Std) is in the project's index."""
    try:
        core = project_core(root, lean_command)
    except (BadSettings, LeanError) as error:
        return Finding(_CORE, "note", error.message, error.hint)
    command = f"premise-suggest index {shlex.quote(str(root))}"
    if lean_command:
        command += f" --lean {shlex.quote(lean_command)}"
    package = core_package(core)
    try:
        found = indexed_core(project_store(root))
        if found is None:
            return Finding(_CORE, "note", f"{core.title} is not in the index yet", command)
        if found != (package.name, package.revision):
            return Finding(_CORE, "note", f"the index has another than {core.title}: {found[1]}", command)
        fingerprint = Encoder.load(model).fingerprint
        read = settled(package, package.store(shared_folder(), fingerprint), fingerprint)
    except PremiseSuggestError as error:
        return Finding(_CORE, "note", error.message, command)
    if read is None:
        message = f"{core.title} has changed since it was read, or was not read to its end"
        return Finding(_CORE, "note", message, command)
    libraries = " and ".join(core.libraries)
    said = f"{counted(read.documents, 'premise')} of {core.title} ({libraries}), from {core.root}"
    return Finding(_CORE, "ok", said)


def _amiss(complete: bool, fresh: Freshness) -> Iterator[str]:
    """Why the index is not up to date."""
    if fresh.unindexed_files:
        number = len(fresh.unindexed_files)
        yield f"{counted(number, 'file')} {'is' if number == 1 else 'are'} not in the index yet"
    elif not complete:
        yield "it was stopped before its end"
    if fresh.stale_files:
        number = len(fresh.stale_files)
        yield f"{counted(number, 'file')} {'has' if number == 1 else 'have'} changed since"


def _bundled(model: Path | None, data: Path, reading: IndexReading) -> Finding:
    """The shipped archive itself is read, and the copy that was unpacked, which is replaced if it is damaged.

    `model` is the folder of one that can be used, which the index then has to fit.
    """
    name = "bundled Mathlib"
    try:
        bundle = read_card(data)
    except IndexMissing as error:
        return Finding(name, "note", error.message, error.hint)
    archive = data / ARCHIVE
    try:
        with archive.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return Finding(name, "missing", f"{archive} cannot be read: {error.strerror}", _REINSTALL)
    if digest != bundle.sha256:
        return Finding(name, "missing", f"{archive} was altered or cut off", _REINSTALL)
    if model is not None:
        try:
            check_fits(bundle, Encoder.load(model).fingerprint)
        except ModelError as error:
            return Finding(name, "note", error.message, error.hint)
    folder = index_folder() / "bundled"
    if damage := verify_unpacked(folder, bundle, reading.go_on):
        unpack(folder, data)
        return Finding(name, "note", f"{_told(damage)}; it was unpacked again")
    said = f"{counted(bundle.premises, 'name')} of Mathlib {dated(bundle.revision)}, for --state"
    return Finding(name, "ok", f"{said}, kept in {index_folder()}{_unread(reading)}")


def _hnsw() -> Finding:
    if hnsw.available():
        return Finding("hnswlib", "ok", "installed; large indexes are searched by HNSW")
    message = "not installed; every search is exact, which is right but slower on very large indexes"
    return Finding("hnswlib", "note", message, f"{pip_install('hnsw')} (needs a C++ compiler)")


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
