"""Sets of problems, each with the project in which they are proved."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

import lean_extract
from lean_extract.common.errors import BadSource, PremiseSuggestError, ProjectBroken
from lean_extract.common.files.atomic import make_private_folder, private_file
from lean_extract.common.files.reading import is_folder
from lean_extract.source.projects.project import find_sources, is_project_root, only_of, projects_at
from lean_extract.toolchains.compile import header_imports
from lean_extract.toolchains.toolchain import Toolchain, has_lakefile
from prover.search.problems import Posed, Problem, all_theorems, named_theorems, read_minif2f
from prover.search.theorem import Theorem, check_proof

EXAMPLE = Path(lean_extract.__path__[0]) / "minicore" / "example"
"""The mini core's example library."""
PROBLEMS = Path(lean_extract.__path__[0]) / "minicore" / "problems"
"""The folder of its problems; their modules are below `Problems`, and import the example library."""
_FOLDER = "Problems"
_TRIED = 3
"""How many different sets of imports are tried before Mathlib counts as missing."""


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """A set of problems, and the project in which they are proved.

    `name`: what they are, for the reports. `project`: the folder that Lean runs in. `library`: the project
    whose premises are indexed. `stated_alone`: whether they are statements of their own, not theorems of
    files that compile. `has_proofs`: whether there are proofs of them to take an oracle's premises from.
    `on_minicore`: whether they build on the mini core, which the packaged Lean alone has.
    """

    name: str
    posed: Sequence[Posed]
    project: Path
    library: Path
    stated_alone: bool = False
    has_proofs: bool = True
    on_minicore: bool = False


def minif2f_set(data: Path, project: Path) -> ProblemSet:
    """The statements of a JSONL file. Raises BadSource."""
    root = _root(project)
    posed = read_minif2f(data, root)
    return ProblemSet(data.stem, posed, root, root, stated_alone=True, has_proofs=False)


def project_set(
    project: Path, *, name: str = "", theorems: Sequence[str] | None = None, folder: Path | None = None
) -> ProblemSet:
    """Theorems of a project: those with these full names, those below a folder, or all.

    Args:
        name: of the set, where theorems are named.
        folder: in the project; relative to its root.

    Raises:
        BadSource: the folder is not the project's, or there is no theorem.
    """
    root = _root(project)
    if theorems is not None:
        return ProblemSet(name, named_theorems(root, theorems), root, root)
    below = root if folder is None else _below(root, folder)
    name = root.name if below == root else str(below.relative_to(root))
    return ProblemSet(name, all_theorems(root, below), root, root)


def is_no_project(folder: Path) -> bool:
    """Whether Lean finds no modules in a folder: it is not a Lake project and has no Lean sources."""
    root = _root(folder)
    return not is_project_root(root) and not find_sources(root).sources


def _root(project: Path) -> Path:
    """The project of a folder. Raises UserError: there are several below it."""
    folder = project.resolve()
    return only_of(folder, projects_at(folder, loose=True))


def _below(root: Path, folder: Path) -> Path:
    below = (root / folder).resolve()
    if not below.is_relative_to(root) or not is_folder(below):
        problem = "is not a folder" if not is_folder(below) else "is not a folder of the project"
        raise BadSource(f"{below} {problem}.", f"Name one below {root}, as seen from there.")
    return below


def minicore_set(library: Path = EXAMPLE, problems: Path = PROBLEMS) -> ProblemSet:
    """The problems, each to be proved without the others. Only the library is indexed.

    Raises PremiseSuggestError: the user's cache cannot be written to.
    """
    try:
        root = composed(library, problems)
    except OSError as error:
        raise PremiseSuggestError(
            f"The problems' project could not be put together: {error}.",
            "Free some space in the user's cache, or set XDG_CACHE_HOME to a writable folder.",
        ) from error
    posed = all_theorems(root, root / _FOLDER, hide=True)
    return ProblemSet("minicore", posed, root, library, on_minicore=True)


def composed(library: Path, problems: Path) -> Path:
    """A folder in the user's cache with the files of both, made once for what they hold. Raises OSError."""
    files = [(path, path.relative_to(library)) for path in sorted(library.rglob("*.lean"))]
    files += [(path, path.relative_to(library)) for path in sorted(library.glob("*.toml"))]
    files += [(path, path.relative_to(problems)) for path in sorted(problems.rglob("*.lean"))]
    found = hashlib.sha256()
    for path, target in files:
        found.update(f"{target}\0".encode() + path.read_bytes() + b"\0")
    root = user_cache_path("premise-suggest", appauthor=False) / "evaluation"
    folder = root / f"minicore-{found.hexdigest()[:12]}"
    if not folder.is_dir():
        make_private_folder(root)
        with tempfile.TemporaryDirectory(dir=root, prefix=".making-", ignore_cleanup_errors=True) as name:
            _copy(files, Path(name) / "made")
            try:
                (Path(name) / "made").rename(folder)
            except OSError:
                if not folder.is_dir():  # otherwise another process was first, with the same files
                    raise
    return folder


def _copy(files: list[tuple[Path, Path]], folder: Path) -> None:
    for path, target in files:
        make_private_folder((folder / target).parent)
        with open(folder / target, "wb", opener=private_file) as stream:
            stream.write(path.read_bytes())


async def require_mathlib(posed: Iterable[Posed], project: Path, toolchain: Toolchain) -> None:
    """Check that Lean can load the Mathlib modules that the problems import, if any.

    The most frequent sets of imports are tried; one that can be loaded is enough.
    Raises:
        ProjectBroken: none can; the hint says how to get Mathlib. LeanNotFound: there is no Lean.
    """
    message = ""
    for imports, _ in Counter(_mathlib_imports(posed)).most_common(_TRIED):
        header = "\n".join(f"import {module}" for module in imports)
        theorem = Theorem.stated(project / "problem.lean", header, "theorem premise_suggest_probe : True")
        checked = await check_proof(theorem, ["trivial"], toolchain, project)
        if checked.accepted:
            return
        message = message or checked.message
    if message:
        first = (message.strip().splitlines() or ["Lean gave no reason."])[0]
        raise ProjectBroken(
            f"The problems import Mathlib, and Lean cannot load it in {project}: {first}",
            _how_to_get_it(project, toolchain),
        )


def _mathlib_imports(posed: Iterable[Posed]) -> Iterable[tuple[str, ...]]:
    for problem in posed:
        if isinstance(problem, Problem):
            imports = tuple(name for name in header_imports(problem.theorem.text) if name != "Init")
            if any(name.split(".")[0] == "Mathlib" for name in imports):
                yield imports


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
