"""Search for a proof of a `sorry` in a file, with templates only.

    python -m prover search FILE [--line N] [--premise NAME ...] [--picture SVG] [--proof LEAN]

The premises are given by name and read from the project's sources. This command shows a search, and
draws the picture in docs/search.md; `premise-suggest eval` measures with a retriever and a generator.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.errors import BadQuery
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.reading import read_source
from lean_extract.records import Goal, Position, Premise
from lean_extract.session import LeanSession
from lean_extract.source.projects.project import find_root, find_sources, only_of, projects_at
from lean_extract.source.reader import read_file
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import project_oleans, resolve_lean
from prover.candidates import FinishingTactics, Templates
from prover.closers import LEAN_CLOSERS
from prover.search.environment import LeanEnvironment, SourcesProposer
from prover.search.picture import tree_svg
from prover.search.search import SearchLimits, SearchResult, search
from prover.search.theorem import Theorem, check_proof, write_proof


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", help="a Lean file; `-` reads one from standard input")
    parser.add_argument(
        "--line", type=int, help="a line of the theorem, from 1 (default: that of the first `sorry`)"
    )
    parser.add_argument(
        "--project", type=Path, help="the project whose modules it imports (default: its own)"
    )
    parser.add_argument("--premise", action="append", default=[], metavar="NAME", help="may be repeated")
    limits = SearchLimits()
    parser.add_argument("--seconds", type=float, default=limits.seconds)
    parser.add_argument("--nodes", type=int, default=limits.nodes, help="the most states to expand")
    parser.add_argument(
        "--tactics", type=int, default=limits.tactics, help="the most tactics to try on a state"
    )
    parser.add_argument("--picture", type=Path, metavar="SVG", help="draw the search tree")
    parser.add_argument(
        "--proof", type=Path, metavar="LEAN", help="write the proof, once Lean has accepted it"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command. The exit code is 0 if Lean has accepted a proof, and 1 if none was found."""
    return asyncio.run(_run(options))


def _premises_by_name(root: Path, names: Sequence[str]) -> tuple[Premise, ...]:
    """The premises with these names, in that order. Raises BadQuery: the project does not declare one of them."""
    wanted = set(names)
    found: dict[str, Premise] = {}
    for source in find_sources(root).sources:
        if wanted - found.keys():
            read = read_file(source.path, source.module).premises
            found |= {premise.name: premise for premise in read if premise.name in wanted}
    if absent := [name for name in names if name not in found]:
        raise BadQuery(f"{root} does not declare {', '.join(absent)}.", "Give full names.")
    return tuple(found[name] for name in names)


async def _run(options: argparse.Namespace) -> int:
    theorem, root = _theorem_of(options)
    limits = SearchLimits(options.seconds, options.nodes, options.tactics)
    premises = _premises_by_name(root, options.premise)

    async def retrieve(_: Goal) -> Sequence[Premise]:
        return premises

    proposer = SourcesProposer(retrieve, (Templates(), FinishingTactics(LEAN_CLOSERS)))
    toolchain = resolve_lean(root)
    if toolchain.kind == "packaged":
        lean = packaged.prepare()
        packaged.build_library(
            root, project_oleans(root), lean, rejected=lambda one: print(f"left out: {one}", file=sys.stderr)
        )
    async with await LeanSession.start(root, toolchain) as session:
        result = await search(LeanEnvironment(session, theorem), proposer, limits)
    print(_summary(theorem, result))
    if options.picture is not None:
        with replacing(options.picture) as stream:
            stream.write(tree_svg(result.tree, f"Search for a proof of {theorem.name}"))
    if result.status != "proved":
        return 1
    checked = await check_proof(theorem, result.proof, toolchain, root)
    if not checked.accepted:
        print(f"rejected by a fresh Lean: {checked.message}")
        return 1
    print(f"accepted by a fresh Lean; axioms: {', '.join(checked.axioms or ()) or 'none'}")
    if options.proof is not None:
        write_proof(options.proof, theorem, result.proof)
    return 0


def _theorem_of(options: argparse.Namespace) -> tuple[Theorem, Path]:
    """The theorem, and the project in which Lean runs."""
    if options.file == "-":
        path, text = Path("stdin.lean"), sys.stdin.read()
    else:
        path = Path(options.file).resolve()
        text = read_source(path)
    root = find_root(path)
    if options.project is not None:
        root = only_of(options.project, projects_at(options.project, loose=True))
    if options.line is None:
        return Theorem.first(path, text), root
    return Theorem.at(path, text, Position(options.line - 1, 0)), root


def _summary(theorem: Theorem, result: SearchResult) -> str:
    counted = f"{result.nodes} states, {result.tactics} tactics, {result.seconds:.1f} s"
    lines = [f"{theorem.name}: {result.status} ({counted})", *(f"  {tactic}" for tactic in result.proof)]
    return "\n".join([*lines, *([result.reason] if result.reason else [])])
