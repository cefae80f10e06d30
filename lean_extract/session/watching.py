"""Watches the files of a project whose changes a Lean server must know: its sources, and what Lake has built of them.

Each folder is watched by itself. Watching the project as a whole would include `.git`, packages, and folders
elsewhere that links lead to, each with a system handle.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from watchfiles import Change, watch

from lean_extract.limits import MAX_WATCHED_FOLDERS, RESCAN_SECONDS
from lean_extract.source.projects.project import library_folders
from lean_extract.source.projects.walking import SKIPPED, can_be_named

log = logging.getLogger("premise_suggest")

FileChanges = set[tuple[Change, str]]
"""The kind of change of each file, with its absolute path."""
_SUFFIXES = (".lean", ".ilean")
_GROUPED_MS, _QUIET_MS = 200, 50


async def file_changes(root: Path) -> AsyncIterator[FileChanges]:
    """Changes of the `.lean` and `.ilean` files of the project at `root`, in groups, without an end."""
    loop, stop = asyncio.get_running_loop(), threading.Event()
    found = asyncio.Queue[FileChanges]()

    def report(changes: FileChanges) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(found.put_nowait, changes)

    threading.Thread(target=_watch, args=(root, stop, report), name="watching files", daemon=True).start()
    try:
        while True:
            yield await found.get()
    finally:
        stop.set()


def watched_folders(root: Path) -> frozenset[Path]:
    """`root`, its folders of sources, and that of Lake's compiled modules with all below it; neither links nor hidden
    folders."""
    return frozenset(islice((*_built(root), *_below(root, SKIPPED)), MAX_WATCHED_FOLDERS))


def _built(root: Path) -> Iterator[Path]:
    """The folders that lead to what Lake has built, and those of that."""
    folder = root
    for name in library_folders(root)[-1].relative_to(root).parts:
        folder /= name
        if folder.is_symlink() or not folder.is_dir():
            return
        yield folder
    yield from _below(folder)


def _below(folder: Path, skipped: frozenset[str] = frozenset()) -> Iterator[Path]:
    """A folder and those below it that are no links and not hidden."""
    for path, names, _ in os.walk(folder):
        names[:] = [one for one in names if one not in skipped and one[0] != "." and can_be_named(one)]
        yield Path(path)


def _watch(root: Path, stop: threading.Event, report: Callable[[FileChanges], None]) -> None:
    folders = watched_folders(root)
    while not stop.is_set():
        try:
            _watch_until_others(root, folders, stop, report)
        except (OSError, RuntimeError) as error:
            log.info("Changes of files in %s are not seen: %s", root, error)
            stop.wait(RESCAN_SECONDS)
        before, folders = folders, watched_folders(root)
        if new := {(Change.added, str(path)) for one in folders - before for path in _files(one)}:
            report(new)


def _watch_until_others(
    root: Path, folders: frozenset[Path], stop: threading.Event, report: Callable[[FileChanges], None]
) -> None:
    """Watch folders until others are to be watched. Raises OSError, RuntimeError: they cannot be."""
    for changes in watch(
        *folders,
        watch_filter=_matters,
        debounce=_GROUPED_MS,
        step=_QUIET_MS,
        stop_event=stop,
        rust_timeout=1000 * RESCAN_SECONDS,
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=False,
        ignore_permission_denied=True,
    ):
        files = {(change, path) for change, path in changes if path.endswith(_SUFFIXES)}
        if files:
            report(files)
        if len(files) == len(changes) > 0:
            continue
        if watched_folders(root) != folders:  # there is a new folder, or it is time to look
            return


def _matters(change: Change, path: str) -> bool:
    return path.endswith(_SUFFIXES) or (Path(path).is_dir() and not Path(path).is_symlink())


def _files(folder: Path) -> list[Path]:
    """The files of a folder whose changes Lean must know."""
    try:
        return [path for path in folder.iterdir() if path.suffix in _SUFFIXES]
    except OSError:  # it was removed
        return []
