"""How much of a project the running server watches."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.lsp_server.conftest import QUIET, start_editor, stop_editor

pytestmark = [
    pytest.mark.lean,
    pytest.mark.skipif(sys.platform != "linux", reason="/proc says what is watched"),
]
_WATCHED = re.compile(r"^inotify wd:\S+ ino:(\w+)", re.MULTILINE)


def watched(pid: int) -> list[int]:
    """The inodes that a process watches."""
    found: list[int] = []
    for handle in Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            found += [int(number, 16) for number in _WATCHED.findall(handle.read_text())]
        except FileNotFoundError:  # closed meanwhile
            continue
    return found


async def test_only_folders_of_sources_are_watched_once_lean_runs(
    own_project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    for number in range(300):
        (own_project / ".git" / "objects" / f"{number}").mkdir(parents=True)
        (own_project / ".lake" / "packages" / "dep" / f"{number}").mkdir(parents=True)
        (tmp_path / "others" / f"{number}").mkdir(parents=True)
    (own_project / "Linked").symlink_to(tmp_path / "others", target_is_directory=True)
    expected = sorted((own_project / name).stat().st_ino for name in ("", "Lib", ".lake"))
    editor = await start_editor(own_project, environment, options=QUIET)
    try:
        editor.open("Work.lean")
        assert (await editor.suggest("Work.lean", 5, 2))["goal"]
        async with asyncio.timeout(60):
            while len(found := sorted(watched(editor.pid))) < len(expected):
                await asyncio.sleep(0)
        assert found == expected
    finally:
        await stop_editor(editor)
