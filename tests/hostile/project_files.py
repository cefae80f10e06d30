"""Files of projects that do not deserve trust."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from lean_extract.source.projects.project import FoundSources

SECRET = "theorem secret : True := trivial\n"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def manifest(root: Path, *entries: Any, **more: Any) -> None:
    write(root / "lake-manifest.json", json.dumps({"packages": entries, **more}))


def git(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "git", "rev": "abc", **more}


def at_path(name: str, directory: str) -> dict[str, Any]:
    return {"name": name, "type": "path", "dir": directory}


def modules(found: FoundSources) -> dict[str, str | None]:
    return {source.module: source.package for source in found.sources}


def has_notice(found: FoundSources, *words: str) -> bool:
    return any(all(word in notice for word in words) for notice in found.notices)


def write_named(folder: bytes, name: bytes) -> None:
    path = Path(os.fsdecode(folder), os.fsdecode(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"theorem odd : True := trivial\n")


def make_odd_names(root: Path) -> None:
    own = os.fsencode(root)
    for name in (b"caf\xe9.lean", b"line\nbreak.lean", b"\x1b[31mred.lean", b"close\xc2\xbb.lean"):
        write_named(own, name)
    write_named(own + b"/fold\xe9r", b"F.lean")
    write_named(own + b"/.lake/packages/p\xe9", b"P.lean")
