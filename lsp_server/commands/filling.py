"""Proofs in place of the `sorry`s of a project's files, the easiest first."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.common.errors import (
    BadSettings,
    LeanDied,
    LeanTimeout,
    PremiseSuggestError,
    ProjectBroken,
    UserError,
)
from lean_extract.common.terminal_text import reason
from lsp_server.commands.fill_record import Attempt, FillRecord
from lsp_server.commands.lean_files import FileChanged, LeanFile, require_writable
from lsp_server.commands.place import sorry_position
from lsp_server.engine.requests import ProveRequest
from lsp_server.engine.schema_items import SorryItem
from lsp_server.engine.schema_proofs import FilledSorry, ProofAnswer, ProofStatus
from lsp_server.engine.sorries import sorries
from lsp_server.limits import FILL_FIRST_SECONDS

Prove = Callable[[FilledSorry, ProveRequest], Awaitable[ProofAnswer]]
_UNCHECKED = "A proof was found, but the search was stopped before a new Lean had checked it."


@dataclass(slots=True)
class _OpenFile:
    """A file that is being filled.

    `before`: as it was read. `now`: with the proofs found so far. `left`: the rows of the `sorry`s without a proof.
    `is_edited`: whether somebody else has changed it meanwhile.
    """

    before: LeanFile
    now: LeanFile
    rows: range
    left: list[int]
    is_edited: bool = False


class Filling:
    """The `sorry`s of a project's files, and what was found for them.

    Args:
        files: as they were read.
        record: earlier attempts.
        seconds: the longest search for one.
        imports: whether premises may be tried with their import.
        write: whether a file is written as soon as a proof is found.
    """

    def __init__(
        self,
        files: Sequence[LeanFile],
        record: FillRecord,
        seconds: float,
        *,
        imports: bool,
        write: bool,
    ) -> None:
        self._record, self._seconds, self._imports, self._write = record, seconds, imports, write
        self.rows: list[FilledSorry] = []
        self._files: list[_OpenFile] = []
        self._attempts: dict[int, Attempt] = {}
        for file in files:
            found = sorries(file.text)
            numbers = range(len(self.rows), len(self.rows) + len(found))
            self.rows += [FilledSorry(file.name, item, None) for item in found]
            self._files.append(_OpenFile(file, file, numbers, [*numbers]))
            tried = zip(numbers, record.attempts(file), strict=False)
            self._attempts |= {row: attempt for row, attempt in tried if attempt is not None}

    def changes(self) -> Iterator[str]:
        """The changes of each file with a proof, as `git apply` reads them."""
        return (file.now.diff(file.before) for file in self._files)

    async def run(self, prove: Prove, stop: asyncio.Event) -> None:
        """Search for all of them for a short time, then for the others for the whole time, until `stop` is set.

        Raises what concerns more than one of them.
        """
        for seconds in sorted({min(FILL_FIRST_SECONDS, self._seconds), self._seconds}):
            for file in self._files:
                for row in [*file.left]:
                    if stop.is_set():
                        return
                    if not self._is_done(row, seconds):
                        await self._try(prove, file, row, seconds, stop)
                        self._remember(file, row, seconds, is_whole=not stop.is_set())

    def _is_done(self, row: int, seconds: float) -> bool:
        """Whether a search of this length is of no use; if it was made by an earlier run, the row gets its result."""
        known, before = self.rows[row].proof, self._attempts.get(row)
        if before is None or not (before.is_false or before.seconds >= seconds):
            return known is not None and known.status == ProofStatus.FAILED
        if known is None:
            self.rows[row] = replace(self.rows[row], proof=_earlier(before))
        return True

    async def _try(
        self, prove: Prove, file: _OpenFile, row: int, seconds: float, stop: asyncio.Event
    ) -> None:
        written = False
        try:
            item = self._found(file, row)
            position = sorry_position(file.now.path, file.now.text, item)
            answer = await prove(self.rows[row], ProveRequest(position, seconds, self._imports))
            if answer.status == ProofStatus.PROVED and stop.is_set() and not answer.checked:
                answer = replace(answer, status=ProofStatus.STOPPED, message=_UNCHECKED, edits=[])
            if answer.status == ProofStatus.PROVED:
                after = file.now.edited(answer.edits)
                if written := self._write:
                    after.write(file.now)
                file.now = after
                file.left.remove(row)
        except BadSettings:
            raise  # the same for every `sorry`
        except (UserError, FileChanged, LeanDied, LeanTimeout, ProjectBroken, OSError) as error:
            message = str(error) if isinstance(error, PremiseSuggestError) else reason(error)
            answer, written = ProofAnswer(ProofStatus.FAILED, "", message=message), False
        self.rows[row] = replace(self.rows[row], proof=answer, written=written)

    def _found(self, file: _OpenFile, row: int) -> SorryItem:
        """Where the `sorry` of a row is now. Raises UserError: it is there no more, or its file cannot be written."""
        if self._write:
            require_writable(file.now.path)
            found = LeanFile.read(file.now.path)
            file.is_edited |= found != file.now
            file.now = found
        places = defaultdict[str, deque[SorryItem]](deque)
        for item in sorries(file.now.text):
            places[item.declaration].append(item)
        for other in file.left:
            same = places[self.rows[other].sorry.declaration]
            if other == row and same:
                return same[0]
            if same:
                same.popleft()
        raise UserError("The file has changed: the `sorry` is there no more.")

    def _remember(self, file: _OpenFile, row: int, seconds: float, *, is_whole: bool) -> None:
        """Keep what was tried for the text that is on disk. `is_whole`: whether the search was not cut short."""
        answer = self.rows[row].proof
        if answer is not None and is_whole and answer.status not in (ProofStatus.PROVED, ProofStatus.FAILED):
            self._attempts[row] = Attempt(seconds, answer.status == ProofStatus.FALSE, answer.message)
        if not file.is_edited:  # else its `sorry`s need not be those of the rows
            on_disk, rows = (file.now, file.left) if self._write else (file.before, file.rows)
            self._record.keep(on_disk, [self._attempts.get(one) for one in rows])


def _earlier(attempt: Attempt) -> ProofAnswer:
    """The result of an earlier run's search."""
    status = ProofStatus.FALSE if attempt.is_false else ProofStatus.NOT_PROVED
    message = f"{attempt.message} An earlier run searched for {attempt.seconds:g} s.".strip()
    return ProofAnswer(status, "", message=message)
