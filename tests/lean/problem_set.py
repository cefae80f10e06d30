"""The held-out problems as Lean sees them, compiled together with the example library."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lean_extract.records import Position, Premise, Proof, Record
from lean_extract.source.reader import read_module
from lean_extract.toolchains.compile import lean_messages, read_sources
from lean_extract.toolchains.packaged import CORE_SOURCES, PackagedLean, build_library
from lean_extract.traced.extract import Compiled, trace_module
from tests.lean.conftest import EXAMPLE
from tests.lean.statement_key import StatementKey, statement_key
from tests.lean.test_example_library import Library

PROBLEMS = CORE_SOURCES.parent / "problems"


@dataclass(frozen=True)
class Graded:
    """A problem with its level and its reference proof."""

    premise: Premise
    proof: Proof
    level: int
    path: Path
    place: tuple[int, int]
    """Where the tactics of the proof begin and end in the file."""

    @property
    def name(self) -> str:
        return self.premise.name

    @property
    def key(self) -> StatementKey:
        return statement_key(self.premise.context, self.premise.conclusion)

    def begins_with(self, *tactics: str) -> bool:
        """Whether the proof's first tactic is one of these."""
        return self.proof.steps[0].tactic.split()[0] in tactics


@dataclass(frozen=True)
class Checked:
    """Problems and library, compiled, and what Lean says of them."""

    library: Library
    problems: tuple[Graded, ...]
    theorems: Mapping[str, Premise]
    """Of the example library, its unfinished proofs included."""

    def oracle(self, problem: Graded) -> list[str]:
        """The theorems of the library that the reference proof uses."""
        return [name for name in problem.proof.premises if name in self.theorems]

    def known_as(self) -> dict[StatementKey, str]:
        """The library's theorems by their statements; of those that agree in all but names, the first."""
        found: dict[StatementKey, str] = {}
        for name, theorem in self.theorems.items():
            found.setdefault(statement_key(theorem.context, theorem.conclusion), name)
        return found

    def closed_by(self, tactic: str) -> set[str]:
        """The problems that a tactic proves by itself."""
        found: set[str] = set()
        for path in sorted({problem.path for problem in self.problems}):
            found |= self._closed_in(path, tactic)
        return found

    def _closed_in(self, path: Path, tactic: str) -> set[str]:
        text, here = path.read_text(encoding="utf-8"), [one for one in self.problems if one.path == path]
        for problem in reversed(here):
            begin, end = problem.place
            text = text[:begin] + tactic + text[end:]
        messages = lean_messages(
            self.library.lean.lean_command, self.library.lean.environment_for(self.library.out), text
        )
        wrong = {one["pos"]["line"] - 1 for one in messages if one["severity"] == "error"}
        starts = [number for number, line in enumerate(text.split("\n")) if line.startswith("theorem ")]
        ends = [*starts[1:], len(text)]
        return {
            problem.name
            for problem, start, end in zip(here, starts, ends, strict=True)
            if not any(start <= line < end for line in wrong)
        }


def check(lean: PackagedLean, example_oleans: Path, example: Iterable[Record], folder: Path) -> Checked:
    """Compile the problems beside the library, and ask Lean about each.

    Args:
        example_oleans: the library, compiled.
        example: what Lean says of it.
        folder: an empty one for both.
    """
    root, out = folder / "both", folder / "oleans"
    shutil.copytree(EXAMPLE, root)
    shutil.copytree(PROBLEMS, root, dirs_exist_ok=True)
    shutil.copytree(example_oleans, out)
    compiled = build_library(root, out, lean)
    assert set(compiled) == set(read_sources(PROBLEMS))
    library = Compiled(root, out, lean.lean_command, lean.environment_for(out, root))
    problems = [one for module in compiled for one in _graded(module, *traced(library, module))]
    theorems = {one.name: one for one in example if isinstance(one, Premise) and one.kind == "theorem"}
    return Checked(Library(lean, out), tuple(problems), theorems)


def traced(place: Compiled, module: str) -> tuple[dict[str, Premise], dict[str, Proof]]:
    """What Lean says of a module, by name."""

    async def records() -> tuple[dict[str, Premise], dict[str, Proof]]:
        found = [record async for record in trace_module(place, module)]
        return (
            {record.name: record for record in found if isinstance(record, Premise)},
            {record.theorem: record for record in found if isinstance(record, Proof)},
        )

    return asyncio.run(records())


def _graded(module: str, premises: Mapping[str, Premise], proofs: Mapping[str, Proof]) -> Iterator[Graded]:
    """Every declaration of a file is a theorem whose doc comment begins with its level."""
    path = PROBLEMS.joinpath(*module.split(".")).with_suffix(".lean")
    text = path.read_text(encoding="utf-8")
    for written in read_module(text, module, str(path)).premises:
        level = re.match(r"level ([123])\n\S", written.doc or "")
        assert level is not None, f"{written.name} has no level"
        assert premises[written.name].kind == "theorem"
        proof = proofs[written.name]
        first = proof.steps[0].span
        assert first is not None
        assert written.span is not None
        place = (_offset(text, first.start), _offset(text, written.span.end))
        yield Graded(premises[written.name], proof, int(level[1]), path, place)


def _offset(text: str, position: Position) -> int:
    return sum(len(line) + 1 for line in text.split("\n")[: position.line]) + position.column
