"""Another module in place of an imported one that is not there any more."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lean_extract.common.nearest import nearest
from lean_extract.session.document import LeanDocument
from lean_extract.source.projects.project import find_project, find_sources, module_of
from lean_extract.toolchains.compile import header_imports
from lsp_server.engine.engine import Engine
from lsp_server.engine.repair_text import renamed


async def with_imports(engine: Engine, path: Path, text: str) -> str | None:
    """A text whose imports Lean can load, with other modules in place of those that no file declares.

    A module of the same last name is tried, then those with nearly the same name; the one is taken with which the file
    has the fewest errors. None if there is none.
    """
    if engine.root is None:
        return None
    header = LeanDocument(text).header
    known = await asyncio.to_thread(_modules, engine.root, path)
    lean = await engine.session()
    for module in header_imports(header):
        if module in known or module == "Init":
            continue
        last = module.rpartition(".")[2]
        near = [one for one in known if one.rpartition(".")[2] == last] or nearest(module, known)
        found: list[tuple[int, str]] = []
        for other in near[:_MOST]:
            candidate = renamed(text, 0, len(header), module, other)
            faults = await lean.check(path, candidate)
            found.append((sum(not one.is_sorry for one in faults), candidate))
        if not found:
            return None
        text = min(found)[1]
        header = LeanDocument(text).header
    faults = await lean.check(path, text)
    head = header.rstrip().count("\n")
    return None if any(not one.is_sorry and one.position.line <= head for one in faults) else text


_MOST = 6
"""How many modules are tried in place of one."""


def _modules(root: Path, path: Path) -> dict[str, None]:
    """The modules of a project and its packages, without that of a file."""
    own = module_of(path, find_project(root))
    return {one.module: None for one in find_sources(root).sources if one.module != own}
