"""Which Lean is chosen, and what is said where there is none; all Leans here are scripts on a PATH."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadSettings, LeanNotFound
from lean_extract.toolchains import toolchain
from lean_extract.toolchains.elan import split_command
from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.toolchains.toolchain import resolve_lean
from tests.lean_extract.machines import DOWNLOADED, Machine


def test_the_setting_comes_first(machine: Machine) -> None:
    machine.elan("leanprover--lean4---v4.24.0", default="leanprover/lean4:v4.24.0")
    mine = machine.lean(machine.root / "my lean" / "lean", "4.9.0")
    found = machine.resolve(f"'{mine}' -Dautoexpr=false")
    assert found.server_command == (str(mine), "-Dautoexpr=false", "--server")
    assert found.version == "4.9.0"
    assert "`lean.command`" in found.reason


def test_the_setting_may_name_a_lake(machine: Machine) -> None:
    lake = machine.lake(machine.root / "bin" / "lake")
    found = machine.resolve("lake")
    assert found.kind == "lake"
    assert found.server_command == (str(lake), "serve", "--")
    assert found.lean_command == (str(lake), "env", "lean")
    assert found.version == "4.24.0"


@pytest.mark.parametrize("override", ["nowhere-to-be-found", "'unclosed", " "])
def test_a_setting_that_names_no_program(machine: Machine, override: str) -> None:
    with pytest.raises(BadSettings, match=r"lean\.command"):
        machine.resolve(override)


def test_elan_has_what_the_project_asks_for(machine: Machine) -> None:
    elan = machine.elan("leanprover--lean4---v4.24.0", "leanprover--lean4---v4.10.0")
    machine.wants("leanprover/lean4:v4.10.0")
    found = machine.resolve()
    lean = elan / "toolchains" / "leanprover--lean4---v4.10.0" / "bin" / "lean"
    assert (found.kind, found.server_command) == ("elan", (str(lean), "--server"))
    assert "leanprover/lean4:v4.10.0" in found.reason
    assert "lean-toolchain" in found.reason


@pytest.mark.parametrize("lakefile", ["lakefile.toml", "lakefile.lean"])
def test_a_lake_package_is_served_by_lake(machine: Machine, lakefile: str) -> None:
    elan = machine.elan("leanprover--lean4---v4.24.0")
    machine.wants("v4.24.0")
    (machine.project / lakefile).touch()
    found = machine.resolve()
    lake = elan / "toolchains" / "leanprover--lean4---v4.24.0" / "bin" / "lake"
    assert (found.kind, found.server_command) == ("lake", (str(lake), "serve", "--"))
    assert found.version == "4.24.0"


def test_the_toolchain_file_may_stand_above_and_the_toolchain_be_linked(machine: Machine) -> None:
    elan = machine.elan()
    lean = machine.lean(machine.root / "built" / "bin" / "lean")
    (elan / "toolchains").mkdir()
    (elan / "toolchains" / "mine").symlink_to(lean.parents[1])
    (machine.root / "lean-toolchain").write_text("mine\n")
    assert machine.resolve().server_command == (
        str(elan / "toolchains" / "mine" / "bin" / "lean"),
        "--server",
    )


def test_a_toolchain_that_a_file_links_keeps_its_name(machine: Machine) -> None:
    elan = machine.elan()
    lean = machine.lean(machine.root / "build" / "stage1" / "bin" / "lean")
    (elan / "toolchains").mkdir()
    (elan / "toolchains" / "mine").write_text(str(lean.parents[1]))
    machine.wants("mine")
    found = machine.resolve()
    assert found.lean_command == (str(lean),)
    assert found.environment["ELAN_TOOLCHAIN"] == "mine"


def test_what_elan_lacks_is_told_and_not_fetched(machine: Machine) -> None:
    machine.elan("leanprover--lean4---v4.24.0")
    machine.wants("leanprover/lean4:v4.10.0")
    with pytest.raises(LeanNotFound) as caught:
        machine.resolve()
    assert "elan toolchain install leanprover/lean4:v4.10.0" in caught.value.hint
    assert DOWNLOADED not in str(caught.value)


def test_elans_default_serves_where_nothing_is_asked_for(machine: Machine) -> None:
    machine.elan("leanprover--lean4---v4.24.0", default="leanprover/lean4:v4.24.0")
    assert machine.resolve().kind == "elan"
    assert resolve_lean(None, environment=machine.environment).kind == "elan"


def test_the_variable_of_elan_wins_over_the_file(machine: Machine) -> None:
    machine.elan("leanprover--lean4---v4.24.0")
    machine.wants("leanprover/lean4:v4.10.0")
    machine.environment["ELAN_TOOLCHAIN"] = "leanprover/lean4:v4.24.0"
    assert "ELAN_TOOLCHAIN" in machine.resolve().reason


INSTALLED = (
    "leanprover--lean4---v4.9.0", "leanprover--lean4---v4.27.0", "leanprover--lean4---v4.28.0-rc2",
    "leanprover--lean4---v4.28.0-rc10", "leanprover--lean4-nightly---nightly-2026-06-30",
    "leanprover--lean4-nightly---nightly-2026-07-01", "leanprover--lean4-pr-releases---pr-release-1234",
    "mine",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("stable", 1),
        ("leanprover/lean4:stable", 1),
        ("beta", 3),
        ("nightly", 5),
        ("leanprover/lean4:nightly", 5),
        ("nightly-2026-06-30", 4),
        ("leanprover/lean4:nightly-2026-06-30", 4),
        ("leanprover/lean4-nightly:nightly-2026-06-30", 4),
        ("4.9.0", 0),
        ("v4.9.0", 0),
        ("leanprover/lean4:4.9.0", 0),
        ("leanprover/lean4:v4.28.0-rc2", 2),
        ("leanprover/lean4-pr-releases:pr-release-1234", 6),
        ("mine", 7),
    ],
)
@pytest.mark.parametrize("source", ["file", "variable", "default", "override"])
def test_names_mean_what_they_mean_to_elan(machine: Machine, name: str, number: int, source: str) -> None:
    elan = machine.elan(*INSTALLED)
    if source == "file":
        machine.wants(name)
    elif source == "variable":
        machine.environment["ELAN_TOOLCHAIN"] = name
    elif source == "default":
        (elan / "settings.toml").write_text(f'default_toolchain = "{name}"\n')
    else:
        (elan / "settings.toml").write_text(f'[overrides]\n"{machine.root.resolve()}" = "{name}"\n')
    found = machine.resolve()
    assert found.lean_command == (str(elan / "toolchains" / INSTALLED[number] / "bin" / "lean"),)
    resolved = INSTALLED[number].replace("---", ":").replace("--", "/")
    assert found.environment == {"ELAN_HOME": str(elan), "ELAN_TOOLCHAIN": resolved}


def test_an_override_counts_before_the_file_in_its_folder_and_after_one_further_down(
    machine: Machine,
) -> None:
    elan = machine.elan(*INSTALLED)
    overrides = {machine.project.resolve(): "v4.9.0", machine.root.resolve(): "nightly"}
    lines = [f'"{folder}" = "{name}"\n' for folder, name in overrides.items()]
    machine.wants("stable")
    (elan / "settings.toml").write_text("[overrides]\n" + lines[1])
    assert "v4.27.0" in machine.resolve().lean_command[0]
    (elan / "settings.toml").write_text("[overrides]\n" + "".join(lines))
    found = machine.resolve()
    assert "v4.9.0" in found.lean_command[0]
    assert "Elan's override for" in found.reason


def test_an_override_is_found_by_the_name_that_windows_gives_its_folder(machine: Machine) -> None:
    elan = machine.elan(*INSTALLED)
    text = f"[overrides]\n'\\\\?\\{machine.project.resolve()}' = 'v4.9.0'\n"
    (elan / "settings.toml").write_text(text)
    assert "v4.9.0" in machine.resolve().lean_command[0]


def test_what_only_has_the_name_of_a_program_is_none(machine: Machine) -> None:
    (machine.root / "bin" / "lean").mkdir()
    plain = machine.root / "other"
    plain.mkdir()
    (plain / "lean").write_text("not to be run")
    mine = machine.lean(machine.root / "last" / "lean", "4.9.0")
    folders = (machine.root / "bin", plain, mine.parent)
    machine.environment["PATH"] = os.pathsep.join(["", *(f'"{one}"' for one in folders)])
    assert machine.resolve().lean_command == (str(mine),)
    for name in ("lean\0", "nowhere/lean", '""'):
        with pytest.raises(BadSettings):
            machine.resolve(name)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\Users\me\lean.exe -DautoImplicit=false", [r"C:\Users\me\lean.exe", "-DautoImplicit=false"]),
        (r'"C:\Program Files\Lean\lake.exe"  env', [r"C:\Program Files\Lean\lake.exe", "env"]),
        (r"C:\Users\O'Neil\lean.exe # x", [r"C:\Users\O'Neil\lean.exe", "#", "x"]),
        ("", []),
    ],
)
def test_commands_on_windows(command: str, words: list[str]) -> None:
    assert split_command(command, is_windows=True) == words
    with pytest.raises(ValueError, match="quot"):
        split_command(f'{command} "', is_windows=True)


@given(st.lists(st.from_regex(r'[^"\s\0]+( [^"\s\0]+)*', fullmatch=True)))
def test_any_words_of_a_command_on_windows(words: list[str]) -> None:
    assert split_command(" ".join(f'"{word}"' for word in words), is_windows=True) == words


def test_toolchains_are_found_where_elan_is_not(machine: Machine) -> None:
    """An editor that was started from a dock has no PATH to an elan of the system's packages."""
    elan = machine.elan("leanprover--lean4---v4.24.0", default="stable")
    shutil.rmtree(elan / "bin")
    machine.environment["PATH"] = str(machine.root / "bin")
    assert machine.resolve().kind == "elan"


