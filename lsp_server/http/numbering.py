"""Numbers for modules and premises, which LeanPremise's clients use instead of names.

A client gets the lists once and keeps them, so a number means the same name for as long as the server runs: what is
indexed later comes at the end, and removed names keep their numbers. Several processes that serve together keep their
lists in files, so that a number means the same name in all of them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from retriever.lean.snapshot import Snapshot
from retriever.search.index.files import locked


class _Names:
    """The names of an index's modules or premises, numbered in order of arrival. Safe to use from several threads.

    Args:
        names_of: the names in a snapshot.
        file: where processes that serve together keep the list, in order of arrival at any of them; None: one serves.
    """

    def __init__(self, names_of: Callable[[Snapshot], Iterable[str]], file: Path | None) -> None:
        self._names_of = names_of
        self._file = file
        self._lock = threading.Lock()
        self._names: list[str] = []
        self._known: set[str] = set()
        self._read = 0
        """Bytes of the file."""
        self._snapshot: Snapshot | None = None
        self._json = b"[]"

    def listed(self, snapshot: Snapshot) -> bytes:
        """All names as a JSON list."""
        with self._lock:
            self._update(snapshot)
            return self._json

    def named(self, snapshot: Snapshot, items: Iterable[str | int]) -> frozenset[str]:
        """The names that a client gives as names or numbers; unknown numbers are ignored."""
        with self._lock:
            self._update(snapshot)
            known = self._names
        return frozenset(
            item if isinstance(item, str) else known[item]
            for item in items
            if isinstance(item, str) or 0 <= item < len(known)
        )

    def _update(self, snapshot: Snapshot) -> None:
        """Number the snapshot's names that are not known yet."""
        if self._snapshot is snapshot:
            return
        wanted = list(dict.fromkeys(self._names_of(snapshot)))
        if self._file is None:
            self._append(wanted)
        else:
            with locked(self._file.with_suffix(".lock"), wait=lambda: True):
                self._add_shared(self._file, wanted)
        self._json = json.dumps(self._names, ensure_ascii=False, separators=(",", ":")).encode()
        self._snapshot = snapshot

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
        self._names += fresh
        self._known.update(fresh)
        return fresh


class Numbering:
    """The two lists of one index.

    `folder`: where processes that serve together keep them; None: one process serves.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.modules = _Names(_modules, folder and folder / "modules")
        self.premises = _Names(_premises, folder and folder / "premises")


def _modules(snapshot: Snapshot) -> Iterable[str]:
    return (file.module for file in snapshot.view.live_files)


def _premises(snapshot: Snapshot) -> Iterable[str]:
    """All kinds, except private ones."""
    public = (snapshot.view.alive & ~snapshot.is_private).nonzero()[0]
    return (snapshot.view.name(number) for number in public.tolist())
