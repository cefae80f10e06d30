"""Problems to prove: lines of a file in miniF2F's format (JSONL with `name`, `header`, `statement` and optionally
`level`), or theorems of a project without their proofs; and inputs from which no problem could be made."""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_DOCUMENT_BYTES
from lean_extract.records import Position
from lean_extract.source.grammar.commands import Command, split_commands
from lean_extract.source.grammar.declarations import parse_declaration, parse_prefix
from lean_extract.source.projects.project import SourceFile, find_project, find_sources
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.syntax.keywords import THEOREM_WORDS
from lean_extract.syntax.lexer import Tokens, tokenize
from prover.search.theorem import Theorem

FILE = "problem.lean"
"""The file name that Lean is given: the same for all problems, so that imports are loaded once. The file is
never written."""
_FAMILIES = (
    "mathd_algebra",
    "mathd_numbertheory",
    "numbertheory",
    "induction",
    "algebra",
    "aime",
    "amc",
    "imo",
)
_NEEDED = ("name", "header", "statement")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """A theorem to prove.

    `name`: its name in the rows; unique among the problems. `theorem`: the file as Lean gets it, with `sorry`
    for the proof. `full_name`: the theorem's name with its namespace. `level`: its stated difficulty or its
    family; may be empty. `seen`: the text that a retriever may read, the same line for line but without the
    proofs of other problems; if empty, the retriever reads what Lean gets.
    """

    name: str
    theorem: Theorem
    full_name: str = ""
    level: str = ""
    module: str = ""
    """The module of a library's theorem; empty for a theorem that was stated by itself."""
    seen: str = ""

    @property
    def text_seen(self) -> str:
        """The text that a retriever may read."""
        return self.seen or self.theorem.text


@dataclass(frozen=True, slots=True)
class InvalidProblem:
    """A line or name from which no problem could be made, and why; it counts as not proved."""

    name: str
    message: str
    level: str = ""


Posed = Problem | InvalidProblem


def digest(posed: Iterable[Posed]) -> str:
    """A hash of the problems: their names, levels, and texts up to the goals."""
    found = hashlib.sha256()
    for one in posed:
        text = one.theorem.text if isinstance(one, Problem) else one.message
        found.update(f"{one.name}\0{one.level}\0{text}\0".encode(errors="surrogatepass"))
    return found.hexdigest()[:16]


def _uniquely_named(posed: Sequence[tuple[int, Posed]]) -> list[Posed]:
    """The problems, given with their line numbers (from 1). A repeated name gives an `InvalidProblem`."""
    found: dict[str, Posed] = {}
    lines: dict[str, int] = {}
    given = frozenset(one.name for _, one in posed)
    for line, one in posed:
        if one.name in found:
            message = f"The name {one.name} already occurs in line {lines[one.name]}."
            again = f"{one.name} (line {line})"
            while again in given or again in found:
                again += "+"
            reason = message if isinstance(one, Problem) else one.message
            found[again] = InvalidProblem(again, reason, one.level)
        else:
            found[one.name] = one
            lines[one.name] = line
    return list(found.values())


def read_minif2f(path: Path, project: Path) -> list[Posed]:
    """The problems of a file, in order. A line that is not a problem gives an `InvalidProblem` with the reason.

    Raises:
        BadSource: the file cannot be read, or holds nothing.
    """
    try:
        lines = read_regular(path, MAX_DOCUMENT_BYTES).removeprefix(codecs.BOM_UTF8).split(b"\n")
    except OSError as error:
        hint = "Name a JSONL file with `name`, `header` and `statement` on each line."
        raise BadSource(f"{path} cannot be read: {error.strerror}.", hint) from error
    if not lines[-1].strip():
        lines.pop()
    if not lines:
        raise BadSource(f"There is no problem in {path}.", "Name a file with one problem per line.")
    return _uniquely_named(
        [(number, _problem(line, number, project / FILE)) for number, line in enumerate(lines, start=1)]
    )


