"""Extract the records of a library with Lean itself.

    python -m lean_extract trace SOURCES OUT [--no-states] [--dojo]

A Lake project has to be built first (`lake build`); any other folder is compiled here. With `--dojo`, SOURCES
is a clone of a Git repository, and LeanDojo traces it (the extra `premise-suggest[dojo]`; it needs Lake).
"""

from __future__ import annotations

import argparse
import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.errors import LeanError, NoGoalHere, ProjectBroken
from lean_extract.common.files.reading import read_source
from lean_extract.records import (
    FileProblem,
    Header,
    Position,
    Premise,
    Proof,
    ProofState,
    Record,
    Span,
    TacticStep,
    write_records,
)
from lean_extract.session import LeanSession
from lean_extract.session.live import LiveLean
from lean_extract.source.names.binders import parse_binders
from lean_extract.source.projects.project import library_folders
from lean_extract.source.proofs.proof import SourceStep
from lean_extract.source.reader import read_module
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import tokenize
from lean_extract.toolchains import packaged
from lean_extract.toolchains.compile import compile_folder, import_order, lean_messages, read_sources
from lean_extract.toolchains.toolchain import Toolchain, project_oleans, resolve_lean
from lean_extract.traced import lean_dojo
from lean_extract.traced.ilean import Ilean, IleanDeclaration, read_ilean
from lean_extract.traced.lean_dojo import load_lean_dojo

_MODIFIERS = frozenset({"private", "protected", "noncomputable", "unsafe", "partial", "public", "meta"})


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled library: its sources, the folder with the compiled files, and a `lean` that can import it."""

    sources: Path
    out: Path
    lean_command: Sequence[str]
    environment: Mapping[str, str]


def _declared_premises(library: Compiled, module: str, ilean: Ilean) -> dict[str, Premise]:
    """What a module declares in its source, by name, as Lean prints it: `#check` gives the signature with all included
    variables, `#print sig` the kind. One run of `lean` handles the module.

    Raises:
        ProjectBroken: the module cannot be imported.
        LeanDied, LeanTimeout: Lean ended early, or did not end in time.
    """
    names = _own_names(ilean)
    lines = [
        f"import {module}",
        *(line for name in names for line in (f"#check {name}", f"#print sig {name}")),
    ]
    answers: dict[int, str] = {}
    for message in lean_messages(library.lean_command, library.environment, "\n".join(lines) + "\n"):
        line = message["pos"]["line"]
        if message["severity"] == "error" and line == 1:
            raise ProjectBroken(f"Lean cannot import {module}: {message['data']}", "Build the project first.")
        if message["severity"] == "information":
            answers[line] = message["data"]
    found = {}
    for index, name in enumerate(names):
        check, printed = answers.get(2 + 2 * index), answers.get(3 + 2 * index)
        if check is not None and printed is not None:
            found[name] = _premise(name, check, printed, ilean)
    return found


def _premise(name: str, check: str, printed: str, ilean: Ilean) -> Premise:
    declaration = ilean.declared.get(name)
    context, conclusion = split_signature(check)
    modifiers, kind = _kind(printed)
    return Premise(
        name=name,
        kind=kind,
        module=ilean.module,
        context=context,
        conclusion=conclusion,
        span=declaration.full if declaration else None,
        is_protected="protected" in modifiers,
    )


def split_signature(text: str) -> tuple[tuple[str, ...], str]:
    """Split `Foo.bar.{u} {a : T} (h : p a) : q a` into its binders and its conclusion."""
    tokens = tokenize(text)
    texts = tokens.texts
    begin = 1
    if texts[1:2] == [".{"]:
        begin = tokens.brackets.close(1, len(texts)) + 1
    binders, after = parse_binders(tokens, begin, len(texts))
    if after < len(texts) and texts[after] == ":":
        after += 1
    return tuple(binder.text for binder in binders), tokens.source(after, len(texts))


def _kind(printed: str) -> tuple[set[str], str]:
    words = [word for word in printed.split() if not word.startswith("@[")]
    modifiers = set()
    while words and words[0] in _MODIFIERS:
        modifiers.add(words.pop(0))
    return modifiers, words[0] if words else ""


async def trace_module(
    library: Compiled, name: str, session: LiveLean | None = None
) -> AsyncIterator[Record]:
    """The records of one module: Module, Premise and Proof, and FileProblem where Lean gave no state.

    Names, positions and used premises come from the `.ilean` files, statements and kinds from a run of `lean`, and
    the states before and after each tactic (section 3.1.1 of the paper) from a live session. The source reader is
    used only to find the tactics.

    Args:
        library: the compiled library.
        name: the module's name.
        session: gives the states around each tactic; without it, steps have premises only.

    Raises:
        BadSource: the `.ilean` file is missing or of another version.
        LeanError: Lean cannot import the module.
    """
    path = library.sources.joinpath(*name.split(".")).with_suffix(".lean")
    text = read_source(path)
    ilean = read_ilean(library.out.joinpath(*name.split(".")).with_suffix(".ilean"), text)
    read = read_module(text, name, str(path))
    yield replace(read.module, name=ilean.module)
    premises = _declared_premises(library, name, ilean)
    for premise in premises.values():
        yield premise
    steps = {proof.theorem: proof.steps for proof in read.proofs}
    mentions, lines = ilean.mentions(), text.split("\n")
    for theorem, declaration in ilean.declared.items():
        if theorem in premises and premises[theorem].kind == "theorem":
            proof = trace_proof(
                theorem, declaration, ilean.module, mentions.get(theorem, ()), lines, steps.get(theorem, ())
            )
            if session is None:
                yield proof
                continue
            problems: list[FileProblem] = []
            yield replace(proof, steps=await _with_states(proof.steps, path, text, session, problems))
            for problem in problems:
                yield problem


def _own_names(ilean: Ilean) -> list[str]:
    """The names that the module declares in its source, in order, without generated ones."""
    found = {
        constant.name: constant.definition
        for constant in ilean.constants
        if constant.definition is not None and constant.module == ilean.module
    }
    return sorted(found, key=lambda name: found[name].start)


def trace_proof(
    theorem: str,
    declaration: IleanDeclaration,
    module: str,
    mentions: Sequence[tuple[Position, str]],
    lines: Sequence[str],
    steps: Sequence[SourceStep],
) -> Proof:
    """The proof of a theorem with the premises that Lean resolved in it, in order of first use, also by step.

    Args:
        theorem: the theorem's name.
        declaration: its range and the range of its name.
        module: the module's name.
        mentions: the constants that the theorem mentions, in order (`Ilean.mentions`).
        lines: the lines of the module's text.
        steps: the tactic steps of the proof, from the source reader.
    """
    used = mentions[bisect_left(mentions, (_proof_start(lines, declaration), "")) :]
    return Proof(
        theorem=theorem,
        module=module,
        premises=tuple(dict.fromkeys(name for _, name in used)),
        steps=tuple(
            TacticStep(
                step.tactic, step.span, tuple(dict.fromkeys(name for _, name in _within(used, step.span)))
            )
            for step in steps
        ),
        is_tactic=bool(steps),
    )


def _proof_start(text: Sequence[str], declaration: IleanDeclaration) -> Position:
    """The start of a declaration's value: its first `:=`, `|` or `where` outside brackets, otherwise its end."""
    lines = list(text[declaration.name.end.line : declaration.full.end.line + 1])
    lines[0] = " " * declaration.name.end.column + lines[0][declaration.name.end.column :]
    tokens = tokenize("\n".join(lines))
    depth = 0
    for index, token in enumerate(tokens.texts):
        depth += DEPTH.get(token, 0)
        if depth == 0 and token in (":=", "|", "where"):
            found = tokens.position(tokens.starts[index])
            return Position(found.line + declaration.name.end.line, found.column)
    return declaration.full.end


