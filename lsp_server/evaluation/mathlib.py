"""Checks, before the first problem, that Lean can load the Mathlib modules that problems import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from lean_extract.common.errors import ProjectBroken
from lean_extract.toolchains.compile import header_imports
from lean_extract.toolchains.toolchain import Toolchain, has_lakefile
from prover.evaluation.problems import Posed, Problem
from prover.search.proof_file import check_proof
from prover.search.theorem import Theorem

_TRIED = 3
"""How many different sets of imports are tried before Mathlib counts as missing."""


async def require_mathlib(posed: Iterable[Posed], project: Path, toolchain: Toolchain) -> None:
    """Check that Lean can load the Mathlib modules that the problems import, if any.

    The most frequent sets of imports are tried; one that can be loaded is enough.
    Raises:
        ProjectBroken: none can; the hint says how to get Mathlib. LeanNotFound: there is no Lean.
    """
    said = ""
    for imports, _ in Counter(_mathlib_imports(posed)).most_common(_TRIED):
        header = "\n".join(f"import {module}" for module in imports)
        theorem = Theorem.stated(project / "problem.lean", header, "theorem premise_suggest_probe : True")
        checked = await check_proof(theorem, ["trivial"], toolchain, project)
        if checked.accepted:
            return
        said = said or checked.message
    if said:
        raise ProjectBroken(
            f"The problems import Mathlib, and Lean cannot load it in {project}: {_first_line(said)}",
            _how_to_get_it(project, toolchain),
        )


def _mathlib_imports(posed: Iterable[Posed]) -> Iterable[tuple[str, ...]]:
    for problem in posed:
        if isinstance(problem, Problem):
            imports = tuple(name for name in header_imports(problem.theorem.text) if name != "Init")
            if any(name.split(".")[0] == "Mathlib" for name in imports):
                yield imports


def _first_line(said: str) -> str:
    return (said.strip().splitlines() or ["Lean gave no reason."])[0]


def _how_to_get_it(project: Path, toolchain: Toolchain) -> str:
    fetch = "run `lake exe cache get` and `lake build` in it"
    if toolchain.kind == "packaged":
        return (
            "The packaged Lean has neither Mathlib nor Lake. Install Lean with elan "
            f"(https://lean-lang.org/install), make a project with `lake new PROJECT math`, {fetch}, "
            "and name it with --project."
        )
    if has_lakefile(project):
        return f"If the project requires Mathlib, {fetch}; if not, name one that does with --project."
    return (
        f"{project} is not a Lake project: make one with `lake new PROJECT math`, {fetch}, "
        "and name it with --project."
    )
