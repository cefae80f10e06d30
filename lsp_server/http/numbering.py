"""Numbers for modules and premises, which LeanPremise's clients use instead of names.

A client asks for the lists once and keeps them, so a number means the same name for as long as the server
runs: what is indexed later comes behind, and what goes keeps its number. Several processes that serve together keep
their lists in files, so that a number means the same name in all of them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path

from retriever.lean.snapshot import Snapshot
from retriever.search.index.lock import locked


class _Names:
    """Names, numbered in order of arrival; with a file, in that of arrival at any of the processes."""

    def __init__(self, file: Path | None = None) -> None:
        self.names: list[str] = []
        self._known: set[str] = set()
        self._file = file
        self._read = 0
        """Bytes of the file."""
        self.json = b"[]"

    def add(self, names: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(names))
        if self._file is None:
            self._append(wanted)
        else:
            with locked(self._file.with_suffix(".lock"), wait=lambda: True):
                self._add_shared(self._file, wanted)
        self.json = json.dumps(self.names, ensure_ascii=False, separators=(",", ":")).encode()

    def _add_shared(self, file: Path, names: list[str]) -> None:
        """Take in what other processes have added, then add the rest for them."""
        with file.open("a+b") as stream:
            stream.seek(self._read)
            self._append(json.loads(line) for line in stream.read().splitlines())
            fresh = self._append(names)
            stream.write(b"".join(json.dumps(name).encode() + b"\n" for name in fresh))
            self._read = stream.tell()

    def _append(self, names: Iterable[str]) -> list[str]:
        """Number the names that have no number yet; returns them."""
        fresh = [name for name in names if name not in self._known]
        self.names += fresh
        self._known.update(fresh)
        return fresh

    def named(self, items: Iterable[str | int]) -> frozenset[str]:
        """The names, given as names or numbers; unknown numbers are ignored."""
        known = self.names
        return frozenset(
            item if isinstance(item, str) else known[item]
            for item in items
            if isinstance(item, str) or 0 <= item < len(known)
        )


class Numbering:
    """The two lists of one index. Safe to use from several threads.

    `folder`: where processes that serve together keep them; None: one process serves.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._modules = _Names(folder and folder / "modules")
        self._premises = _Names(folder and folder / "premises")
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
