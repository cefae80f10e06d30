"""The store: which segments make up an index now, and how that changes safely.

    ROOT/manifest.json     the live segments, the files in them that no longer count, what they were made with
    ROOT/segments/NAME/    segments, each written once
    ROOT/lock              held by the one writer

A write puts new segments beside the old ones and then swaps the manifest in one rename, so a reader sees
the old index or the new one, and a killed writer leaves the old one. Segments that a write drops stay
until the next write; leftovers of killed writers go when the next writer begins.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lean_extract.errors import IndexDamaged, IndexMissing, ModelError
from retriever.index.files import REBUILD, damaged, explained_writes, sync_folder, write_json
from retriever.index.lock import locked
from retriever.index.segment import Segment, SegmentContent, write_segment

FORMAT = "premise-suggest-index"
VERSION = 1
MANIFEST = "manifest.json"
OTHER_MODEL = "Use the model that is shipped, or run `premise-suggest index` in a project that has Mathlib."
"""What to do when the bundled index is of another model."""
_TEMPORARY = ".new-"


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment of the index, and the positions of its files that were replaced or removed."""

    name: str
    dead_files: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the index is made of."""

    fingerprint: str
    root: str = ""
    """The folder that was indexed; paths of files are relative to it."""
    built_at: str = ""
    """ISO 8601, UTC."""
    complete: bool = True
    """False while the first run has not come to its end."""
    segments: tuple[LiveSegment, ...] = ()
    retired: tuple[str, ...] = ()
    """Segments that the last write dropped."""
    includes: tuple[str, ...] = ()
    """Roots of other stores that belong to this index (packages shared between projects)."""
    pinned: bool = False
    """True for a package at a fixed revision: its files are not looked at again."""
    is_bundled: bool = False
    """True for the index that is shipped, false for text that was read on this machine."""
    stats: dict[str, tuple[int, int]] = field(default_factory=dict)
    """(size, mtime_ns) of files that were touched after they were read without changing."""

    def to_json(self) -> dict[str, Any]:
        """The document that is written."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "root": self.root,
            "built_at": self.built_at,
            "complete": self.complete,
            "segments": [[segment.name, list(segment.dead_files)] for segment in self.segments],
            "retired": list(self.retired),
            "includes": list(self.includes),
            "pinned": self.pinned,
            "bundled": self.is_bundled,
            "stats": {path: list(stat) for path, stat in self.stats.items()},
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Manifest:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError."""
        return cls(
            str(values["fingerprint"]),
            str(values["root"]),
            str(values["built_at"]),
            bool(values["complete"]),
            tuple(LiveSegment(name, tuple(dead)) for name, dead in values["segments"]),
            tuple(values["retired"]),
            tuple(values["includes"]),
            bool(values["pinned"]),
            bool(values["bundled"]),
            {path: (int(size), int(mtime)) for path, (size, mtime) in values["stats"].items()},
        )


def _mended_by(manifest: Manifest) -> str:
    """What to do when an index is of another model than the one in use."""
    if manifest.is_bundled:
        return OTHER_MODEL
    where = f" {shlex.quote(manifest.root)}" if manifest.root else ""
    return f"Run `premise-suggest index{where}` with the model in use to build it again."


class IndexStore:
    """An index folder. Opening one reads nothing; a folder that is not there is made by the first write."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def manifest_path(self) -> Path:
        """The file whose replacement is the moment of change."""
        return self.root / MANIFEST

    def stamp(self) -> tuple[int, int, int] | None:
        """Changes whenever the manifest does; None without one."""
        try:
            stat = self.manifest_path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def manifest(self) -> Manifest:
        """The current manifest. Raises IndexMissing, IndexDamaged."""
        path = self.manifest_path
        try:
            values = json.loads(path.read_bytes())
            found = (values["format"], values["version"])
            if found != (FORMAT, VERSION):
                message = f"{path} is {found[0]} {found[1]}, this version reads {FORMAT} {VERSION}."
                raise IndexDamaged(message, REBUILD)
            return Manifest.from_json(values)
        except FileNotFoundError as error:
            message = f"There is no premise index in {self.root}."
            raise IndexMissing(message, "Run `premise-suggest index` to build it.") from error
        except OSError as error:
            raise damaged(path, error.strerror) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise damaged(path, error) from error

    def open(self, fingerprint: str | None = None) -> tuple[Manifest, list[tuple[Segment, LiveSegment]]]:
        """The manifest and its segments, consistent with each other.

        Raises IndexMissing, IndexDamaged, and ModelError when `fingerprint` is another model's.
        """
        while True:
            manifest = self.manifest()
            if fingerprint is not None and manifest.fingerprint != fingerprint:
                raise ModelError(
                    f"The premise index in {self.root} was built with model {manifest.fingerprint}, "
                    f"the model in use is {fingerprint}.",
                    _mended_by(manifest),
                )
            try:
                return manifest, [(self.segment(live.name), live) for live in manifest.segments]
            except IndexDamaged:
                # A writer may have dropped these segments since; then there is a newer manifest.
                if self.manifest() == manifest:
                    raise

    def segment(self, name: str) -> Segment:
        """Open one segment. Raises IndexDamaged."""
        return Segment(self.root / "segments" / name)

    def verify(self) -> list[str]:
        """Read every byte of the index and compare hashes; what is wrong, in words.

        Raises IndexMissing, IndexDamaged when it cannot even be opened.
        """
        manifest, segments = self.open()
        found = [complaint for segment, _ in segments for complaint in segment.verify()]
        for root in manifest.includes:
            found += IndexStore(Path(root)).verify()
        return found

    @contextmanager
    def writer(self, fingerprint: str, wait: Callable[[], bool] = lambda: False) -> Iterator[Writer]:
        """Hold the lock and write; while another holds it, `wait` says whether to wait on.

        Raises IndexLocked, IndexWriteFailed.

        The writer begins from the current manifest if that is sound and of this model, else from none.
        """
        with ExitStack() as stack:
            with explained_writes(self.root):
                (self.root / "segments").mkdir(parents=True, exist_ok=True)
                stack.enter_context(locked(self.root / "lock", wait))
            yield self._begin(fingerprint)

    def _begin(self, fingerprint: str) -> Writer:
        try:
            manifest, _ = self.open(fingerprint)
        except (IndexMissing, IndexDamaged, ModelError):
            # What cannot be used is replaced; it stays in place until the first commit.
            return Writer(self, Manifest(fingerprint, complete=False), keep_unknown=True)
        return Writer(self, manifest, keep_unknown=False)


