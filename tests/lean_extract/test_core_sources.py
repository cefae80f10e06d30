"""Where the sources of Lean's own library are found, and what is said where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import LeanNotFound, NoCoreSources
from lean_extract.toolchains import packaged
from lean_extract.toolchains.core_sources import LEAN_CORE, MINI_CORE, find_core
from tests.lean_extract.machines import Machine, give_sources

NAME = "leanprover--lean4---v4.24.0"


@pytest.fixture
def prefix(machine: Machine) -> Path:
    """A toolchain of elan's, which the project asks for."""
    machine.wants("leanprover/lean4:v4.24.0")
    return machine.elan(NAME) / "toolchains" / NAME


def test_init_and_std_of_the_toolchain_that_the_project_asks_for(machine: Machine, prefix: Path) -> None:
    root = give_sources(prefix, "4.24.0")
    core = machine.core()
    assert (core.package, core.version, core.root) == (LEAN_CORE, "4.24.0", root)
    files = core.files()
    assert {one.module for one in files} == {"Init", "Init.Numbers", "Std", "Std.Sets"}
    assert {(one.package, one.revision) for one in files} == {(LEAN_CORE, "4.24.0")}
    assert all(one.path.is_relative_to(root) for one in files)


def test_lake_on_the_path_and_the_setting_lead_to_the_same_core(machine: Machine, prefix: Path) -> None:
    give_sources(prefix)
    (machine.project / "lakefile.toml").touch()
    by_lake = machine.core()
    assert machine.core(override=str(prefix / "bin" / "lean")) == by_lake
    (machine.root / "bin" / "lean").symlink_to(prefix / "bin" / "lean")
    environment = {"PATH": str(machine.root / "bin")}
    assert find_core(machine.project, environment=environment) == by_lake


def test_nothing_is_run_to_find_them(machine: Machine, prefix: Path) -> None:
    give_sources(prefix)
    for name in ("lean", "lake"):
        machine.program(prefix / "bin" / name, "this was run", code=1)
    assert machine.core().version == "4.24.0"


def test_a_linked_toolchain_has_the_version_that_its_header_says(machine: Machine) -> None:
    elan = machine.elan()
    built = machine.lean(machine.root / "built" / "stage1" / "bin" / "lean").parents[1]
    give_sources(built, "4.25.0-pre")
    (elan / "toolchains").mkdir()
    (elan / "toolchains" / "mine").symlink_to(built)
    machine.wants("mine")
    assert (machine.core().version, machine.core().root) == ("4.25.0-pre", built / "src" / "lean")
    give_sources(built, "4.26.0-pre")
    assert machine.core().version == "4.26.0-pre"


def test_without_a_header_the_folder_names_the_version(machine: Machine, prefix: Path) -> None:
    give_sources(prefix, None)
    assert machine.core().version == NAME


def test_a_toolchain_without_sources_is_told(machine: Machine, prefix: Path) -> None:
    with pytest.raises(NoCoreSources) as caught:
        machine.core()
    assert f"there is no {prefix / 'src' / 'lean' / 'Init.lean'}" in caught.value.message
    assert "elan" in caught.value.hint


def test_sources_that_cannot_be_read_are_told(machine: Machine, prefix: Path) -> None:
    first = give_sources(prefix) / "Init.lean"
    first.unlink()
    first.symlink_to(first)
    with pytest.raises(NoCoreSources, match="cannot be read: Too many levels of symbolic links"):
        machine.core()
    first.unlink()
    first.mkdir()
    with pytest.raises(NoCoreSources, match="cannot be read: it is not a regular file"):
        machine.core()


def test_folders_that_link_in_a_circle_are_read_once(machine: Machine, prefix: Path) -> None:
    root = give_sources(prefix)
    (root / "Init" / "Again").symlink_to(root / "Init")
    (root / "Std" / "Self").symlink_to("Self")
    assert sorted(one.module for one in machine.core().files()) == ["Init", "Init.Numbers", "Std", "Std.Sets"]


def test_a_library_that_is_missing_is_left_out(machine: Machine, prefix: Path) -> None:
    root = give_sources(prefix)
    for path in (root / "Std.lean", root / "Std" / "Sets.lean"):
        path.unlink()
    assert {one.module for one in machine.core().files()} == {"Init", "Init.Numbers"}


def test_the_packaged_lean_stands_on_the_mini_core(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "runtime_available", lambda: True)
    core = machine.core()
    assert (core.package, core.root) == (MINI_CORE, packaged.CORE_SOURCES)
    named = {one.module: one.path for one in core.files()}
    assert set(named) == {
        ".".join(path.relative_to(packaged.CORE_SOURCES).with_suffix("").parts)
        for path in packaged.CORE_SOURCES.rglob("*.lean")
    }
    assert named["Init"] == packaged.CORE_SOURCES / "Init.lean"


def test_without_any_lean_there_is_no_core(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "runtime_available", lambda: False)
    with pytest.raises(NoCoreSources, match="No Lean was found"):
        machine.core()


def test_a_toolchain_that_is_not_installed_is_told_as_that(machine: Machine) -> None:
    machine.elan(NAME)
    machine.wants("leanprover/lean4:v4.10.0")
    with pytest.raises(LeanNotFound, match="has not installed"):
        machine.core()
