"""Finds, exports and loads the tactic generator.

Suggestions need ONNX graphs (`prover.generator.files`). A checkpoint of transformers, such as those that
ReProver's authors publish, is exported at first use, or by `premise-suggest generator add`, into the user's cache, by
another process: nothing here imports torch.
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
import threading
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
from lean_extract.common.files.json_text import read_json
from lean_extract.common.terminal_text import shown
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import first_use
from lsp_server.engine.tasks import to_the_end
from lsp_server.limits import GENERATOR_EXPORT_SECONDS, GENERATOR_RETRY_SECONDS, MAX_EXPORT_ERROR_CHARACTERS
from prover.generator import files
from prover.generator.checkpoints import Checkpoint, read_checkpoint
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
_PREFIX = ".export-"
"""Of the folders of exports that are under way."""
_NEEDED = ("torch", "transformers", "onnx")
"""The modules that an export imports; the extra `train` installs them."""


def served_name(setting: str) -> str:
    """The address of a model at a server, which writes in addition to the shipped one; empty if none is named.

    PREMISE_SUGGEST_GENERATOR counts where the setting is empty.
    """
    named = setting or os.environ.get(_VARIABLE, "")
    return named if named.lower().startswith(("http://", "https://")) else ""


def generator_folder(setting: str, *, download: bool = False) -> Path | None:
    """The generator's folder: the one that is set (PREMISE_SUGGEST_GENERATOR counts, too), else the shipped;
    None if there is neither. `byt5` is the name of a second shipped one. Where the variable has the address of a model
    at a server, it is the shipped one, which that writes in addition to.

    A name of the hub is looked up in the hub's cache, and fetched if `download` is set. A checkpoint that is
    not exported yet is exported, which may take minutes; later calls find it done. How its prompts are written
    may follow its name: `owner/name#llmstep`. Raises ModelError.
    """
    named = setting or os.environ.get(_VARIABLE, "")
    if not named or (not setting and served_name("")):
        return SHIPPED_GENERATOR if (SHIPPED_GENERATOR / files.CONFIG).is_file() else None
    if named == BYT5:
        return SHIPPED_BYT5
    name, form = _name_and_form(named)
    folder = _found(name, download, "" if setting else _VARIABLE)
    is_exported_first = files.checkpoint_files(folder) and files.is_checkpoint(folder)
    return exported(read_checkpoint(folder, form)) if is_exported_first else folder


def add_generator(name: str, form: str, *, download: bool, on_stage: OnStage) -> Path:
    """The folder of a generator that suggestions can use, after whatever it takes to get there.

    Args:
        name: as in the setting.
        form: how its prompts are written; empty: as the name says.
        download: whether it may be fetched from the hub.
        on_stage: is told what is being done.

    Raises ModelError, with the kinds of models that are known where this is none of them.
    """
    name, named_form = _name_and_form(name)
    folder = SHIPPED_BYT5 if name == BYT5 else _found(name, download, "")
    if not (folder / files.CONFIG).is_file():
        folder = exported(read_checkpoint(folder, form or named_form), on_stage)
    open_folder(folder)
    return folder


def setting_of(name: str, form: str) -> str:
    """What the setting has to be for a generator that was added so: a folder's whole path, and the form."""
    folder = Path(name).expanduser()
    whole = str(folder.absolute()) if folder.exists() else name
    return f"{whole}#{form}" if form else whole


@dataclass(frozen=True, slots=True)
class AddedGenerator:
    """An exported checkpoint."""

    key: str
    source: str
    """The folder that it was exported from."""
    form: str
    parameters: int
    size: int
    """In bytes."""


def added_generators() -> list[AddedGenerator]:
    """The exported checkpoints, by their folders' names. Damaged ones are among them."""
    found = generators_folder().glob(f"[!.]*/{files.CONFIG}")
    return [_added(path.parent) for path in sorted(found)]


def _added(folder: Path) -> AddedGenerator:
    try:
        values = read_json(folder / files.CONFIG)
        known = {name: values[name] for name in ("source", "form", "parameters")}
    except (OSError, ValueError, KeyError, TypeError):
        known = {"source": "an unknown folder", "form": "?", "parameters": 0}
    size = sum(file.stat().st_size for file in folder.iterdir())
    source, form, parameters = map(known.get, ("source", "form", "parameters"))
    return AddedGenerator(
        folder.name, str(source), str(form), parameters if type(parameters) is int else 0, size
    )


def remove_generator(key: str) -> int:
    """Remove an exported checkpoint; how many bytes it had. Raises UserError: there is none of that name."""
    for one in added_generators():
        if one.key == key:
            shutil.rmtree(generators_folder() / key)
            return one.size
    raise UserError(f"No generator {shown(key)} was added.", "`premise-suggest generator` lists them.")


