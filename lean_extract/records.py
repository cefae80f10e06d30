"""The records that all packages exchange: frozen dataclasses, and the JSONL format in which they are stored.

Inside the program, lines and columns count from 0, and columns are Unicode code points. The language server
converts to UTF-16 units, and the command line to counting from 1, at the edge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import open_regular
from lean_extract.common.typed import read_typed

FORMAT = "premise-suggest-records"
VERSION = 1
_DEPRECATED = re.compile(r"deprecated(?![\w.'!?])\s*(?P<instead>[^\W\d][\w.'!?«»]*)?")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column in a document. Both count from 0; columns are code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of a document."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a document, which may be empty, and the text that replaces it; `\n` ends a line in both.

    `cursor`: where the cursor belongs in the document after the edit of a tactic, on the first `sorry` of a goal that
    is left or else after the text; None for other edits.
    """

    span: Span
    text: str
    cursor: Position | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One line of a printed context: `a b : T` or `x : T := v`. An instance may be unnamed."""

    names: tuple[str, ...]
    type: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal: its context, its target, and its `case` tag if Lean printed one."""

    hypotheses: tuple[Hypothesis, ...]
    target: str
    case: str | None = None

    def rewritten(self, rewrite: Callable[[str], str]) -> Goal:
        """The goal with its target, and the types and values of its hypotheses, in another way of writing."""
        hypotheses = tuple(
            Hypothesis(one.names, rewrite(one.type), None if one.value is None else rewrite(one.value))
            for one in self.hypotheses
        )
        return Goal(hypotheses, rewrite(self.target), self.case)


@dataclass(frozen=True, slots=True)
class ProofState:
    """All goals at a position, the main one first. No goals: the proof is complete."""

    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Premise:
    """A declaration that a proof may use.

    `context` holds the binders as written (`{G : Type*}`, `[Group G]`, `(a b : G)`): included section
    variables first, then the declaration's own binders. `conclusion` is what follows the colon. Runs of white
    space in both are replaced by one space. `kind` is Lean's keyword (`theorem`, `lemma`, `def`, `instance`,
    ...), or `field` or `constructor` for a member of a structure or inductive type.
    """

    name: str
    kind: str
    module: str
    context: tuple[str, ...] = ()
    conclusion: str = ""
    span: Span | None = None
    doc: str | None = None
    attributes: tuple[str, ...] = ()
    is_private: bool = False
    is_protected: bool = False
    generated_by: str | None = None
    """The attribute that generated it (`to_additive`, `to_dual`, `simps`, ...), if it has no source of its own."""
    generated_from: str | None = None
    """The declaration that carries that attribute."""
    has_sorry: bool = False
    """Whether its own source text contains `sorry` or `admit`."""
    exported_as: str | None = None
    """A second full name, from an `export` in its own file: `zero_mul` for `MulZeroClass.zero_mul`."""
    module_doc: str | None = None
    """What the module docs of its file say of it: the list items and sentences that name it."""

    @property
    def written(self) -> str:
        """The name as people write it. `name` is the identifier of the premise."""
        return self.exported_as or self.name

    @property
    def is_deprecated(self) -> bool:
        """Whether it has the attribute `deprecated`."""
        return any(_DEPRECATED.match(attribute) for attribute in self.attributes)

    @property
    def replacement(self) -> str:
        """What `deprecated` names in its place, as written; empty if nothing, for example if an alias replaces it."""
        found = filter(None, map(_DEPRECATED.match, self.attributes))
        return next((match["instead"] or "" for match in found), "")

    @property
    def statement(self) -> str:
        """The signature without keyword and name: the binders, then `: conclusion`."""
        binders = " ".join(self.context)
        return f"{binders} : {self.conclusion}".strip() if self.conclusion else binders


@dataclass(frozen=True, slots=True)
class TacticStep:
    """One tactic of a proof (section 3.1.1 of the paper).

    Steps read from text alone have no states. With `--states`, they have the main goal
    before the step wherever the text determines it.
    """

    tactic: str
    span: Span | None = None
    premises: tuple[str, ...] = ()
    before: ProofState | None = None
    after: ProofState | None = None
    origin: str | None = None
    """How a state was inferred from text: `start`, `have`, `intro`, ...; `PRINTED` or `PRINTED_IN_PART` if Lean
    printed the target."""


