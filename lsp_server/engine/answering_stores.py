"""Decides which indexes answer for a project, and warns the user if some are missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import IndexDamaged, IndexMissing, PremiseIndexError
from lean_extract.source.projects.project import is_project_root, named_below, projects_at
from lean_extract.toolchains.core_sources import CORE_PACKAGES
from lean_extract.toolchains.elan import is_lean
from lsp_server.engine.freshness import MATHLIB, pinned_lean
from lsp_server.engine.stores import (
    bundled_store,
    holds_premises,
    libraries_root,
    needs_mathlib,
    project_store,
)
from retriever.models.encoder import fingerprint_of
from retriever.search.index.store import IndexStore

Stamp = tuple[int, int, int] | None
"""A stamp that changes when a store does."""


@dataclass(frozen=True, slots=True)
class AnsweringStores:
    """The stores that answer for a project; an earlier one takes precedence if two hold the same module."""

    stores: tuple[IndexStore, ...]
    note: str = ""
    """What should be searched but is not, and what to do about it; empty if nothing is missing."""
    awaited: tuple[IndexStore, Stamp] | None = None
    """The project's own store, which is missing or empty, and its stamp: once written it answers instead."""

    def is_outdated(self) -> bool:
        """Whether the project's own index, which was missing or empty, has been written since."""
        return self.awaited is not None and self.awaited[0].stamp() != self.awaited[1]


@dataclass(frozen=True, slots=True)
class AnsweringLibrary:
    """A published library that answers in place of the bundled index."""

    name: str
    """For people."""
    lean: str
    """The Lean version that it is for; empty if it names none."""
    store: IndexStore


def stores_for(root: Path | None, library: AnsweringLibrary | None = None) -> AnsweringStores:
    """The stores that answer for the project at `root`; None: fetched libraries and the bundled Mathlib index.

    A library answers after the project's own index, if there is one, and alone without a project.

    The bundled index also answers for a project whose own index holds nothing, for one that needs Mathlib
    and has not indexed it, and for the folder of a file outside of any project.

    Raises IndexMissing, IndexDamaged.
    """
    if library is not None:
        return AnsweringStores((library.store,)) if root is None else _with_library(root, library)
    if root is None:
        return _without_project()
    own = project_store(root)
    wants_mathlib = needs_mathlib(root)
    stamp, damage = own.stamp(), ""
    if stamp is None and not wants_mathlib and is_project_root(root):
        raise IndexMissing(f"There is no premise index for {root} yet.", _to_index(root))
    try:
        if stamp is not None and holds_premises(own):
            needs_bundled = wants_mathlib and not holds_premises(own, MATHLIB)
            return _with_bundled(own) if needs_bundled else AnsweringStores((own,))
    except IndexDamaged as error:  # then it counts as missing
        if not wants_mathlib and is_project_root(root):
            raise
        damage = error.message.removesuffix(".")
    exists = stamp is not None and not damage
    has_core = exists and any(holds_premises(own, package) for package in CORE_PACKAGES)
    why = damage or _why_nothing_answers(root, exists=exists, wants_mathlib=wants_mathlib)
    searched = "Mathlib's names and Lean's core" if has_core else "Mathlib's names"
    note = f"{why}, so only {searched} were searched. {_to_index(root)}"
    stores = (own, bundled_store()) if has_core else (bundled_store(),)
    return AnsweringStores(stores, note, (own, stamp))


def _without_project() -> AnsweringStores:
    """Libraries that were fetched by their address, and the bundled index unless Mathlib is among them."""
    fetched = project_store(libraries_root())
    try:
        if fetched.stamp() is None or not holds_premises(fetched):
            return AnsweringStores((bundled_store(),))
        stores = (fetched,) if holds_premises(fetched, MATHLIB) else (fetched, bundled_store())
        return AnsweringStores(stores)
    except IndexDamaged as error:
        note = f"The libraries that were fetched were not searched. {error.message} Fetch one again: "
        return AnsweringStores((bundled_store(),), f"{note}`premise-suggest setup --git ADDRESS`.")


def without_misfits(chosen: AnsweringStores, root: Path | None, model: Path) -> AnsweringStores:
    """The same stores, without the bundled index if the user's own model cannot search it.

    Args:
        model: the folder of the model.

    Raises IndexMissing, IndexDamaged, ModelError.
    """
    if len(chosen.stores) == 1:
        return chosen
    own, bundled = chosen.stores
    manifest = bundled.manifest()
    if not manifest.is_bundled or manifest.fingerprint == fingerprint_of(model):
        return chosen
    note = (
        "The bundled Mathlib index belongs to the shipped model, so only the project's own index was "
        "searched. To have Mathlib's lemmas as well, put it under .lake/packages (`lake update`) and run "
        f"`premise-suggest index {root}`."
    )
    return replace(chosen, stores=(own,), note=note)


def _with_library(root: Path, library: AnsweringLibrary) -> AnsweringStores:
    """A project's own index, if it holds anything, and a published library."""
    own = project_store(root)
    stamp, why = own.stamp(), ""
    if stamp is None:
        why = f"{root} has no index on this machine"
    else:
        try:
            if holds_premises(own):
                return AnsweringStores((own, library.store), _other_lean(root, library))
            why = f"The index of {root} holds no premises of its own"
        except IndexDamaged as error:  # then it counts as missing
            why = error.message.removesuffix(".")
    note = f"{why}, so only the library {library.name} was searched. {_to_index(root)}"
    notes = (_other_lean(root, library), note if is_project_root(root) else "")
    return AnsweringStores((library.store,), " ".join(filter(None, notes)), (own, stamp))


def _other_lean(root: Path, library: AnsweringLibrary) -> str:
    lean = pinned_lean(root)
    if not lean or not library.lean or is_lean(library.lean, lean):
        return ""
    return f"The library {library.name} is for Lean {library.lean}; the project has {lean}."


def _with_bundled(own: IndexStore) -> AnsweringStores:
    """A project's own index and the bundled one; only the former if the bundled one cannot be read."""
    try:
        return AnsweringStores((own, bundled_store()))
    except PremiseIndexError as error:
        return AnsweringStores((own,), f"Mathlib's names were not searched. {error}")


def _to_index(root: Path) -> str:
    """What to do if a folder has no index: projects below it may be meant."""
    found = projects_at(root, loose=True)
    if found == (root,):
        return f"Run: premise-suggest index {root}"
    return f"{named_below(found)} Ask in a file of {'it' if len(found) == 1 else 'one of them'}."


def _why_nothing_answers(root: Path, *, exists: bool, wants_mathlib: bool) -> str:
    if exists:
        return f"The index of {root} holds no premises of its own"
    if wants_mathlib:
        return f"The index of {root} is not built yet"
    return f"{root} is not a Lean project (no lakefile, no lean-toolchain) and has no index"
