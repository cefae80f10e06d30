"""Runs tasks on Dask: in processes of this machine, or on the workers of a scheduler elsewhere (docs/scale.md).

A task is a function of another process's, which writes its own result where all can read it, whole or not at all, and
returns a few numbers. Dask runs the tasks of a worker that died again, so a task may run twice; the second writes the
same.
"""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from lean_extract.errors import PremiseSuggestError, UserError
from lean_extract.extras import import_extra

Task = TypeVar("Task")
Result = TypeVar("Result")
_CONNECT_SECONDS = 10
_MOST_DEATHS = 3
"""A task that has been with so many workers when they died is not tried again."""
_LEAST_MEMORY = 100_000_000
"""Bytes."""
_EXTRA, _PURPOSE = "cluster", "Work on several processes or machines"


class ClusterLost(PremiseSuggestError):
    """The scheduler has gone, or its workers cannot be used."""


class TaskFailed(PremiseSuggestError):
    """A task could not be done; the others were."""


@contextmanager
def cluster_client(scheduler: str, workers: int, memory: str = "auto") -> Iterator[Any]:
    """A Dask client for a block.

    Args:
        scheduler: the address of a scheduler (`tcp://HOST:8786`); empty: processes of this machine, for the block.
        workers: how many processes, if they are of this machine.
        memory: what each of them may use, such as `4GB`; `auto`: its share of the machine's.

    Raises UserError (Dask is missing, the scheduler does not answer, that is no memory), ClusterLost (its workers
    have another version of premise-suggest).
    """
    distributed: Any = import_extra("distributed", _EXTRA, _PURPOSE)
    for name in ("distributed", "distributed.client"):  # what goes wrong is told in a sentence
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask: Any = import_extra("dask.utils", _EXTRA, _PURPOSE)
    if memory != "auto":
        _refuse_no_memory(dask, memory)
    import_extra("dask", _EXTRA, _PURPOSE).config.set(
        {"distributed.scheduler.allowed-failures": _MOST_DEATHS - 1}
    )
    if not scheduler:
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=memory,
                dashboard_address=None,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        hint = "Start one there (`dask scheduler`), or correct the address."
        raise UserError(f"No Dask scheduler answers at {scheduler}.", hint) from error
    with client:
        _refuse_other_versions(client)
        yield client


def _refuse_no_memory(utils: Any, memory: str) -> None:
    """Raise UserError unless a text says how much memory a process may use."""
    try:
        if utils.parse_bytes(memory) >= _LEAST_MEMORY:
            return
    except ValueError:
        said = f"{memory!r} is no amount of memory."
    else:
        said = f"{memory} is too little memory for a process."
    raise UserError(said, "Write it as 4GB, or leave --memory out.")


def _refuse_other_versions(client: Any) -> None:
    """Raise ClusterLost unless all workers have this version of premise-suggest, and there is one."""
    ours = _version()
    found: dict[str, str] = client.run(_version)
    if not found:
        raise ClusterLost("The scheduler has no workers.", "Start some: dask worker ADDRESS")
    for address, version in found.items():
        if version != ours:
            raise ClusterLost(
                f"The worker {address} has premise-suggest {version}; here it is {ours}.",
                "Install the same version on all machines.",
            )


def _version() -> str:
    try:
        return importlib.metadata.version("premise-suggest")
    except importlib.metadata.PackageNotFoundError:
        return "none"


def run_tasks(
    client: Any, work: Callable[[Task], Result], tasks: Sequence[Task]
) -> Iterator[tuple[Task, Result | PremiseSuggestError]]:
    """Each task with its result, as they are done; with an error if it could not be done.

    Leaving the loop cancels what has not begun. Raises ClusterLost: the scheduler has gone.
    """
    distributed: Any = import_extra("distributed", _EXTRA, _PURPOSE)
    futures = {client.submit(work, task, pure=False): task for task in tasks}
    lost = ClusterLost(
        "The Dask scheduler has gone.", "What was done is kept; run the same command again to go on."
    )
    try:
        for future in distributed.as_completed(futures):
            if future.status in ("cancelled", "lost"):
                raise lost
            yield futures[future], _outcome(distributed, future)
    except (distributed.comm.CommClosedError, distributed.client.FutureCancelledError) as error:
        raise lost from error
    finally:
        client.cancel(list(futures))


def _outcome(distributed: Any, future: Any) -> Any:
    try:
        return future.result()
    except PremiseSuggestError as error:
        return error
    except distributed.KilledWorker:
        return TaskFailed(
            f"It was given up after {_MOST_DEATHS} workers had died with it.", "Give workers more memory."
        )
    except Exception as error:  # of the task's own code, on another machine
        if isinstance(error, distributed.client.FutureCancelledError):
            raise
        return TaskFailed(f"It failed: {type(error).__name__}: {error}.", "See the worker's log.")