def _problem(line: bytes, number: int, path: Path) -> Posed:
    name = f"line {number}"
    if not line.strip():
        return InvalidProblem(name, f"Line {number} is empty.")
    try:
        text = line.decode("utf-8")
        values = parse_json(text)
    except ValueError as error:  # UnicodeDecodeError is a ValueError
        return InvalidProblem(name, f"Line {number} is not JSON: {error}")
    if not isinstance(values, dict):
        return InvalidProblem(name, f"Line {number} is not a JSON object: {text[:_SHOWN]}")
    if halves := [key for key in (*_NEEDED, "level") if not _is_whole(values.get(key))]:
        return InvalidProblem(
            name, f"Line {number} has half a character (a lone surrogate) in its `{halves[0]}`."
        )
    if isinstance(values.get("name"), str) and values["name"].strip():
        name = values["name"].strip()
    level = values.get("level", family(name))
    level = str(level) if isinstance(level, str | int) else ""
    wrong = [key for key in _NEEDED if not isinstance(values.get(key), str)]
    if wrong or not values["statement"].strip():
        return InvalidProblem(
            name, f"Line {number} has no text as its `{(wrong or ['statement'])[0]}`.", level
        )
    try:
        theorem = Theorem.stated(path, values["header"], values["statement"])
        return Problem(name, theorem, theorem.name, level)
    except BadSource as error:
        return InvalidProblem(name, f"Line {number}: {error.message}", level)


def _is_whole(value: object) -> bool:
    """Whether a text can be encoded: JSON can contain half of a UTF-16 surrogate pair."""
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)


def family(name: str) -> str:
    """Which part of miniF2F a name belongs to (`imo`, `mathd_algebra`, ...); empty for other names."""
    return next((one for one in _FAMILIES if name.startswith(one)), "")


_BEGUN = " := by\n  sorry\n"
_LEVEL = re.compile(r"\b[Ll]evel:?\s*(\d+)")


def all_theorems(root: Path, folder: Path | None = None, *, hide: bool = False) -> list[Posed]:
    """Every theorem of the project's own files, or of those below a folder, in order of module and line.

    Args:
        hide: whether the other theorems above it in its file are removed, for Lean as well.

    Raises:
        BadSource: there is no theorem.
    """
    posed: list[Posed] = []
    texts: list[CutText] = []
    for source in _own_sources(root, folder):
        text = _cut(source)
        if isinstance(text, InvalidProblem):
            posed.append(text)
        elif text is not None:
            texts.append(text)
    names = frozenset(cut.name for text in texts for cut in text.cuts)
    for text in texts:
        posed += _problems(text, names, hide=hide)
    if not posed:
        raise BadSource(f"There is no theorem in {folder or root}.", "Name the folder of a Lean project.")
    return _with_modules(posed)


def named_theorems(root: Path, names: Sequence[str]) -> list[Posed]:
    """The theorems with these names, in that order; a name that the project lacks gives an `InvalidProblem`.

    Raises:
        BadSource: there are no names.
    """
    if not names:
        raise BadSource("There are no theorems to prove.", "Name at least one.")
    wanted = frozenset(names)
    lasts = frozenset(name.rpartition(".")[2] for name in names)
    found: dict[str, Posed] = {}
    for source in _own_sources(root):
        text = _cut(source, lasts)
        if isinstance(text, CutText):
            for one in _problems(text, wanted, hide=False):
                found.setdefault(one.name, one)
    message = "The project has no theorem of that name in its own files, or none that compiles alone."
    return _uniquely_named(
        [(line, found.get(name) or InvalidProblem(name, message)) for line, name in enumerate(names, start=1)]
    )


def _own_sources(root: Path, folder: Path | None = None) -> list[SourceFile]:
    """The project's own files (not its packages'), or those of them below a folder."""
    project = find_project(root)
    packages = [package.root for package in project.packages]
    return [
        source
        for source in find_sources(root).sources
        if not any(source.path.is_relative_to(package) for package in packages)
        and (folder is None or source.path.is_relative_to(folder))
    ]


def _cut(source: SourceFile, only: Collection[str] = ()) -> CutText | InvalidProblem | None:
    """The file's theorems; None if the text contains none of `only`, the last components of names."""
    try:
        text = source.path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return InvalidProblem(source.module, f"{source.path} cannot be read: {error}.")
    if only and not any(name in text for name in only):
        return None
    return cut_text(text, source.module, str(source.path))


def _problems(text: CutText, wanted: Collection[str], *, hide: bool) -> Iterator[Problem]:
    path = Path(text.read.module.path)
    for cut in text.cuts:
        if cut.name in wanted:
            yield problem_of(text, cut, path, wanted, hide=hide)


