"""Finds, exports and loads the tactic generator.

Suggestions need ONNX graphs (`prover.generator.files`). A checkpoint of transformers, such as those that
ReProver's authors publish, is exported at first use into the user's cache, by another process: nothing here
imports torch.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

import prover
from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError, UserError
from lean_extract.common.files.atomic import UMASK, make_private_folder
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import first_use
from lsp_server.engine.tasks import to_the_end
from lsp_server.limits import GENERATOR_EXPORT_SECONDS, GENERATOR_RETRY_SECONDS
from prover.generator import files
from prover.generator.source import TacticGenerator
from prover.opening import open_folder
from retriever.models.hub import find_model

if TYPE_CHECKING:
    from lsp_server.engine.served_models import ServedModels
    from prover.served.client import ModelServer

_DATA = Path(prover.__path__[0]) / "data"
SHIPPED_GENERATOR = _DATA / "shapes"
"""The folder of the generator that is used where none is named."""
SHIPPED_BYT5 = _DATA / "generator"
"""The folder of the generator that decodes byte by byte."""
BYT5 = "byt5"
"""The name of the latter in the setting."""
_VARIABLE = "PREMISE_SUGGEST_GENERATOR"
_NEEDED = ("torch", "transformers", "onnx")
"""The modules that an export imports; the extra `train` installs them."""


def is_served(setting: str) -> bool:
    """Whether a generator is the address of a model at a server, which writes in addition to the shipped one."""
    return setting.lower().startswith(("http://", "https://"))


def generator_folder(setting: str, *, download: bool = False) -> Path | None:
    """The generator's folder: the one that is set (PREMISE_SUGGEST_GENERATOR counts, too), else the shipped;
    None if there is neither. `byt5` is the name of a second shipped one.

    A name of the hub is looked up in the hub's cache, and fetched if `download` is set. A checkpoint that is
    not exported yet is exported, which may take minutes; later calls find it done. Raises ModelError.
    """
    named = setting or os.environ.get(_VARIABLE)
    if not named:
        return SHIPPED_GENERATOR if (SHIPPED_GENERATOR / files.CONFIG).is_file() else None
    if named == BYT5:
        return SHIPPED_BYT5
    folder = find_model(named, download=download, named_by="" if setting else _VARIABLE)
    if folder != Path(named).expanduser():
        folder = _with_weights(named, folder, download)
    return exported(folder) if files.checkpoint_files(folder) and files.is_checkpoint(folder) else folder


def exported(checkpoint: Path) -> Path:
    """The folder in the user's cache that a checkpoint of transformers is exported to, made if need be.

    Weights stay float32, as they were published. Raises ModelError: torch is missing, a checkpoint that cannot
    be read or is not a ByT5, a full disk.
    """
    folder = generators_folder() / _key(checkpoint)
    if (folder / files.CONFIG).is_file():
        return folder
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        raise files.not_exported(checkpoint)
    first_use.info("Exporting the generator in %s (once) ...", checkpoint)
    try:
        make_private_folder(folder.parent)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as name:
            _export(checkpoint, Path(name) / "generator")
            _move(Path(name) / "generator", folder)
    except OSError as error:
        raise ModelError(
            f"The exported generator could not be written to {folder.parent}: {error.strerror}.",
            "Free some space there, or export it elsewhere: python -m prover export.",
        ) from error
    return folder


def generators_folder() -> Path:
    """Where exported checkpoints are kept, each in a folder named by the hash of its weights."""
    return user_cache_path("premise-suggest", appauthor=False) / "generators"


def _with_weights(name: str, folder: Path, download: bool) -> Path:
    """A repository's folder with its PyTorch weights, if it holds no exported graphs."""
    for pattern in files.CHECKPOINTS:
        if (folder / files.CONFIG).is_file() or files.checkpoint_files(folder):
            break
        folder = find_model(name, download=download, files=[pattern])
    return folder


def _export(checkpoint: Path, out: Path) -> None:
    # -P: no module of the project that the server happens to run in. Offline: all that is needed is there.
    command = [sys.executable, "-P", "-m", "prover", "export", str(checkpoint), str(out), "--fp32"]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=offline,
            timeout=GENERATOR_EXPORT_SECONDS,
            check=False,
            umask=UMASK,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(
            f"The export of {checkpoint} took more than {GENERATOR_EXPORT_SECONDS} s.",
            "Run it by hand, with the command `python -m prover export`.",
        ) from error
    if done.returncode:
        raise ModelError(
            f"The checkpoint {checkpoint} could not be exported: {_reason(done)}",
            f"`python -m prover export {checkpoint} OUT` shows all of it.",
        )


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """The error that our command printed, or the last line of its output."""
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return errors[-1] if errors else lines[-1]


