"""An object that a Dask worker opens once and uses for all of its tasks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from distributed import WorkerPlugin, get_worker

from lean_extract.common.errors import ClusterLost, PremiseSuggestError

log = logging.getLogger("premise_suggest")


class OpenedOnce(WorkerPlugin):
    """Opens something at the first task of a worker, and closes it when the plugin is removed, or the worker ends."""

    def __init__(self, opening: Callable[[], Any]) -> None:
        self._opening = opening

    def setup(self, worker: Any) -> None:
        """Begin on a worker, with nothing open."""
        self._turn, self._lock = threading.Lock(), threading.Lock()
        self._opened: Any = None
        self._has_ended = False

    def do(self, work: Callable[[Any, Any], Any], task: Any) -> Any:
        """Do a task with what is open, one at a time. Raises what opening it raises."""
        with self._turn:
            return work(self._get(), task)

    def _get(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            if self._has_ended:  # while it was opened
                self._close()
                raise ClusterLost("The work was stopped.")
            return self._opened

    def _open(self) -> Any:
        try:
            return self._opening()
        except PremiseSuggestError:
            raise
        except Exception as error:
            raise ClusterLost(
                f"A worker could not begin: {type(error).__name__}: {error}.", "See the worker's log."
            ) from error

    def teardown(self, worker: Any) -> None:
        """Close what is open. What is still being opened is closed by the thread that opens it."""
        self._has_ended = True
        if self._lock.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._lock.release()

    def _close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            try:
                opened.close()
            except (OSError, RuntimeError, PremiseSuggestError):
                log.exception("An object opened on a worker was not closed")


def with_opened(name: str, work: Callable[[Any, Any], Any], task: Any) -> Any:
    """Do a task with what the plugin of this name has open on the worker that runs it."""
    plugin: Any = get_worker().plugins[name]
    return plugin.do(work, task)