@pytest.mark.parametrize("name", ["stable", "beta", "nightly", "4.30.0"])
def test_a_channel_of_which_nothing_is_installed(machine: Machine, name: str) -> None:
    machine.elan("leanprover--lean4-pr-releases---pr-release-1234")
    machine.wants(name)
    with pytest.raises(LeanNotFound, match=f"elan toolchain install {name}"):
        machine.resolve()


def test_lean_on_the_path(machine: Machine) -> None:
    lean = machine.lean(machine.root / "bin" / "lean")
    found = machine.resolve()
    assert (found.kind, found.server_command, found.lean_command) == (
        "path",
        (str(lean), "--server"),
        (str(lean),),
    )
    assert str(lean) in found.reason


def test_lake_on_the_path_serves_a_lake_package(machine: Machine) -> None:
    machine.lean(machine.root / "bin" / "lean")
    lake = machine.lake(machine.root / "bin" / "lake")
    (machine.project / "lakefile.toml").touch()
    machine.wants("leanprover/lean4:v4.10.0")
    found = machine.resolve()
    assert found.server_command == (str(lake), "serve", "--")
    assert "asks for leanprover/lean4:v4.10.0, but there is no elan" in found.reason


def test_a_lean_that_is_not_the_one_asked_for_says_so(machine: Machine) -> None:
    machine.lean(machine.root / "bin" / "lean", "4.24.0")
    machine.wants("leanprover/lean4:v4.10.0")
    note = machine.resolve().note
    assert note.startswith(
        "The project asks for leanprover/lean4:v4.10.0, which was not found, so goals and verdicts"
    )
    assert "the Lean on PATH, 4.24.0" in note and "mini core" not in note
    for asked in ("leanprover/lean4:v4.24.0", "4.24.0"):
        machine.wants(asked)
        assert machine.resolve().note == ""
    machine.wants("leanprover/lean4:v4.10.0")
    assert machine.resolve(str(machine.root / "bin" / "lean")).note == ""  # the setting asks for it


