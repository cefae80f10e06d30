"""Finds the model and the indexes of a project."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

import retriever
from lean_extract.common.errors import (
    BadSource,
    NoCoreSources,
    PremiseIndexError,
    UserError,
)
from lean_extract.common.files.settings_files import settings_text
from lean_extract.common.terminal_text import shown
from lean_extract.toolchains import packaged
from lean_extract.toolchains.core_sources import CORE_PACKAGES, MINI_CORE, CoreSources, find_core
from lean_extract.toolchains.elan import is_lean, version_in
from lean_extract.toolchains.toolchain import ELAN, asked_toolchain
from retriever.lean.index.bundled import unpack
from retriever.models.hub import find_model
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.segment import Segment
from retriever.search.index.store import IndexStore

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""
ShouldStop = Callable[[], bool]

first_use = logging.getLogger("premise_suggest.first_use")
"""Called with a line of text before a one-time task that takes a moment; the command line prints it."""

_PROJECT_FILES = ("lake-manifest.json", "lakefile.toml", "lakefile.lean")
_INDEX_VARIABLE = "PREMISE_SUGGEST_INDEX"
_SHOWN_LETTERS = 50
"""Of a project's name in that of its index's folder."""


def index_folder() -> Path:
    """The folder of all indexes: PREMISE_SUGGEST_INDEX, else in the user's cache."""
    named = os.environ.get(_INDEX_VARIABLE)
    return Path(named).absolute() if named else user_cache_path("premise-suggest", appauthor=False) / "index"


def project_store(root: Path) -> IndexStore:
    """The index of the project at `root`."""
    root = root.resolve()
    key = hashlib.sha256(str(root).encode()).hexdigest()[:12]
    return IndexStore(index_folder() / f"{root.name[:_SHOWN_LETTERS]}-{key}")


def record_folder(root: Path) -> Path:
    """Where `fill` and `repair` keep what they know of a project."""
    return user_cache_path("premise-suggest", appauthor=False) / "fill" / project_store(root).root.name


def bundled_store() -> IndexStore:
    """The shipped Mathlib index, unpacked at first use, and again if the unpacked copy is damaged.

    Raises IndexMissing, IndexDamaged, IndexWriteFailed.
    """
    return unpack(index_folder() / "bundled", tell=first_use.info)


def libraries_root() -> Path:
    """The root of the Lake project whose packages are the libraries that were fetched by their address."""
    return index_folder() / "libraries"


def shared_folder() -> Path:
    """The folder of package indexes that projects share."""
    return index_folder() / "packages"


def holds_premises(store: IndexStore, package: str | None = None) -> bool:
    """Whether the index, or one that it includes, holds any premise (of this package).

    Lean's core, which every project has, counts only if it is named. Raises IndexMissing,
    IndexDamaged.
    """
    manifest, segments = store.open()
    if _hold(segments, package):
        return True
    for included in map(IndexStore, map(Path, manifest.includes)):
        with suppress(PremiseIndexError):  # it is left out of what answers, too
            if _hold(included.open()[1], package):
                return True
    return False


def _hold(segments: Sequence[tuple[Segment, LiveSegment]], package: str | None) -> bool:
    for segment, live in segments:
        dead = frozenset(live.dead_files)
        for number, file in enumerate(segment.files):
            is_meant = file.package not in CORE_PACKAGES if package is None else file.package == package
            if is_meant and number not in dead and file.stop > file.start:
                return True
    return False


def indexed_core(store: IndexStore) -> tuple[str, str] | None:
    """(package, revision) of Lean's core as an index includes it; None without core or index.

    Raises IndexMissing (an index that it includes is missing), IndexDamaged.
    """
    if store.stamp() is None:
        return None
    for root in store.manifest().includes:
        _, segments = IndexStore(Path(root)).open()
        for segment, _ in segments:
            for file in segment.files:
                if file.package in CORE_PACKAGES:
                    return file.package, file.revision
    return None


def needs_mathlib(root: Path) -> bool:
    """Whether the project depends on Mathlib, by its files."""
    within = (os.path.realpath(root),)
    for name in _PROJECT_FILES:
        with suppress(BadSource):  # reported where the project's sources are searched
            if "mathlib" in settings_text(root / name, within).lower():
                return True
    return False


def project_core(root: Path, lean: str = "", environment: Mapping[str, str] = os.environ) -> CoreSources:
    """Lean's own library as the project at `root` has it; `lean` is the setting `lean.command`.

    Raises BadSettings, LeanNotFound, NoCoreSources.
    """
    core = find_core(root, override=lean or None, environment=environment)
    if core.package == MINI_CORE and needs_mathlib(root):
        raise NoCoreSources(
            f"{root} needs Mathlib, which does not build on the mini core, and no other Lean was found.",
            f"Install Lean with elan: {ELAN}",
        )
    wanted = asked_toolchain(root) if core.package == MINI_CORE else None
    if wanted is not None and not is_lean(packaged.lean_version(), version_in(wanted[0])):
        raise NoCoreSources(
            f"{root} asks for {wanted[0]}, which was not found. The packaged Lean's mini core, "
            f"{packaged.MINI_CORE_IS}, is not its library.",
            f"Install {wanted[0]} with elan: {ELAN}",
        )
    return core


SHIPPED_MODEL = Path(retriever.__path__[0]) / "data" / "encoder"
"""The model folder that comes with the package."""
_MODEL_VARIABLE = "PREMISE_SUGGEST_MODEL"


def model_folder(setting: str, *, download: bool = False) -> Path:
    """The encoder's folder: the one that is set (PREMISE_SUGGEST_MODEL counts, too), else the shipped one.

    A name of the hub is looked up in the hub's cache, and fetched if `download` is set. Raises ModelError.
    """
    if setting:
        return find_model(setting, download=download)
    named = os.environ.get(_MODEL_VARIABLE)
    return find_model(named, download=download, named_by=_MODEL_VARIABLE) if named else SHIPPED_MODEL


_NAME = re.compile(r"\w[\w.-]{0,63}")
_MOST_BYTES = 240
"""File systems allow 255 in the name of a folder."""


def is_plain_name(name: str) -> bool:
    """Whether a name is plain and short."""
    return _NAME.fullmatch(name) is not None and len(name.encode()) <= _MOST_BYTES


def checked_name(name: str, of: str, hint: str = "") -> str:
    """The name. Raises UserError: it is not plain and short.

    Args:
        of: what it is to be the name of, such as `collection`.
        hint: what to do; by default, what a name may hold.
    """
    if not is_plain_name(name):
        form = "Use letters, digits, dots, hyphens and underscores, at most 64 (fewer where one takes four bytes)."
        raise UserError(f"`{shown(name, longest=80)}` cannot be the name of a {of}.", hint or form)
    return name
