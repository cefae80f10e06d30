"""The loaded generator of a server: loaded when first needed, and again when the setting changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError, UserError
from lsp_server.engine.generators import generator_folder
from lsp_server.engine.tasks import to_the_end
from prover.generator.source import TacticGenerator
from prover.opening import AnyGenerator, open_folder

_PATIENCE = 60.0
"""How long, in seconds, a generator that failed to load is not tried again."""


class LoadedGenerator(TacticGenerator, Protocol):
    """A generator with an identity."""

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal tactics."""
        ...


Open = Callable[[str, bool, Device], LoadedGenerator | None]
"""Opens the generator of a name, maybe downloaded, on a device; None: there is none. Raises ModelError."""


def open_generator(name: str, download: bool, device: Device) -> AnyGenerator | None:
    """The generator of a name; None if the name is empty and no generator is shipped. Raises ModelError."""
    folder = generator_folder(name, download=download)
    return None if folder is None else open_folder(folder, device=device)


def open_asked(name: str, source: str, download: bool, device: Device) -> AnyGenerator | None:
    """The generator that a person asked for by its name, or by asking for no other tactics; None: neither.

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


def needed(found: AnyGenerator | None) -> AnyGenerator:
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

    asked: tuple[str, bool, Device]
    found: LoadedGenerator | ModelError | None
    at: float

    def answers(self, asked: tuple[str, bool, Device], now: float) -> bool:
        """Whether this is the requested generator, and not a failure that is old enough to try again."""
        is_fresh = not isinstance(self.found, ModelError) or now - self.at < _PATIENCE
        return self.asked == asked and is_fresh


class OpenGenerator:
    """Holds one generator; every project of a server may share it."""

    def __init__(self, opens: Open = open_generator, clock: Callable[[], float] = time.monotonic) -> None:
        self._opens = opens
        self._clock = clock
        self._opening = asyncio.Lock()
        self._held: _Opened | None = None

    async def get(self, name: str, *, download: bool, device: Device) -> LoadedGenerator | None:
        """The configured generator; None if none is configured and none is shipped.

        Args:
            name: a folder, or owner/name on the hub; empty: the one that is shipped.
            download: whether it may be fetched from the hub.
            device: where it runs, unless it is one of shapes.

        Raises ModelError.
        """
        held, asked = self._held, (name, download, device)
        if held is None or not held.answers(asked, self._clock()):
            held = await to_the_end(self._current(asked))
        if isinstance(held.found, ModelError):
            raise ModelError(held.found.message, held.found.hint)
        return held.found

    async def _current(self, asked: tuple[str, bool, Device]) -> _Opened:
        async with self._opening:
            if self._held is None or not self._held.answers(asked, self._clock()):
                found = await asyncio.to_thread(self._opened, *asked)
                self._held = _Opened(asked, found, self._clock())
            return self._held

    def _opened(self, name: str, download: bool, device: Device) -> LoadedGenerator | ModelError | None:
        try:
            return self._opens(name, download, device)
        except ModelError as error:
            return error
