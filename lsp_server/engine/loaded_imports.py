"""The files that open documents import, as they were when Lean loaded them: which have changed since."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.files.reading import MAX_SOURCE, read_regular
from lean_extract.session.document import LeanDocument
from lean_extract.session.imports import ImportedSource, compiled_files, imported_sources
from lsp_server.engine.indexed_files import size_and_time

_KEPT = 64
"""Headers."""


@dataclass(frozen=True, slots=True)
class _Import:
    """A module that a document imports: its file and its compiled forms, as they were, there or not."""

    module: str
    path: Path
    stamp: tuple[int, int]
    digest: bytes
    compiled: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ImportChanges:
    """What has changed of a document's imports since they were loaded.

    `is_new`: nothing is known of them. `sources`: files whose content has changed. `is_rebuilt`: what Lake compiled of
    one has changed, or where that is kept is not known.
    """

    is_new: bool = False
    sources: tuple[Path, ...] = ()
    is_rebuilt: bool = False


class LoadedImports:
    """What documents of one project import through its own files. Documents of one header share it.

    Safe to use from several threads.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, tuple[_Import, ...]] = {}

    def changes(self, text: str) -> ImportChanges:
        """What has changed since `record`; costs a look at each file, and a read of those that were written."""
        imports = self._known.get(LeanDocument(text).header)
        if imports is None:
            return ImportChanges(is_new=True)
        changed = [one for one in imports if size_and_time(one.path) != one.stamp and _has_changed(one)]
        is_unknown = any(all(size < 0 for size, _ in one.compiled) for one in changed)
        is_rebuilt = is_unknown or any(one.compiled != _stamps(self._root, one.module) for one in imports)
        return ImportChanges(False, tuple(one.path for one in changed), is_rebuilt)

    def record(self, text: str) -> None:
        """Note a document's imports as they are now, just before Lean loads them."""
        imports = tuple(self._import(one) for one in imported_sources(text, self._root))
        while len(self._known) >= _KEPT:
            self._known.pop(next(iter(self._known)))
        self._known[LeanDocument(text).header] = imports

    def modules(self, text: str) -> frozenset[str]:
        """The modules that a document imports, directly or not; empty if nothing is known of it."""
        return frozenset(one.module for one in self._known.get(LeanDocument(text).header, ()))

    def _import(self, source: ImportedSource) -> _Import:
        return _Import(
            source.module,
            source.path,
            size_and_time(source.path),
            _digest(source.content),
            _stamps(self._root, source.module),
        )


def _stamps(root: Path, module: str) -> tuple[tuple[int, int], ...]:
    return tuple(map(size_and_time, compiled_files(root, module)))


def _has_changed(one: _Import) -> bool:
    """Whether a file has other content, or is there or not unlike before."""
    try:
        return _digest(read_regular(one.path, MAX_SOURCE)) != one.digest
    except OSError:
        return one.digest != _digest(None)


def _digest(content: bytes | None) -> bytes:
    return b"" if content is None else hashlib.blake2b(content, digest_size=16).digest()
