"""Extract the records of a library with Lean itself.

    python -m lean_extract trace SOURCES OUT [--no-states] [--dojo]

A Lake project has to be built first (`lake build`); any other folder is compiled here. With `--dojo`, SOURCES
is a clone of a Git repository, and LeanDojo traces it (the extra `premise-suggest[dojo]`; it needs Lake).
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.errors import ProjectBroken
from lean_extract.records import Header, Record, write_records
from lean_extract.session import LeanSession
from lean_extract.source.projects.project import library_folders
from lean_extract.toolchains import packaged
from lean_extract.toolchains.compile import compile_folder, import_order, read_sources
from lean_extract.toolchains.toolchain import Toolchain, project_oleans, resolve_lean
from lean_extract.traced import lean_dojo
from lean_extract.traced.extract import Compiled, trace_module
from lean_extract.traced.lean_dojo import load_lean_dojo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("sources", type=Path, help="the folder that module names are relative to")
    parser.add_argument("out", type=Path, help="the records file to write (JSONL)")
    parser.add_argument("--no-states", action="store_true", help="premises only, which is much faster")
    parser.add_argument("--dojo", action="store_true", help="trace a copy of a Git clone with LeanDojo")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    sources = options.sources.resolve()
    if options.dojo:
        counts = trace_with_lean_dojo(sources, options.out)
    else:
        counts = asyncio.run(trace_library(sources, options.out, not options.no_states))
    print(", ".join(f"{count:,} {kind.lower()}s" for kind, count in counts.items()))


async def trace_library(sources: Path, out: Path, with_states: bool) -> Counter[str]:
    """Write the records of every module under `sources`. Returns the number of records of each kind.

    Raises:
        ProjectBroken: the library has not been built, or does not build.
        LeanError: no Lean was found, or it ended early.
    """
    library, toolchain = compiled(sources)
    records: list[Record] = []
    async with await LeanSession.start(sources, toolchain) as session:
        modules = [source.module for source in import_order(read_sources(sources))]
        for module in tqdm(modules, unit=" modules", disable=None):
            asked = session if with_states else None
            records += [record async for record in trace_module(library, module, asked)]
    write_records(out, Header("lean", toolchain.version), records)
    return Counter(type(record).__name__ for record in records)


def trace_with_lean_dojo(clone: Path, out: Path) -> Counter[str]:
    """Write the records of a Git clone as LeanDojo traces it. Returns the number of records of each kind.

    Raises:
        LeanDojoMissing: LeanDojo cannot be used here.
        UserError, LeanError: the folder is not a Git clone, or cannot be traced.
    """
    library = load_lean_dojo()
    traced = lean_dojo.trace(library, clone)
    counts: Counter[str] = Counter()

    def counted() -> Iterator[Record]:
        for record in lean_dojo.records_of(traced):
            counts[type(record).__name__] += 1
            yield record

    write_records(out, Header("lean", f"LeanDojo {library.version}, {traced.repo.commit}"), counted())
    return counts


def compiled(sources: Path) -> tuple[Compiled, Toolchain]:
    """The compiled library, and a Lean that can import it. Raises as `trace_library`."""
    toolchain = resolve_lean(sources)
    if toolchain.kind == "lake":
        out = next((folder for folder in library_folders(sources) if folder.is_dir()), None)
        if out is None:
            raise ProjectBroken(f"{sources} has not been built.", "Run `lake build` there first.")
    else:
        out = project_oleans(sources)
        toolchain = replace(toolchain, environment={"LEAN_PATH": str(out), **toolchain.environment})
        _build(sources, out, toolchain)
    return Compiled(sources, out, toolchain.lean_command, toolchain.environment), toolchain


def _build(sources: Path, out: Path, toolchain: Toolchain) -> None:
    if toolchain.kind == "packaged":
        packaged.build_library(sources, out, packaged.prepare())
        return
    compile_folder(
        sources,
        out,
        lean_command=toolchain.lean_command,
        environment=toolchain.environment,
        identity=f"{toolchain.kind} {toolchain.version}",
    )
