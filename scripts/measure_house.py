"""Measure the house: lines and files, public names, the longest import chain, the modules of a cold suggestion.

    python scripts/measure_house.py [--no-suggest] [--check]

With --check it prints only what exceeds the budget (budget.json next to this file): lines and files of a folder,
and files of more than a megabyte that are not listed there.

Lines include blank lines and docstrings. Public names are classes, functions and constants at the top level of a
module without `_`. A chain is of imports at the top level of our modules. The modules of a cold
`suggest FILE:LINE` are those that are loaded when the command ends, in the packaged example project.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("lean_extract", "retriever", "prover", "lsp_server")
FOLDERS = (*PACKAGES, "scripts")
BUDGET = Path(__file__).with_name("budget.json")
EXAMPLE = ROOT / "lean_extract/minicore/example"
SUGGEST = ["suggest", f"{EXAMPLE / 'Unfinished/Demo.lean'}:20"]
COUNTED = f"""
import atexit, sys
from lsp_server.cli import main
atexit.register(lambda: print(*sorted(name for name in sys.modules if name.partition(".")[0] in {PACKAGES!r}),
                              sep="\\n", file=sys.stderr))
sys.exit(main(sys.argv[1:]))
"""


def sources(folder: str) -> list[Path]:
    """The Python files of a folder of the checkout."""
    return sorted((ROOT / folder).rglob("*.py"))


def line_count(files: list[Path]) -> int:
    """The lines of all these files."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def public_names(tree: ast.Module) -> Iterator[str]:
    """The names that a module defines at its top level for others."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        else:
            continue
        yield from (name for name in found if not name.startswith("_"))


def trees() -> dict[str, ast.Module]:
    """Our modules, parsed, by their dotted names."""
    found = {}
    for file in (file for package in PACKAGES for file in sources(package)):
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(file.read_text(encoding="utf-8"))
    return found


def imported(tree: ast.Module, modules: Mapping[str, ast.Module]) -> set[str]:
    """Our modules that one imports at its top level."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            inner = {f"{node.module}.{one.name}" for one in node.names}
            found |= (inner & modules.keys()) or {node.module}
    return found & modules.keys()


def longest_chain(modules: Mapping[str, ast.Module]) -> list[str]:
    """The longest chain of imports, from the importer down."""
    graph = {name: imported(tree, modules) for name, tree in modules.items()}

    @cache
    def below(name: str) -> tuple[str, ...]:
        return (name, *max((below(one) for one in sorted(graph[name])), key=len, default=()))

    return list(max((below(name) for name in graph), key=len))


def suggested_modules() -> list[str]:
    """The modules of ours that a cold suggestion with tactics has loaded at its end."""
    with tempfile.TemporaryDirectory() as index:
        environment = {**os.environ, "PREMISE_SUGGEST_INDEX": index}
        for arguments in (["index", str(EXAMPLE)], SUGGEST):
            done = subprocess.run(
                [sys.executable, "-c", COUNTED, *arguments],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                sys.exit("\n".join(line for line in done.stderr.splitlines() if ":" in line))
    return [line for line in done.stderr.splitlines() if line.partition(".")[0] in PACKAGES]


def exceeded() -> Iterator[str]:
    """What is over the budget, as sentences."""
    budget = json.loads(BUDGET.read_text(encoding="utf-8"))
    for folder, (lines, files) in budget["folders"].items():
        found = sources(folder)
        count = line_count(found)
        if count > lines or len(found) > files:
            yield (
                f"{folder} has {count:,} lines in {len(found)} files; its budget is {lines:,} in {files}. "
                f"Take something away, or raise it in {BUDGET.name} and say in the commit what it is for."
            )
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.stat().st_size > budget["bytes"] and name not in budget["large"]:
            yield f"{name} has {path.stat().st_size:,} bytes: every clone would carry it. List it in {BUDGET.name}."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--no-suggest", action="store_true", help="do not run a suggestion")
    parser.add_argument("--verbose", action="store_true", help="list the chain and the modules, too")
    parser.add_argument(
        "--check", action="store_true", help="print only what exceeds the budget, and fail then"
    )
    options = parser.parse_args()
    if options.check:
        problems = list(exceeded())
        sys.exit("\n".join(problems) or 0)
    files = {folder: sources(folder) for folder in FOLDERS}
    for folder, found in files.items():
        print(f"{folder}: {line_count(found):,} lines, {len(found)} files")
    everything = [file for found in files.values() for file in found]
    print(f"Python without tests: {line_count(everything):,} lines, {len(everything)} files")
    print(f"tests: {line_count(sources('tests')):,} lines")
    modules = trees()
    print(f"public names: {sum(len([*public_names(tree)]) for tree in modules.values()):,}")
    chain = longest_chain(modules)
    print(f"longest import chain: {len(chain)}")
    loaded = [] if options.no_suggest else suggested_modules()
    if loaded:
        print(f"modules that a cold suggestion imports: {len(loaded)}")
    if options.verbose:
        print("", *chain, "", *loaded, sep="\n")


if __name__ == "__main__":
    main()
