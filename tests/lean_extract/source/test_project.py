import json
import os
from pathlib import Path

import pytest

from lean_extract.session.imports import compiled_files
from lean_extract.session.watching import watched_folders
from lean_extract.source.projects.project import (
    find_project,
    find_sources,
    is_project_root,
    library_folders,
    module_of,
)
from tests.files import write


@pytest.mark.parametrize("marker", ["lakefile.lean", "lakefile.toml", "lean-toolchain", "lake-manifest.json"])
def test_the_project_is_the_nearest_folder_that_lake_would_know(tmp_path: Path, marker: str) -> None:
    write(tmp_path, f"project/{marker}", "project/A/B.lean")
    assert find_project(tmp_path / "project" / "A" / "B.lean").root == tmp_path / "project"


def test_without_a_project_the_folder_itself_serves(tmp_path: Path) -> None:
    write(tmp_path, "some/B.lean")
    assert find_project(tmp_path / "some" / "B.lean").root == tmp_path / "some"
    assert module_of(tmp_path / "some" / "B.lean") == "B"


@pytest.mark.parametrize("marker", ["lakefile.lean", "lakefile.toml", "lean-toolchain", "lake-manifest.json"])
def test_nested_projects_are_not_part_of_the_outer_one(tmp_path: Path, marker: str) -> None:
    write(
        tmp_path,
        "lakefile.toml",
        "A.lean",
        f"inner/{marker}",
        "inner/B.lean",
        "inner/deep/C.lean",
        "D/E.lean",
    )
    assert [source.module for source in find_sources(tmp_path).sources] == ["A", "D.E"]
    assert [source.module for source in find_sources(tmp_path / "inner").sources] == ["B", "deep.C"]
    assert is_project_root(tmp_path / "inner")
    assert not is_project_root(tmp_path / "inner" / "deep")


def test_packages_that_are_left_out(tmp_path: Path) -> None:
    packages = [{"name": name, "type": "git", "rev": "r"} for name in ("one", "two")]
    manifest = {"packagesDir": "deps", "packages": packages}
    write(tmp_path, "lake-manifest.json", text=json.dumps(manifest))
    write(tmp_path, "A.lean", "deps/one/One.lean", "deps/two/Two.lean")
    found = [
        source.module for source in find_sources(tmp_path, without={("one", "r"), ("two", "other")}).sources
    ]
    assert found == ["Two", "A"]


def test_sources_of_a_project_with_packages(tmp_path: Path) -> None:
    write(tmp_path, "lakefile.toml", text='name = "mine"\n')
    manifest = {
        "name": "mine",
        "packagesDir": ".lake/packages",
        "packages": [
            {"name": "dep", "type": "git", "rev": "abc123"},
            {"name": "near", "type": "path", "dir": "near"},
            {"name": "absent", "type": "git", "rev": "f"},
        ],
    }
    write(tmp_path, "lake-manifest.json", text=json.dumps(manifest))
    write(tmp_path, "Mine/A.lean", "Mine.lean", ".lake/build/lib/X.lean", ".git/Y.lean", "lakefile.lean")
    write(tmp_path, ".lake/packages/dep/Dep/A.lean", ".lake/packages/dep/.lake/build/Z.lean")
    write(tmp_path, ".lake/packages/unlisted/U.lean", "near/Near/N.lean")
    found = {source.module: (source.package, source.revision) for source in find_sources(tmp_path).sources}
    assert found == {
        "Dep.A": ("dep", "abc123"),
        "Near.N": ("near", None),
        "U": ("unlisted", None),
        "Mine": ("mine", None),
        "Mine.A": ("mine", None),
    }
    inside = tmp_path / ".lake/packages/dep/Dep/A.lean"
    assert find_project(inside).root == tmp_path
    assert module_of(inside) == "Dep.A"


def test_manifests_of_older_lake(tmp_path: Path) -> None:
    manifest = {
        "packages": [{"git": {"name": "dep", "rev": "r1", "url": "x"}}],
        "packagesDir": "lake-packages",
    }
    write(tmp_path, "lake-manifest.json", text=json.dumps(manifest))
    write(tmp_path, "lake-packages/dep/D.lean")
    assert [(s.module, s.revision) for s in find_sources(tmp_path).sources] == [("D", "r1")]


@pytest.mark.parametrize(
    ("name", "text", "in_source"),
    [
        ("lakefile.toml", 'srcDir = "src"\n', "lib.A.B"),
        ("lakefile.toml", '[[lean_lib]]\nname = "X"\nsrcDir = "src"\n', "lib.A.B"),
        ("lakefile.lean", 'package x where\n  srcDir := "src"\n', "lib.A.B"),
        ("lakefile.toml", 'srcDir = "src"\n[[lean_lib]]\nname = "X"\nsrcDir = "lib"\n', "A.B"),
        (
            "lakefile.lean",
            'package x where\n  srcDir := "src"\n\n@[default_target]\nlean_lib X where\n  srcDir := "lib"\n',
            "A.B",
        ),
        ("lakefile.lean", 'package x { srcDir := "src" }\n  lean_exe run { srcDir := "lib" }\n', "A.B"),
    ],
)
def test_source_folders_those_of_a_library_below_that_of_its_package(
    tmp_path: Path, name: str, text: str, in_source: str
) -> None:
    write(tmp_path, name, text=text)
    write(tmp_path, "src/lib/A/B.lean", "src/C.lean", "lib/D.lean")
    assert {source.module for source in find_sources(tmp_path).sources} == {in_source, "C", "lib.D"}


