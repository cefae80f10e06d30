"""The projects that a folder stands for, where it is none itself: those below it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.terminal_text import shown
from lean_extract.source.projects.notices import Notices
from lean_extract.source.projects.packages import is_lake_package
from lean_extract.source.projects.project import find_root, is_project_root
from lean_extract.source.projects.walking import FolderWalk, NearProjects

_MOST_NAMED = 5
_GIVE_ONE = "Give the folder of one of them."


def near_projects(folder: Path) -> NearProjects:
    """The projects below a folder, found within limits and without following links (`FolderWalk.near`)."""
    return FolderWalk((), Notices()).near(folder)


def projects_at(folder: Path, *, loose: bool = False) -> tuple[Path, ...]:
    """The project that a folder belongs to, or those below it where it is none itself.

    A folder with a `lean-toolchain` alone, and with `loose` any folder, is one if there are `.lean` files beside the
    projects below it. Without projects below, it is the folder itself, as `find_root` says. Raises BadSource as
    that does.
    """
    root = find_root(folder)
    if is_lake_package(root):
        return (root,)
    near = near_projects(root)
    is_one = near.has_own and (loose or is_project_root(root))
    return (root,) if is_one or not near.projects else near.projects


def only_of(folder: Path, projects: Sequence[Path]) -> Path:
    """The only one of the projects that a folder stands for. Raises UserError: there are several below it."""
    if len(projects) > 1:
        raise UserError(f"{shown(folder)} is not a Lean project itself. {named_below(projects)}", _GIVE_ONE)
    return projects[0]


def named_below(projects: Sequence[Path]) -> str:
    """A sentence that names the projects below a folder, the first ones if there are many."""
    first = ", ".join(shown(one) for one in projects[:_MOST_NAMED])
    more = len(projects) - _MOST_NAMED
    others = f" and {more:,} more" if more > 0 else ""
    return f"Below it {'is the project' if len(projects) == 1 else 'are the projects'} {first}{others}."


def no_sources(root: Path, notices: Sequence[str] = ()) -> BadSource:
    """The error for a project without source files: where its `.lean` files are, if there are any.

    Args:
        notices: what was said of its folders when they were searched.
    """
    near = near_projects(root).projects
    if near:
        return BadSource(f"{shown(root)} has no .lean file of its own. {named_below(near)}", _GIVE_ONE)
    unread = next(FolderWalk((), Notices(), is_whole=True).lean_files(root), None)
    if unread is not None:
        return BadSource(
            f"{shown(root)} has no .lean file that is read: build output, nested projects and evaluations are left "
            f"out, such as {shown(unread)}.",
            "Give the folder of a Lean project.",
        )
    hint = " ".join((*notices[:1], "Give the folder of a Lean project."))
    return BadSource(f"There is no .lean file under {root}.", hint)
