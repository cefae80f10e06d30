"""Breaks the example library in one place at a time, repairs it with `premise-suggest repair`, and checks the result.

    python scripts/repair_mutants.py [--mutants N] [--seed S] [--seconds N] [--minutes N] [--out FILE]

A mutant is the library after one change that Lean rejects: a lemma that has another name, an argument or binder that
is dropped, swapped or made implicit, a lemma that `simp` does not use any more, a hypothesis that has another name or
another place. It is repaired if the whole library compiles, without `sorry` and with the statements of the mutant. It
is wrong if `repair` has written a file that Lean rejects where the command says that it is repaired, or another
statement.

FILE gets a line for each mutant; a run that was stopped, or that ended after so many minutes, goes on where it was.
Exit code 1 if one is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from lean_extract.common.errors import LeanError
from lean_extract.source.reader import read_module
from lean_extract.syntax.lexer import tokenize
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import project_oleans
from lsp_server.commands.demo import EXAMPLE, UNFINISHED

_LEMMA = re.compile(r"(?P<head>(?P<attribute>@\[simp\]\n)?(?:protected )?theorem )(?P<name>[\w.']+)")
_CALL = re.compile(
    r"(?<![\w.'])(?P<name>[A-Za-z][\w.']*[\w'])(?P<given>(?: (?:[\w₀-₉']+|\([^()\n]*\)))+)(?=[\s),⟩\]])"
)
_LIST = re.compile(r"(?<=simp \[)[^\]\n]+(?=\])|(?<=simp only \[)[^\]\n]+(?=\])")
_BINDER = re.compile(r"[({](?P<names>[^:(){}]+) : [^(){}]+[)}]")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file."""

    kind: str
    path: str
    start: int
    end: int
    written: str

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.path}:{self.start}:{self.written}"

    def of(self, text: str) -> str:
        return f"{text[: self.start]}{self.written}{text[self.end :]}"


def mutants(rng: random.Random) -> Iterator[list[Mutant]]:
    """All mutants, kind by kind, each kind in random order."""
    texts = {
        str(path.relative_to(EXAMPLE)): path.read_text(encoding="utf-8")
        for path in sorted((EXAMPLE / "Example").rglob("*.lean"))
    }
    makers: tuple[Callable[[str, str, random.Random], Iterator[Mutant]], ...] = (
        _renamed,
        _arguments,
        _simp,
        _hypotheses,
    )
    for make in makers:
        found = [one for path, text in texts.items() for one in make(path, text, rng)]
        rng.shuffle(found)
        yield found


def _renamed(path: str, text: str, rng: random.Random) -> Iterator[Mutant]:
    for number, found in enumerate(_LEMMA.finditer(text)):
        space, _, name = found["name"].rpartition(".")
        words = name.split("_")
        ways = [f"{name}'", f"lemma_{number}"]
        if len(words) > 1:
            ways += [
                "_".join(words[::-1]),
                "_".join(words[1:]),
                "".join([words[0], *map(str.title, words[1:])]),
            ]
        new = rng.choice(ways)
        written = f"{space}.{new}" if space else new
        yield Mutant("renamed lemma", path, found.start("name"), found.end("name"), written)


def _arguments(path: str, text: str, rng: random.Random) -> Iterator[Mutant]:
    kind = "argument"
    names = {found["name"].rpartition(".")[2] for found in _LEMMA.finditer(text)}
    for found in _CALL.finditer(text):
        given = re.findall(r"[\w₀-₉']+|\([^()\n]*\)", found["given"])
        if found["name"].rpartition(".")[2] not in names:
            continue
        ways = [[*given[:number], *given[number + 1 :]] for number in range(len(given))]
        ways += [
            [*given[:number], given[number + 1], given[number], *given[number + 2 :]]
            for number in range(len(given) - 1)
        ]
        way = rng.choice(ways)
        yield Mutant(kind, path, found.start("given"), found.end("given"), "".join(f" {one}" for one in way))
    for begin, end in _headers(text):
        binders = [*_BINDER.finditer(text, begin, end)]
        if binders:
            one = rng.choice(binders)
            opened, closed = ("{", "}") if one[0].startswith("(") else ("(", ")")
            yield Mutant(kind, path, one.start(), one.end(), f"{opened}{one[0][1:-1]}{closed}")


