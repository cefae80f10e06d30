"""Project folders that lead elsewhere or cannot be read: what can be is indexed, and nothing else opened."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from platformdirs import user_cache_path

from tests.hostile.opened_files import watched
from tests.hostile.tries.ground import Ground
from tests.hostile.tries.report import OUTSIDE, SLOW, WRONG, Effort, Report

PART = "projects"
_LONGEST = 30.0
"""Seconds for one index of a few files, on a busy machine."""
_SOUND = "theorem sound (n m : Nat) : n + m = m + n := Nat.add_comm n m\n"


def run(ground: Ground, effort: Effort, report: Report) -> None:
    """Index each kind of hostile project, and look at what was opened."""
    elsewhere = ground.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "Secret.lean").write_text("theorem secret : True := True.intro\n", encoding="utf-8")
    for name, make in list(_KINDS.items())[:: effort.of(2, 1)]:
        project = ground.folder / f"project {name}"
        project.mkdir()
        (project / "lakefile.toml").write_text('name = "Sound"\n', encoding="utf-8")
        (project / "Sound.lean").write_text(_SOUND, encoding="utf-8")
        make(project, elsewhere)
        _index(ground, project, name, report)


def _index(ground: Ground, project: Path, name: str, report: Report) -> None:
    report.tried(PART)
    started = time.monotonic()
    record = ground.folder / f"opened {name}"
    try:
        seen = watched(["index", project], record, ground.environment, seconds=_LONGEST)
    except subprocess.TimeoutExpired:
        report.found(SLOW, PART, f"{name}: `index` did not end in {_LONGEST:.0f} s")
        return
    report.figures[f"projects: {name}, s"] = time.monotonic() - started
    report.check_log(PART, seen.done.stderr)
    if "1 premises" not in (said := seen.done.stdout + seen.done.stderr) and "premises" not in said:
        report.found(WRONG, PART, f"{name}: {said[-300:]}")
    allowed = [project, ground.folder / "index", user_cache_path("premise-suggest", appauthor=False)]
    for path in seen.outside(allowed)[:5]:
        if path not in (str(ground.folder), str(Path.home() / ".elan")):
            report.found(OUTSIDE, PART, f"{name}: {path}")


def _fifo(project: Path, _: Path) -> None:
    os.mkfifo(project / "Pipe.lean")


def _devices(project: Path, _: Path) -> None:
    for device in ("zero", "tty", "random", "full"):
        (project / f"{device.title()}.lean").symlink_to(f"/dev/{device}")


def _large(project: Path, _: Path) -> None:
    (project / "Large.lean").write_text("-- a\n" * 2_000_000, encoding="utf-8")


def _hard(project: Path, _: Path) -> None:
    (project / "Hard.lean").write_text('theorem x : "' + '\\"{' * 300_000, encoding="utf-8")


def _not_text(project: Path, _: Path) -> None:
    (project / "Binary.lean").write_bytes(bytes(range(256)) * 100)


def _bad_names(project: Path, _: Path) -> None:
    for name in (b"\xff\xfe.lean", b"a\nb.lean", b"\x1b[31m.lean"):
        Path(os.fsdecode(os.fsencode(project) + b"/" + name)).write_text(_SOUND, encoding="utf-8")


def _package_link(project: Path, elsewhere: Path) -> None:
    (project / ".lake" / "packages").mkdir(parents=True)
    (project / ".lake" / "packages" / "x").symlink_to(elsewhere)
    (project / ".lake" / "packages" / "root").symlink_to("/")


def _packages_dir(project: Path, _: Path) -> None:
    _manifest(project, {"packagesDir": "../../..", "packages": []})


def _package_names(project: Path, _: Path) -> None:
    names = ["../../elsewhere", "/", "..", "a/../../..", "\0", "", "é\n"]
    _manifest(project, {"packages": [{"name": name, "type": "git", "rev": "../x"} for name in names]})


def _manifest_of_many(project: Path, _: Path) -> None:
    _manifest(project, {"packages": [{"name": f"p{number}", "type": "git"} for number in range(15_000)]})


def _deep_manifest(project: Path, _: Path) -> None:
    (project / "lake-manifest.json").write_text("[" * 100_000, encoding="utf-8")


def _deep_lakefile(project: Path, _: Path) -> None:
    (project / "lakefile.toml").write_text("a = " + "[" * 5_000, encoding="utf-8")


def _lakefile_fifo(project: Path, _: Path) -> None:
    (project / "lakefile.toml").unlink()
    os.mkfifo(project / "lakefile.toml")
    (project / "lean-toolchain").symlink_to("/dev/zero")


def _source_dirs(project: Path, elsewhere: Path) -> None:
    text = f'name = "a"\nsrcDir = "{elsewhere}"\n[[lean_lib]]\nname = "b"\nsrcDir = "../elsewhere"\n'
    (project / "lakefile.toml").write_text(text, encoding="utf-8")


def _links_out(project: Path, elsewhere: Path) -> None:
    (project / "Folder").symlink_to(elsewhere, target_is_directory=True)
    (project / "File.lean").symlink_to(elsewhere / "Secret.lean")
    (project / "Up").symlink_to("..", target_is_directory=True)
    (project / "Self").symlink_to(".", target_is_directory=True)


def _toolchain(project: Path, _: Path) -> None:
    (project / "lean-toolchain").write_text("../../../bin/sh\n", encoding="utf-8")


def _deep_folders(project: Path, _: Path) -> None:
    place = project
    for _number in range(200):
        place = place / "d"
    place.mkdir(parents=True)
    (place / "Deep.lean").write_text(_SOUND, encoding="utf-8")


def _manifest(project: Path, values: Mapping[str, object]) -> None:
    (project / "lake-manifest.json").write_text(json.dumps(values), encoding="utf-8")


_KINDS: Mapping[str, Callable[[Path, Path], None]] = {
    "a FIFO": _fifo,
    "devices": _devices,
    "links out": _links_out,
    "a large file": _large,
    "packages by a link": _package_link,
    "a hard file": _hard,
    "packagesDir": _packages_dir,
    "no text": _not_text,
    "file names": _bad_names,
    "package names": _package_names,
    "a deep lakefile": _deep_lakefile,
    "many packages": _manifest_of_many,
    "a lakefile that is a FIFO": _lakefile_fifo,
    "a deep manifest": _deep_manifest,
    "srcDir": _source_dirs,
    "lean-toolchain": _toolchain,
    "deep folders": _deep_folders,
}
