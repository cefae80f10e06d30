"""The projects that agents may use: their engines, their files, their indexes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lean_extract.common.errors import BadSource, PremiseSuggestError, UserError
from lean_extract.common.files.reading import is_there, read_source
from lean_extract.source.projects.packages import is_lake_package
from lean_extract.source.projects.project import find_root, is_project_root
from lsp_server.documents.positions import goal_position
from lsp_server.documents.theorem_places import named_position
from lsp_server.engine.databases import Published
from lsp_server.engine.engine import Engine
from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.projects import projects_for
from lsp_server.engine.repair_before import Before
from lsp_server.engine.repair_record import recorded, updated_index
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import project_store
from lsp_server.mcp.arguments import PlaceArguments
from prover.verify import GoalPosition

log = logging.getLogger("premise_suggest")
_TEXT_NAME = "_text.lean"
"""Where a text without a file is taken to be: in the project's root. Nothing is written there."""


class Workspace:
    """Engines by project, shared by all clients of one server.

    Args:
        roots: the folders that may be read. Requests without a file are answered by the project of the first one,
            or the only one below it; requests for a file by the file's project.
        settings_at: the settings of the project with a root, as they are now.
        published: libraries that answer after the projects' own indexes. No new index is then begun; existing ones
            are kept up to date.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        settings_at: Callable[[Path], Settings],
        published: Published | None = None,
    ) -> None:
        self._generator = OpenGenerator()
        self._settings_at = settings_at
        self._published = published
        self._roots = tuple(dict.fromkeys(root.resolve() for root in roots))
        self._engines: dict[Path, Engine] = {}
        for root in self._roots:
            self._engine(_project_of(root))
        self._first = next(iter(self._engines))
        self._updates: dict[Path, asyncio.Task[None]] = {}
        self._is_closing = False
        self.failures: dict[Path, str] = {}
        """Why a project's index could not be brought up to date."""

    def begin(self) -> None:
        """Begin to bring the projects' indexes up to date; folders that are not Lake projects are skipped."""
        for root in tuple(self._engines):
            self._begin(root)

    def _begin(self, root: Path) -> None:
        engine = self._engine(root)
        if root in self._updates or not engine.settings.index.auto or not is_project_root(root):
            return
        if self._published is None or project_store(root).stamp() is not None:
            self._updates[root] = asyncio.create_task(self._update(root))

    def _engine(self, root: Path) -> Engine:
        """The engine of a project, made when it is first needed, with the settings as they are now."""
        settings = self._settings_at(root)
        if root not in self._engines:
            library = self._published.fitting(root) if self._published else None
            self._engines[root] = Engine(root, settings, generator=self._generator, library=library)
        elif self._engines[root].settings != settings:
            self._engines[root].take_settings(settings)
        return self._engines[root]

    @property
    def first(self) -> Engine:
        """The engine of the first project."""
        return self._engine(self._first)

    @property
    def first_failure(self) -> str:
        """Why the first project's index could not be brought up to date; empty if it could."""
        return self.failures.get(self._first, "")

    async def at(self, place: PlaceArguments) -> tuple[Engine, GoalPosition]:
        """The engine for a place, and the position.

        Raises UserError (outside of the projects, no such declaration, no place), BadSource, BadPosition.
        """
        root, position = await asyncio.to_thread(self._at, place)
        return self._begun(root), position

    async def to_repair(self, file: str, text: str) -> tuple[Engine, Path, str]:
        """The engine for a file, or for a text without one; its path and its text. Raises as `in_file`."""
        if file:
            engine, path, saved = await self.in_file(file)
            return engine, path, text or saved
        if not text:
            raise UserError(
                "Neither `file` nor `text` says what to repair.",
                "Send a file, or Lean text with its imports.",
            )
        return self.first, self._first / _TEXT_NAME, text

    async def names_before(self, engine: Engine) -> Before:
        """What the index of an engine's project knew before its library changed, with the index up to date."""
        root = engine.root or self._first
        try:
            if root in self._updates:
                return await updated_index(engine, root, _say_nothing, lambda: self._is_closing)
        except PremiseSuggestError as error:  # another process updates it, or its status says why not
            log.info("The index was not brought up to date: %s", error)
        return await asyncio.to_thread(recorded, root)

    async def in_file(self, file: str) -> tuple[Engine, Path, str]:
        """The engine for a file, its path and its text. Raises UserError (outside of the projects), BadSource."""
        root, path = await asyncio.to_thread(self._allowed, file)
        return self._begun(root), path, await asyncio.to_thread(read_source, path)

    def _begun(self, root: Path) -> Engine:
        engine = self._engine(root)
        self._begin(root)
        return engine

    def _at(self, place: PlaceArguments) -> tuple[Path, GoalPosition]:
        if (place.line is None) is not bool(place.declaration):
            raise UserError(
                "Either `line` or `declaration` names the place.",
                "Send one of the two; `column` goes with `line`.",
            )
        root, path = self._allowed(place.file)
        text = read_source(path)
        if place.line is None:
            return root, GoalPosition(path, text, named_position(text, place.declaration, path.name))
        return root, GoalPosition(path, text, goal_position(text, place.line, place.column))

    def _allowed(self, file: str) -> tuple[Path, Path]:
        """The project that contains a path, links followed, and the path. Raises UserError, BadSource."""
        try:
            path = (self._roots[0] / file).resolve()
            if not is_there(path):
                path = (self._first / file).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a zero byte, a loop of links, far too long
            raise BadSource("The path cannot be read.", "Send the path of a Lean file.") from error
        inside = [root for root in self._roots if path.is_relative_to(root)]
        if not inside:
            served = ", ".join(map(str, self._roots))
            raise UserError(
                "The file is outside of the projects that are served, so it is not read.",
                f"Send a file below {served}, or start the server with --project.",
            )
        if path.suffix != ".lean":
            raise BadSource(f"{path.name} is not a Lean file.", "Send a file whose name ends in .lean.")
        if not is_there(path):
            raise BadSource(
                f"There is no file {path}.", "Check the path; it is taken from the project's root."
            )
        root, below = max(inside, key=lambda root: len(root.parts)), find_root(path)
        is_other = not is_lake_package(root) and is_project_root(below) and below.is_relative_to(root)
        return (below if is_other else root), path

    async def _update(self, root: Path) -> None:
        engine = self._engines[root]
        try:
            await updated_index(engine, root, _say_nothing, lambda: self._is_closing)
        except PremiseSuggestError as error:  # it is reported with the index's status
            self.failures[root] = str(error)

    async def close(self) -> None:
        """End the updates, every Lean, and every index."""
        self._is_closing = True
        for engine in self._engines.values():
            with suppress(PremiseSuggestError):
                await engine.close()
        await asyncio.gather(*self._updates.values(), return_exceptions=True)


def _say_nothing(stage: str, done: int, total: int) -> None:
    """Agents see how fresh an index is, not its progress."""


def _project_of(folder: Path) -> Path:
    """The project that a folder belongs to, or the only one below it; with several below, the folder."""
    found = projects_for(folder)
    return found[0] if len(found) == 1 else folder
