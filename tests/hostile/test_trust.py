"""What a project folder can make us read: itself, the packages that its manifest lists, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_extract.source.projects.project import FoundSources, find_project, find_sources, source_in
from tests.hostile.project_files import at_path, git, has_notice, link, manifest, modules, write


def test_a_package_that_the_manifest_does_not_list_is_no_way_out(root: Path) -> None:
    link(root / ".lake/packages/x", root.parent / "secret")
    write(root / ".lake/packages/real/R.lean")
    found = find_sources(root)
    assert modules(found) == {"R": "real", "A": None}
    assert has_notice(found, ".lake/packages/x is left out", "link")


@pytest.mark.parametrize("target", ["secret", ".", "/"])
def test_a_listed_package_that_is_none_of_lakes_is_no_way_out(root: Path, target: str) -> None:
    manifest(root, git("x"), at_path("y", f"../{target}" if target == "secret" else "/"))
    link(root / ".lake/packages/x", root.parent / target)
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert has_notice(found, "the package x", "no lakefile", "not read")
    assert has_notice(found, "the package y", "no lakefile", "not read")


def test_a_package_that_is_the_project_is_none(root: Path) -> None:
    manifest(root, git("x"), at_path("y", "."))
    link(root / ".lake/packages/x", root)
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert has_notice(found, "the package x is the project itself")


@pytest.mark.parametrize("folder", ["../../..", "../secret", "/", "x/../../secret", "..\\secret"])
def test_packages_are_not_looked_for_outside(root: Path, folder: str) -> None:
    manifest(root, git("secret"), packagesDir=folder)
    write(root.parent / "secret" / "lakefile.toml")
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert has_notice(found, "`packagesDir`", "out of the project", "ignored")


@pytest.mark.parametrize("folder", ["..", "../secret", "/", "out"])
def test_folders_in_packages_stay_in_them(root: Path, folder: str) -> None:
    stated = json.dumps(folder)
    write(root / "lakefile.toml", f"srcDir = {stated}\n")
    write(root / ".lake/packages/x/lakefile.lean", f"package x where\n  srcDir := {stated}\n")
    write(root / ".lake/packages/x/X.lean")
    write(root / ".lake/packages/y/Y.lean")
    for place in (root, root / ".lake/packages/x", root / ".lake/packages/y"):
        link(place / "out", root.parent / "secret")
    manifest(root, git("x"), git("y", subDir=folder))
    project = find_project(root)
    assert project.source_roots == (root,)
    assert {package.root: package.source_roots for package in project.packages} == {
        root / ".lake/packages" / name: (root / ".lake/packages" / name,) for name in ("x", "y")
    }
    found = find_sources(root)
    assert modules(found) == {"X": "x", "Y": "y", "A": None}
    assert has_notice(found, f"`srcDir` in {root} is")
    assert has_notice(found, "`subDir` of the package y is")


def test_links_lead_to_the_project_and_its_packages_alone(root: Path) -> None:
    manifest(root, at_path("lib", "../lib"))
    write(root.parent / "lib" / "lakefile.toml")
    write(root.parent / "lib" / "L.lean")
    link(root / "Folder", root.parent / "secret")
    link(root / "File.lean", root.parent / "secret" / "S.lean")
    link(root / "Gone.lean", root.parent / "nowhere" / "G.lean")
    link(root / "Mine.lean", "A.lean")
    link(root / "Theirs.lean", root.parent / "lib" / "L.lean")
    found = find_sources(root)
    assert modules(found) == {"L": "lib", "A": None, "Mine": None, "Theirs": None}
    for name in ("Folder", "File.lean", "Gone.lean"):
        assert has_notice(found, f"{root / name} is left out", "a link out of the project")
    assert source_in([root], "File") is None
    assert source_in([root], "Folder.S") is None
    assert source_in([root], "Mine") == root / "Mine.lean"


@pytest.mark.parametrize("name", ["lakefile.toml", "lakefile.lean", "lake-manifest.json", "run.json"])
def test_settings_are_the_projects_own(root: Path, name: str) -> None:
    stated = {"lakefile.toml": 'srcDir = "src"', "lakefile.lean": 'srcDir := "src"'}
    text = stated.get(name, '{"packagesDir": "src", "format": "premise-suggest-evaluation"}')
    (root / name).unlink(missing_ok=True)
    link(root / name, write(root.parent / "secret" / "x", text))
    write(root / "lean-toolchain", "stable\n")
    write(root / "src" / "B.lean")
    found = find_sources(root)
    assert modules(found) == {"A": None, "src.B": None}
    assert name == "run.json" or has_notice(found, name, "a link that leads elsewhere")


def names_of(found: FoundSources) -> set[tuple[str, str | None, str | None]]:
    return {(source.module, source.package, source.revision) for source in found.sources}


def test_mathlib_as_a_package(root: Path) -> None:
    manifest(root, git("mathlib"), git("«doc-gen4»"), git("batteries", subDir="in"))
    for name, file in (("mathlib", "Mathlib/A.lean"), ("doc-gen4", "D.lean"), ("batteries", "in/B.lean")):
        write(root / ".lake/packages" / name / "lakefile.lean")
        write(root / ".lake/packages" / name / file)
    found = find_sources(root)
    assert names_of(found) == {
        ("Mathlib.A", "mathlib", "abc"),
        ("D", "«doc-gen4»", "abc"),
        ("B", "batteries", "abc"),
        ("A", None, None),
    }
    assert found.notices == ()


def test_mathlib_itself(tmp_path: Path) -> None:
    write(tmp_path / "lakefile.lean", "package mathlib where\n")
    manifest(tmp_path, git("aesop"), name="mathlib", packagesDir=".lake/packages")
    for file in ("Mathlib.lean", "Mathlib/A.lean", "Archive/B.lean", "MathlibTest/c.lean", "Cache/D.lean"):
        write(tmp_path / file)
    write(tmp_path / ".lake/packages/aesop/Aesop.lean")
    write(tmp_path / "DownstreamTest/lakefile.toml")
    write(tmp_path / "DownstreamTest/X.lean")
    found = find_sources(tmp_path)
    assert [source.module for source in found.sources] == [
        *("Aesop", "Mathlib", "Archive.B", "Cache.D", "Mathlib.A", "MathlibTest.c"),
    ]
    assert found.notices == ()


@pytest.mark.parametrize("linked", [".lake", ".lake/packages", ".lake/packages/mathlib"])
def test_a_mathlib_that_projects_share_by_a_link(root: Path, linked: str) -> None:
    shared = root.parent / "shared"
    mathlib = shared / Path(".lake/packages/mathlib").relative_to(linked)
    write(mathlib / "lakefile.lean")
    write(mathlib / "Mathlib/A.lean")
    write(mathlib.parent / "other" / "lakefile.lean")
    write(mathlib.parent / "other" / "Other.lean")
    manifest(root, git("mathlib"))
    link(root / linked, shared)
    found = find_sources(root)
    assert names_of(found) == {("Mathlib.A", "mathlib", "abc"), ("A", None, None)}
    assert found.notices == (
        f"The index of {root} includes the package mathlib in {mathlib}, outside the project.",
    )


def test_a_repository_of_several_projects(tmp_path: Path) -> None:
    lib, docs = tmp_path / "lib", tmp_path / "app" / "docs"
    for folder, file in ((lib, "L.lean"), (tmp_path / "app", "App.lean"), (docs, "Docs.lean")):
        write(folder / "lakefile.toml")
        write(folder / file)
    manifest(tmp_path / "app", at_path("lib", "../lib"))
    manifest(docs, at_path("app", ".."), at_path("lib", str(lib)))
    found = find_sources(tmp_path / "app")
    assert modules(found) == {"L": "lib", "App": None}
    assert has_notice(found, "includes the package lib", str(lib))
    assert modules(find_sources(docs)) == {"App": "app", "L": "lib", "Docs": None}
