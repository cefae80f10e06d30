"""What a project names as its toolchain leads to elan's toolchains, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import LeanNotFound
from lean_extract.limits import MAX_SETTINGS_BYTES
from lean_extract.toolchains import toolchain
from lean_extract.toolchains.elan import checked
from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.engine.freshness import pinned_lean
from tests.hostile.shapes import nested
from tests.lean_extract.machines import DOWNLOADED, Machine

GOOD = {
    "leanprover/lean4:v4.9.0": "leanprover--lean4---v4.9.0",
    "v4.9.0-rc1": "leanprover--lean4---v4.9.0-rc1",
    "4.9.0": "leanprover--lean4---v4.9.0",
    "stable": "leanprover--lean4---v4.27.0",
    "nightly-2024-01-01": "leanprover--lean4-nightly---nightly-2024-01-01",
    "leanprover/lean4-nightly:nightly-2024-01-01": "leanprover--lean4-nightly---nightly-2024-01-01",
    "leanprover/lean4-pr-releases:pr-release-1234": "leanprover--lean4-pr-releases---pr-release-1234",
    "my_lean-4.x": "my_lean-4.x",
}
BAD = {
    "upwards": "..",
    "upwards, in parts": "../../bin",
    "here": ".",
    "from the root": "/bin",
    "a path": "a/b/c:v4",
    "a path behind the colon": "leanprover/lean4:../../bin",
    "two colons": "leanprover/lean4:v4:v5",
    "an owner alone": "leanprover/lean4",
    "upwards as an owner": "../lean4:v4",
    "no channel": "leanprover/lean4:",
    "an option": "--help",
    "an option for a channel": "leanprover/lean4:-x",
    "spaces": "v4 .9",
    "no character": "v4\0.9",
    "an escape": "v4\x1b[31m",
    "quotes": "v4;rm -rf '$HOME'",
    "dots": "a..b",
    "a megabyte": "v" * (MAX_SETTINGS_BYTES - 1),
    "more": "v" * (MAX_SETTINGS_BYTES + 9),
}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("name", GOOD)
def test_what_elan_takes_for_a_name(machine: Machine, name: str) -> None:
    elan = machine.elan(GOOD[name])
    machine.wants(name + "\nwhat stands below is of no matter to elan")
    assert machine.resolve().lean_command == (str(elan / "toolchains" / GOOD[name] / "bin" / "lean"),)


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("source", ["file", "variable", "default"])
def test_what_elan_takes_for_none(machine: Machine, kind: str, source: str) -> None:
    name = BAD[kind]
    elan = machine.elan("leanprover--lean4---v4.9.0")
    machine.lean(elan / "toolchains" / "x" / "bin" / "lean")
    if source == "file":
        machine.wants(name)
    elif source == "variable":
        machine.environment["ELAN_TOOLCHAIN"] = name
    else:
        text = name.replace("\0", "\\u0000").replace("\x1b", "\\u001b")
        (elan / "settings.toml").write_text(f'default_toolchain = "{text}"\n')
    if source == "default" and len(name) > MAX_SETTINGS_BYTES // 2:
        assert machine_without_lean(machine)  # elan's settings are too large: there is no default
        return
    with pytest.raises(LeanNotFound) as caught:
        machine.resolve()
    assert DOWNLOADED not in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert str(caught.value).isprintable()
    assert pinned_lean(machine.project) == ""


def machine_without_lean(machine: Machine) -> bool:
    try:
        return machine.resolve().kind == "packaged"
    except LeanNotFound:
        return True


@given(st.text(st.characters(max_codepoint=300), max_size=30))
def test_no_name_leads_out_of_a_folder(name: str) -> None:
    try:
        folder = checked(name, "It").replace("/", "--").replace(":", "---")
    except LeanNotFound:
        return
    assert os.path.normpath(f"/elan/toolchains/{folder}") == f"/elan/toolchains/{folder}"
    assert not folder.startswith("-")


def test_a_link_to_any_file_is_no_toolchain(machine: Machine) -> None:
    machine.elan("leanprover--lean4---v4.9.0")
    (machine.root / "secret").write_text("leanprover/lean4:v4.9.0\n")
    (machine.project / "lean-toolchain").symlink_to("../secret")
    with pytest.raises(LeanNotFound, match="a link that leads elsewhere"):
        machine.resolve()
    assert pinned_lean(machine.project) == ""


def test_projects_may_share_a_toolchain_file_by_a_link(machine: Machine) -> None:
    machine.elan("leanprover--lean4---v4.9.0")
    (machine.root / "common").mkdir()
    (machine.root / "common" / "lean-toolchain").write_text("leanprover/lean4:v4.9.0\n")
    (machine.project / "lean-toolchain").symlink_to("../common/lean-toolchain")
    assert "leanprover/lean4:v4.9.0" in machine.resolve().reason
    assert pinned_lean(machine.project) == "4.9.0"


@pytest.mark.parametrize("kind", ["deep", "broken", "pipe"])
def test_settings_of_elan_that_cannot_be_read_are_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    settings = machine.elan() / "settings.toml"
    if kind == "pipe":
        os.mkfifo(settings)
    else:
        settings.write_text(nested("[", "]", "a = ")(20_000) if kind == "deep" else "= broken")
    runtime = PackagedLean(("run",), ("run", "--server"), {}, Path("core"), "4.35.0")
    monkeypatch.setattr(toolchain, "prepare", lambda: runtime)
    found = machine.resolve()
    assert found.kind == "packaged"
    assert f"{settings} cannot be read: it " in found.reason
    lean = machine.lean(machine.root / "bin" / "lean")
    assert machine.resolve().lean_command == (str(lean),)
    assert f"{settings} cannot be read: it " in machine.resolve().reason
