"""Which indexed premises rest on `sorry`: those that the index marks, and those whose proofs use them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import read_source
from lean_extract.source.open_file import last_components, resting_on_sorry
from lean_extract.source.reader import SourceModule, read_module
from retriever.lean.index.content import Flag, node_of
from retriever.lean.index.view import Coverage, LeanView
from retriever.limits import MAX_UNPROVED_FILE_BYTES, MAX_UNPROVED_FILES
from retriever.search.index.meta import IndexedFile

_WORD = re.compile(r"[^\W\d][\w'!?]*")


class Unproved:
    """Works out once for each state of the index what rests on `sorry`; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view: LeanView | None = None
        self._found: Mapping[str, frozenset[str]] = {}
        self._read: dict[tuple[str, str], SourceModule] = {}

    def by_module(self, view: LeanView) -> Mapping[str, frozenset[str]]:
        """For each module that has any, the names of its premises that rest on `sorry`."""
        with self._lock:
            if self._view is not view:
                self._found, self._view = self._work_out(view), view
            return self._found

    def _work_out(self, view: LeanView) -> dict[str, frozenset[str]]:
        marked: dict[str, set[str]] = {}
        for number in np.flatnonzero(view.alive & ((view.flags & Flag.SORRY) != 0)).tolist():
            marked.setdefault(view.module(number), set()).add(view.name(number))
        found = {module: frozenset(names) for module, names in marked.items()}
        if not found:
            return {}
        files = {
            file.module: (file, Path(part.manifest.root, file.path))
            for part, file in Coverage(view).own_files()
        }
        order = list(_importers(files, found))
        read: dict[tuple[str, str], SourceModule] = {}
        if len(order) <= MAX_UNPROVED_FILES:
            for module in order:
                if files[module][0].size <= MAX_UNPROVED_FILE_BYTES:
                    self._follow(*files[module], found, read)
        self._read = read
        return found

    def _follow(
        self,
        file: IndexedFile,
        path: Path,
        found: dict[str, frozenset[str]],
        read: dict[tuple[str, str], SourceModule],
    ) -> None:
        """Note what of a file rests on what was found in those that it imports."""
        known = frozenset().union(*(names for module, names in found.items() if module != file.module))
        key = (str(path), file.sha256)
        try:
            source = self._read.get(key)
            if source is None:
                names = known | found.get(file.module, frozenset())
                if last_components(names).isdisjoint(_WORD.findall(text := read_source(path))):
                    return
                source = read_module(text, file.module, str(path))
        except BadSource:  # deleted since: the check for freshness reports it
            return
        read[key] = source
        resting = resting_on_sorry(source, known)
        if resting:
            found[file.module] = resting


def _importers(
    files: Mapping[str, tuple[IndexedFile, Path]], marked: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """The modules that import a marked one on some way, and the marked ones, each after those it imports."""
    users: dict[str, list[str]] = {}
    for module, (file, _) in files.items():
        for item in node_of(file).imports:
            users.setdefault(item.module, []).append(module)
    reached, waiting = set(), [module for module in marked if module in files]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += users.get(module, ())
    left = {
        module: sum(item.module in reached for item in node_of(files[module][0]).imports)
        for module in sorted(reached)
    }
    ready = [module for module, count in left.items() if not count]
    while ready:  # what imports itself in a circle is never ready
        module = ready.pop()
        yield module
        for user in users.get(module, ()):
            left[user] -= 1
            if not left[user]:
                ready.append(user)
