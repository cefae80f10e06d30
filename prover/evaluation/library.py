"""Problems from the theorems of a project: each one's proof is cut out, to be found again at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lean_extract.errors import BadSource
from lean_extract.source.projects.project import SourceFile, find_project, find_sources
from prover.evaluation.cutting import CutText, cut_text, problem_of
from prover.evaluation.problems import Posed, Problem, Unposed, told_apart


def all_theorems(root: Path, folder: Path | None = None, *, hide: bool = False) -> list[Posed]:
    """Every theorem of the project's own files, or of those below a folder, in order of module and line.

    Args:
        hide: whether the others above a theorem in its file are gone, for Lean as well.

    Raises:
        BadSource: there is none.
    """
    posed: list[Posed] = []
    texts: list[CutText] = []
    for source in own_sources(root, folder):
        text = _cut(source)
        if isinstance(text, Unposed):
            posed.append(text)
        elif text is not None:
            texts.append(text)
    names = frozenset(cut.name for text in texts for cut in text.cuts)
    for text in texts:
        posed += _problems(text, names, hide=hide)
    if not posed:
        raise BadSource(f"There is no theorem in {folder or root}.", "Name the folder of a Lean project.")
    return _named_apart(posed)


def named_theorems(root: Path, names: Sequence[str]) -> list[Posed]:
    """The theorems of these names, in their order; a name that the project does not have is no problem.

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
    said = "The project has no theorem of that name in files of its own, or none that stands alone."
    return told_apart(
        [(line, found.get(name) or Unposed(name, said)) for line, name in enumerate(names, start=1)]
    )


def own_sources(root: Path, folder: Path | None = None) -> list[SourceFile]:
    """The project's own files, without those of its packages, or those of them below a folder."""
    project = find_project(root)
    packages = [package.root for package in project.packages]
    return [
        source
        for source in find_sources(root).sources
        if not any(source.path.is_relative_to(package) for package in packages)
        and (folder is None or source.path.is_relative_to(folder))
    ]


def _cut(source: SourceFile, only: Collection[str] = ()) -> CutText | Unposed | None:
    """The file's theorems; None if none of `only`, the last parts of names, is anywhere in it."""
    try:
        text = source.path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return Unposed(source.module, f"{source.path} cannot be read: {error}.")
    if only and not any(name in text for name in only):
        return None
    return cut_text(text, source.module, str(source.path))


def _problems(text: CutText, wanted: Collection[str], *, hide: bool) -> Iterator[Problem]:
    path = Path(text.read.module.path)
    for cut in text.cuts:
        if cut.name in wanted:
            yield problem_of(text, cut, path, wanted, hide=hide)


def _named_apart(posed: Sequence[Posed]) -> list[Posed]:
    """Theorems of one name (private ones of several modules) by their modules, too."""
    found: dict[str, Posed] = {}
    for one in posed:
        named = one
        if one.name in found and isinstance(one, Problem):
            named = replace(one, name=f"{one.name} ({one.module})")
        found.setdefault(named.name, named)
    return list(found.values())
