"""Fuzz the readers: `python -m tests.fuzz [TARGET ...] --seconds N`.

Each target runs in a process of its own for N seconds in all; with atheris (`pip install atheris`) guided by
what its inputs reach, else by mutation alone. What goes wrong (an exception that is no error for people, more
than a second of CPU time for 64 kB) is printed, and kept as a file under tests/fuzz/corpus/TARGET, one for
each place: mend the reader, then commit the file, which test_corpus.py tries again for ever. Exits with 1
where something was found.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.runner import work
from tests.fuzz.targets import CORPUS, TARGETS

_HANGS_AFTER = 60.0
"""Seconds without a new input."""
_POLL = 0.5


def main() -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations")
    parser.add_argument("--plain", action="store_true", help="without atheris even where it is installed")
    chosen = parser.parse_args()
    for name in chosen.targets:
        if name not in TARGETS:
            parser.error(f"there is no target {name}; the targets are {', '.join(TARGETS)}")
    is_guided = not chosen.plain and importlib.util.find_spec("atheris") is not None
    found = [_fuzzed(name, chosen.seconds, chosen.seed, is_guided) for name in chosen.targets or TARGETS]
    return int(any(found))


def _fuzzed(name: str, seconds: float, seed: int, is_guided: bool) -> bool:
    """Fuzz one target in another process; whether there are findings."""
    before = _stamps(CORPUS / name)
    with tempfile.TemporaryDirectory(prefix="fuzz") as place:
        current = Path(place) / "current"
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=work, args=(name, current, seconds, seed, is_guided))
        process.start()
        end = time.time() + seconds + _HANGS_AFTER
        while process.is_alive() and time.time() < end:
            process.join(_POLL)
            with contextlib.suppress(FileNotFoundError):
                if time.time() - current.stat().st_mtime > _HANGS_AFTER:
                    break
        if process.is_alive():
            process.kill()
            process.join()
            (CORPUS / name).mkdir(parents=True, exist_ok=True)
            (CORPUS / name / "found-hang").write_bytes(current.read_bytes())
            print(f"{name}: hangs on tests/fuzz/corpus/{name}/found-hang", file=sys.stderr)
    changed = _stamps(CORPUS / name).items() - before.items()
    print(f"{name}: {len(changed)} findings", flush=True)
    return bool(changed)


def _stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*")}


if __name__ == "__main__":
    sys.exit(main())
