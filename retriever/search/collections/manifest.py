"""What an indexed collection is of: kept in the manifest of its store."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lean_extract.common.errors import IndexDamaged, IndexMissing, IndexUnreadable
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed
from retriever.limits import MAX_WATCHED_FILES
from retriever.search.index.files import DAMAGED
from retriever.search.index.manifest import MANIFEST, IndexManifest
from retriever.search.index.store import IndexStore

_OLD_FILES = ("documents.jsonl", "postings.npz", "proofs.npz", "vectors.npz")
"""Of an index that was written before collections had stores."""
_HINT = "Index it again: premise-suggest index --backend BACKEND SOURCE"


@dataclass(frozen=True, slots=True)
class CollectionManifest:
    """What an indexed collection is of."""

    name: str
    backend: str
    """What `find_backend` finds it by."""
    source: str
    """The file or folder that was read, as an absolute path."""
    digest: str
    """Of what was read."""
    documents: int
    model: str = ""
    """The folder of the model that made the vectors; empty if there are none."""
    fingerprint: str = ""
    """Of that model."""
    stats: dict[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    """(size, mtime_ns) of the files of the source, as they were read."""

    def to_json(self) -> dict[str, Any]:
        """What the store's manifest keeps of it."""
        return {**asdict(self), "stats": {name: list(stat) for name, stat in self.stats.items()}}

    @property
    def command(self) -> str:
        """The command that indexes it again."""
        return _index_command(self.backend, self.source, self.name)

    def is_stale(self) -> bool:
        """Whether the source has changed since it was read, judging by sizes and times of its files."""
        return bool(self.stats) and stats_of(Path(self.source)) != self.stats


def _index_command(backend: str, source: str, name: str) -> str:
    """The command that indexes a source under a name."""
    called = "" if Path(source).stem == name else f" --name {shlex.quote(name)}"
    return f"premise-suggest index --backend {shlex.quote(backend)} {shlex.quote(source)}{called}"


def stats_of(source: Path) -> dict[str, tuple[int, ...]]:
    """(size, mtime_ns) of a file, or of the files in a folder, by their paths in it; empty if it does not exist."""
    found: dict[str, tuple[int, ...]] = {}
    for path in _files_of(source):
        try:
            stat = path.stat()
        except OSError:
            continue
        found[path.relative_to(source).as_posix()] = (stat.st_size, stat.st_mtime_ns)
        if len(found) == MAX_WATCHED_FILES:
            break
    return found


def _files_of(source: Path) -> Iterator[Path]:
    if not source.is_dir():
        yield source
        return
    for folder, folders, files in os.walk(source):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(files))


def read_manifest(folder: Path) -> CollectionManifest:
    """What a folder holds. Raises IndexMissing, IndexDamaged."""
    with named_errors(folder):
        return collection_of(folder, IndexStore(folder).manifest())


def collection_of(folder: Path, manifest: IndexManifest) -> CollectionManifest:
    """What the manifest of a store says of its collection. Raises IndexDamaged."""
    try:
        found: CollectionManifest = read_typed(CollectionManifest, dict(manifest.about))
    except (ValueError, TypeError) as error:
        raise _damaged(folder, f"{MANIFEST}: {error}") from error
    return found


@contextmanager
def named_errors(folder: Path) -> Iterator[None]:
    """Turns a store's errors into errors about the collection in that folder, with a hint on how to fix it."""
    try:
        yield
    except IndexUnreadable:
        raise
    except IndexMissing as error:
        raise IndexMissing(f"There is no indexed collection {folder.name}.", _HINT) from error
    except IndexDamaged as error:
        old = _old_command(folder)
        if old:
            message = f"The collection {folder.name} was indexed by an older version, in another format."
            raise IndexDamaged(message, f"Index it again: {old}") from error
        if error.message.startswith(DAMAGED):
            raise _damaged(folder, error.message.removeprefix(DAMAGED).removesuffix(".")) from error
        raise


def _damaged(folder: Path, what: str) -> IndexDamaged:
    return IndexDamaged(f"The indexed collection {folder.name} is damaged: {what}.", _HINT)


def _old_command(folder: Path) -> str:
    """The command that indexes again what an older version wrote; empty where that is not what is there."""
    try:
        values = read_json(folder / MANIFEST)
        if "format" in values or values["version"] != 1:
            return ""
        return _index_command(str(values["backend"]), str(values["source"]), folder.name)
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def remove_old_files(folder: Path) -> None:
    """Delete what an older version wrote next to the manifest. Raises OSError."""
    for name in _OLD_FILES:
        (folder / name).unlink(missing_ok=True)
