"""Numbers for modules and premises, which LeanPremise's clients use instead of names.

A client asks for the lists once and keeps them, so a number means the same name for as long as the server
runs: what is indexed later comes behind, and what goes keeps its number.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable

from retriever.lean.snapshot import Snapshot


class _Names:
    """Names, numbered in order of arrival."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._known: set[str] = set()
        self.json = b"[]"

    def add(self, names: Iterable[str]) -> None:
        fresh = [name for name in dict.fromkeys(names) if name not in self._known]
        self.names += fresh
        self._known.update(fresh)
        self.json = json.dumps(self.names, ensure_ascii=False, separators=(",", ":")).encode()

    def named(self, items: Iterable[str | int]) -> frozenset[str]:
        """The names, given as names or numbers; unknown numbers are ignored."""
        known = self.names
        return frozenset(
            item if isinstance(item, str) else known[item]
            for item in items
            if isinstance(item, str) or 0 <= item < len(known)
        )


class Numbering:
    """The two lists of one index. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._modules, self._premises = _Names(), _Names()
        self._of_modules: Snapshot | None = None
        self._of_premises: Snapshot | None = None

    def modules(self, snapshot: Snapshot) -> bytes:
        """The modules as a JSON list."""
        return self._current_modules(snapshot).json

    def premises(self, snapshot: Snapshot) -> bytes:
        """The names of the premises as a JSON list: all kinds, except private ones."""
        return self._current_premises(snapshot).json

    def module_names(self, snapshot: Snapshot, items: Iterable[str | int]) -> frozenset[str]:
        """The modules that a client gives by name or number; `A/B.lean` means `A.B`."""
        named = self._current_modules(snapshot).named(items)
        return frozenset(name.removesuffix(".lean").replace("/", ".") for name in named)

    def premise_names(self, snapshot: Snapshot, items: Iterable[str | int]) -> frozenset[str]:
        """The premises that a client gives by name or number."""
        return self._current_premises(snapshot).named(items)

    def _current_modules(self, snapshot: Snapshot) -> _Names:
        with self._lock:
            if self._of_modules is not snapshot:
                self._modules.add(file.module for file in snapshot.view.live_files)
                self._of_modules = snapshot
            return self._modules

    def _current_premises(self, snapshot: Snapshot) -> _Names:
        with self._lock:
            if self._of_premises is not snapshot:
                public = (snapshot.view.alive & ~snapshot.is_private).nonzero()[0]
                self._premises.add(snapshot.view.name(number) for number in public.tolist())
                self._of_premises = snapshot
            return self._premises