def _simp(path: str, text: str, rng: random.Random) -> Iterator[Mutant]:
    kind = "simp set"
    for found in _LEMMA.finditer(text):
        if found["attribute"]:
            yield Mutant(kind, path, found.start("attribute"), found.end("attribute"), "")
    for found in _LIST.finditer(text):
        items = found[0].split(", ")
        for number in range(len(items)):
            rest = ", ".join([*items[:number], *items[number + 1 :]])
            yield Mutant(kind, path, found.start(), found.end(), rest)


def _hypotheses(path: str, text: str, rng: random.Random) -> Iterator[Mutant]:
    kind = "hypothesis"
    for begin, end in _headers(text):
        binders = [one for one in _BINDER.finditer(text, begin, end) if one["names"].startswith("h")]
        if not binders:
            continue
        one = rng.choice(binders)
        first = one["names"].split()[0]
        ways = [Mutant(kind, path, one.start("names"), one.start("names") + len(first), f"{first}_new")]
        last = binders[-1]
        if text[last.end() : last.end() + 3] == " : " and " " not in last["names"]:
            type_ = last[0][1:-1].partition(" : ")[2]
            moved = f" : ({type_}) → ({text[last.end() + 3 : end].strip()}) "
            ways.append(Mutant(kind, path, last.start() - 1, end, moved))
        for left, right in pairwise(binders):
            swapped = f"{right[0]}{text[left.end() : right.start()]}{left[0]}"
            ways.append(Mutant(kind, path, left.start(), right.end(), swapped))
        yield rng.choice(ways)


def _headers(text: str) -> Iterator[tuple[int, int]]:
    """Where the statements of the theorems are, from the name to `:=`."""
    for found in _LEMMA.finditer(text):
        end = text.find(":=", found.end())
        yield found.end(), end if end > 0 else len(text)


def statements(folder: Path) -> dict[str, list[tuple[str, str, str]]]:
    """Kind, name and statement of all declarations, by file."""
    found = {}
    for path in sorted(folder.rglob("*.lean")):
        module = read_module(path.read_text(encoding="utf-8"), "", "")
        found[str(path.relative_to(folder))] = [
            (one.kind, one.name, one.statement) for one in module.premises
        ]
    return found