def _with_modules(posed: Sequence[Posed]) -> list[Posed]:
    """Add the module to a name that several theorems share (private ones of several modules)."""
    found: dict[str, Posed] = {}
    for one in posed:
        named = one
        if one.name in found and isinstance(one, Problem):
            named = replace(one, name=f"{one.name} ({one.module})")
        found.setdefault(named.name, named)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Cut:
    """A theorem of a text, with offsets into the text: `begin` of its command, the end of its statement
    (`stated`) and the end of its proof (`end`)."""

    name: str
    doc: str
    begin: int
    stated: int
    end: int

    @property
    def level(self) -> str:
        """The difficulty that its doc comment states (`Level 3`), as text; empty if it states none."""
        found = _LEVEL.search(self.doc)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class CutText:
    """A module's text (with Unix line endings) and its theorems, in order."""

    text: str
    read: SourceModule
    cuts: tuple[_Cut, ...]


def cut_text(text: str, module: str, path: str) -> CutText:
    """Find the theorems of a module's text.

    Theorems of a `mutual` block are left out, since none of them compiles without the others. So are the
    helpers after a proof's `where`, which belong to the proof.
    """
    text = text.replace("\r\n", "\n")
    read = read_module(text, module, path)
    tokens = tokenize(text)
    commands = split_commands(tokens)
    starts = [tokens.starts[command.begin] for command in commands]
    mutual = _mutual(tokens, commands)
    cuts = []
    for premise in read.premises:
        if premise.kind in THEOREM_WORDS and premise.generated_by is None and premise.span is not None:
            begin = _offset(tokens, premise.span.start)
            end = _offset(tokens, premise.span.end)
            index = bisect_right(starts, begin) - 1
            stated = _stated(tokens, begin, end)
            if stated is not None and index not in mutual:
                cuts.append(_Cut(premise.name, premise.doc or "", starts[index], stated, end))
    return CutText(text, read, tuple(cuts))


def problem_of(source: CutText, cut: _Cut, path: Path, others: Collection[str], *, hide: bool) -> Problem:
    """The theorem as a problem: without its proof and without everything below it.

    Args:
        others: the names of all problems; a retriever does not see the proofs of those above.
        hide: whether those above are removed entirely, for Lean as well.
    """
    above = [one for one in source.cuts if one.end <= cut.begin and one.name in others]
    stated = source.text[: cut.stated]
    text = without(stated, above) if hide else stated
    position = Position(text.count("\n") + 1, 2)
    seen = "" if hide else f"{unproved(stated, above)}{_BEGUN}"
    theorem = Theorem(path, f"{text}{_BEGUN}", position)
    return Problem(cut.name, theorem, cut.name, cut.level, source.read.module.name, seen)


def without(text: str, cuts: Sequence[_Cut]) -> str:
    """The text with these theorems blanked out; lines and columns of the rest stay as they are."""
    for cut in cuts:
        text = text[: cut.begin] + re.sub(r"[^\n]", " ", text[cut.begin : cut.end]) + text[cut.end :]
    return text


def unproved(text: str, cuts: Sequence[_Cut]) -> str:
    """The text with the proofs of these theorems replaced by `sorry`; line numbers do not change."""
    for cut in sorted(cuts, key=lambda one: -one.begin):
        lines = "\n" * text.count("\n", cut.stated, cut.end)
        text = f"{text[: cut.stated]} := sorry{lines}{text[cut.end :]}"
    return text


def _offset(tokens: Tokens, position: Position) -> int:
    return tokens.line_offsets()[position.line] + position.column


def _mutual(tokens: Tokens, commands: Sequence[Command]) -> frozenset[int]:
    """The indices of the commands inside a `mutual` block; no other block can be nested in one."""
    found: list[int] = []
    is_inside = False
    for index, command in enumerate(commands):
        if "mutual" in tokens.texts[command.begin : command.end]:  # perhaps after `set_option ... in`
            is_inside = True
        elif tokens.texts[command.begin] == "end":
            is_inside = False
        if is_inside:
            found.append(index)
    return frozenset(found)


def _stated(tokens: Tokens, begin: int, end: int) -> int | None:
    """The offset at which the statement of the declaration at [begin, end) ends; None for a `where` helper."""
    first, last = bisect_left(tokens.starts, begin), bisect_left(tokens.starts, end)
    prefix, keyword = parse_prefix(tokens, first, last)
    declaration = parse_declaration(tokens, prefix, first, keyword, last)
    if declaration is None:  # it has no keyword, as a `where` helper
        return None
    return tokens.end(declaration.value_begin - 1)