def _within(mentions: Sequence[tuple[Position, str]], span: Span | None) -> Sequence[tuple[Position, str]]:
    if span is None:
        return ()
    return mentions[bisect_left(mentions, (span.start, "")) : bisect_left(mentions, (span.end, ""))]


async def _with_states(
    steps: Sequence[TacticStep], path: Path, text: str, session: LiveLean, problems: list[FileProblem]
) -> tuple[TacticStep, ...]:
    traced = []
    for step in steps:
        if step.span is None:
            continue
        try:
            before = await session.goals_at(path, text, step.span.start)
            after = await session.goals_at(path, text, step.span.end)
        except (NoGoalHere, LeanError) as error:
            complaint = f"no state for `{step.tactic[:40]}`: {error.message}"
            problems.append(FileProblem(str(path), step.span.start, complaint))
            traced.append(step)
            continue
        # Inside a tactic that leaves no goals, a session gives the goals before it.
        after = ProofState(before.goals[1:]) if after == before else after
        traced.append(replace(step, before=before, after=after))
    return tuple(traced)


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
        counts = _trace_with_lean_dojo(sources, options.out)
    else:
        counts = asyncio.run(trace_library(sources, options.out, not options.no_states))
    print(", ".join(f"{count:,} {kind.lower()}s" for kind, count in counts.items()))


async def trace_library(sources: Path, out: Path, with_states: bool) -> Counter[str]:
    """Write the records of every module under `sources`. Returns the number of records of each kind.

    Raises:
        ProjectBroken: the library has not been built, or does not build.
        LeanError: no Lean was found, or it ended early.
    """
    library, toolchain = _compiled(sources)
    records: list[Record] = []
    async with await LeanSession.start(sources, toolchain) as session:
        modules = [source.module for source in import_order(read_sources(sources))]
        for module in tqdm(modules, unit=" modules", disable=None):
            state_source = session if with_states else None
            records += [record async for record in trace_module(library, module, state_source)]
    write_records(out, Header("lean", toolchain.version), records)
    return Counter(type(record).__name__ for record in records)


def _trace_with_lean_dojo(clone: Path, out: Path) -> Counter[str]:
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


def _compiled(sources: Path) -> tuple[Compiled, Toolchain]:
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
