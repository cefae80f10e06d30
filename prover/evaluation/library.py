"""Problems from the theorems of a project: the proof of each is cut out, and has to be found again there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.source.projects.project import SourceFile, find_project, find_sources
from prover.evaluation.cutting import CutText, cut_text, problem_of
from prover.evaluation.problems import InvalidProblem, Posed, Problem, uniquely_named


def all_theorems(root: Path, folder: Path | None = None, *, hide: bool = False) -> list[Posed]:
    """Every theorem of the project's own files, or of those below a folder, in order of module and line.

    Args:
        hide: whether the other theorems above it in its file are removed, for Lean as well.

    Raises:
        BadSource: there is no theorem.
    """
    posed: list[Posed] = []
    texts: list[CutText] = []
    for source in own_sources(root, folder):
        text = _cut(source)
        if isinstance(text, InvalidProblem):
            posed.append(text)
        elif text is not None:
            texts.append(text)
    names = frozenset(cut.name for text in texts for cut in text.cuts)
    for text in texts:
        posed += _problems(text, names, hide=hide)
    if not posed:
        raise BadSource(f"There is no theorem in {folder or root}.", "Name the folder of a Lean project.")
    return _with_modules(posed)


def named_theorems(root: Path, names: Sequence[str]) -> list[Posed]:
    """The theorems with these names, in that order; a name that the project lacks gives an `InvalidProblem`.

    Raises:
        BadSource: there are no names.
    """
    if not names:
        raise BadSource("There are no theorems to prove.", "Name at least one.")
    wanted = frozenset(names)
    lasts = frozenset(name.rpartition(".")[2] for name in names)
    found: dict[str, Posed] = {}
    for source in own_sources(root):
        text = _cut(source, lasts)
        if isinstance(text, CutText):
            for one in _problems(text, wanted, hide=False):
                found.setdefault(one.name, one)
    message = "The project has no theorem of that name in its own files, or none that stands alone."
    return uniquely_named(
        [(line, found.get(name) or InvalidProblem(name, message)) for line, name in enumerate(names, start=1)]
    )


def own_sources(root: Path, folder: Path | None = None) -> list[SourceFile]:
    """The project's own files (not its packages'), or those of them below a folder."""
    project = find_project(root)
    packages = [package.root for package in project.packages]
    return [
        source
        for source in find_sources(root).sources
        if not any(source.path.is_relative_to(package) for package in packages)
        and (folder is None or source.path.is_relative_to(folder))
    ]


def _cut(source: SourceFile, only: Collection[str] = ()) -> CutText | InvalidProblem | None:
    """The file's theorems; None if the text contains none of `only`, the last components of names."""
    try:
        text = source.path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return InvalidProblem(source.module, f"{source.path} cannot be read: {error}.")
    if only and not any(name in text for name in only):
        return None
    return cut_text(text, source.module, str(source.path))


def _problems(text: CutText, wanted: Collection[str], *, hide: bool) -> Iterator[Problem]:
    path = Path(text.read.module.path)
    for cut in text.cuts:
        if cut.name in wanted:
            yield problem_of(text, cut, path, wanted, hide=hide)


def _with_modules(posed: Sequence[Posed]) -> list[Posed]:
    """Add the module to a name that several theorems share (private ones of several modules)."""
    found: dict[str, Posed] = {}
    for one in posed:
        named = one
        if one.name in found and isinstance(one, Problem):
            named = replace(one, name=f"{one.name} ({one.module})")
        found.setdefault(named.name, named)
    return list(found.values())
