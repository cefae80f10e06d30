"""One problem: a search, and a fresh Lean's word on what it found."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.errors import LeanNotFound, PremiseSuggestError
from lean_extract.toolchain import Toolchain
from prover.evaluation.problems import Posed, Problem, Unposed
from prover.evaluation.rows import Row
from prover.search.environment import Proposer
from prover.search.lean_environment import LeanEnvironment, Session
from prover.search.proof_file import check_proof, write_proof
from prover.search.result import SearchLimits, SearchResult
from prover.search.search import search

ProposerFor = Callable[[Problem, int], Proposer]
"""What proposes tactics for a problem in a pass, passes counted from 1."""

_ONLY_SORRY = re.compile(r"uses [`']sorry[`']|rests on sorryAx\b")
_ENDS_IN_PROOF = re.compile(r":=\s*(?:by\b)?\s*\S")
_UNSAFE = re.compile(r"[^\w.-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prover:
    """All that one worker needs. `proofs`: the folder for the files of found proofs.

    `states_alone`: whether problems are statements of their own, which Lean has not seen yet; they are
    looked through by a fresh Lean before any search.
    """

    session: Session
    toolchain: Toolchain
    project: Path
    proposer_for: ProposerFor
    limits: SearchLimits
    proofs: Path
    states_alone: bool = False

    async def prove(self, posed: Posed, pass_number: int) -> Row:
        """What becomes of a problem. Raises LeanNotFound: there is no Lean any more."""
        if isinstance(posed, Unposed):
            return Row(posed.name, pass_number, "failed", posed.level, error=posed.message)
        blank = Row(posed.name, pass_number, "failed", posed.level)
        try:
            problem = await self._defect(posed) if self.states_alone else ""
            if problem:
                return replace(blank, error=problem)
            return await self._searched(posed, blank)
        except LeanNotFound:
            raise
        except PremiseSuggestError as error:
            return replace(blank, error=str(error))

    async def _searched(self, problem: Problem, blank: Row) -> Row:
        proposer = self.proposer_for(problem, blank.pass_number)
        async with LeanEnvironment(self.session, problem.theorem) as environment:
            result = await search(environment, proposer, self.limits)
        row = _row(blank, result)
        if result.status != "proved":
            return row
        checked = await check_proof(problem.theorem, result.proof, self.toolchain, self.project)
        row = replace(row, axioms=checked.axioms)
        if not checked.accepted:
            return replace(row, status="refused", error=checked.message)
        write_proof(self.proofs / file_name(problem.name, blank.pass_number), problem.theorem, result.proof)
        return row

    async def _defect(self, problem: Problem) -> str:
        """What Lean says against the statement, in whose place nothing but `sorry` stands; empty: nothing."""
        checked = await check_proof(problem.theorem, ["sorry"], self.toolchain, self.project)
        if checked.accepted or _ONLY_SORRY.search(checked.message):
            return ""
        if ends_in_proof(problem):
            return f"The statement ends in a proof; give it up to its `:=`. {checked.message}"
        return checked.message


def ends_in_proof(problem: Problem) -> bool:
    """Whether something that is no hole follows a `:=` outside of the statement's brackets."""
    theorem = problem.theorem
    lines = theorem.text.split("\n")[theorem.lines[0] : theorem.position.line]
    stated = "\n".join(lines).rpartition(":=")[0]
    depth, flat = 0, []
    for character in stated:
        depth += (character in "([{⟨⦃") - (character in ")]}⟩⦄")
        flat.append(character if depth == 0 else " ")
    return _ENDS_IN_PROOF.search("".join(flat)) is not None


def file_name(name: str, pass_number: int) -> str:
    """The file of a problem's proof."""
    again = "" if pass_number == 1 else f".pass{pass_number}"
    return f"{_UNSAFE.sub('_', name)}{again}.lean"


def _row(blank: Row, result: SearchResult) -> Row:
    return replace(
        blank,
        status=result.status,
        proof=result.proof,
        seconds=round(result.seconds, 3),
        nodes=result.nodes,
        tactics=result.tactics,
        error=result.reason,
    )
