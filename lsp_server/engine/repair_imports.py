"""The imports of a file that is repaired: others in place of those that are not there any more, and further ones."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from lean_extract.common.errors import LeanError, NoGoalHere, ProjectBroken
from lean_extract.common.nearest import nearest
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault
from lean_extract.session.imports import LEANS_OWN, OUT_OF_DATE, lake_failure
from lean_extract.session.places import HOLE
from lean_extract.source.projects.project import find_project, find_sources, module_of
from lean_extract.toolchains.compile import header_imports
from lsp_server.documents.insertion import import_insertion
from lsp_server.engine.engine import Engine
from lsp_server.engine.items import edit_item, edited
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.repair_text import is_echo
from lsp_server.limits import REPAIR_IMPORTS
from prover.refusals import unknown_name
from prover.verify import GoalPosition

_NONE = "Init"
"""A module that can be imported in place of any: it brings nothing new."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A text with other imports, and what those repair: errors of the text before."""

    text: str
    repaired: Collection[Fault]


class FileImports:
    """The imports of one file.

    Args:
        engine: the project's.
        names: finds the modules that declare names.
        path: the file.
        text: its text.
    """

    def __init__(self, engine: Engine, names: MeantNames, path: Path, text: str) -> None:
        self._engine, self._names, self._path, self._text = engine, names, path, text
        self._header = LeanDocument(text).header

    async def repaired(self, faults: Sequence[Fault]) -> Imported | None:
        """The text with other imports, given its errors; None if it needs none.

        Raises ProjectBroken: its imports cannot be loaded, and no others are found; LeanError: no file can be read.
        """
        unread = self._unread(faults)
        if unread is None:
            return await self._with_more(faults)
        failure = lake_failure(unread.message)
        if failure is not None and failure.is_configuration:
            error = await self._why_unread(self._text)
            raise LeanError(error.message, error.hint)
        message = failure.reason if failure is not None else unread.first_line
        return Imported(await self._with_others(), [Fault(unread.position, message)])

    def _unread(self, faults: Sequence[Fault]) -> Fault | None:
        """The error for which Lean reads nothing below the imports; None if it does read it."""
        last = self._header.rstrip().count("\n") if self._header else -1
        return next((one for one in faults if one.position.line <= last or lake_failure(one.message)), None)

    async def _faults(self, text: str) -> list[Fault]:
        lean = await self._engine.session()
        found = await lean.check(self._path, text)
        return [one for one in found if not (one.is_sorry or is_echo(one))]

    async def _with_others(self) -> str:
        """The text with other modules in place of those that no file declares.

        Those are tried that have their declarations now, or the same last name, or nearly the same name. The one is
        taken with which the file has the fewest errors.
        """
        known = await asyncio.to_thread(self._known)
        missing = [one for one in header_imports(self._header) if one not in known]
        chosen = dict.fromkeys((one for one in missing if one.partition(".")[0] not in LEANS_OWN), _NONE)
        faults = await self._faults(self._written(chosen)) if chosen else []
        if not chosen or self._unread(faults) is not None:
            raise await self._why_unread(self._written(chosen))
        for module in chosen:
            likely = await self._names.moved(module, self._at(faults[:1]))
            for fault in faults:
                likely += await self._declaring(fault)
            likely += [one for one in known if one.rpartition(".")[2] == module.rpartition(".")[2]]
            unbuilt = []
            for other in islice(dict.fromkeys([*likely, *nearest(module, known)]), REPAIR_IMPORTS):
                found = await self._faults(self._written({**chosen, module: other}))
                unread = self._unread(found)
                is_first = chosen[module] == _NONE and other in likely
                if unread is None and len(found) < len(faults) + is_first:
                    chosen[module], faults = other, found
                    if not found:
                        break
                elif unread is not None and unread.message.startswith(OUT_OF_DATE):
                    unbuilt.append(other)
            if chosen[module] == _NONE:
                raise await self._why_unread(self._text, unbuilt)
        return self._written(chosen)

    async def _with_more(self, faults: Sequence[Fault]) -> Imported | None:
        """The text with imports of the modules that declare names that Lean does not know there."""
        missing = {fault: found for fault in faults if (found := await self._declaring(fault))}
        modules = dict.fromkeys(chain.from_iterable(missing.values()))
        ways = [[*modules]] if modules else []
        for added in [*ways, *([one] for one in modules if len(modules) > 1)]:
            text = self._text
            for module in added:
                edit = import_insertion(text.split("\n"), f"import {module}")
                text = text if edit is None else edited(text, [edit_item(edit)])
            down = text.count("\n") - self._text.count("\n")
            left = {(one.position.line - down, one.message) for one in await self._faults(text)}
            lines = {one.position.line for one in faults}
            repaired = [one for one in missing if (one.position.line, one.message) not in left]
            if repaired and all(line in lines for line, _ in left):
                return Imported(text, repaired)
        return None

    async def _declaring(self, fault: Fault) -> list[str]:
        unknown = unknown_name(fault.message)
        return [] if unknown is None else await self._names.declaring(unknown, self._at([fault]))

    def _at(self, faults: Sequence[Fault]) -> GoalPosition:
        """Where the first of these errors is; the first position if there are none."""
        position = faults[0].position if faults else LeanDocument(self._text).position(0)
        return GoalPosition(self._path, self._text, position)

    def _written(self, chosen: Mapping[str, str]) -> str:
        """The text with other modules in place of some."""
        header = self._header
        for module, other in chosen.items():
            header = other.join(re.split(rf"(?<![\w.«]){re.escape(module)}(?![\w.'!?»])", header))
        return header + self._text[len(self._header) :]

    async def _why_unread(self, text: str, unbuilt: Sequence[str] = ()) -> ProjectBroken:
        """Why the imports of a text cannot be loaded, with what to do. `unbuilt`: modules that may be meant."""
        text = f"{LeanDocument(text).header.rstrip()}\n\nexample : True := by\n  {HOLE}\n"
        position = LeanDocument(text).position(text.rindex(HOLE))
        try:
            await self._engine.goal_at(GoalPosition(self._path, text, position))
        except ProjectBroken as error:
            if unbuilt:
                error.hint = f"Run `lake build {' '.join(unbuilt)}`, then try again: it may be there now."
            return error
        except NoGoalHere:
            pass
        return ProjectBroken(f"The imports of {self._path.name} cannot be loaded.", "Try again.")

    def _known(self) -> dict[str, None]:
        """The modules of the project and its packages, without that of the file."""
        root = self._engine.root
        if root is None:
            return {}
        own = module_of(self._path, find_project(root))
        return {one.module: None for one in find_sources(root).sources if one.module != own}
