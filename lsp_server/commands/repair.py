"""`premise-suggest repair`: repairs the errors of files after a change of Lean or of a library."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from lean_extract.common.errors import (
    BadSource,
    LeanError,
    PremiseSuggestError,
    ProjectBroken,
    UserError,
)
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.reading import is_folder, read_source
from lean_extract.common.verbs import INTERRUPTED
from lean_extract.source.projects.project import find_project, find_sources, module_of
from lean_extract.toolchains.compile import LeanSource, header_imports, order_without_circles
from lsp_server.commands.common import print_json, show_first_use
from lsp_server.commands.fill_record import only_one
from lsp_server.commands.interrupts import stop_loop_on_interrupt
from lsp_server.commands.lean_files import FileChanged, LeanFile, files_by_project, require_writable
from lsp_server.commands.options import (
    add_lean_option,
    add_model_options,
    add_tactic_options,
    add_work_options,
)
from lsp_server.commands.prove import open_engine, print_diff
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.engine import Engine
from lsp_server.engine.repair_files import RepairLimits, repair_file
from lsp_server.engine.repair_names import MeantNames
from lsp_server.engine.repair_record import updated_index
from lsp_server.engine.schema_proofs import RepairAnswer, RepairedError, RepairKind
from lsp_server.rendering.progress_bar import ProgressBar
from lsp_server.rendering.repairs import repair_summary, repair_table
from lsp_server.rendering.style import Style

_UNREAD = "Lean cannot load its imports."
EXAMPLES = (
    "premise-suggest repair                    # shows what would change in this folder's project",
    "premise-suggest repair A.lean B.lean --write",
    "premise-suggest repair --write --summary repair.md   # and a summary for the pull request",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_work_options(parser, "work on one error", 20.0)
    text = "write what Lean accepts to the files (default: print what would change)"
    parser.add_argument("--write", action="store_true", help=text)
    parser.add_argument("--json", action="store_true", help="print the JSON object (docs/json.md)")
    text = "also write a summary in Markdown, for a pull request; - is standard output"
    parser.add_argument("--summary", metavar="FILE|-", default="", help=text)
    search = parser.add_argument_group("what is searched with")
    add_lean_option(search)
    add_tactic_options(search)
    add_model_options(search)


def run(options: argparse.Namespace) -> int:
    """Run the command. The exit code is 0 if no error is left."""
    show_first_use()
    if options.json and options.summary == "-":
        raise UserError("--json and --summary - both print.", "Name a file for the summary.")
    for path in options.paths:
        if not is_folder(path):
            LeanFile.read(path)  # a mistake in its name is reported at once
    work = _Work(options)
    projects = files_by_project(options.paths or [Path.cwd()])
    with ExitStack() as stack:
        for root in projects:
            stack.enter_context(only_one("repair", root))
        try:
            asyncio.run(work.run(projects))
        except BaseException:
            if work.errors:  # what was found is not lost
                work.show()
            raise
    work.show()
    return work.code()


class _Work:
    """The work on one project after the other."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._began = time.monotonic()
        self._stopped = False
        self._written: list[str] = []
        self._unwritten: dict[str, str] = {}
        """The changes of files that are not written, by name."""
        self.errors: list[RepairedError] = []

    async def run(self, projects: Mapping[Path, Sequence[Path]]) -> None:
        """Repair the files. Raises UserError, LeanError, ModelError, PremiseIndexError."""
        with stop_loop_on_interrupt() as stop, ProgressBar(quiet=False) as bar:
            for root, paths in projects.items():
                engine = open_engine(self._options, root)
                try:
                    before = await updated_index(engine, root, bar.report, stop.is_set)
                    names = MeantNames(engine, before)
                    await self._project(engine, names, _Imports(root, paths), bar, stop)
                finally:
                    self._stopped = stop.is_set()
                    await engine.close()

    async def _project(
        self, engine: Engine, names: MeantNames, imports: _Imports, bar: ProgressBar, stop: asyncio.Event
    ) -> None:
        """Repair the files of a project, each after those that it imports."""
        await engine.session()
        self.errors += imports.circular
        for number, path in enumerate(imports.ordered):
            bar.report("repair", number, len(imports.ordered))
            if stop.is_set():
                return
            if not imports.may_have_errors(path, engine.rejected):
                continue
            try:
                await self._file(engine, names, path, stop)
            except (UserError, FileChanged) as error:
                self.errors.append(_failed(path, error))
            except ProjectBroken as error:
                self.errors.append(self._unread(path, error, imports))
        bar.report("repair", len(imports.ordered), len(imports.ordered))

    def _unread(self, path: Path, error: ProjectBroken, imports: _Imports) -> RepairedError:
        """The row of a file whose imports Lean cannot load."""
        left = {one.file for one in self.errors if one.kind == RepairKind.NONE}
        broken = imports.first_of(path, left | {*self._unwritten})
        if not broken:
            return _failed(path, error)
        why = "which has errors on disk" if broken in left else "whose repair is not written without --write"
        return _failed(path, ProjectBroken(_UNREAD, f"It imports {broken}, {why}."))

    async def _file(self, engine: Engine, names: MeantNames, path: Path, stop: asyncio.Event) -> None:
        options, file = self._options, LeanFile.read(path)
        if options.write:
            require_writable(path)
        limits = RepairLimits(options.seconds, self._began + options.total if options.total else math.inf)
        found = await repair_file(engine, names, path.resolve(), file.name, file.text, limits, stop)
        self.errors += found
        edits = [edit for error in found for edit in error.edits]
        if not edits:
            return
        after = file.edited(sorted(edits, key=lambda one: (one.line, one.column), reverse=True))
        if not options.write:
            self._unwritten[file.name] = after.diff(file)
            return
        after.write(file)
        self._written.append(file.name)
        await engine.compile_saved()

    def _answer(self) -> RepairAnswer:
        repaired = sum(one.kind != RepairKind.NONE for one in self.errors)
        took = round(time.monotonic() - self._began, 3)
        return RepairAnswer(self.errors, repaired, self._written, took, self._stopped)

    def show(self) -> None:
        """Print what was found. Raises OSError: the summary cannot be written."""
        options, answer = self._options, self._answer()
        if options.json:
            print_json(to_json(answer))
        elif options.summary != "-":
            sys.stdout.write(repair_table(answer, Style.of_standard_output()))
            print_diff("".join(self._unwritten.values()))
        if options.summary == "-":
            sys.stdout.write(repair_summary(answer))
        elif options.summary:
            with replacing(Path(options.summary)) as stream:
                stream.write(repair_summary(answer))

    def code(self) -> int:
        """The exit code."""
        if self._stopped:
            return INTERRUPTED
        return int(any(one.kind == RepairKind.NONE for one in self.errors))


