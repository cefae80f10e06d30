"""What every source of live goals offers: the language server's session, and the REPL's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from pathlib import Path
from typing import Protocol

from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session.faults import Fault
from lean_extract.session.limits import TacticSeconds


class LiveLean(Protocol):
    """A live Lean for one project; `LeanSession` says what each of these takes, gives and raises."""

    @property
    def lean_version(self) -> str:
        """The version of the running Lean; empty if it is not known."""

    @property
    def needs_compiling(self) -> bool:
        """Whether this Lean has no Lake, so that we compile what files import."""

    def left(self, path: Path, lines: int) -> int:
        """How many of the first lines of a file this Lean has still to elaborate; 0 if that is not known."""
        ...

    async def goals_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goals at a position."""
        ...

    async def expected_at(self, path: Path, text: str | None, position: Position) -> ProofState:
        """The goal of the `sorry` at the position of a term."""
        ...

    async def errors_above(self, path: Path, text: str | None, position: Position) -> Sequence[Fault]:
        """The errors in the declarations above that of a position."""
        ...

    async def prepare(self, path: Path, text: str | None, position: Position) -> None:
        """Begin with what `try_tactics` at a position will wait for."""
        ...

    def try_tactics(
        self,
        path: Path,
        text: str | None,
        position: Position,
        tactics: Sequence[str] | AsyncIterable[str],
        *,
        timeout: TacticSeconds | None = None,
        within: float | None = None,
    ) -> AsyncGenerator[TacticOutcome, None]:
        """Try tactics on the main goal at a position, each separately."""
        ...

    async def close(self) -> None:
        """Stop Lean."""
        ...
