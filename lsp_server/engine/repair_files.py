"""The repair of one file: Lean's errors in it, declaration by declaration, and a new Lean's verdict on the result."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from lean_extract.common.errors import LeanError
from lean_extract.records import Edit, Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, is_misparsed
from lean_extract.session.tactic_sites import declared_name
from lean_extract.session.tactic_spans import Change
from lean_extract.syntax.keywords import DECLARATION_WORDS
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_text import has_sorry
from lsp_server.engine.engine import Engine
from lsp_server.engine.items import edit_item
from lsp_server.engine.repair_imports import FileImports, Imported
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.repair_text import difference, is_echo
from lsp_server.engine.repairing import DeclarationRepair, Repair
from lsp_server.engine.schema_proofs import RepairedError, RepairKind

_NOT_IN_PROOF = "It is not in a proof."
_REFUSED = "A new Lean refuses the file with what was found."
_NO_TIME = "It was not reached in time."
_STOPPED = "It was not reached."


@dataclass(frozen=True, slots=True)
class RepairLimits:
    """`seconds`: for each error; `until`: the end of all work, in the time of `time.monotonic`."""

    seconds: float
    until: float

    @property
    def left(self) -> float:
        """The seconds that are left for one error."""
        return min(self.seconds, self.until - time.monotonic())


@dataclass(slots=True)
class _Declaration:
    """A declaration with errors: its range in the file as it was, its name, errors, and repair."""

    start: int
    end: int
    name: str
    faults: list[Fault] = field(default_factory=list)
    repair: Repair = field(default_factory=lambda: Repair(reason=_STOPPED))
    after: str = ""


async def repair_file(
    engine: Engine,
    names: MeantNames,
    path: Path,
    shown: str,
    text: str,
    limits: RepairLimits,
    stop: asyncio.Event,
) -> list[RepairedError]:
    """Lean's errors in a file's text, with the edits that repair them. A new Lean accepts the file with all of these.

    Args:
        engine: the project's.
        names: finds names.
        path: the file.
        shown: its name in the answer.
        text: its text.
        limits: on the time.
        stop: once it is set, the rest of the errors is left as it is.

    Raises ProjectBroken: its imports cannot be loaded; LeanError: Lean cannot be used; PremiseIndexError, ModelError.
    """
    work = _FileWork(engine, names, path, LeanDocument(text).text, limits, stop)
    return await work.run(shown)


class _FileWork:
    def __init__(
        self,
        engine: Engine,
        names: MeantNames,
        path: Path,
        text: str,
        limits: RepairLimits,
        stop: asyncio.Event,
    ) -> None:
        self._engine, self._names, self._path, self._limits, self._stop = engine, names, path, limits, stop
        self._text = text
        self._document = LeanDocument(text)

    async def run(self, shown: str) -> list[RepairedError]:
        lean = await self._engine.session()
        faults = [
            one for one in await lean.check(self._path, self._text) if not (one.is_sorry or is_echo(one))
        ]
        imported = await FileImports(self._engine, self._names, self._path, self._text).repaired(faults)
        if imported is not None:
            return await self._with_imports(shown, imported)
        found = self._declarations(faults)
        text = await self._repaired(found)
        if text != self._text and not await self._is_accepted(text, found):
            for one in found:
                if one.repair.text:
                    one.repair = Repair(reason=_REFUSED)
        return [error for one in found for error in self._errors(shown, one)]

    async def _with_imports(self, shown: str, imported: Imported) -> list[RepairedError]:
        """The errors that other imports repair, the first with the edit that does, and those that are left then."""
        text = imported.text
        change = difference(self._text, text)
        before, after = _shown(self._text, change)
        span = Span(self._document.position(change.start), self._document.position(change.end))
        edits = [edit_item(Edit(span, change.written))]
        found: list[RepairedError] = []
        for fault in imported.repaired:
            start, end = _range(self._document, fault)
            name = declared_name(self._document.text, start, end) if start < end else ""
            line, what = fault.position.line + 1, (RepairKind.IMPORT, before, after)
            found.append(
                RepairedError(shown, line, name, fault.first_line, *what, edits if not found else [])
            )
        work = _FileWork(self._engine, self._names, self._path, text, self._limits, self._stop)
        down = text.count("\n") - self._text.count("\n")
        return [*found, *(_moved_up(one, down) for one in await work.run(shown))]

    def _declarations(self, faults: list[Fault]) -> list[_Declaration]:
        """The declarations with errors, from top to bottom. What is in none has an empty range."""
        found: dict[int, _Declaration] = {}
        for fault in faults:
            start, end = _range(self._document, fault)
            name = declared_name(self._document.text, start, end)
            found.setdefault(start, _Declaration(start, end, name)).faults.append(fault)
        return [found[start] for start in sorted(found)]

    async def _repaired(self, found: list[_Declaration]) -> str:
        """The text with what was found for each declaration, from top to bottom."""
        text, moved = self._text, 0
        broken = {one.name.rpartition(".")[2]: one for one in found if one.name}
        for one in found:
            if self._stop.is_set():
                break
            if one.start == one.end:
                one.repair = Repair(reason=_NOT_IN_PROOF)
                continue
            if self._limits.left <= 0:
                one.repair = Repair(reason=_NO_TIME)
                continue
            start = one.start + moved
            avoided = frozenset(name for name, other in broken.items() if not other.repair.text)
            work = DeclarationRepair(self._engine, self._names, self._path, start, avoided)
            one.repair = await self._unless_stopped(work, text)
            if one.repair.text:
                one.after = one.repair.text[start : one.end + moved + len(one.repair.text) - len(text)]
                moved += len(one.repair.text) - len(text)
                text = one.repair.text
        return text

    async def _unless_stopped(self, work: DeclarationRepair, text: str) -> Repair:
        """A repair; that there is none if it is stopped meanwhile, or Lean ends."""
        task = asyncio.create_task(work.repair(text, self._limits.left))
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else Repair(reason=_STOPPED)
        except LeanError as error:
            return Repair(reason=error.message)
        finally:
            for one in (task, stopped):
                one.cancel()
            await asyncio.wait([task, stopped])

    async def _is_accepted(self, text: str, found: list[_Declaration]) -> bool:
        """Whether a new Lean has errors, or `sorry`, only in declarations that were not repaired."""
        lean = await self._engine.session()
        document = LeanDocument(text)
        moved, open_ranges = 0, []
        for one in found:
            end = one.end + moved + (len(one.after) - (one.end - one.start) if one.repair.text else 0)
            if not one.repair.text:
                open_ranges.append((one.start + moved, end))
            moved = end - one.end
        for fault in await lean.check(self._path, text):
            start, end = _range(document, fault)
            is_known = any(begin <= start <= stop for begin, stop in open_ranges)
            if not is_known and not is_echo(fault) and not (fault.is_sorry and has_sorry(text[start:end])):
                return False
        return True

    def _errors(self, shown: str, one: _Declaration) -> list[RepairedError]:
        """The errors of a declaration, the first with the edit that repairs all of them."""
        change = difference(self._text[one.start : one.end], one.after) if one.repair.text else None
        found = []
        for number, fault in enumerate(one.faults):
            error = RepairedError(
                shown,
                fault.position.line + 1,
                one.name,
                fault.first_line,
                one.repair.kind,
                reason=one.repair.reason,
            )
            if change is not None:
                start, end = one.start + change.start, one.start + change.end
                span = Span(self._document.position(start), self._document.position(end))
                edits = [] if number else [edit_item(Edit(span, change.written))]
                before, after = _shown(self._text, Change(start, end, change.written))
                error = replace(error, before=before, after=after, edits=edits)
            found.append(error)
        return found


def _shown(text: str, change: Change) -> tuple[str, str]:
    """What a change replaces, and what is in its place: with the rest of the line if it is in one."""
    start, end, written = change
    if "\n" not in text[start:end] + written:
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        last = last if last >= 0 else len(text)
        start, end, written = first, last, f"{text[first:start]}{written}{text[end:last]}"
    return text[start:end].strip(), written.strip()


def _moved_up(error: RepairedError, lines: int) -> RepairedError:
    edits = [replace(one, line=one.line - lines, end_line=one.end_line - lines) for one in error.edits]
    return replace(error, line=error.line - lines, edits=edits)


def _range(document: LeanDocument, fault: Fault) -> tuple[int, int]:
    """The offsets of the declaration that an error is about; an empty range at the error if it is about none."""
    offset = document.offset(fault.position)
    # Where Lean cannot go on reading, it names the next word, which may begin the next declaration.
    inside = len(document.text[:offset].rstrip()) if is_misparsed(fault.message) else offset
    start, end = document.declaration(inside)
    is_one = start <= inside < end and not DECLARATION_WORDS.isdisjoint(
        tokenize(document.text[start:end]).texts
    )
    return (start, end) if is_one else (offset, offset)