@dataclass(frozen=True, slots=True)
class InnerGoal:
    """A goal stated inside a proof (`have`, `show`, `suffices`, `calc`), with the premises of its own proof."""

    keyword: str
    conclusion: str
    context: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """A theorem's proof: all premises that it uses, in order of first use, and its steps."""

    theorem: str
    module: str
    premises: tuple[str, ...] = ()
    steps: tuple[TacticStep, ...] = ()
    inner_goals: tuple[InnerGoal, ...] = ()
    is_tactic: bool = False
    terms: tuple[TacticStep, ...] = ()
    """Goals proved by a term, each as the step `exact term`. Empty without `--states`."""


@dataclass(frozen=True, slots=True)
class Import:
    """One line of a module's header."""

    module: str
    is_public: bool = False
    is_meta: bool = False
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A source file: its module name, its path, its imports, and the package that it belongs to."""

    name: str
    path: str
    imports: tuple[Import, ...] = ()
    package: str | None = None
    in_module_system: bool = False


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Something in a file that a reader could not parse. The reader continues after it."""

    path: str
    position: Position
    message: str


TacticStatus = Literal["closes", "progress", "unjudged", "fails", "timeout"]


@dataclass(frozen=True, slots=True)
class TacticOutcome:
    """Lean's verdict on one tactic.

    `unjudged` means that Lean accepts the tactic, but an error above may have changed the goal; `message` names
    the line. `state` holds the goals that remain; it is set for `closes` (empty), `progress` and `unjudged`.
    `instead` is an equivalent tactic without the parts that Lean's linters report as unnecessary. `remark` is
    a linter warning that remains. `origin` is the theorem whose proof the tactic is taken from, if it is.
    `edit` inserts `shown` into the document, with a `sorry` for each goal that it leaves: the edit that Lean judged;
    None where no document was given.
    `in_term` means that a term is replaced, by `by` and the tactic. `rests_on_sorry` means that the proof uses
    declarations whose own proofs are unfinished or have an error; `unfinished` names those that are known.
    `error_at` is where in the tactic Lean reports the error `message`, in code points from its start; None where that
    is not known, or not in its first line. `import_line` is the line (`import M`) without which Lean does not accept
    the tactic, and `import_edit` adds it to the document. `surveyed`: if it is a survey (`session/survey.py`), what
    its tactics do.
    """

    tactic: str
    status: TacticStatus
    state: ProofState | None = None
    message: str = ""
    milliseconds: float = 0.0
    instead: str = ""
    remark: str = ""
    origin: str = ""
    edit: Edit | None = None
    in_term: bool = False
    rests_on_sorry: bool = False
    unfinished: tuple[str, ...] = ()
    error_at: int | None = None
    import_line: str = ""
    import_edit: Edit | None = None
    surveyed: tuple[TacticOutcome, ...] = ()

    @property
    def shown(self) -> str:
        """The tactic to write."""
        return self.instead or self.tactic


PRINTED, PRINTED_IN_PART = "comment", "comment-truncated"
"""The origins of steps with a target that Lean printed; of the second kind only its beginning is known."""

