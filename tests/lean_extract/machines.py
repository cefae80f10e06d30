"""Machines made up of scripts: a home folder, a PATH, a project, and the Leans that a test puts there."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from lean_extract.toolchains.core_sources import CoreSources, find_core
from lean_extract.toolchains.toolchain import Toolchain, resolve_lean

DOWNLOADED = "a shim was run, which downloads"


@dataclass
class Machine:
    """A home folder, a PATH and a project, all of them empty at first."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("home", "bin", "project"):
            (self.root / name).mkdir()
        self.environment = {"HOME": str(self.root / "home"), "PATH": str(self.root / "bin")}

    @property
    def project(self) -> Path:
        return self.root / "project"

    def program(self, path: Path, says: str, code: int = 0) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\nprint({says!r})\nraise SystemExit({code})\n")
        path.chmod(0o755)
        return path

    def lean(self, path: Path, version: str = "4.24.0") -> Path:
        return self.program(path, f"Lean (version {version}, x86_64-unknown-linux-gnu, Release)")

    def lake(self, path: Path) -> Path:
        return self.program(path, "Lake version 5.0.0 (Lean version 4.24.0)")

    def elan(self, *toolchains: str, default: str | None = None) -> Path:
        elan = self.root / "home" / ".elan"
        for name in ("elan", "lean", "lake"):
            self.program(elan / "bin" / name, DOWNLOADED, code=1)
        for name in toolchains:
            self.lean(elan / "toolchains" / name / "bin" / "lean")
            self.lake(elan / "toolchains" / name / "bin" / "lake")
        if default is not None:
            (elan / "settings.toml").write_text(f'default_toolchain = "{default}"\n')
        self.environment["PATH"] = f"{elan / 'bin'}:{self.environment['PATH']}"
        return elan

    def wants(self, name: str) -> None:
        (self.project / "lean-toolchain").write_text(name + "\n")

    def core(self, override: str | None = None) -> CoreSources:
        return find_core(self.project, override=override, environment=self.environment)

    def resolve(self, override: str | None = None) -> Toolchain:
        return resolve_lean(self.project, override=override, environment=self.environment)


MODULES = {
    "Init": "prelude\nimport Init.Numbers\n",
    "Init.Numbers": "prelude\n\ntheorem Nat.plus_turn (n m : Nat) : n + m = m + n := sorry\n",
    "Std": "import Std.Sets\n",
    "Std.Sets": "theorem Std.Sets.or_turn (p q : Prop) : p ∨ q ↔ q ∨ p := sorry\n",
    "Lean": "import Lean.Elab\n",
    "Lean.Elab": "theorem Lean.Elab.of_no_interest : True := sorry\n",
}
"""Sources as a toolchain carries them, of our own writing."""


def give_sources(prefix: Path, version: str | None = "4.24.0") -> Path:
    """Put sources, and the header that names the version, into a toolchain; returns their folder."""
    root = prefix / "src" / "lean"
    for module, text in MODULES.items():
        path = root.joinpath(*module.split(".")).with_suffix(".lean")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if version is not None:
        header = prefix / "include" / "lean" / "version.h"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(f'#pragma once\n#define LEAN_VERSION_STRING "{version}"\n', encoding="utf-8")
    return root
