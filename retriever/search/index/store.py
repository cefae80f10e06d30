"""The store: which segments make up an index now, and how that changes safely.

    ROOT/manifest.json     the live segments, the files in them that no longer count, what they were made with
    ROOT/segments/NAME/    segments, each written once
    ROOT/lock              held by the one writer

A write adds new segments to the old ones and then swaps the manifest in one rename, so a reader sees
the old index or the new one, and a killed writer leaves the old one. Segments that a write drops stay
until the next write; leftovers of killed writers go when the next writer begins.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lean_extract.common.errors import (
    IndexDamaged,
    IndexMissing,
    IndexUnreadable,
    ModelError,
    PremiseIndexError,
)
from retriever.search.index.files import (
    damaged,
    explained_writes,
    locked,
    make_folder,
    sync_folder,
    unreadable,
    write_document,
)
from retriever.search.index.manifest import MANIFEST, IndexManifest, LiveSegment
from retriever.search.index.meta import GoOn, always
from retriever.search.index.segment import Segment, verify_segment
from retriever.search.index.segment_content import SegmentContent, write_segment

OTHER_MODEL = "Use the model that is shipped, or run `premise-suggest index` in a project that has Mathlib."
"""What to do when the bundled index is of another model."""
Stamp = tuple[int, int, int] | None
"""What changes when a store does; None without one."""
_TEMPORARY = ".new-"


def _rebuild_hint(manifest: IndexManifest) -> str:
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

    def stamp(self) -> Stamp:
        """Changes whenever the manifest does; None without one."""
        try:
            stat = self.manifest_path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def manifest(self) -> IndexManifest:
        """The current manifest. Raises IndexMissing, IndexDamaged."""
        path = self.manifest_path
        try:
            return IndexManifest.read(path)
        except FileNotFoundError as error:
            message = f"There is no premise index in {self.root}."
            raise IndexMissing(message, "Run `premise-suggest index` to build it.") from error
        except OSError as error:
            raise unreadable(error, path) from error
        except ValueError as error:
            raise damaged(path, error) from error

    def open(self, fingerprint: str | None = None) -> tuple[IndexManifest, list[tuple[Segment, LiveSegment]]]:
        """The manifest and its segments, consistent with each other.

        Raises IndexMissing, IndexDamaged, and ModelError when `fingerprint` is another model's.
        """
        while True:
            manifest = self.manifest()
            self._refuse_other_models(manifest, fingerprint)
            try:
                return manifest, [(self._live(live), live) for live in manifest.segments]
            except IndexDamaged:
                # A writer may have dropped these segments since; then there is a newer manifest.
                if self.manifest() == manifest:
                    raise

    def _refuse_other_models(self, manifest: IndexManifest, fingerprint: str | None) -> None:
        if fingerprint is not None and manifest.fingerprint != fingerprint:
            raise ModelError(
                f"The premise index in {self.root} was built with model {manifest.fingerprint}, "
                f"the model in use is {fingerprint}.",
                _rebuild_hint(manifest),
            )

    def segment(self, name: str) -> Segment:
        """Open one segment. Raises IndexDamaged."""
        return Segment(self.folder_of(name))

    def folder_of(self, name: str) -> Path:
        """The folder of a segment."""
        return self.root / "segments" / name

    def _live(self, live: LiveSegment) -> Segment:
        return self._fitting(self.segment(live.name), live)

    def _fitting(self, segment: Segment, live: LiveSegment) -> Segment:
        """The segment, if what the manifest says of it can be. Raises IndexDamaged."""
        if any(position >= len(segment.files) for position in live.dead_files):
            raise damaged(self.manifest_path, f"it names files that {segment.folder} does not have")
        return segment

    def verify(self, go_on: GoOn = always) -> list[str]:
        """Read every byte of the index and of those that it includes and compare; what is wrong, in words.

        Raises IndexMissing. `go_on` is called with the bytes read since the last call; False ends the check.
        """
        try:
            manifest = self.manifest()
        except IndexDamaged as error:
            return [error.message]
        found = self._verify(manifest, go_on)
        for store in map(IndexStore, map(Path, manifest.includes)):
            try:
                found += store._verify(store.manifest(), go_on)
            except PremiseIndexError as error:
                found.append(error.message)
        return found

    def _verify(self, manifest: IndexManifest, go_on: GoOn) -> list[str]:
        found: list[str] = []
        for live in manifest.segments:
            folder = self.folder_of(live.name)
            problems = verify_segment(folder, go_on)
            if not problems:  # what its files say may still not fit what the manifest says
                try:
                    self._live(live)
                except IndexDamaged as error:
                    problems = [error.message]
            found += problems
        return found

    def publish(self, manifest: IndexManifest) -> None:
        """Replace the manifest in one step. Raises OSError."""
        temporary = self.root / f".{MANIFEST}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
        try:
            write_document(temporary, manifest.to_json())
            if self.manifest_path.is_dir():  # nothing of ours; it would be in the way for good
                shutil.rmtree(self.manifest_path)
            temporary.replace(self.manifest_path)
            sync_folder(self.root)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def remove(self, wait: Callable[[], bool] = lambda: False) -> None:
        """Delete the index. Readers see none from then on; while another process writes it, see `writer`.

        Raises IndexMissing, IndexLocked, IndexWriteFailed.
        """
        if not os.path.lexists(self.manifest_path):
            raise IndexMissing(f"There is no premise index in {self.root}.", "There is nothing to remove.")
        if self.root.is_symlink():  # what it leads to is somebody else's
            with explained_writes(self.root):
                self.root.unlink()
            return
        with explained_writes(self.root), locked(self.root / "lock", wait):
            if self.manifest_path.is_dir():
                shutil.rmtree(self.manifest_path)
            else:
                self.manifest_path.unlink(missing_ok=True)
            for entry in self.root.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry, ignore_errors=True)
                elif entry.name != "lock":
                    entry.unlink(missing_ok=True)
        with explained_writes(self.root):
            shutil.rmtree(self.root)

    @contextmanager
    def writer(self, fingerprint: str, wait: Callable[[], bool] = lambda: False) -> Iterator[Writer]:
        """Hold the lock and write; while another holds it, `wait` says whether to wait on.

        Raises IndexLocked, IndexWriteFailed, IndexUnreadable.

        The writer begins from the current manifest if that is sound and of this model, else from none.
        """
        with ExitStack() as stack:
            with explained_writes(self.root):
                make_folder(self.root)
                make_folder(self.root / "segments")
                stack.enter_context(locked(self.root / "lock", wait))
            yield self._begin(fingerprint)

    def _begin(self, fingerprint: str) -> Writer:
        try:
            manifest, _ = self.open(fingerprint)
        except IndexUnreadable:
            raise
        except (IndexMissing, IndexDamaged, ModelError):
            # What cannot be used is replaced; it stays in place until the first commit.
            return Writer(self, IndexManifest(fingerprint, complete=False), keep_unknown=True)
        return Writer(self, manifest, keep_unknown=False)


class Writer:
    """The one writer of a store, for as long as it holds the lock."""

    def __init__(self, store: IndexStore, manifest: IndexManifest, *, keep_unknown: bool) -> None:
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
            self._store.publish(manifest)
            self.manifest = manifest
        self._keep_unknown = False
        self._sweep()

    def _sweep(self) -> None:
        """Remove leftovers of killed writers, and segments that neither this nor the last manifest names."""
        kept = {segment.name for segment in self.manifest.segments} | set(self.manifest.retired)
        for folder in self._folder.iterdir():
            known = folder.name in kept or (self._keep_unknown and not folder.name.startswith(_TEMPORARY))
            if not known:
                shutil.rmtree(folder, ignore_errors=True)
        for left in self._store.root.glob(f".{MANIFEST}.*.tmp"):
            left.unlink(missing_ok=True)
