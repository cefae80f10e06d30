"""Where indexes are kept, which ones a project has, and how one is brought up to date."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

from lean_extract.errors import BadSource
from lean_extract.source.project import find_sources
from lsp_server.models import model_folder
from retriever.encoder import Encoder
from retriever.index.build import IndexReport, update_index
from retriever.index.bundled import proof_rows, read_card, unpack, use_counts
from retriever.index.content import NO_PROOFS
from retriever.index.store import IndexStore

Progress = Callable[[str, int, int], None]
"""Hears (stage, done, total)."""
ShouldStop = Callable[[], bool]

first_use = logging.getLogger("premise_suggest.first_use")
"""Hears what is made once and takes a moment; the command line shows it."""

_PROJECT_FILES = ("lake-manifest.json", "lakefile.toml", "lakefile.lean")
_VARIABLE = "PREMISE_SUGGEST_INDEX"


def index_folder() -> Path:
    """Where indexes are kept: PREMISE_SUGGEST_INDEX, else the user's cache."""
    named = os.environ.get(_VARIABLE)
    return Path(named) if named else user_cache_path("premise-suggest", appauthor=False) / "index"


def project_store(root: Path) -> IndexStore:
    """The index of the project at `root`."""
    root = root.resolve()
    key = hashlib.sha256(str(root).encode()).hexdigest()[:12]
    return IndexStore(index_folder() / f"{root.name}-{key}")


def bundled_store() -> IndexStore:
    """The shipped Mathlib index, unpacked at first use.

    Raises IndexMissing, IndexDamaged, IndexWriteFailed.
    """
    folder = index_folder() / "bundled"
    if not any(folder.glob(f"*-{read_card().sha256[:16]}")):
        first_use.info("Unpacking the bundled Mathlib index (once) ...")
    return unpack(folder)


def holds_premises(store: IndexStore, package: str | None = None) -> bool:
    """Whether the index, or one that it includes, holds any premise (of this package).

    Raises IndexMissing, IndexDamaged.
    """
    manifest, segments = store.open()
    for segment, live in segments:
        dead = frozenset(live.dead_files)
        for number, file in enumerate(segment.files):
            if number not in dead and file.stop > file.start and package in (None, file.package):
                return True
    return any(holds_premises(IndexStore(Path(root)), package) for root in manifest.includes)


def needs_mathlib(root: Path) -> bool:
    """Whether the project says that it depends on Mathlib."""
    for name in _PROJECT_FILES:
        path = root / name
        if path.is_file() and "mathlib" in path.read_text(encoding="utf-8", errors="replace").lower():
            return True
    return False


def update_project(
    root: Path, model: str, progress: Progress, should_stop: ShouldStop, *, download: bool = False
) -> IndexReport:
    """Build or refresh the index of a project.

    Raises BadSource (no `.lean` file; nothing is written), IndexLocked, IndexWriteFailed, ModelError.
    """
    if not find_sources(root):
        raise BadSource(f"There is no .lean file under {root}.", "Give the folder of a Lean project.")
    encoder = Encoder.load(model_folder(model, download=download))
    bundled = bundled_store() if needs_mathlib(root) else None
    return update_index(
        root,
        project_store(root),
        encoder,
        progress=progress,
        should_stop=should_stop,
        shared=index_folder() / "packages",
        uses=use_counts(bundled) if bundled else None,
        proofs=proof_rows(bundled) if bundled else NO_PROOFS,
    )
