"""The projects that a server answers for: one engine each, opened at the first request for one of its files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

from lean_extract.source.projects.project import find_root, projects_at
from lsp_server.engine.engine import Engine
from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import project_store

log = logging.getLogger("premise_suggest")


def projects_for(folder: Path, *, loose: bool = False) -> tuple[Path, ...]:
    """The project that a folder belongs to, or those below it where it is none and has no index of its own.

    Never empty. `loose`, and what it raises, as for `projects_at`.
    """
    root = find_root(folder)
    return (root,) if project_store(root).stamp() is not None else projects_at(root, loose=loose)


class Projects:
    """Engines by project root.

    Args:
        settings_at: the settings of the project with a root as they are now; None: without a project.
    """

    def __init__(self, settings_at: Callable[[Path | None], Settings]) -> None:
        self._settings_at = settings_at
        self._engines: dict[Path | None, Engine] = {}
        self._generator = OpenGenerator()

    def __iter__(self) -> Iterator[Engine]:
        return iter(self._engines.values())

    def engine_for(self, path: Path) -> Engine:
        """The engine of the project that a file belongs to."""
        return self._engine(find_root(path))

    async def engine_for_folder(self, folder: Path) -> Engine:
        """The engine of the project that a folder belongs to, or of the only one below it."""
        found = await asyncio.to_thread(projects_for, folder)
        return self._engine(found[0]) if len(found) == 1 else self.engine_for(folder)

    def engine_without_project(self) -> Engine:
        """The engine without Lean, which knows only Mathlib's names, from the bundled index."""
        return self._engine(None)

    def _engine(self, root: Path | None) -> Engine:
        settings = self._settings_at(root)
        if root not in self._engines:
            self._engines[root] = Engine(root, settings, generator=self._generator)
        elif self._engines[root].settings != settings:
            self._engines[root].take_settings(settings)
        return self._engines[root]

    def take_settings(self) -> None:
        """Use changed settings; an engine restarts what they affect at its next request."""
        for root, engine in self._engines.items():
            engine.take_settings(self._settings_at(root))

    async def close(self) -> None:
        """Close every engine; no process is left behind."""
        engines = list(self._engines.values())
        self._engines.clear()
        ends = await asyncio.gather(*(engine.close() for engine in engines), return_exceptions=True)
        for error in ends:
            if isinstance(error, Exception):
                log.debug("An engine could not be closed", exc_info=error)
