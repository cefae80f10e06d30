"""The process that fuzzes one target."""

from __future__ import annotations

import os
from pathlib import Path

from tests.fuzz.runner import Watched, fuzz_plainly


def work(name: str, current: Path, seconds: float, seed: int, is_guided: bool) -> None:
    """Fuzz a target for some seconds; `current` is the file that holds what is being tried."""
    if not is_guided:
        watched, seeds = _watched(name, current)
        fuzz_plainly(watched, seeds, seconds, seed)
        return
    import atheris

    report = os.fdopen(os.dup(2), "w")
    for stream in (1, 2):  # atheris prints every module, libFuzzer every new input
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    with atheris.instrument_imports(include=["lean_extract", "retriever", "lsp_server"]):
        watched, seeds = _watched(name, current)
    folder = current.parent / "corpus"
    folder.mkdir()
    for number, data in enumerate(seeds):
        (folder / f"{number}").write_bytes(data)
    watched.report = report
    flags = ["-verbosity=0", "-max_len=65536", "-timeout=600", f"-seed={seed + 1}"]
    atheris.Setup(["fuzz", *flags, f"-max_total_time={int(seconds)}", str(folder)], watched)
    atheris.Fuzz()


def _watched(name: str, current: Path) -> tuple[Watched, list[bytes]]:
    """The target, its long texts tried, and what to begin with."""
    # Not above: atheris instruments imports.
    from tests.fuzz.targets import CORPUS, TARGETS, large_of, seeds_of, text_of

    target = TARGETS[name]
    watched = Watched(name, lambda data: target.run(text_of(data)), target.allowed, CORPUS / name, current)
    for data in large_of(name):
        watched(data)
    return watched, seeds_of(name)
