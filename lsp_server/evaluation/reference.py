"""The premises of the theorems' own proofs, for the oracle, from Lean's `.ilean` files or else from the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lean_extract.common.files.reading import read_source
from lean_extract.source.open_file import uses_in
from lean_extract.source.projects.build_folder import library_folders
from lean_extract.source.reader import SourceModule, read_file
from lean_extract.toolchains.toolchain import Toolchain, project_oleans
from lean_extract.traced.extract import trace_proof
from lean_extract.traced.ilean import Ilean, read_ilean
from prover.evaluation.problems import Problem


class References:
    """The premises of the problems' own proofs.

    Args:
        project: the folder that Lean runs in, built.
        toolchain: the Lean that built it.
        is_known: whether a name is one of the library's.
    """

    def __init__(self, project: Path, toolchain: Toolchain, is_known: Callable[[str], bool]) -> None:
        folders = [*library_folders(project)]
        self._compiled = [project_oleans(project)] if toolchain.kind == "packaged" else folders
        self._is_known = is_known
        self._ileans: dict[str, Ilean | None] = {}
        self._modules: dict[Path, SourceModule] = {}

    def __call__(self, problem: Problem) -> Sequence[str]:
        """The names that the problem's own proof uses, in order of first use. Raises BadSource."""
        ilean = self._ilean(problem)
        declared = ilean.declared.get(problem.full_name) if ilean else None
        if ilean is not None and declared is not None:
            name, lines = problem.full_name, read_source(problem.theorem.path).split("\n")
            mentions = ilean.mentions().get(name, ())
            return trace_proof(name, declared, ilean.module, mentions, lines, ()).premises
        source = self._module(problem)
        proofs = [proof for proof in source.proofs if proof.theorem == problem.full_name]
        return next(uses_in(source, self._is_known, proofs), ())

    def _ilean(self, problem: Problem) -> Ilean | None:
        module = problem.module
        if module not in self._ileans:
            names = Path(*module.split(".")).with_suffix(".ilean") if module else Path("none.ilean")
            path = next((folder / names for folder in self._compiled if (folder / names).is_file()), None)
            self._ileans[module] = (
                None if path is None else read_ilean(path, read_source(problem.theorem.path))
            )
        return self._ileans[module]

    def _module(self, problem: Problem) -> SourceModule:
        path = problem.theorem.path
        if path not in self._modules:
            self._modules[path] = read_file(path, problem.module)
        return self._modules[path]
