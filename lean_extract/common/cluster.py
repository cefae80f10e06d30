"""Runs tasks on Dask: in processes of this machine, or on the workers of a scheduler elsewhere (docs/scale.md).

A task is a function that runs in another process, writes its result atomically where all can read it, and
returns a few numbers. Dask runs the tasks of a worker that died again, so a task may run twice; the second writes the
same.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import logging
import secrets
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lean_extract.common.errors import ClusterLost, PremiseSuggestError, TaskFailed, UserError, WorkersDied
from lean_extract.common.files.reading import is_there
from lean_extract.common.python_path import safe_path
from lean_extract.common.terminal_text import import_extra, shown, without_login
from lean_extract.limits import CLUSTER_CONNECT_SECONDS, CLUSTER_WORKER_SECONDS, MAX_WORKER_DEATHS

log = logging.getLogger("premise_suggest")

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_LEAST_MEMORY = 100_000_000
"""Bytes."""
_SETTINGS = {
    "distributed.scheduler.allowed-failures": MAX_WORKER_DEATHS - 1,
    "distributed.scheduler.http.routes": [],  # pages that no user knows of
    "distributed.worker.http.routes": [],
}
_EXTRA, _PURPOSE = "cluster", "Work on several processes or machines"


class Opened(Protocol):
    """What a worker opens once and uses for all of its tasks."""

    def close(self) -> None:
        """Release it."""
        ...


_State = TypeVar("_State", bound=Opened)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where tasks run.

    `scheduler`: its address (`tcp://HOST:8786`); empty: processes on this machine. `processes`: their number, on
    this machine. `memory`: what each of them may use, such as `4GB`; `auto`: its share of the machine's.
    """

    scheduler: str = ""
    processes: int = 1
    memory: str = "auto"


def cluster_options(options: argparse.Namespace) -> ClusterOptions | None:
    """The values of `option_types.add_cluster_arguments`; None: neither processes nor a scheduler were given.

    Raises UserError: the options do not fit each other.
    """
    if options.processes is not None and options.scheduler:
        raise UserError("--processes is for this machine.", "Leave out --processes or --scheduler.")
    if options.processes is None and options.memory != "auto":
        raise UserError("--memory is for --processes.", "Leave it out, or add --processes.")
    if options.processes is None and not options.scheduler:
        return None
    return ClusterOptions(options.scheduler, options.processes or 1, options.memory)


def as_elsewhere(name: str) -> str:
    """The name of a file or a folder as other processes understand it; any other name is left alone."""
    return str(Path(name).absolute()) if name and is_there(Path(name)) else name


@contextmanager
def cluster_client(options: ClusterOptions) -> Iterator[Any]:
    """A Dask client for a block; processes on this machine end with it.

    These speak TLS with a key of the block's own: who can send tasks to a worker can run any code as its user.

    Raises UserError (Dask is missing, the scheduler does not answer, bad memory limit), ClusterLost (its workers
    have another version of premise-suggest).
    """
    distributed: Any = import_extra("distributed", _EXTRA, _PURPOSE)
    import_extra("cryptography", _EXTRA, _PURPOSE)
    for name in ("distributed", "distributed.client"):  # failures are reported in a sentence of ours
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if options.memory != "auto":
        _refuse_no_memory(import_extra("dask.utils", _EXTRA, _PURPOSE), options.memory)
    with safe_path(), import_extra("dask", _EXTRA, _PURPOSE).config.set(_SETTINGS):
        if not options.scheduler:
            with _without_interrupts():
                cluster = distributed.LocalCluster(
                    n_workers=options.processes,
                    threads_per_worker=1,
                    memory_limit=options.memory,
                    security=True,
                    dashboard_address="127.0.0.1:0",  # any free port: others may run at the same time
                    silence_logs=50,
                )
            with cluster, distributed.Client(cluster) as client:
                yield client
            return
        try:
            client = distributed.Client(options.scheduler, timeout=CLUSTER_CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            hint = "Start one there (`dask scheduler`), or correct the address."
            where = shown(without_login(options.scheduler))
            raise UserError(f"No Dask scheduler answers at {where}.", hint) from error
        with client:
            _refuse_other_versions(client)
            yield client


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Threads that begin in the block, and processes that these start, get no Ctrl-C: this process ends them.

    A terminal sends it to all processes of a command.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # started later, it would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _refuse_no_memory(utils: Any, memory: str) -> None:
    """Raise UserError unless a text is an amount of memory that is enough for a process."""
    try:
        if utils.parse_bytes(memory) >= _LEAST_MEMORY:
            return
    except ValueError:
        problem = f"{memory!r} is not an amount of memory."
    else:
        problem = f"{memory} is too little memory for a process."
    raise UserError(problem, "Write it as 4GB, or leave --memory out.")


def _refuse_other_versions(client: Any) -> None:
    """Raise ClusterLost unless all workers have this version of premise-suggest, and there is one."""
    ours = _version()
    with suppress(TimeoutError):
        client.wait_for_workers(1, timeout=CLUSTER_WORKER_SECONDS)
    try:
        found: dict[str, str] = client.run(_version)
    except OSError as error:
        raise _lost() from error
    if not found:
        raise ClusterLost("The scheduler has no workers.", "Start some: dask worker ADDRESS --nthreads 1")
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
    client: Any, work: Callable[[_Task], _Result], tasks: Sequence[_Task]
) -> Iterator[tuple[_Task, _Result | PremiseSuggestError]]:
    """Each task with its result, as they are done; with an error if it could not be done.

    Dask blames a worker's death on every task that it had: where several are blamed, each is done again alone.
    Leaving the loop cancels what has not begun. Raises ClusterLost: the scheduler has ended.
    """
    distributed: Any = import_extra("distributed", _EXTRA, _PURPOSE)
    futures = {client.submit(work, task, pure=False): task for task in tasks}
    blamed: list[tuple[_Task, WorkersDied]] = []
    try:
        for future in distributed.as_completed(list(futures)):
            found = _outcome(distributed, future)
            if isinstance(found, WorkersDied):
                blamed.append((futures[future], found))
            else:
                yield futures[future], found
        if len(blamed) == 1:
            yield blamed.pop()
        for task, _ in blamed:
            again = client.submit(work, task, pure=False)
            futures[again] = task
            distributed.wait(again)
            yield task, _outcome(distributed, again)
    except distributed.comm.CommClosedError as error:
        raise _lost() from error
    finally:
        client.cancel(list(futures))