def test_overrides_replace_packages_of_the_manifest(tmp_path: Path) -> None:
    project, local = tmp_path / "project", tmp_path / "local"
    manifest = {"packages": [{"name": name, "type": "git", "rev": "r"} for name in ("one", "two")]}
    overrides = {
        "schemaVersion": "1.1.0",
        "packages": [
            {"name": "one", "type": "path", "dir": "../local"},
            {"name": "more", "type": "git", "rev": "s"},
        ],
    }
    write(project, "lake-manifest.json", text=json.dumps(manifest))
    write(project, ".lake/package-overrides.json", text=json.dumps(overrides))
    write(project, *(f".lake/packages/{name}/{name.title()}.lean" for name in ("one", "two", "more")))
    write(local, "lakefile.toml", "Mine.lean")
    found = {(one.name, one.root.name, one.revision) for one in find_project(project).packages}
    assert found == {("one", "local", None), ("two", "two", "r"), ("more", "more", "s")}
    assert {source.module for source in find_sources(project).sources} == {"Mine", "Two", "More"}


@pytest.mark.parametrize("text", ["{", "[1]", '{"packages": 3}', '{"packages": [3, {"name": 4}]}'])
def test_broken_overrides_are_survived(tmp_path: Path, text: str) -> None:
    manifest = {"packages": [{"name": "dep", "type": "git", "rev": "r"}]}
    write(tmp_path, "lake-manifest.json", text=json.dumps(manifest))
    write(tmp_path, ".lake/package-overrides.json", text=text)
    write(tmp_path, ".lake/packages/dep/D.lean")
    assert [(s.module, s.revision) for s in find_sources(tmp_path).sources] == [("D", "r")]


@pytest.mark.parametrize(
    ("name", "text", "folder"),
    [
        ("lakefile.toml", 'buildDir = "out/here"\n', "out/here"),
        ("lakefile.lean", 'package x where\n  buildDir := "out"\n', "out"),
        ("lakefile.toml", 'buildDir = "../out"\n', ".lake/build"),
        ("lakefile.toml", "buildDir = 3\n", ".lake/build"),
        ("lakefile.toml", "buildDir = ", ".lake/build"),
        ("lakefile.lean", "package x\n", ".lake/build"),
    ],
)
def test_where_lake_builds(tmp_path: Path, name: str, text: str, folder: str) -> None:
    write(tmp_path, name, text=text)
    library = tmp_path / folder / "lib"
    assert library_folders(tmp_path) == (library / "lean", library)
    packaged = find_project(tmp_path)
    assert compiled_files(packaged.root, "A.B")[0] == library / "lean" / "A" / "B.olean"
    library.mkdir(parents=True)
    assert library in watched_folders(tmp_path)


def test_a_link_out_of_the_package_is_no_place_to_build(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "out").symlink_to(tmp_path)
    write(tmp_path, "p/lakefile.toml", text='buildDir = "out"\n')
    assert library_folders(tmp_path / "p")[1] == tmp_path / "p" / ".lake" / "build" / "lib"


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"packages": 3}', '{"packages": [3, {"name": 4}]}', "\udcff"]
)
def test_broken_manifests_are_survived(tmp_path: Path, text: str) -> None:
    (tmp_path / "lake-manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    write(tmp_path, "lakefile.toml", text="= broken")
    write(tmp_path, "A.lean")
    assert [source.module for source in find_sources(tmp_path).sources] == ["A"]


def test_circular_links_are_followed_once(tmp_path: Path) -> None:
    write(tmp_path, "lean-toolchain", "A/B.lean")
    (tmp_path / "A" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "broken.lean").symlink_to(tmp_path / "nowhere.lean")
    assert {source.module for source in find_sources(tmp_path).sources} == {"A.B", "broken"}


def test_unreadable_folders_are_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "lean-toolchain", "A/B.lean", "C.lean")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("/A"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert [source.module for source in find_sources(tmp_path).sources] == ["C"]


def test_odd_file_names_are_quoted(tmp_path: Path) -> None:
    write(tmp_path, "lean-toolchain", "A/2026-notes.lean")
    assert [source.module for source in find_sources(tmp_path).sources] == ["A.«2026-notes»"]


def test_the_folder_of_an_evaluation_is_no_source(tmp_path: Path) -> None:
    write(tmp_path, "lakefile.toml", "A.lean")
    for folder in ("evaluations/one", "B/deep/run"):
        write(tmp_path, f"{folder}/proofs/A.lean", f"{folder}/P.lean")
        write(tmp_path, f"{folder}/run.json", text='{"format": "premise-suggest-evaluation", "version": 9}')
    write(tmp_path, "evaluations/C.lean", "foreign/D.lean", "broken/E.lean", "list/F.lean")
    write(tmp_path, "foreign/run.json", text='{"format": "other"}')
    write(tmp_path, "broken/run.json", text="{")
    write(tmp_path, "list/run.json", text="[1]")
    found = [source.module for source in find_sources(tmp_path).sources]
    assert found == ["A", "broken.E", "evaluations.C", "foreign.D", "list.F"]
