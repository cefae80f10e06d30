"""The projects that agents may ask about: their engines, their files, their indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lean_extract.errors import BadSource, PremiseSuggestError, UserError
from lean_extract.files.reading import is_there, read_source
from lean_extract.source.projects.project import is_project_root
from lsp_server.documents.positions import from_person, split_lines
from lsp_server.documents.proof_positions import default_position
from lsp_server.engine.databases import Published
from lsp_server.engine.engine import Engine
from lsp_server.engine.open_generator import OpenGenerator
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import project_store
from prover.verify import GoalPosition


class Workspace:
    """Engines by project, shared by all clients of one server.

    Args:
        roots: the projects' folders, the first of which answers what names no file; no others are read.
        settings: for all of them.
        published: libraries that answer behind the projects' own indexes. No index is then begun here; those that
            there are, are kept up to date.
    """

    def __init__(self, roots: Sequence[Path], settings: Settings, published: Published | None = None) -> None:
        generator = OpenGenerator()
        self._roots = tuple(dict.fromkeys(root.resolve() for root in roots))
        self._engines = {
            root: Engine(
                root, settings, generator=generator, library=published.fitting(root) if published else None
            )
            for root in self._roots
        }
        self._is_indexing = settings.index.auto
        self._begins_indexes = published is None
        self._updates: dict[Path, asyncio.Task[None]] = {}
        self._is_closing = False
        self.failures: dict[Path, str] = {}
        """Why a project's index could not be brought up to date."""

    def begin(self) -> None:
        """Begin to bring the projects' indexes up to date; folders that are no Lake projects are left alone."""
        if self._is_indexing:
            for root in filter(is_project_root, self._roots):
                is_begun = self._begins_indexes or project_store(root).stamp() is not None
                if root not in self._updates and is_begun:
                    self._updates[root] = asyncio.create_task(self._update(root))

    @property
    def first(self) -> Engine:
        """The engine of the first project."""
        return self._engines[self._roots[0]]

    @property
    def first_failure(self) -> str:
        """Why the first project's index could not be brought up to date; empty if it could."""
        return self.failures.get(self._roots[0], "")

    async def at(self, file: str, line: int, column: int | None) -> tuple[Engine, GoalPosition]:
        """The engine for a position that counts from 1, and the position.

        Raises UserError (outside of the projects), BadSource, BadPosition.
        """
        return await asyncio.to_thread(self._at, file, line, column)

    def _at(self, file: str, line: int, column: int | None) -> tuple[Engine, GoalPosition]:
        root, path = self._allowed(file)
        text = read_source(path)
        lines = split_lines(text)
        position = from_person(lines, line, column)
        if column is None:
            position = default_position(lines, position.line)
        return self._engines[root], GoalPosition(path, text, position)

    def _allowed(self, file: str) -> tuple[Path, Path]:
        """The project that a path lies in, links followed, and the path. Raises UserError, BadSource."""
        try:
            path = (self._roots[0] / file).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a zero byte, a loop of links, far too long
            raise BadSource("The path cannot be read.", "Send the path of a Lean file.") from error
        inside = [root for root in self._roots if path.is_relative_to(root)]
        if not inside:
            served = ", ".join(map(str, self._roots))
            raise UserError(
                "The file is outside of the projects that are served, so it is not read.",
                f"Ask about files below {served}, or start the server with --project.",
            )
        if path.suffix != ".lean":
            raise BadSource(f"{path.name} is not a Lean file.", "Send a file whose name ends in .lean.")
        if not is_there(path):
            raise BadSource(
                f"There is no file {path}.", "Check the path; it is taken from the project's root."
            )
        return max(inside, key=lambda root: len(root.parts)), path

    async def _update(self, root: Path) -> None:
        engine = self._engines[root]
        try:
            with engine.being_indexed():
                await engine.update_index(lambda stage, done, total: None, lambda: self._is_closing)
        except PremiseSuggestError as error:  # it is told with the index's status
            self.failures[root] = str(error)

    async def close(self) -> None:
        """End the updates, every Lean, and every index."""
        self._is_closing = True
        for engine in self._engines.values():
            with suppress(PremiseSuggestError):
                await engine.close()
        await asyncio.gather(*self._updates.values(), return_exceptions=True)
