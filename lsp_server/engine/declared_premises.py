"""Checks ranked premises against the current files: which still exist, and which rest on `sorry`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.lru import Cache
from lean_extract.source.open_file import resting_on_sorry
from lean_extract.source.reader import read_file
from lsp_server.engine.indexed_files import IndexedFiles, size_and_time
from retriever.lean.goal_context import GoalContext
from retriever.lean.offer import RankedPremise
from retriever.lean.service import PremiseService
from retriever.lean.unproved import Unproved

_KEPT = 64
"""Files."""


class DeclaredPremises:
    """Checks rankings against the files of one project. Safe in several threads.

    Args:
        root: the project's; None: no project, so no file is newer than the index.
    """

    def __init__(self, service: PremiseService, root: Path | None, files: IndexedFiles) -> None:
        self._service = service
        self._root = root
        self._files = files
        self._names: Cache[frozenset[str]] = Cache(_KEPT)
        self._unproved = Unproved()

    def checked(self, ranked: list[RankedPremise], context: GoalContext | None) -> list[RankedPremise]:
        """The ranking without premises that are gone; those that rest on `sorry` are marked."""
        unproved = self._unproved_by_module(context)
        return [
            replace(one, rests_on_sorry=True)
            if one.premise.name in unproved.get(one.premise.module, ())
            else one
            for one in self._still_declared(ranked, context)
        ]

    def unproved(self, context: GoalContext | None) -> frozenset[str]:
        """The declarations that rest on `sorry`."""
        return frozenset().union(*self._unproved_by_module(context).values())

    def _unproved_by_module(self, context: GoalContext | None) -> dict[str, frozenset[str]]:
        with self._service.reading() as snapshot:
            unproved = dict(self._unproved.by_module(snapshot.view))
        if context is not None and context.shows_file and context.module and context.source is not None:
            others = (names for module, names in unproved.items() if module != context.module)
            unproved[context.module] = resting_on_sorry(context.source, frozenset().union(*others))
        return unproved

    def _still_declared(
        self, ranked: list[RankedPremise], context: GoalContext | None
    ) -> list[RankedPremise]:
        """The ranking without premises that were removed or renamed since their files were indexed.

        Of these files only those are read that declare one of the ranked premises.
        """
        stale = frozenset(self._files.freshness().stale_files) if self._root is not None else frozenset()
        if self._root is None or not stale:
            return ranked
        own = context.module if context else None
        with self._service.reading() as snapshot:
            files = {f.module: f.path for f in snapshot.view.live_files if f.path in stale}
        files.pop(own or "", None)  # the open file's declarations are known from its text
        declared = {
            module: self._declared_in(self._root / files[module], module)
            for module in {one.premise.module for one in ranked} & files.keys()
        }
        return [
            one
            for one in ranked
            if one.premise.module not in declared or one.premise.name in declared[one.premise.module]
        ]

    def _declared_in(self, path: Path, module: str) -> frozenset[str]:
        key = (path, size_and_time(path))
        names = self._names.get(key)
        if names is None:
            try:
                names = frozenset(premise.name for premise in read_file(path, module).premises)
            except BadSource:  # deleted, or not text any more
                names = frozenset()
            self._names.put(key, names)
        return names
