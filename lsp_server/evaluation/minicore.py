"""The mini core's problems, in a project of their own beside the example library."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from platformdirs import user_cache_path

import lean_extract
from lean_extract.common.errors import PremiseSuggestError
from lean_extract.common.files.private import make_private_folder, private_file
from lsp_server.evaluation.plan import ProblemSet
from prover.evaluation.library import all_theorems

EXAMPLE = Path(lean_extract.__path__[0]) / "minicore" / "example"
"""The example library."""
PROBLEMS = Path(lean_extract.__path__[0]) / "minicore" / "problems"
"""The folder of the problems; their modules are below `Problems`, and import the example library."""
_FOLDER = "Problems"


def minicore_set(library: Path = EXAMPLE, problems: Path = PROBLEMS) -> ProblemSet:
    """The problems, each to be proved without the others. Only the library is indexed.

    Raises PremiseSuggestError: the user's cache cannot be written to.
    """
    try:
        root = composed(library, problems)
    except OSError as error:
        raise PremiseSuggestError(
            f"The problems' project could not be put together: {error}.",
            "Free some space in the user's cache, or set XDG_CACHE_HOME to a writable folder.",
        ) from error
    posed = all_theorems(root, root / _FOLDER, hide=True)
    return ProblemSet("minicore", posed, root, library, on_minicore=True)


def composed(library: Path, problems: Path) -> Path:
    """A folder in the user's cache with the files of both, made once for what they hold. Raises OSError."""
    files = [(path, path.relative_to(library)) for path in sorted(library.rglob("*.lean"))]
    files += [(path, path.relative_to(library)) for path in sorted(library.glob("*.toml"))]
    files += [(path, path.relative_to(problems)) for path in sorted(problems.rglob("*.lean"))]
    found = hashlib.sha256()
    for path, target in files:
        found.update(f"{target}\0".encode() + path.read_bytes() + b"\0")
    root = user_cache_path("premise-suggest", appauthor=False) / "evaluation"
    folder = root / f"minicore-{found.hexdigest()[:12]}"
    if not folder.is_dir():
        make_private_folder(root)
        with tempfile.TemporaryDirectory(dir=root, prefix=".making-", ignore_cleanup_errors=True) as name:
            _copy(files, Path(name) / "made")
            try:
                (Path(name) / "made").rename(folder)
            except OSError:
                if not folder.is_dir():  # otherwise another process was first, with the same files
                    raise
    return folder


def _copy(files: list[tuple[Path, Path]], folder: Path) -> None:
    for path, target in files:
        make_private_folder((folder / target).parent)
        with open(folder / target, "wb", opener=private_file) as stream:
            stream.write(path.read_bytes())
