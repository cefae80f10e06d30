"""Answers from stores that change: the snapshot in use, opened again when a store has changed or is damaged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from lean_extract.common.cancellation import Cancelled
from lean_extract.common.errors import IndexDamaged, PremiseIndexError, PremiseSuggestError
from retriever.limits import DAMAGE_CHECK_SECONDS
from retriever.search.index.view import IndexView


class _StoreSnapshot(Protocol):
    """One state of some stores, opened for asking."""

    @property
    def view(self) -> IndexView:
        """What is open."""

    def is_current(self) -> bool:
        """Whether the stores are still those that were opened."""


Opened = TypeVar("Opened", bound=_StoreSnapshot)


class SnapshotReader(Generic[Opened]):
    """Keeps the current snapshot of some stores; safe to use from several threads.

    Args:
        open_snapshot: opens the stores as they are now; what it raises, `current` and `reading` raise.
    """

    def __init__(self, open_snapshot: Callable[[], Opened]) -> None:
        self._open = open_snapshot
        self._lock = threading.Lock()
        self._snapshot: Opened | None = None
        self._looking = threading.Lock()
        self._found_whole: tuple[Opened | None, float] = None, 0.0
        """A snapshot whose files were read again after a failure, and when."""

    @property
    def opened(self) -> Opened | None:
        """What was opened last, whether or not the stores have changed since."""
        return self._snapshot

    def current(self) -> Opened:
        """The snapshot, opened again if a store has changed."""
        snapshot = self._snapshot
        if snapshot is not None and snapshot.is_current():
            return snapshot
        with self._lock:
            snapshot = self._snapshot
            if snapshot is None or not snapshot.is_current():
                snapshot = self._open()
                self._snapshot = snapshot
            return snapshot

    @contextmanager
    def reading(self) -> Iterator[Opened]:
        """The current snapshot, for a block that reads it.

        If the block fails because a file was altered while it was open, IndexDamaged is raised, which names the
        file. If all files are as they were written, the failure is not theirs, and is raised as it is. After a
        damage the stores are opened again.
        """
        snapshot = self.current()
        try:
            yield snapshot
        except PremiseIndexError:
            self._forget(snapshot)
            raise
        except (PremiseSuggestError, Cancelled):
            raise
        except Exception as error:
            damage = self._damage(snapshot)
            if damage is None:
                raise
            self._forget(snapshot)
            raise damage from error

    def _damage(self, snapshot: Opened) -> IndexDamaged | None:
        """What is wrong with the files of a snapshot; those that were just verified are not read again."""
        with self._looking:
            seen, since = self._found_whole
            if seen is snapshot and time.monotonic() - since < DAMAGE_CHECK_SECONDS:
                return None
            damage = snapshot.view.damage()
            self._found_whole = snapshot, time.monotonic()
            return damage

    def _forget(self, snapshot: Opened) -> None:
        """Open the stores again for the next answer."""
        with self._lock:
            if self._snapshot is snapshot:
                self._snapshot = None
