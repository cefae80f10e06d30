"""The projects below a folder: which are found, within which limits, and what is said where none is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lean_extract.common.errors import UserError
from lean_extract.limits import MAX_NEAR_DEPTH, MAX_NEAR_ENTRIES
from lean_extract.source.projects.project import near_projects, no_sources, only_of, projects_at
from tests.files import write


@pytest.mark.parametrize("marker", ["lakefile.lean", "lakefile.toml", "lake-manifest.json", "lean-toolchain"])
def test_a_folder_stands_for_the_only_project_below_it(tmp_path: Path, marker: str) -> None:
    write(tmp_path, f"code/lean/{marker}", "code/lean/Lib/A.lean", "docs/index.md")
    assert projects_at(tmp_path) == projects_at(tmp_path / "code") == (tmp_path / "code" / "lean",)
    assert projects_at(tmp_path / "code" / "lean" / "Lib") == (tmp_path / "code" / "lean",)


def test_several_are_named_the_nearest_first_without_those_inside_one_another(tmp_path: Path) -> None:
    write(tmp_path, "z/lakefile.toml", "z/examples/lakefile.toml", "a/deep/lakefile.lean")
    found = projects_at(tmp_path)
    assert found == (tmp_path / "z", tmp_path / "a" / "deep")
    with pytest.raises(UserError) as told:
        only_of(tmp_path, found)
    assert told.value.message.startswith(
        f"{tmp_path} is not a Lean project itself. Below it are the projects"
    )
    assert all(str(project) in told.value.message for project in found)


def test_a_toolchain_above_the_lakefile_does_not_make_it_another_project(tmp_path: Path) -> None:
    write(tmp_path, "repo/lean-toolchain", "repo/lean/lakefile.toml", "repo/lean/A.lean")
    lean = tmp_path / "repo" / "lean"
    assert projects_at(tmp_path) == projects_at(tmp_path / "repo") == (lean,)


def test_files_beside_the_projects_make_a_project_only_where_they_may(tmp_path: Path) -> None:
    write(tmp_path, "Loose.lean", "lean/lakefile.toml", "lean/A.lean")
    assert projects_at(tmp_path) == (tmp_path / "lean",)
    assert projects_at(tmp_path, loose=True) == (tmp_path,)
    write(tmp_path, "lean-toolchain")
    assert projects_at(tmp_path) == (tmp_path,)


def test_a_package_is_itself_and_a_folder_with_nothing_below_too(tmp_path: Path) -> None:
    assert projects_at(tmp_path) == (tmp_path,)
    write(tmp_path, "lakefile.toml", "inner/lakefile.toml")
    assert projects_at(tmp_path) == (tmp_path,)


@pytest.mark.parametrize(
    "folder",
    [".lake/packages/x", ".git/x", "node_modules/x", "build/x", "/".join("d" * (MAX_NEAR_DEPTH + 1))],
)
def test_what_is_no_place_for_projects_is_not_searched(tmp_path: Path, folder: str) -> None:
    write(tmp_path, f"{folder}/lakefile.toml", f"{folder}/A.lean")
    assert near_projects(tmp_path).projects == ()


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/lakefile.toml")
    here = tmp_path / "here"
    here.mkdir()
    (here / "away").symlink_to(tmp_path / "elsewhere")
    (here / "round").symlink_to(here)
    assert near_projects(here).projects == ()


def test_a_folder_of_any_size_is_searched_within_limits(tmp_path: Path) -> None:
    write(tmp_path, "a/lakefile.toml")
    crowded = tmp_path / "b"
    crowded.mkdir()
    for number in range(MAX_NEAR_ENTRIES + 1):
        os.close(os.open(crowded / str(number), os.O_CREAT))
    write(tmp_path, "b/z/lakefile.toml", "c/inner/lakefile.toml")
    assert near_projects(tmp_path).projects == (tmp_path / "a",)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "There is no .lean file under"),
        (("lean/lakefile.toml", "lean/A.lean"), "has no .lean file of its own. Below it is the project"),
        (("build/A.lean",), "has no .lean file that is read: build output"),
        (
            ("/".join([*"abcdefgh", "lakefile.toml"]), "/".join([*"abcdefgh", "A.lean"])),
            "no .lean file that is read",
        ),
    ],
)
def test_what_is_said_of_a_project_without_sources_is_true(
    tmp_path: Path, names: tuple[str, ...], said: str
) -> None:
    write(tmp_path, *names)
    error = no_sources(tmp_path)
    assert said in error.message and error.hint
    assert ("There is no .lean file" in error.message) == (not names)
