"""Where Lake puts what it builds of a package: `buildDir` of the lakefile, which is untrusted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.settings_files import is_within, settings_text, toml_settings
from lean_extract.source.projects.packages import LAKEFILES, leads_below

_BUILD_DIR = re.compile(r'\bbuildDir\s*+:=\s*+"([^"\n]++)"')
_DEFAULT = Path(".lake", "build")


def library_folders(root: Path) -> tuple[Path, Path]:
    """The folders of compiled modules of the package at `root`: those of newer and of older Lakes.

    A `buildDir` that leads out of the package is ignored. Never raises.
    """
    real = os.path.realpath(root)
    stated = (root / one for one in _stated(root, real) if leads_below(one))
    build = next((one for one in stated if is_within(os.path.realpath(one), (real,))), root / _DEFAULT)
    return build / "lib" / "lean", build / "lib"


def _stated(root: Path, real: str) -> Iterator[str]:
    toml, lean = (root / name for name in LAKEFILES)
    with suppress(BadSource):  # Lake itself would report it
        if isinstance(stated := toml_settings(toml, (real,)).get("buildDir"), str):
            yield stated
    with suppress(BadSource):
        yield from _BUILD_DIR.findall(settings_text(lean, (real,)))
