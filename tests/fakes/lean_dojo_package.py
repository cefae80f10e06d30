"""A `lean_dojo` that plays a table: the names, signatures and habits of version 4.20.0, no Lean.

Its habits: a tactic that took too long leaves the answers out of step, so that the same Dojo is of no
more use; states end with the Dojo they come from; `pp` of several goals has no heading.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

Table = Mapping[str, Mapping[str, str]]
"""For each printed state and tactic: the next printed state, or one of `done`, `gives up`, `loops`,
`crashes`, `killed`, `unreadable`; a tactic that is not there is refused."""


@dataclass(frozen=True)
class TacticState:
    pp: str
    id: int = field(compare=False)
    message: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ProofFinished:
    tactic_state_id: int
    message: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ProofGivenUp:
    pass


@dataclass(frozen=True)
class LeanError:
    error: str


class DojoCrashError(Exception):
    pass


class DojoTacticTimeoutError(Exception):
    pass


class DojoInitError(Exception):
    pass


@dataclass(frozen=True)
class LeanGitRepo:
    url: str
    commit: str

    @classmethod
    def from_path(cls, path: Path | str) -> LeanGitRepo:
        if not Path(path).is_dir():
            raise RuntimeError(f"{path} is not a Git repo.")
        return cls(str(path), "0" * 40)


@dataclass(frozen=True)
class Theorem:
    repo: LeanGitRepo
    file_path: Path
    full_name: str


@dataclass
class Process:
    """What stands for the terminal; its `timeout` is the one that counts."""

    timeout: float
    ended: threading.Event = field(default_factory=threading.Event)

    def isalive(self) -> bool:
        return not self.ended.is_set()


_IDS = itertools.count()


class Plot:
    """What the Dojos of a test play, and what became of them."""

    def __init__(self, table: Table, first: str, *, opens: bool = True) -> None:
        self.table = table
        self.first = first
        self.opens = opens
        self.dojos: list[Any] = []
        self.looping = threading.Event()


def make_package(plot: Plot, *, version: str = "4.20.0") -> ModuleType:
    """The package, its Dojos playing the plot."""

    class Dojo:
        def __init__(
            self,
            entry: Theorem,
            timeout: int = 600,
            additional_imports: list[str] | None = None,
            build_deps: bool = True,
        ) -> None:
            self.entry, self.timeout, self.build_deps = entry, timeout, build_deps
            self.states: dict[int, str] = {}
            self.ran: list[str] = []
            self.is_out_of_step = False
            self.exits = 0
            plot.dojos.append(self)

        def __enter__(self) -> tuple[Dojo, TacticState]:
            if not plot.opens:
                raise DojoInitError("Unexpected EOF")
            self.proc = Process(float(self.timeout))
            return self, self._state(plot.first)

        def __exit__(self, exc_type: None, exc_val: None, exc_tb: None) -> None:
            self.exits += 1
            self.proc.ended.set()

        def _state(self, pp: str) -> TacticState:
            state = TacticState(pp, next(_IDS))
            self.states[state.id] = pp
            return state

        def run_tac(self, state: TacticState, tactic: str) -> object:
            if self.is_out_of_step or self.proc.ended.is_set():
                raise DojoCrashError("Invalid JSON")
            self.ran.append(tactic)
            end = plot.table[self.states[state.id]].get(tactic)
            if end == "loops":
                plot.looping.set()
                if self.proc.ended.wait(self.proc.timeout):
                    raise DojoCrashError("Unexpected EOF")
                self.is_out_of_step = True
                raise DojoTacticTimeoutError
            if end == "crashes":
                self.is_out_of_step = True
                raise DojoCrashError("OOM")
            if end in ("killed", "unreadable"):
                if end == "killed":
                    self.proc.ended.set()
                raise AssertionError
            return self._answer(end)

        def _answer(self, end: str | None) -> object:
            if end is None:
                return LeanError("unknown tactic")
            if end == "gives up":
                return ProofGivenUp()
            if end == "done":
                return ProofFinished(next(_IDS), "")
            return self._state(end)

    package = ModuleType("lean_dojo")
    package.__dict__.update(
        __version__=version,
        Dojo=Dojo,
        DojoCrashError=DojoCrashError,
        DojoInitError=DojoInitError,
        DojoTacticTimeoutError=DojoTacticTimeoutError,
        LeanError=LeanError,
        LeanGitRepo=LeanGitRepo,
        ProofFinished=ProofFinished,
        ProofGivenUp=ProofGivenUp,
        TacticState=TacticState,
        Theorem=Theorem,
        trace=lambda repo, dst_dir=None, build_deps=True: None,
    )
    return package
