"""Which folders of a project are watched, and which changes are seen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from lean_extract.session.watching import file_changes, watched_folders

_TRIES = 200


def fill(root: Path, *folders: str) -> None:
    for folder in folders:
        (root / folder).mkdir(parents=True)
        (root / folder / "A.lean").write_text("", encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project beside a folder of others, to which it has links."""
    root = tmp_path / "project"
    fill(tmp_path, *(f"others/many{number}" for number in range(50)))
    fill(root, "Lib", "Lib/Deep", ".git/objects", ".lake/packages/dep/Dep", ".lake/build/ir/Lib", ".vscode")
    fill(root, ".lake/build/lib/lean/Lib", "node_modules/x", "build/x")
    (root / os.fsdecode(b"caf\xe9")).mkdir()
    for link in ("Linked", "Lib/Linked", ".lake/build/lib/linked"):
        (root / link).symlink_to(tmp_path / "others", target_is_directory=True)
    (root / "Lib" / "Circle").symlink_to(root, target_is_directory=True)
    return root


def test_sources_and_what_was_built_are_watched_and_no_links(project: Path) -> None:
    built = (".lake", ".lake/build", ".lake/build/lib", ".lake/build/lib/lean", ".lake/build/lib/lean/Lib")
    expected = {project / name for name in ("", "Lib", "Lib/Deep", *built)}
    assert watched_folders(project) == expected


def test_what_was_built_elsewhere_is_not_watched(project: Path) -> None:
    (project / ".lake" / "build").rename(project.parent / "build")
    (project / ".lake" / "build").symlink_to(project.parent / "build", target_is_directory=True)
    assert watched_folders(project) == {project / name for name in ("", "Lib", "Lib/Deep", ".lake")}


class Seen:
    """The paths whose changes are seen, while a block runs."""

    def __init__(self, root: Path) -> None:
        self.paths = set[str]()
        self._news = asyncio.Event()
        self._task = asyncio.ensure_future(self._collect(root))

    async def _collect(self, root: Path) -> None:
        async for changes in file_changes(root):
            self.paths |= {path for _, path in changes}
            self._news.set()

    async def until(self, wanted: Path, act: Callable[[], object]) -> None:
        """Act again and again until a file's change is seen: watching begins in a thread."""
        for _ in range(_TRIES):
            if str(wanted) in self.paths:
                return
            act()
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), 0.5)
        raise AssertionError(f"{wanted} was not seen; {self.paths} were")

    async def __aenter__(self) -> Seen:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


async def test_changes_of_sources_and_of_what_was_built_are_seen_and_no_others(project: Path) -> None:
    source, built = project / "Lib" / "A.lean", project / ".lake" / "build" / "lib" / "lean" / "Lib.ilean"
    silent = [".git/objects/A.lean", ".lake/packages/dep/Dep/A.lean", "Linked/many1/A.lean", "Lib/A.txt"]

    def write() -> None:
        for name in (*silent, source, built):
            (project / name).write_text("changed", encoding="utf-8")

    async with Seen(project) as seen:
        await seen.until(source, write)
        await seen.until(built, write)
    assert seen.paths == {str(source), str(built)}


async def test_a_folder_that_is_made_while_others_are_watched_is_watched_too(project: Path) -> None:
    first, late = project / "Lib" / "A.lean", project / "New" / "Below" / "B.lean"
    async with Seen(project) as seen:
        await seen.until(first, lambda: first.write_text("changed", encoding="utf-8"))
        late.parent.mkdir(parents=True)
        late.write_text("new", encoding="utf-8")
        await seen.until(late, lambda: None)
        seen.paths.clear()
        await seen.until(late, lambda: late.write_text("changed", encoding="utf-8"))