async def result_of(
    client: Any, work: Callable[[_Task], _Result], task: _Task
) -> _Result | PremiseSuggestError:
    """One task's result, or the error for which it could not be done. Raises ClusterLost: the scheduler has ended.

    Cancellation also cancels the task, if it has not begun.
    """
    distributed: Any = import_extra("distributed", _EXTRA, _PURPOSE)
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    future = client.submit(work, task, pure=False)
    future.add_done_callback(lambda _: loop.call_soon_threadsafe(done.set))
    try:
        await done.wait()
    except asyncio.CancelledError:
        client.loop.add_callback(future.release)
        raise
    found: _Result | PremiseSuggestError = await asyncio.to_thread(_outcome, distributed, future)
    return found


@contextmanager
def opened_on_workers(
    client: Any, opening: Callable[[], _State]
) -> Iterator[Callable[[Callable[[_State, _Task], _Result]], Callable[[_Task], _Result]]]:
    """For a block, each worker opens something at its first task, and keeps it for the tasks that follow.

    The block gets a function that turns work on the opened object and a task into work on a task. A worker does
    one such task at a time. What `opening` raises is raised by the tasks; other errors than ours become a ClusterLost.
    Raises ClusterLost: the scheduler has ended.
    """
    from lean_extract.common.cluster_worker import OpenedOnce, with_opened

    name = f"premise-suggest-{secrets.token_hex(8)}"
    try:
        client.register_plugin(OpenedOnce(opening), name=name)
    except OSError as error:  # as closed connections are
        raise _lost() from error

    def work_of(work: Callable[[_State, _Task], _Result]) -> Callable[[_Task], _Result]:
        return partial(with_opened, name, work)

    try:
        yield work_of
    finally:
        if client.status == "running":
            try:
                client.unregister_worker_plugin(name)
            except (OSError, RuntimeError, ValueError) as error:  # it ends with the workers, too
                log.info("An object opened on the workers was not closed: %s", error)


def _lost() -> ClusterLost:
    return ClusterLost(
        "The Dask scheduler has ended.", "What was done is kept; run the same command again to go on."
    )


def _outcome(distributed: Any, future: Any) -> Any:
    if future.status == "cancelled":
        raise _lost()
    try:
        return future.result()  # what went with its worker is done again
    except PremiseSuggestError as error:
        return error
    except distributed.KilledWorker:
        return WorkersDied("Too many workers died while running it.", "Give workers more memory.")
    except Exception as error:  # of the task's own code, on another machine
        if isinstance(error, (distributed.client.FutureCancelledError, distributed.comm.CommClosedError)):
            raise _lost() from error
        return TaskFailed(f"It failed: {type(error).__name__}: {error}.", "See the worker's log.")