class Library:
    """A copy of the example library with its index and compiled files, which can be restored."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._kept = folder / "now", folder / "kept"
        self.sources = self.folder / "library"
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        if not self._kept.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            ignored = shutil.ignore_patterns(UNFINISHED)
            shutil.copytree(EXAMPLE, self.sources, ignore=ignored)
            self._run("repair", str(self.sources))  # which indexes and compiles it
            assert not self.rejected(), "the library itself must compile"
            shutil.copytree(self.folder, self._kept)

    def restore(self) -> None:
        """Undo everything."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._kept, self.folder)

    def rejected(self) -> list[str]:
        """What Lean rejects, by new processes."""
        lean = packaged.prepare()
        found: list[LeanError] = []
        packaged.build_library(self.sources, project_oleans(self.sources), lean, rejected=found.append)
        return [error.message for error in found]

    def repair(self, seconds: float) -> dict[str, object]:
        """The answer of the command."""
        options = ["--write", "--json", "--seconds", str(seconds), "--total", str(8 * seconds)]
        answer: dict[str, object] = json.loads(self._run("repair", str(self.sources), *options))
        return answer

    def _run(self, *words: str) -> str:
        command = [sys.executable, "-P", "-m", "lsp_server", *words]
        result = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if result.returncode not in (0, 1):
            raise RuntimeError(result.stderr)
        return result.stdout


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant. `errors`: Lean's; `left`: those that are not repaired."""

    key: str
    kind: str
    is_broken: bool
    errors: int = 0
    repaired: bool = False
    wrong: str = ""
    seconds: float = 0.0
    repairs: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def tried(library: Library, mutant: Mutant, seconds: float) -> Result:
    """Make a mutant, repair it, and check the result."""
    library.restore()
    path = library.sources / mutant.path
    path.write_text(mutant.of(path.read_text(encoding="utf-8")), encoding="utf-8")
    if not library.rejected():
        return Result(mutant.key, mutant.kind, is_broken=False)
    before = statements(library.sources)
    began = time.monotonic()
    answer = library.repair(seconds)
    took = time.monotonic() - began
    errors = [one for one in answer["errors"] if isinstance(one, dict)]  # type: ignore[attr-defined]
    left = [one for one in errors if one["kind"] == "none"]
    rejected = library.rejected()
    wrong = ""
    if statements(library.sources) != before:
        wrong = "another statement"
    elif any(
        "sorry" in tokenize(one.read_text(encoding="utf-8")).texts for one in library.sources.rglob("*.lean")
    ):
        wrong = "a sorry"
    elif rejected and not left:
        wrong = rejected[0]
    repairs = tuple(f"{one['kind']}: {one['before']} -> {one['after']}" for one in errors if one["edits"])
    texts = tuple(f"{one['file']}:{one['line']}: {one['message']} ({one['reason']})" for one in left)
    is_repaired = not rejected and not wrong
    return Result(mutant.key, mutant.kind, True, len(errors), is_repaired, wrong, took, repairs, texts)


def report(results: list[Result]) -> str:
    """The counts by kind."""
    lines = [f"{'kind':<16}{'mutants':>8}{'repaired':>9}{'wrong':>6}{'median s':>9}"]
    broken = [one for one in results if one.is_broken]
    for kind in [*dict.fromkeys(one.kind for one in broken), "all"]:
        own = [one for one in broken if kind in (one.kind, "all")]
        seconds = sorted(one.seconds for one in own)
        numbers = (len(own), sum(one.repaired for one in own), sum(bool(one.wrong) for one in own))
        lines.append(
            f"{kind:<16}{numbers[0]:>8}{numbers[1]:>9}{numbers[2]:>6}{seconds[len(seconds) // 2]:>9.1f}"
        )
    lines += [f"WRONG {one.key}: {one.wrong}" for one in broken if one.wrong]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mutants", type=int, default=200, help="how many, a quarter of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each error")
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="then the run ends, and a later one goes on"
    )
    parser.add_argument("--out", type=Path, default=Path("build/repair-mutants/results.jsonl"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, Result] = {}
    if options.out.exists():
        for line in options.out.read_text(encoding="utf-8").splitlines():
            one = Result(**json.loads(line))
            known[one.key] = one
    library = Library(options.out.parent.resolve())
    until = time.monotonic() + 60 * options.minutes
    results: list[Result] = []
    with options.out.open("a", encoding="utf-8") as log:
        kinds = [*mutants(random.Random(options.seed))]
        counts = dict.fromkeys(range(len(kinds)), 0)
        for number in range(max(map(len, kinds))):  # the kinds in turn, so that each part of a run has all
            for kind, found in enumerate(kinds):
                if number >= len(found) or counts[kind] >= options.mutants // len(kinds):
                    continue
                result = known.get(found[number].key)
                if result is None and time.monotonic() < until:
                    result = tried(library, found[number], options.seconds)
                    print(json.dumps(asdict(result), ensure_ascii=False), file=log, flush=True)
                if result is not None:
                    results.append(result)
                    counts[kind] += result.is_broken
    print(report(results))
    return int(any(one.wrong for one in results))


if __name__ == "__main__":
    sys.exit(main())