class Writer:
    """The one writer of a store, for as long as it holds the lock."""

    def __init__(self, store: IndexStore, manifest: Manifest, *, keep_unknown: bool) -> None:
        self._store = store
        self._folder = store.root / "segments"
        self._keep_unknown = keep_unknown
        self.manifest = manifest
        """What was committed last."""
        self._sweep()

    def add(self, content: SegmentContent) -> Segment:
        """Write a segment; nobody sees it before `commit` names it. Raises IndexWriteFailed."""
        with explained_writes(self._store.root):
            temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=self._folder))
            try:
                write_segment(temporary, content, self.manifest.fingerprint)
                temporary.chmod(0o755)
                name = temporary.name.removeprefix(_TEMPORARY)
                temporary.rename(self._folder / name)
                sync_folder(self._folder)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
        return self._store.segment(name)

    def commit(self, segments: Sequence[LiveSegment], **changes: Any) -> None:
        """Make these the live segments in one step; `changes` are further fields of the manifest.

        Raises IndexWriteFailed; then the manifest is what it was.
        """
        names = {segment.name for segment in segments}
        dropped = tuple(old.name for old in self.manifest.segments if old.name not in names)
        manifest = replace(
            self.manifest,
            segments=tuple(segments),
            retired=dropped,
            built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            **changes,
        )
        with explained_writes(self._store.root):
            self._swap(manifest)
            self.manifest = manifest
        self._keep_unknown = False
        self._sweep()

    def _swap(self, manifest: Manifest) -> None:
        temporary = self._store.root / f".{MANIFEST}.{os.getpid()}.tmp"
        try:
            write_json(temporary, manifest.to_json())
            temporary.replace(self._store.manifest_path)
            sync_folder(self._store.root)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _sweep(self) -> None:
        """Remove leftovers of killed writers, and segments that neither this nor the last manifest names."""
        kept = {segment.name for segment in self.manifest.segments} | set(self.manifest.retired)
        for folder in self._folder.iterdir():
            known = folder.name in kept or (self._keep_unknown and not folder.name.startswith(_TEMPORARY))
            if not known:
                shutil.rmtree(folder, ignore_errors=True)
        for left in self._store.root.glob(f".{MANIFEST}.*.tmp"):
            left.unlink(missing_ok=True)
