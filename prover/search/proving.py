"""Problems proved on several Leans: for each a search, and a check of the proof it found by a fresh Lean."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import LeanNotFound, ModelUnreachable, PremiseSuggestError
from lean_extract.session.live import LiveLean
from lean_extract.syntax.brackets import PAIR_DEPTH
from lean_extract.toolchains.toolchain import Toolchain
from prover.limits import MAX_STEM_BYTES
from prover.search.environment import LeanEnvironment, Proposer
from prover.search.problems import InvalidProblem, Posed, Problem
from prover.search.run_folder import ProblemRow, not_written
from prover.search.search import SearchLimits, SearchResult, search
from prover.search.theorem import check_proof, write_proof
from prover.search.writer import Author, ProofWriter

ProposerFor = Callable[[Problem, int], Proposer]
"""(problem, pass from 1) -> what proposes tactics for it."""
AuthorFor = Callable[[Problem, int], Author]
"""(problem, pass from 1) -> the model that writes proofs of it."""
Prove = Callable[[Problem, int], Awaitable[ProblemRow]]
"""(problem, pass from 1) -> its row; one problem at a time."""

_ONLY_SORRY = re.compile(r"uses [`']sorry[`']|depends on sorryAx\b")
_ENDS_IN_PROOF = re.compile(r":=\s*+\S")
_PASS = re.compile(r"\.pass\d+\Z", re.IGNORECASE)
Task = tuple[Posed, int]
"""A problem and the number of the pass, from 1."""


@dataclass(frozen=True, slots=True)
class Prover:
    """All that one worker needs.

    `states_alone`: whether problems are standalone statements that Lean has not seen yet; a
    fresh Lean checks each of them before the search. `author_for`: None: no model writes proofs meanwhile.
    """

    session: LiveLean
    toolchain: Toolchain
    project: Path
    proposer_for: ProposerFor
    limits: SearchLimits
    states_alone: bool = False
    author_for: AuthorFor | None = None

    async def prove(self, problem: Problem, pass_number: int) -> ProblemRow:
        """Search for a proof, check it, and return the row.

        Raises LeanNotFound, ModelUnreachable: there is no Lean any more, or no model.
        """
        blank = ProblemRow(problem.name, pass_number, "failed", problem.level)
        try:
            defect = await self._defect(problem) if self.states_alone else ""
            if defect:
                return replace(blank, error=defect)
            return await self._searched(problem, blank)
        except (LeanNotFound, ModelUnreachable):  # the next problem would fail in the same way
            raise
        except PremiseSuggestError as error:
            return replace(blank, error=str(error))

    async def _searched(self, problem: Problem, blank: ProblemRow) -> ProblemRow:
        if self.author_for is None:
            proposer = self.proposer_for(problem, blank.pass_number)
            result = await search(LeanEnvironment(self.session, problem.theorem), proposer, self.limits)
            row = _row(blank, result)
        else:
            row = await self._written(problem, blank, self.author_for(problem, blank.pass_number))
        if row.status != "proved":
            return row
        checked = await check_proof(problem.theorem, row.proof, self.toolchain, self.project)
        row = replace(row, axioms=checked.axioms or ())
        if not checked.accepted:
            return replace(row, status="refused", error=checked.message)
        return row

    async def _written(self, problem: Problem, blank: ProblemRow, author: Author) -> ProblemRow:
        """The row of a search during which a model writes proofs, as for a user. Raises ModelUnreachable."""
        proposer = self.proposer_for(problem, blank.pass_number)
        environment = LeanEnvironment(self.session, problem.theorem)
        goal = (await environment.start()).goals[0]
        begin = time.monotonic()
        writer = ProofWriter(goal, asyncio.Event(), self.limits)
        written = None
        async with writer.at_work(author, LeanEnvironment(self.session, problem.theorem)):
            result = await search(environment, proposer, self.limits, stop=writer.ended)
            if result.status != "proved":
                result, written = await writer.after(result, environment, proposer)
        if written is not None:
            result = replace(result, status="proved", proof=(written.tactic,), reason="")
        elif result.status != "proved" and isinstance(writer.error, ModelUnreachable):
            raise writer.error
        use = author.spending.use(str(writer.error or ""))
        return replace(_row(blank, replace(result, seconds=time.monotonic() - begin)), model=use)

    async def _defect(self, problem: Problem) -> str:
        """Lean's error on the statement when its proof is `sorry`; empty if the statement is sound."""
        checked = await check_proof(problem.theorem, ["sorry"], self.toolchain, self.project)
        if checked.accepted or _ONLY_SORRY.search(checked.message):
            return ""
        if _ends_in_proof(problem):
            return f"The statement ends in a proof; give it up to its `:=`. {checked.message}"
        return checked.message


