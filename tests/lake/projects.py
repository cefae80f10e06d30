"""Makes a toolchain with the stand-in for Lake beside the real Lean, and a project that uses it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lean_extract.toolchains.packaged import CORE_SOURCES, PackagedLean
from lean_extract.toolchains.toolchain import Toolchain, resolve_lean
from tests.environments import without_lean

PROGRAM = Path(__file__).with_name("program.py")
LAKEFILE = 'name = "lib"\n\n[[lean_lib]]\nname = "Lib"\n'
EMPTY_MANIFEST = {"version": "1.1.0", "packagesDir": ".lake/packages", "packages": [], "name": "lib"}


@dataclass(frozen=True, slots=True)
class LakeProject:
    """A project, and the folder of the toolchain that it is built with."""

    root: Path
    prefix: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which the product finds this toolchain: on PATH, without elan."""
        own = without_lean(os.environ)
        return {**own, "PATH": f"{self.prefix / 'bin'}{os.pathsep}{own['PATH']}"}

    @property
    def toolchain(self) -> Toolchain:
        """The toolchain as the product finds it."""
        return resolve_lean(self.root, environment=self.environment)

    def write(self, files: Mapping[str, str]) -> None:
        """Write files by their paths in the project."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def lake(self, *words: str, stdin: str = "", succeeds: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of Lake in the project."""
        command = [str(self.prefix / "bin" / "lake"), *words]
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert (done.returncode == 0) == succeeds, done.stdout + done.stderr
        return done

    def build(self) -> None:
        """Run `lake build`."""
        self.lake("build")


def make_toolchain(prefix: Path, version: str, lean: PackagedLean) -> Path:
    """A toolchain in this folder that says it has this version: the real Lean, the stand-in for Lake."""
    for folder in ("bin", "src", "include/lean"):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
    (prefix / "lib").mkdir()
    (prefix / "lib" / "lean").symlink_to(lean.core_oleans)
    (prefix / "src" / "lean").symlink_to(CORE_SOURCES)
    major, minor, *_ = version.split(".")
    (prefix / "include" / "lean" / "version.h").write_text(
        f"#define LEAN_VERSION_MAJOR {major}\n#define LEAN_VERSION_MINOR {minor}\n"
    )
    real, here = shlex.quote(lean.lean_command[0]), shlex.quote(str(prefix))
    _program(
        prefix / "bin" / "lean",
        f'[ "$1" = --version ] && echo "Lean (version {version}, x86_64-unknown-linux-gnu, Release)" && exit\n'
        f"export LEAN_WORKER_PATH={here}/bin/lean LEAN_SYSROOT={here} LEAN_BACKTRACE=0\n"
        f'export LEAN_PATH="${{LEAN_PATH:+$LEAN_PATH:}}"{here}/lib/lean\n'
        f'exec {real} "$@"',
    )
    words = shlex.join([sys.executable, "-X", "utf8", str(PROGRAM), version, str(prefix)])
    _program(prefix / "bin" / "lake", f'exec {words} "$@"')
    return prefix


def make_project(folder: Path, version: str, lean: PackagedLean, files: Mapping[str, str]) -> LakeProject:
    """A project below `folder` with these files by path, and with a lakefile and a manifest if they have none."""
    project = LakeProject(folder / "project", make_toolchain(folder / "toolchain", version, lean))
    known = {"lakefile.toml": LAKEFILE, "lake-manifest.json": json.dumps(EMPTY_MANIFEST)}
    if "lakefile.lean" in files:
        del known["lakefile.toml"]
    project.write({**known, "lean-toolchain": f"leanprover/lean4:v{version}\n", **files})
    return project


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