def _name_and_form(named: str) -> tuple[str, str]:
    """The parts of `NAME#FORM`; a folder whose name has the sign is a name."""
    name, sign, form = named.rpartition("#")
    return (name, form) if sign and not Path(named).expanduser().exists() else (named, "")


def _found(name: str, download: bool, named_by: str) -> Path:
    """The folder that a name means. Raises ModelError."""
    if served_name(name):
        raise ModelError(
            f"{shown(name)} is a model at a server, not a folder.",
            "Name it in the setting `tactics.generator`, or with `suggest --generator`.",
        )
    folder = find_model(name, download=download, named_by=named_by)
    return folder if folder == Path(name).expanduser() else _with_weights(name, folder, download)


OnStage = Callable[[str], object]
"""Is told what is being done."""


def exported(checkpoint: Checkpoint, on_stage: OnStage = lambda stage: None) -> Path:
    """The folder in the user's cache that a checkpoint of transformers is exported to, made if need be.

    Weights stay float32, as they were published. Raises ModelError: torch is missing, a checkpoint that cannot
    be read, a full disk.
    """
    folder = generators_folder() / _key(checkpoint)
    if (folder / files.CONFIG).is_file():
        return folder
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        raise files.not_exported(checkpoint.folder)
    first_use.info("Exporting the generator in %s (once) ...", checkpoint.folder)
    try:
        make_private_folder(folder.parent)
        _sweep(folder.parent)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=_PREFIX) as name:
            _export(checkpoint, Path(name) / "generator", on_stage)
            _move(Path(name) / "generator", folder)
    except OSError as error:
        raise ModelError(
            f"The exported generator could not be written to {folder.parent}: {error.strerror}.",
            "Free some space there, or export it elsewhere: python -m prover export.",
        ) from error
    return folder


def _sweep(folder: Path) -> None:
    """Remove what exports have left that were killed."""
    for left in folder.glob(f"{_PREFIX}*"):
        if time.time() - left.stat().st_mtime > 2 * GENERATOR_EXPORT_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


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


def _export(checkpoint: Checkpoint, out: Path, on_stage: OnStage) -> None:
    """Have another process export. It is ended where this is interrupted, or after a time."""
    # -P: no module of the project that the server happens to run in. Offline: all that is needed is there.
    command = [sys.executable, "-P", "-m", "prover", "export", str(checkpoint.folder), str(out), "--fp32"]
    with (
        tempfile.TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(
            [*command, "--form", checkpoint.form],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            errors="replace",
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
            umask=UMASK,
        ) as process,
    ):
        limit = threading.Timer(GENERATOR_EXPORT_SECONDS, process.kill)
        limit.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                on_stage(line.strip())
            code, is_late = process.wait(), limit.finished.is_set()
        finally:
            limit.cancel()
            process.kill()
        errors.seek(0)
        reason = _reason(errors.read(MAX_EXPORT_ERROR_CHARACTERS), code)
    if is_late:
        reason = f"it took more than {GENERATOR_EXPORT_SECONDS} s."
    if code:
        raise ModelError(
            f"The checkpoint {checkpoint.folder} could not be exported: {reason}",
            f"`python -m prover export {checkpoint.folder} OUT` shows all of it.",
        )


def _reason(printed: str, code: int) -> str:
    """The error that our command printed, or the last line of its output."""
    lines = printed.strip().splitlines() or [f"exit code {code}"]
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


def _key(checkpoint: Checkpoint) -> str:
    from prover.generator import prompt

    folder, form = checkpoint.folder, checkpoint.form
    digest = hashlib.sha256(f"{files.VERSION} {prompt.VERSION} {form}".encode())
    tokenizer = [] if checkpoint.tokens is None else [folder / files.TOKENIZER]
    try:
        for file in [folder / "config.json", *files.checkpoint_files(folder), *tokenizer]:
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
        UserError: a generator is named, and tactics are to come from templates alone.
        ModelError: it cannot be loaded, or none is named and none is shipped.
    """
    if source == "templates" and name:
        raise UserError("--generator has no effect on templates.", "Leave out --tactics-from templates.")
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
        name = served_name(settings.tactics.generator)
        if settings.tactics.source == "templates" or not name:
            return None
        if self._served is None:
            from lsp_server.engine.served_models import ServedModels  # with an HTTP client

            self._served = ServedModels()
        return self._served.server(name, settings.models)

    async def get(self, name: str, *, download: bool, device: Device) -> TacticGenerator | None:
        """The configured generator; None if none is configured and none is shipped.

        Args:
            name: a folder, or owner/name on the hub; empty, or the address of a model: the one that is shipped.
            download: whether it may be fetched from the hub.
            device: where it runs, unless it is one of shapes.

        Raises ModelError.
        """
        held, request = self._held, ("" if served_name(name) else name, download, device)
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