Record = Module | Premise | Proof | FileProblem
_TYPES: dict[str, type[Any]] = {"module": Module, "premise": Premise, "proof": Proof, "problem": FileProblem}
_TAGS = {record_type: tag for tag, record_type in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class NearStep:
    """A step of a known proof whose state resembles a goal: the retriever finds it, and the prover adapts it."""

    theorem: str
    """The full name of the theorem that it proves a part of."""
    module: str
    """The module of that theorem."""
    tactic: str
    """On one line, with the full names of the premises that are known here."""
    goal: Goal
    """Its goal: the target, and the hypotheses that the tactic or the next two mention."""
    similarity: float
    """The inner product of the states' vectors, at most 1."""
    local: tuple[str, ...] = ()
    """The names of the goal's other hypotheses."""
    premises: tuple[Premise, ...] = ()
    """The premises that the tactic mentions; those of the bundled index have no statements."""
    out_of_scope: tuple[str, ...] = ()
    """Those of them that the open file does not import."""
    continued: tuple[NearStep, ...] = ()
    """The step with the next one or two of its proof: the goal is the same, the tactic has several lines."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a records file."""

    source: str
    """`text` (the source reader) or `lean` (real elaboration)."""
    revision: str = ""
    """The revision that was read: a commit, a version or a content hash."""


def to_json(record: object) -> dict[str, Any]:
    """A record as plain JSON values. Fields that have their default value are omitted."""
    values: dict[str, Any] = {}
    for name, default in _defaults(cast(Hashable, type(record))):
        value = getattr(record, name)
        if value != default:
            values[name] = _plain(value)
    return values


@cache
def _defaults(record_type: Hashable) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(cast(Any, record_type)))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return to_json(value)
    return value


def write_records(path: Path, header: Header, records: Iterable[Record]) -> int:
    """Write a records file atomically, and return the number of records."""
    count = 0
    # One encoder for all lines. It writes tuples as lists and calls `_shallow` for dataclasses.
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=_shallow).encode
    with replacing(path) as stream:
        first = {"format": FORMAT, "version": VERSION, **asdict(header)}
        stream.write(encode(first) + "\n")
        for record in records:
            stream.write(encode({"type": _TAGS[type(record)], **_shallow(record)}) + "\n")
            count += 1
    return count


def _shallow(record: object) -> dict[str, Any]:
    """Like `to_json`, but the values of the fields are not converted."""
    if isinstance(record, Span):  # half of all values are spans, so they have a fast path
        start, end = record.start, record.end
        return {
            "start": {"line": start.line, "column": start.column},
            "end": {"line": end.line, "column": end.column},
        }
    required, optional = _fields_of(cast(Hashable, type(record)))
    values = {name: getattr(record, name) for name in required}
    for name, default in optional:
        value = getattr(record, name)
        # `is` first: comparing a record with None is slow, and this runs millions of times
        if value is not default and (default is None or value != default):
            values[name] = value
    return values


@cache
def _fields_of(record_type: Hashable) -> tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """The fields without a default, and the other fields with their defaults, in order."""
    defaults = _defaults(record_type)
    required = tuple(name for name, default in defaults if default is MISSING)
    return required, tuple((name, default) for name, default in defaults if default is not MISSING)


def read_header(path: Path) -> Header:
    """The header of a records file. Raises BadRecords if it is missing or has another format or version."""
    with _opened(path) as stream:
        return _parse_header(path, stream.readline())


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as stream:
            yield stream
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Name a records file.") from error


def _parse_header(path: Path, line: bytes) -> Header:
    try:
        first = parse_json(line)
        if first["format"] != FORMAT or first["version"] != VERSION:
            raise BadRecords(
                f"{path} is {first['format']} {first['version']}, not {FORMAT} {VERSION}.",
                "Extract it again with this version.",
            )
        return Header(first["source"], first["revision"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} does not begin with a records header.", "Extract it again.") from error


def read_records(path: Path, on_bad: list[str] | None = None) -> Iterator[Record]:
    """The records of a file, in order.

    A malformed line is skipped, and a message with its line number is appended to `on_bad`. Without that list,
    it raises BadRecords.
    """
    with _opened(path) as stream:
        _parse_header(path, stream.readline())
        for number, line in enumerate(stream, start=2):
            try:
                record = _parse_record(line)
            except (ValueError, TypeError) as error:
                complaint = f"{path}:{number}: not a record: {error}"
                if on_bad is None:
                    raise BadRecords(complaint, "Extract the file again.") from error
                on_bad.append(complaint)
                continue
            yield record


def _parse_record(line: bytes) -> Record:
    values = parse_json(line.rstrip(b"\r\n"))
    tag = values.pop("type", None) if isinstance(values, dict) else None
    if tag not in _TYPES:
        raise ValueError(f"its type is {tag!r}, not one of {', '.join(_TYPES)}")
    return cast(Record, read_typed(_TYPES[tag], values))
