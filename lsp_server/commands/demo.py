"""`premise-suggest demo`: an end-to-end run on the bundled example library, with a live Lean."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import shutil
import sys
import time
from pathlib import Path

import lean_extract
from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import read_source
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import project_oleans, resolve_lean
from lsp_server.commands.index import summary
from lsp_server.commands.interrupts import stop_on_interrupt
from lsp_server.commands.options import add_lean_option
from lsp_server.commands.place import Place, position_of
from lsp_server.commands.suggest import print_suggestion
from lsp_server.engine.engine import Engine
from lsp_server.engine.indexing import update_project
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.settings import LeanSettings, Settings
from lsp_server.rendering.progress_bar import ProgressBar
from lsp_server.rendering.style import Style
from prover.verify import GoalPosition

EXAMPLE = Path(lean_extract.__path__[0]) / "minicore" / "example"
"""The bundled example library."""
UNFINISHED = "Unfinished"
"""Its folder of unfinished proofs."""
_PROGRAM = "premise-suggest"

EXAMPLES = ("premise-suggest demo",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_lean_option(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    style = Style.of_standard_output()
    position = _first_unfinished(EXAMPLE)
    with ProgressBar(quiet=False) as bar:
        if not options.lean:
            _compile(bar)
    with stop_on_interrupt() as stop, ProgressBar(quiet=False) as bar:
        report = update_project(
            EXAMPLE,
            "",
            bar.report,
            stop.is_set,
            lean=options.lean,
            environment=os.environ if options.lean else {},
        )
    if stop.is_set():
        raise KeyboardInterrupt
    print(style.dim(f"Index of the example library: {summary(EXAMPLE, report)}"))
    began = time.perf_counter()
    asyncio.run(_show(position, options, style))
    print(style.dim(f"{time.perf_counter() - began:.1f} s from start to end, Lean's own start included"))
    print(how_to_call(Path(sys.executable), shutil.which(_PROGRAM), Path.cwd()))
    return 0


def how_to_call(python: Path, found: str | None, here: Path) -> str:
    """The command by which the user can call this environment's program from the folder `here`.

    Args:
        python: the running interpreter.
        found: the program of our name on PATH; None if there is none.
    """
    script, activate = python.with_name(_PROGRAM), python.with_name("activate")
    if found is not None and Path(found).resolve() == script.resolve():
        return f"In your own project: {_PROGRAM} setup, then {_PROGRAM} suggest FILE:LINE."
    call = shlex.quote(str(script)) if script.is_file() else f"{shlex.quote(str(python))} -m lsp_server"
    advice = f"{_PROGRAM} of this environment is not on PATH. Run it as\n  {call}"
    if not activate.is_file():
        return advice
    shown = activate.relative_to(here) if activate.is_relative_to(here) else activate
    return f"{advice}\nor put it on PATH in this terminal:\n  source {shlex.quote(str(shown))}"


def _compile(bar: ProgressBar) -> None:
    """Compile the mini core and the example library; after the first run there is nothing to do."""
    lean = packaged.prepare(progress=lambda done, total, _: bar.report("core", done, total))
    built = project_oleans(EXAMPLE)
    packaged.build_library(EXAMPLE, built, lean, lambda done, total, _: bar.report("library", done, total))


async def _show(position: GoalPosition, options: argparse.Namespace, style: Style) -> None:
    # The example builds on the mini core, so it needs the packaged Lean even if another Lean is installed.
    toolchain = (
        resolve_lean(EXAMPLE, override=options.lean)
        if options.lean
        else resolve_lean(EXAMPLE, environment={})
    )
    engine = Engine(EXAMPLE, Settings(lean=LeanSettings(command=options.lean)), toolchain)
    try:
        await engine.session()
        print(style.dim(f"Lean {toolchain.version}: {toolchain.reason}"))
        line = position.position.line + 1
        print(style.dim(f"{position.path.relative_to(EXAMPLE)}, line {line}:\n"))
        suggestion = await engine.suggest(SuggestRequest(position, k=8, tactics=True))
        print_suggestion(suggestion, as_json=False)
    finally:
        await engine.close()


def _first_unfinished(library: Path) -> GoalPosition:
    """The first `sorry` in the library's unfinished proofs. Raises BadSource: there is none."""
    for path in sorted((library / UNFINISHED).glob("*.lean")):
        lines = read_source(path).split("\n")
        for number, line in enumerate(lines, start=1):
            if line.strip().endswith("sorry") and not line.lstrip().startswith("--"):
                return position_of(Place(path, number))
    raise BadSource(f"There is no unfinished proof in {library}.", "Install premise-suggest again.")