def _failed(path: Path, error: PremiseSuggestError) -> RepairedError:
    return RepairedError(
        LeanFile(path, "").name, 1, "", error.message, RepairKind.NONE, reason=error.hint or error.message
    )


class _Imports:
    """Which of a project's files import which.

    Args:
        root: the project's.
        paths: the files to repair.
    """

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        project = find_project(root)
        packages = {(one.name, one.revision) for one in project.packages}
        files = {one.module: one.path for one in find_sources(root, without=packages).sources}
        self._modules = {path: module_of(path.resolve(), project) for path in paths}
        files |= {module: path for path, module in self._modules.items()}
        found = {}
        for module, path in files.items():
            with suppress(BadSource):  # it is reported when it is to be repaired
                found[module] = LeanSource(module, root, path, b"", header_imports(read_source(path)))
        rejected: list[LeanError] = []
        self._sources = order_without_circles(found, rejected.append)
        places = {source.module: number for number, source in enumerate(self._sources)}
        circular = {module for error in rejected for module in error.modules}
        in_order = [path for path, module in self._modules.items() if module not in circular]
        self.ordered = sorted(in_order, key=lambda path: places.get(self._modules[path], 0))
        """The files, each after those that it imports, without those that import each other."""
        self.circular = [
            _failed(path, error)
            for path, module in self._modules.items()
            for error in rejected
            if module in error.modules
        ]
        """The errors of those."""

    def first_of(self, path: Path, files: Collection[str]) -> str:
        """The first of these files, by their names, that a file imports; empty if it imports none."""
        reached = {self._modules[path]}
        for source in reversed(self._sources):
            if source.module in reached:
                reached |= {*source.imports}
        found = (LeanFile(one.path, "").name for one in self._sources if one.module in reached)
        return next((name for name in found if name in files), "")

    def may_have_errors(self, path: Path, rejected: Sequence[LeanError] | None) -> bool:
        """Whether a file may have errors, given what kept modules from being compiled; True if that is not known."""
        if rejected is None:
            return True
        broken = {module for error in rejected for module in error.modules}
        for source in self._sources:
            if not broken.isdisjoint(source.imports):
                broken.add(source.module)
        return self._modules[path] in broken