def test_the_packaged_lean_says_that_it_stands_in_and_what_its_library_is(
    machine: Machine, packaged_lean: PackagedLean
) -> None:
    machine.wants("leanprover/lean4:v4.10.0")
    found = machine.resolve()
    assert "leanprover/lean4:v4.10.0" in found.note and found.library in found.note
    assert f"the packaged Lean, {packaged_lean.version}" in found.note
    machine.wants(f"leanprover/lean4:v{packaged_lean.version}")
    found = machine.resolve()
    assert found.note == "" and "so that the demo and the tests run without Mathlib" in found.library


def test_a_shim_is_never_run(machine: Machine) -> None:
    """Elan without a default toolchain: its `lean` on PATH would download one."""
    elan = machine.elan()
    with pytest.raises(LeanNotFound, match="no default toolchain"):
        machine.resolve(str(elan / "bin" / "lean"))
    lean = machine.lean(machine.root / "bin" / "lean")
    assert machine.resolve().server_command[0] == str(lean)


@pytest.mark.parametrize(("says", "code"), [("Lean (version 4.24.0)", 1), ("some other lean", 0)])
def test_a_lean_that_does_not_run(machine: Machine, says: str, code: int) -> None:
    machine.program(machine.root / "bin" / "lean", says, code)
    with pytest.raises(LeanNotFound, match="--version` did not print a version of Lean"):
        machine.resolve()


def test_a_lean_that_is_no_program(machine: Machine) -> None:
    lean = machine.root / "bin" / "lean"
    lean.write_text("\x7fELF nonsense")
    lean.chmod(0o755)
    with pytest.raises(LeanNotFound, match="does not run"):
        machine.resolve()


def test_an_empty_toolchain_file(machine: Machine) -> None:
    machine.elan()
    machine.wants("")
    with pytest.raises(LeanNotFound, match="is empty"):
        machine.resolve()


def test_the_packaged_lean_is_the_last_resort(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = PackagedLean(("run",), ("run", "--server"), {"LEAN_PATH": "core"}, Path("core"), "4.35.0")
    monkeypatch.setattr(toolchain, "prepare", lambda: runtime)
    machine.wants("leanprover/lean4:v4.10.0")
    found = machine.resolve()
    assert (found.kind, found.version, found.server_command) == ("packaged", "4.35.0", ("run", "--server"))
    assert found.environment["LEAN_PATH"].endswith("core")
    assert str(toolchain.project_oleans(machine.project)) in found.environment["LEAN_PATH"]
    assert "leanprover/lean4:v4.10.0" in found.reason


def test_no_lean_at_all(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> PackagedLean:
        raise LeanNotFound("The packaged Lean is not installed.", "Install it with pip.")

    monkeypatch.setattr(toolchain, "prepare", absent)
    with pytest.raises(LeanNotFound, match="nor on PATH") as caught:
        machine.resolve()
    assert "elan" in caught.value.hint
    assert "Install it with pip." in caught.value.hint
