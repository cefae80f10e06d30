"""A theorem of a Git clone, opened in LeanDojo: `suggest --dojo CLONE:FILE:THEOREM [--after TACTIC ...]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import UserError
from lean_extract.common.files.reading import is_file, read_source
from lean_extract.records import Position
from lean_extract.source.projects.project import module_of
from lean_extract.source.reader import read_file
from lean_extract.traced.lean_dojo import load_lean_dojo
from lsp_server.engine.settings import LeanSettings
from prover.search.dojo import DojoEnvironment, TheoremLean
from prover.verify import GoalPosition

_FORM = "Write --dojo CLONE:FILE:THEOREM, such as `--dojo ~/mathlib4:Mathlib/Order/Basic.lean:le_antisymm`."


@dataclass(frozen=True, slots=True)
class DojoTheorem:
    """A theorem in a clone."""

    clone: Path
    file: Path
    """Relative to the clone."""
    name: str
    """In full."""

    @classmethod
    def named(cls, text: str) -> DojoTheorem:
        """From `CLONE:FILE:THEOREM`. Raises UserError: it is not of that form, or there is no such file."""
        parts = text.rsplit(":", 2)
        if len(parts) < 3 or not all(parts):
            raise UserError(f"`{text}` names no theorem.", _FORM)
        clone, file = Path(parts[0]).expanduser(), Path(parts[1])
        if not is_file(clone / file):
            raise UserError(f"There is no file {file} in {clone}.", _FORM)
        return cls(clone.resolve(), file, parts[2])

    def position(self) -> GoalPosition:
        """Where its proof begins, which decides what is in scope. Raises UserError: the file has no such theorem."""
        path = self.clone / self.file
        found = next(
            (one for one in read_file(path, module_of(path)).premises if one.name == self.name), None
        )
        if found is None or found.span is None:
            raise UserError(f"{self.file} has no theorem {self.name}.", "Give its full name.")
        text = read_source(path)
        lines = text.split("\n")
        for number in range(found.span.start.line, min(found.span.end.line + 1, len(lines))):
            before, sign, _ = lines[number].partition(":= by")
            if sign:
                return GoalPosition(path, text, Position(number, len(before) + len(sign)))
        return GoalPosition(path, text, found.span.start)

    async def open(self, after: Sequence[str], settings: LeanSettings) -> TheoremLean:
        """Open it in LeanDojo. Raises LeanDojoMissing, LeanError, UserError."""
        library = load_lean_dojo()
        theorem = library.theorem(self.clone, self.file, self.name)
        return await TheoremLean.open(DojoEnvironment(library, theorem), after, settings.tactic_seconds)