def _move(made: Path, folder: Path) -> None:
    """Move a folder to its destination, unless another process has put the same one there meanwhile."""
    try:
        made.replace(folder)
    except OSError:
        if not (folder / files.CONFIG).is_file():
            # Left by an interrupted export; a folder cannot be moved onto one that is not empty.
            shutil.rmtree(folder, ignore_errors=True)
            made.replace(folder)


def _key(checkpoint: Path) -> str:
    from prover.generator import prompt

    digest = hashlib.sha256(f"{files.VERSION} {prompt.VERSION}".encode())
    try:
        for file in [checkpoint / "config.json", *files.checkpoint_files(checkpoint)]:
            status = file.stat()
            digest.update(_content_hash(file.resolve(), status.st_size, status.st_mtime_ns))
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be read: {error.strerror}.", "Fetch it again.") from error
    return digest.hexdigest()[:16]


@functools.lru_cache(maxsize=16)
def _content_hash(file: Path, size: int, changed: int) -> bytes:
    """A file's hash, cached as long as its size and time stay the same, since files have gigabytes."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


_Open = Callable[[str, bool, Device], TacticGenerator | None]
"""Opens the generator of a name, maybe downloaded, on a device; None: there is none. Raises ModelError."""


def open_generator(name: str, download: bool, device: Device) -> TacticGenerator | None:
    """The generator of a name; None if the name is empty and no generator is shipped. Raises ModelError."""
    folder = generator_folder(name, download=download)
    return None if folder is None else open_folder(folder, device=device)


def open_requested(name: str, source: str, download: bool, device: Device) -> TacticGenerator | None:
    """The generator that was requested by name, or as the only source of tactics; None: neither.

    Args:
        source: where tactics come from, one of `settings.SOURCES`.

    Raises:
        UserError: a generator is named, and tactics are to come from templates alone; it is at a server.
        ModelError: it cannot be loaded, or none is named and none is shipped.
    """
    if source == "templates" and name:
        raise UserError("--generator has no effect on templates.", "Leave out --tactics-from templates.")
    if is_served(name):
        raise UserError("This command asks no model at a server.", "Give a folder, or owner/name on the hub.")
    if not name and source != "generator":
        return None
    return needed(open_generator(name, download, device))


def needed(found: TacticGenerator | None) -> TacticGenerator:
    """The generator. Raises ModelError: there is none."""
    if found is None:
        raise ModelError(
            "There is no tactic generator: none was named, and none is shipped.",
            "Name one with --generator, or use --tactics-from templates.",
        )
    return found


@dataclass(frozen=True, slots=True)
class _Opened:
    """A requested generator, the result of loading it, and when."""

    request: tuple[str, bool, Device]
    found: TacticGenerator | ModelError | None
    at: float

    def answers(self, request: tuple[str, bool, Device], now: float) -> bool:
        """Whether this is the requested generator, and not a failure that is old enough to try again."""
        is_fresh = not isinstance(self.found, ModelError) or now - self.at < GENERATOR_RETRY_SECONDS
        return self.request == request and is_fresh


class OpenGenerator:
    """Holds one generator; every project of a server may share it."""

    def __init__(self, opens: _Open = open_generator, clock: Callable[[], float] = time.monotonic) -> None:
        self._opens = opens
        self._clock = clock
        self._opening = asyncio.Lock()
        self._held: _Opened | None = None
        self._served: ServedModels | None = None

    def server(self, settings: Settings) -> ModelServer | None:
        """The server of the model that the settings name; None if they name none. Raises ModelError."""
        if settings.tactics.source == "templates" or not is_served(settings.tactics.generator):
            return None
        if self._served is None:
            from lsp_server.engine.served_models import ServedModels  # with an HTTP client

            self._served = ServedModels()
        return self._served.server(settings)

    async def get(self, name: str, *, download: bool, device: Device) -> TacticGenerator | None:
        """The configured generator; None if none is configured and none is shipped.

        Args:
            name: a folder, or owner/name on the hub; empty, or the address of a model: the one that is shipped.
            download: whether it may be fetched from the hub.
            device: where it runs, unless it is one of shapes.

        Raises ModelError.
        """
        held, request = self._held, ("" if is_served(name) else name, download, device)
        if held is None or not held.answers(request, self._clock()):
            held = await to_the_end(self._current(request))
        if isinstance(held.found, ModelError):
            raise ModelError(held.found.message, held.found.hint)
        return held.found

    async def _current(self, request: tuple[str, bool, Device]) -> _Opened:
        async with self._opening:
            if self._held is None or not self._held.answers(request, self._clock()):
                found = await asyncio.to_thread(self._opened, *request)
                self._held = _Opened(request, found, self._clock())
            return self._held

    def _opened(self, name: str, download: bool, device: Device) -> TacticGenerator | ModelError | None:
        try:
            return self._opens(name, download, device)
        except ModelError as error:
            return error