def keep_proof(folder: Path, stem: str, problem: Problem, row: ProblemRow) -> None:
    """Write the proof that a row has as a Lean file; `stem` comes from `stems_of`. Raises ResultsNotWritten."""
    try:
        write_proof(folder / file_name(stem, row.pass_number), problem.theorem, row.proof)
    except OSError as error:
        raise not_written(f"The proof of {problem.name}", error) from error


def _ends_in_proof(problem: Problem) -> bool:
    """Whether something other than a hole follows a `:=` outside the statement's brackets."""
    theorem = problem.theorem
    lines = theorem.text.split("\n")[theorem.lines[0] : theorem.position.line]
    stated = "\n".join(lines).rpartition(":=")[0]
    depth, flat = 0, []
    for character in stated:
        depth += PAIR_DEPTH.get(character, 0)
        flat.append(character if depth == 0 else " ")
    return _ENDS_IN_PROOF.search("".join(flat)) is not None


def stems_of(names: Iterable[str]) -> dict[str, str]:
    """The stem of each problem's file, by name. No two are equal, even on a file system that folds case.

    A name is its own stem if it is short, consists of letters and digits (of any script), dots, `_` and primes,
    and differs from all others by more than case. Any other gets `-` and a hash of the name.
    """
    names = list(dict.fromkeys(names))
    folded = Counter(map(_folded, names))
    return {
        name: name if folded[_folded(name)] == 1 and _is_plain(name) else _with_hash(name) for name in names
    }


def file_name(stem: str, pass_number: int) -> str:
    """The name of the file that holds a problem's proof; `stem` comes from `stems_of`."""
    again = "" if pass_number == 1 else f".pass{pass_number}"
    return f"{stem}{again}.lean"


def _folded(name: str) -> str:
    """Equal for names that a file system may treat as one because it folds case or normalises accents."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).upper().casefold())


def _is_plain(name: str) -> bool:
    is_safe = all(map(_is_safe, name)) and name[:1] not in ("", ".")
    # The proof of `x` in the second pass is called `x.pass2`.
    return is_safe and len(name.encode()) <= MAX_STEM_BYTES and not _PASS.search(name)


def _is_safe(character: str) -> bool:
    return character.isalnum() or character in "._'′"


def _with_hash(name: str) -> str:
    found = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:10]
    readable = "".join(one if _is_safe(one) else "_" for one in name).lstrip(".") or "_"
    short = readable.encode()[: MAX_STEM_BYTES - len(found) - 1].decode(errors="ignore")
    return f"{short}-{found}"


def _row(blank: ProblemRow, result: SearchResult) -> ProblemRow:
    return replace(
        blank,
        status=result.status,
        proof=result.proof,
        seconds=round(result.seconds, 3),
        nodes=result.nodes,
        tactics=result.tactics,
        error=result.reason,
    )


async def run(tasks: Iterable[Task], workers: Sequence[Prove], on_row: Callable[[ProblemRow], None]) -> None:
    """Give each task to the next free worker; `on_row` is called with each row as soon as it is there.

    An exception of a worker or of `on_row` stops the other workers, too, and so does cancellation. A problem
    that is unfinished then has no row.
    """
    waiting = iter(tasks)

    async def work(prove: Prove) -> None:
        for posed, pass_number in waiting:
            if isinstance(posed, InvalidProblem):
                on_row(ProblemRow(posed.name, pass_number, "failed", posed.level, error=posed.message))
            else:
                on_row(await prove(posed, pass_number))

    running = [asyncio.create_task(work(worker)) for worker in workers]
    try:
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
