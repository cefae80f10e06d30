"""A stand-in for Lake over the real Lean: `serve`, `setup-file`, `build`, `--version`; for projects without packages.

As Lake does, it knows what it has built by its content, and `setup-file --no-build` exits with 3 where something that
a file imports, directly or not, is not built or has changed since.

Run as `python small_lake.py LEAN ARGUMENTS...`, with the variables that the packaged Lean needs.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from lean_extract.errors import LeanError
from lean_extract.toolchains.compile import LeanSource, compile_folder, read_sources

OUT_OF_DATE = 3
SETUP = {"name": "X", "isModule": False, "importArts": {}, "dynlibs": [], "plugins": [], "options": {}}


def main() -> int:
    lean, command, *arguments = sys.argv[1:]
    if command == "--version":
        print("Lake version 5.0.0 (Lean version 4.35.0)")
    elif command == "serve":
        os.execv(lean, [lean, "--server", *arguments[1:]])
    elif command == "setup-file":
        imports = [one["module"] for one in json.load(sys.stdin)["imports"]]
        if not is_built(imports):
            return OUT_OF_DATE
        print(json.dumps(SETUP))
    elif command == "build":
        return build(lean)
    return 0


def build(lean: str) -> int:
    root = Path.cwd()
    try:
        compile_folder(root, library(root), lean_command=[lean], environment={}, identity="")
    except LeanError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    built = {name: digest(source) for name, source in read_sources(root).items()}
    (library(root) / "built.json").write_text(json.dumps(built))
    return 0


def is_built(imports: Iterable[str]) -> bool:
    root = Path.cwd()
    built = json.loads((library(root) / "built.json").read_text())
    sources, waiting, seen = read_sources(root), [*imports], set[str]()
    while waiting:
        name = waiting.pop()
        if name in sources and name not in seen:
            seen.add(name)
            if built.get(name) != digest(sources[name]):
                return False
            waiting += sources[name].imports
    return True


def library(root: Path) -> Path:
    return root / ".lake" / "build" / "lib" / "lean"


def digest(source: LeanSource) -> str:
    return hashlib.sha256(source.text).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
