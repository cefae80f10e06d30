"""Reads from a file's text what a goal in it can use. The most recently read files are cached."""

from __future__ import annotations

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import MAX_SOURCE, format_size
from lean_extract.common.lru import Cache
from lean_extract.source.projects.project import Project, module_of
from lean_extract.source.reader import SourceModule, read_module
from lsp_server.documents.goal_positions import goal_context, text_to_line
from prover.verify import GoalPosition
from retriever.lean.goal_context import GoalContext

_KEPT = 8
"""Texts."""


class GoalContexts:
    """Reads files of one project up to the goal's line. Safe to use from several threads."""

    def __init__(self, project: Project | None) -> None:
        self._project = project
        self._modules: Cache[SourceModule] = Cache(_KEPT)

    def at(self, position: GoalPosition) -> GoalContext:
        """The module of the file, its imports, what it declares above the position and proves there.

        Raises BadSource: the file cannot be read, or is too large.
        """
        text = text_to_line(position)
        return goal_context(self._read(position, text), text, position.position.line)

    def _read(self, position: GoalPosition, text: str) -> SourceModule:
        key = (position.path, text)
        source = self._modules.get(key)
        if source is None:
            if len(text) > MAX_SOURCE:
                raise BadSource(
                    f"{position.path} has more than {format_size(MAX_SOURCE)} of text above this line.",
                    "Ask nearer to its beginning, or split the file.",
                )
            module = module_of(position.path, self._project)
            source = read_module(text, module, str(position.path), states=True)
            self._modules.put(key, source)
        return source
