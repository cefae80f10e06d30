"""What runs on a Dask worker beside its tasks: something that is opened once and used by all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from distributed import WorkerPlugin, get_worker


class OpenedOnce(WorkerPlugin):
    """Opens something at the first task of a worker, and closes it when the plugin goes, or the worker ends."""

    def __init__(self, opening: Callable[[], Any]) -> None:
        self._opening = opening

    def setup(self, worker: Any) -> None:
        """Begin on a worker, with nothing open."""
        self._lock = threading.Lock()
        self._opened: Any = None

    def get(self) -> Any:
        """What is open. Raises what opening it raises."""
        with self._lock:
            if self._opened is None:
                self._opened = self._opening()
            return self._opened

    def teardown(self, worker: Any) -> None:
        """Close it."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened = None


def with_opened(name: str, work: Callable[[Any, Any], Any], task: Any) -> Any:
    """Do a task with what the plugin of this name has open on the worker that runs it."""
    plugin: Any = get_worker().plugins[name]
    return work(plugin.get(), task)
